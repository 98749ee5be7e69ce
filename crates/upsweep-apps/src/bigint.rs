//! Big integers: sums and order.
//!
//! An integer is an array of limbs of 64 bits, the lowest first; an empty one is 0.
//!
//! ```
//! use std::cmp::Ordering;
//! use upsweep::Device;
//! use upsweep_apps::bigint;
//!
//! let device = Device::cpu();
//! let sum = bigint::add(&device, &[u64::MAX, u64::MAX, 5], &[1])?;
//! assert_eq!(sum.to_vec()?, [0, 0, 6, 0]);
//! assert_eq!(bigint::compare(&device, &[0, 2], &[9, 1])?, Ordering::Greater);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! A limb stops a carry, generates one, or propagates the one that comes in: one of three functions of the carry. These
//! functions compose associatively, so one scan adds: its element is the sum of the last limb, and the function of the
//! limbs before it.
//!
//! **Cost.** One pass: 24 bytes a limb, and 16 where only one of the two has limbs.

use crate::part::{Part, PartMut, map};
use std::cmp::Ordering;
use upsweep::inputs::GatherOf;
use upsweep::prelude::*;
use upsweep::{Input, Result, View};

/// Functions of the carry of a run of limbs, as bits: whether the run generates a carry, and whether it propagates one.
/// One word holds two functions: that of all limbs of the run ([`ALL`]), and that of the limbs before the last one
/// ([`BEFORE`]).
type Carries = u32;
const ALL: Carries = 1;
const BEFORE: Carries = 2;
/// Number of bits by which the bit that says "propagates" is above the one that says "generates".
const PASSES: u32 = 16;

/// Run of limbs. Its words have 32 bits, so that the struct has no padding.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Limbs {
    /// Lower half of the sum of the run's last limbs, without a carry that comes in; `high` is the upper half.
    low: u32,
    high: u32,
    carries: Carries,
}

#[function]
fn limbs_of(a: u64, b: u64) -> Limbs {
    let sum = a + b;
    let makes: u32 = if sum < a { ALL } else { 0 };
    let passes: u32 = if sum == u64::MAX { ALL | BEFORE } else { BEFORE };
    Limbs { low: sum as u32, high: (sum >> 32) as u32, carries: makes | passes << PASSES }
}

/// Carry out of the limbs `a` and `b`, from `sum`, their sum with the carry that came in.
#[function]
fn handed_on(a: u64, b: u64, sum: u64) -> u64 {
    (a & b | (a | b) & !sum) >> 63
}

/// Run of one limb, `at`, where only the longer number has limbs; its limb is 0 at the index `len`, after the last one.
/// At the index `first`, the carry out of the limbs that both numbers have is added.
#[function]
fn rest_of(#[param] first: u64, #[param] len: u64, limb: u64, carry: u64, at: u64) -> Limbs {
    let limb: u64 = if at < len { limb } else { 0 };
    let sum: u64 = if at == first { limb + carry } else { limb };
    let makes: u32 = if sum < limb { ALL } else { 0 };
    let passes: u32 = if sum == u64::MAX && at != first { ALL | BEFORE } else { BEFORE };
    Limbs { low: sum as u32, high: (sum >> 32) as u32, carries: makes | passes << PASSES }
}

/// Joins two runs: `b` has the limbs above those of `a`. Both together generate a carry if `b` does, or if `b`
/// propagates one that `a` generates. They propagate one if both do.
#[operator]
fn carry_over(a: Limbs, b: Limbs) -> Limbs {
    // Function of the carry of all limbs of `a`: the multiplication copies it to the bits of both functions in a word.
    let lower = (a.carries & (ALL | ALL << PASSES)) * (ALL | BEFORE);
    let makes = b.carries & (ALL | BEFORE) | b.carries >> PASSES & lower;
    let passes = b.carries & lower & (ALL | BEFORE) << PASSES;
    Limbs { low: b.low, high: b.high, carries: makes | passes }
}

#[function]
fn with_carry(limbs: Limbs) -> u64 {
    ((limbs.high as u64) << 32 | limbs.low as u64) + (limbs.carries >> 1 & 1) as u64
}

/// Index of the limb of the shorter number that is read at `at`. Past its end that is the last limb, which the caller
/// replaces by 0.
#[function]
fn within(#[param] last: u64, at: u64) -> u64 {
    at.min(last)
}

/// Returns 0 for equal limbs. For limbs that differ it returns `2 (at + 1)`, plus 1 if `a` is larger, so the largest
/// number belongs to the highest limb that differs.
#[function]
fn larger(#[param] a_len: u64, #[param] b_len: u64, a: u64, b: u64, at: u64) -> u64 {
    let a: u64 = if at < a_len { a } else { 0 };
    let b: u64 = if at < b_len { b } else { 0 };
    let first: u64 = if a > b { 1 } else { 0 };
    if a == b { 0 } else { (at + 1) * 2 + first }
}

/// Adds two integers. The sum has one limb more than the longer of the two. On CUDA the work is enqueued and the call
/// returns at once.
///
/// # Errors
/// [`Place`](upsweep::Error::Place) when a number is not in the memory of the device that computes; CUDA's own.
pub fn add<A, B>(device: &Device, a: &A, b: &B) -> Result<Array<u64>>
where
    A: Input<Item = u64> + ?Sized,
    B: Input<Item = u64> + ?Sized,
{
    let (a, b) = (Part::all(a), Part::all(b));
    if a.view().len() < b.view().len() { add_longer(device, &b, &a) } else { add_longer(device, &a, &b) }
}

/// Adds in one pass over the limbs that both numbers have, and one over the other limbs of the longer number and the
/// limb after them.
fn add_longer(device: &Device, long: &Part<'_, u64>, short: &Part<'_, u64>) -> Result<Array<u64>> {
    let (n, both) = (long.view().len(), short.view().len());
    if n == 0 {
        return device.filled(1, 0);
    }
    let mut sum = device.room(n + 1)?;
    let carry = if both > 0 {
        let lower = long.part(0..both)?;
        let scan = Scan::new(CarryOver).map(LimbsOf).finish(WithCarry);
        scan.run(device, (&lower, short), &mut PartMut::of(&mut sum, 0..both)?)?;
        let last = both - 1..both;
        let (long, short) = (&long.part(last.clone())?, &short.part(last.clone())?);
        if n == both {
            PartMut::of(&mut sum, last.start..n + 1)?
                .split(1, |highest, behind| Transform::new(HandedOn).run(device, (long, short, highest), behind))?;
            return Ok(sum);
        }
        map(device, HandedOn, (long, short, &Part::of(&sum, last)?))?
    } else {
        device.filled(1, 0u64)?
    };
    let (first, len) = (both as u64, n as u64);
    let rest = Gather::of(long).at(Apply(Within { last: len - 1 }, first..len + 1));
    let scan = Scan::new(CarryOver).map(RestOf { first, len }).finish(WithCarry);
    scan.run(
        device,
        (rest, Gather::of(&carry).at(Repeat(0u64)), first..len + 1),
        &mut PartMut::of(&mut sum, both..n + 1)?,
    )?;
    Ok(sum)
}

/// Compares two integers; leading zeros, which lie at the end, make no difference. On CUDA this waits for the result.
///
/// # Errors
/// As [`add`].
pub fn compare<A, B>(device: &Device, a: &A, b: &B) -> Result<Ordering>
where
    A: Input<Item = u64> + ?Sized,
    B: Input<Item = u64> + ?Sized,
{
    compare_numbers(device, &Number::of(device, a)?, &Number::of(device, b)?)
}

fn compare_numbers(device: &Device, a: &Number<'_>, b: &Number<'_>) -> Result<Ordering> {
    let n = a.len.max(b.len);
    let reduce = Reduce::new(Max).map(Larger { a_len: a.len, b_len: b.len });
    Ok(match reduce.run_to_host(device, (a.gather(n), b.gather(n), 0..n))? {
        0 => Ordering::Equal,
        first if first % 2 == 1 => Ordering::Greater,
        _ => Ordering::Less,
    })
}

/// Number with at least one limb to read: for an empty input that is a 0 on the device.
struct Number<'a> {
    given: Part<'a, u64>,
    zero: Option<Array<u64>>,
    len: u64,
}

impl<'a> Number<'a> {
    fn of<B: Input<Item = u64> + ?Sized>(device: &Device, given: &'a B) -> Result<Self> {
        let len = given.view().len() as u64;
        let zero = if len == 0 { Some(device.filled(1, 0)?) } else { None };
        Ok(Self { given: Part::all(given), zero, len })
    }

    /// Input with the first `n` limbs of the number; past its end it repeats the last limb.
    fn gather(&self, n: u64) -> GatherOf<'_, Self, Apply<Within, std::ops::Range<u64>>> {
        Gather::of(self).at(Apply(Within { last: self.len.saturating_sub(1) }, 0..n))
    }
}

impl Input for Number<'_> {
    type Item = u64;
    fn view(&self) -> View<'_, u64> {
        match &self.zero {
            Some(zero) => zero.view(),
            None => self.given.view(),
        }
    }
}
