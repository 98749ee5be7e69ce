//! The order of two sequences, and the first place where they differ.
//!
//! ```text
//! order    that of the elements at the first place where they differ; if one sequence begins with the other, the shorter is first
//! at       that place; the shorter length if one begins with the other; None if they are equal
//! ```
//!
//! This is Rust's order of slices: the string comparison of lectures, which drops the letters that one string lacks, would find
//! "par" and "parallel" equal. Of floats NaN has no order, as in `partial_cmp`, and -0 equals +0.
//!
//! ```
//! use std::cmp::Ordering;
//! use upsweep::Device;
//! use upsweep_apps::text::Compare;
//!
//! let device = Device::cpu();
//! let found = Compare::new().run(&device, b"parallax", b"parallel")?;
//! assert_eq!((found.order, found.at), (Some(Ordering::Less), Some(6)));
//! let found = Compare::new().run(&device, b"par", b"parallel")?;
//! assert_eq!((found.order, found.at), (Some(Ordering::Less), Some(3)));
//!
//! // Numbers that are close enough are equal.
//! let found = Compare::new().within(1e-6).run(&device, &[0.1 + 0.2, 5.0], &[0.3, 7.0])?;
//! assert_eq!(found.at, Some(1));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** Both are read once up to where they differ, and at most four times as far beyond: in waves of elements, each four times as
//! long as the one before, after which the host looks. Of a wave it only asks which sixteenth differs, and of that one which sixteenth,
//! until few elements are left to be put in order: another sixteenth of the wave. Equal sequences are read once.

use crate::part::{Part, PartMut, element, map};
use std::cmp::Ordering;
use std::ops::Range;
use upsweep::prelude::*;
use upsweep::{Error, Input, Result};

#[allow(unreachable_pub, reason = "the functions stay here; what the macro makes of them is exported")]
mod definitions {
    use upsweep::operator::{Float, Number};
    use upsweep::prelude::*;

    /// How elements are compared: where they differ and how is told by the function itself, and that they do, more cheaply, by another one.
    pub trait Differs<T: Element>: Function<(T, T, u64), Output = u64> + Copy {
        /// 1 for elements that differ, and 0 for equal ones.
        type Whether: Function<(T, T), Output = u32> + Copy;
        /// The same comparison.
        fn whether(&self) -> Self::Whether;
    }

    /// Whether elements differ.
    #[function]
    pub fn unequal<T: Number>(a: T, b: T) -> u32 {
        if a == b { 0 } else { 1 }
    }

    /// The same, where elements whose difference is at most `tolerance` are equal.
    #[function]
    pub fn distant<T: Float>(#[param] tolerance: T, a: T, b: T) -> u32 {
        if a == b || (a - b).abs() <= tolerance { 0 } else { 1 }
    }

    impl<T: Number> Differs<T> for Exact {
        type Whether = Unequal;
        fn whether(&self) -> Unequal {
            Unequal
        }
    }

    impl<T: Float> Differs<T> for Near<T> {
        type Whether = Distant<T>;
        fn whether(&self) -> Distant<T> {
            Distant { tolerance: self.tolerance }
        }
    }

    /// The place of elements that differ, and their order: `4 * at + (0 less, 1 greater, 2 neither)`; equal ones are `u64::MAX`.
    #[function]
    pub fn exact<T: Number>(a: T, b: T, at: u64) -> u64 {
        let order: u64 = if a < b {
            0
        } else if a > b {
            1
        } else {
            2
        };
        if a == b { u64::MAX } else { at * 4 + order }
    }

    /// The same, where elements whose difference is at most `tolerance` are equal.
    #[function]
    pub fn near<T: Float>(#[param] tolerance: T, a: T, b: T, at: u64) -> u64 {
        let order: u64 = if a < b {
            0
        } else if a > b {
            1
        } else {
            2
        };
        if a == b || (a - b).abs() <= tolerance { u64::MAX } else { at * 4 + order }
    }
}
pub use definitions::{Differs, Exact, Near};

/// The longest first wave: what a core compares in some 50 microseconds.
const FIRST_WAVE: usize = 1 << 18;
/// The pieces of a wave of which the host asks at once, and the longest that is put in order.
const PIECES: usize = 16;
const LONGEST_PIECE: usize = 1 << 20;

/// A comparison with its options: see the [module](self) for what it finds. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is compared until it is run"]
pub struct Compare<F = Exact> {
    differs: F,
}

impl Compare {
    /// Elements are equal if `==` says so.
    pub fn new() -> Self {
        Self { differs: Exact }
    }

    /// Floats are equal if their difference, rounded to their type, is at most `tolerance`, too. NaN equals nothing.
    pub fn within<T>(self, tolerance: T) -> Compare<Near<T>> {
        Compare { differs: Near { tolerance } }
    }
}

impl Default for Compare {
    fn default() -> Self {
        Self::new()
    }
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Which of the two is first. `None` where NaN decides.
    pub order: Option<Ordering>,
    /// The first place where they differ: the shorter length, if one begins with the other. `None` if they are equal.
    pub at: Option<usize>,
}

/// What comparisons of many pairs found, a result for each pair, on the device.
#[derive(Debug)]
pub struct Pairs {
    /// -1, 0 or 1 where the first of the pair is less than, equal to or greater than the second; 2 where NaN decides.
    pub orders: Array<i8>,
    /// The first place where they differ, counted from where each begins; the shorter length if there is none.
    pub places: Array<u64>,
}

impl<F: Copy> Compare<F> {
    /// Compares two sequences. On CUDA this waits for the result.
    ///
    /// # Errors
    /// [`Error::Place`] when a buffer is not where the device computes; CUDA's own.
    pub fn run<A, B>(&self, device: &Device, a: &A, b: &B) -> Result<Comparison>
    where
        A: Input + ?Sized,
        B: Input<Item = A::Item> + ?Sized,
        F: Differs<A::Item>,
    {
        self.waves(device, &Part::all(a), &Part::all(b))
    }

    fn waves<T: Element>(&self, device: &Device, a: &Part<'_, T>, b: &Part<'_, T>) -> Result<Comparison>
    where
        F: Differs<T>,
    {
        let (a_len, b_len) = (a.view().len(), b.view().len());
        let common = a_len.min(b_len);
        let (mut start, mut wave) = (0, FIRST_WAVE);
        while start < common {
            let end = common.min(start.saturating_add(wave));
            let short = end - start <= FIRST_WAVE;
            let piece = if short { Some(start..end) } else { self.piece(device, a, b, start..end)? };
            let first = piece.map_or(Ok(u64::MAX), |piece| self.first(device, a, b, piece))?;
            if first != u64::MAX {
                let order = [Some(Ordering::Less), Some(Ordering::Greater), None][(first % 4).min(2) as usize];
                return Ok(Comparison { order, at: Some((first / 4) as usize) });
            }
            (start, wave) = (end, wave.saturating_mul(4));
        }
        let at = if a_len == b_len { None } else { Some(common) };
        Ok(Comparison { order: Some(a_len.cmp(&b_len)), at })
    }

    /// The first difference of a piece, as the function tells it.
    fn first<T: Element>(&self, device: &Device, a: &Part<'_, T>, b: &Part<'_, T>, piece: Range<usize>) -> Result<u64>
    where
        F: Differs<T>,
    {
        let (x, y) = (Part::of(a, piece.clone())?, Part::of(b, piece.clone())?);
        Reduce::new(Min).map(self.differs).run_to_host(device, (&x, &y, piece.start as u64..piece.end as u64))
    }

    /// Where the first difference of a wave is: no more than [`LONGEST_PIECE`] elements.
    fn piece<T: Element>(
        &self,
        device: &Device,
        a: &Part<'_, T>,
        b: &Part<'_, T>,
        wave: Range<usize>,
    ) -> Result<Option<Range<usize>>>
    where
        F: Differs<T>,
    {
        let mut range = wave;
        loop {
            let len = if range.len() > LONGEST_PIECE { range.len().div_ceil(PIECES) } else { range.len() };
            let pieces: Vec<_> = range.clone().step_by(len).map(|begin| begin..range.end.min(begin + len)).collect();
            let mut differ = device.filled(pieces.len(), 0u32)?;
            for (i, piece) in pieces.iter().enumerate() {
                let (x, y) = (Part::of(a, piece.clone())?, Part::of(b, piece.clone())?);
                let mut whether = PartMut::of(&mut differ, i..i + 1)?;
                Reduce::new(Or).map(self.differs.whether()).run(device, (&x, &y), &mut whether)?;
            }
            match differ.to_vec()?.iter().position(|&whether| whether != 0) {
                None => return Ok(None),
                Some(first) if pieces[first].len() <= LONGEST_PIECE => return Ok(Some(pieces[first].clone())),
                Some(first) => range = pieces[first].clone(),
            }
        }
    }

    /// Compares many pairs: pair `i` is `a[a_offsets[i]..a_offsets[i + 1]]` and the same of `b`. On CUDA this waits once, for the number
    /// of elements to compare. It costs memory for a number of 8 bytes for each of these.
    ///
    /// # Errors
    /// - [`Error::Length`]: not as many offsets for `b` as for `a`, or none at all
    /// - [`Error::Offsets`]: offsets that do not ascend, or that leave their buffer
    /// - [`Error::Place`], [`Error::OutOfMemory`]; CUDA's own
    pub fn run_pairs<A, B, P, Q>(
        &self,
        device: &Device,
        (a, a_offsets): (&A, &P),
        (b, b_offsets): (&B, &Q),
    ) -> Result<Pairs>
    where
        A: Input + ?Sized,
        B: Input<Item = A::Item> + ?Sized,
        P: Input<Item = u64> + ?Sized,
        Q: Input<Item = u64> + ?Sized,
        F: Function<(A::Item, A::Item, u64), Output = u64>,
    {
        let (a_offsets, b_offsets) = (&Part::all(a_offsets), &Part::all(b_offsets));
        self.pairs(device, (&Part::all(a), a_offsets), (&Part::all(b), b_offsets))
    }

    fn pairs<T: Element>(
        &self,
        device: &Device,
        (a, a_offsets): (&Part<'_, T>, &Part<'_, u64>),
        (b, b_offsets): (&Part<'_, T>, &Part<'_, u64>),
    ) -> Result<Pairs>
    where
        F: Function<(T, T, u64), Output = u64>,
    {
        let pairs = check(device, a_offsets, a.view().len())?;
        let others = check(device, b_offsets, b.view().len())?;
        if others != pairs {
            return Err(Error::Length { what: "offsets of b", found: others + 1, expected: pairs + 1 });
        }
        let (a_begin, a_end) = (Part::of(a_offsets, 0..pairs)?, Part::of(a_offsets, 1..pairs + 1)?);
        let (b_begin, b_end) = (Part::of(b_offsets, 0..pairs)?, Part::of(b_offsets, 1..pairs + 1)?);
        // All pairs' common parts, one after the other.
        let common: Array<u64> = map(device, CommonLength, (&a_begin, &a_end, &b_begin, &b_end))?;
        let offsets: Array<u64> = Scan::new(Sum).exclusive().with_total().run_to_array(device, &common)?;
        let owner: Array<u64> = Expand::new().run_to_array(device, &common)?;
        let to_a: Array<u64> = map(device, Shift, (&a_begin, &Part::of(&offsets, 0..pairs)?))?;
        let to_b: Array<u64> = map(device, Shift, (&b_begin, &Part::of(&offsets, 0..pairs)?))?;
        let n = owner.len() as u64;
        let mut first = device.filled(pairs, u64::MAX)?;
        let x = Gather::of(a).at(Apply(Shifted, (Gather::of(&to_a).at(&owner), 0..n)));
        let y = Gather::of(b).at(Apply(Shifted, (Gather::of(&to_b).at(&owner), 0..n)));
        let reduce = Reduce::new(Min).map(self.differs).segments(Segments::Offsets(&offsets));
        reduce.run(device, (x, y, 0..n), &mut first)?;
        // What was found, or else the lengths, decide.
        let lengths: Array<i8> = map(device, ByLength, (&a_begin, &a_end, &b_begin, &b_end))?;
        let (mut orders, mut places) = (device.filled(pairs, 0i8)?, device.filled(pairs, 0u64)?);
        let begins = Part::of(&offsets, 0..pairs)?;
        Transform::new(Decide).run(device, (&first, &lengths, &common, &begins), (&mut orders, &mut places))?;
        Ok(Pairs { orders, places })
    }
}

/// The number of segments by offsets that ascend and stay in `len` elements.
fn check(device: &Device, offsets: &Part<'_, u64>, len: usize) -> Result<usize> {
    let Some(segments) = offsets.view().len().checked_sub(1) else {
        return Err(Error::Length { what: "offsets", found: 0, expected: 1 });
    };
    let fault = |index: usize, rule| {
        let offset = i128::from(element(device, offsets, index)?);
        Err(Error::Offsets { index, offset, rule })
    };
    let (begin, end) = (Part::of(offsets, 0..segments)?, Part::of(offsets, 1..segments + 1)?);
    let falls: u64 = Reduce::new(Min).map(Falls).run_to_host(device, (&begin, &end, 1..segments as u64 + 1))?;
    if falls != u64::MAX {
        return fault(falls as usize, "is less than the one before it");
    }
    if element(device, offsets, segments)? > len as u64 {
        return fault(segments, "is past the end of the elements");
    }
    Ok(segments)
}

/// Where offsets do not ascend.
#[function]
fn falls(begin: u64, end: u64, at: u64) -> u64 {
    if end < begin { at } else { u64::MAX }
}

#[function]
fn common_length(a_begin: u64, a_end: u64, b_begin: u64, b_end: u64) -> u64 {
    (a_end - a_begin).min(b_end - b_begin)
}

#[function]
fn by_length(a_begin: u64, a_end: u64, b_begin: u64, b_end: u64) -> i8 {
    let (a, b) = (a_end - a_begin, b_end - b_begin);
    if a < b {
        -1
    } else if a > b {
        1
    } else {
        0
    }
}

/// How far elements lie from their place among all that are compared; modulo 2^64.
#[function]
fn shift(begin: u64, place: u64) -> u64 {
    begin - place
}

#[function]
fn shifted(by: u64, place: u64) -> u64 {
    place + by
}

#[function]
fn decide(first: u64, by_length: i8, common: u64, begin: u64) -> (i8, u64) {
    let order: i8 = if first % 4 == 0 {
        -1
    } else if first % 4 == 1 {
        1
    } else {
        2
    };
    if first == u64::MAX { (by_length, common) } else { (order, first / 4 - begin) }
}
