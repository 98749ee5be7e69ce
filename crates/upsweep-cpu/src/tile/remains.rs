//! Initial states of the parts of a line in a recurrence: each part's contribution from zero states, and their join.

use super::filter::lanes_of;
use super::lanes::{Lanes, Work};
use upsweep_core::call::recurrence::{Coefficient, ComputesOn, MOST_ORDER};
use upsweep_core::operator::Element;

/// States of a recurrence at one index of a line, of which the first `order` (the recurrence's order) are used.
pub(crate) type States<C> = [C; MOST_ORDER];

/// Contribution of each part of a line to the states after it: the states after the part if it began with zero states.
/// These are weighted sums of its elements.
///
/// # Safety
/// Conditions of the call: there is a part for each of `states`, and the elements of part `p` are in memory from
/// `input + p * stride` on. The number of parts is a multiple of four, and their lengths are multiples of 16.
pub(crate) struct Remains<'a, C, I> {
    pub(crate) order: usize,
    /// Weights of a part's elements: for each state in turn, an array with the weight of each element, in address
    /// order.
    pub(crate) weights: &'a [C],
    pub(crate) input: *const I,
    pub(crate) stride: isize,
    pub(crate) states: &'a mut [States<C>],
}

/// Number of parts whose sums are interleaved, to hide the latency of additions.
const SIDE_BY_SIDE: usize = 4;

impl<C: ComputesOn<I>, I: Element> Work for Remains<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the processor has the instructions of `L`, and the parts' elements are in memory.
        unsafe {
            match const { lanes_of::<C>() } {
                16 => self.go::<L, 16>(),
                _ => self.go::<L, 8>(),
            }
        }
    }
}

impl<C: ComputesOn<I>, I: Element> Remains<'_, C, I> {
    /// Computes the contributions with rows of `N` lanes.
    ///
    /// # Safety
    /// The conditions of [`Remains`] hold. A row has `N` numbers, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize>(self) {
        let Self { order, weights, input, stride, states } = self;
        let part = weights.len() / order;
        for (four, states) in states.chunks_exact_mut(SIDE_BY_SIDE).enumerate() {
            let input = input.wrapping_offset((four * SIDE_BY_SIDE) as isize * stride);
            for (j, weights) in weights.chunks(2 * part).enumerate() {
                // SAFETY: the processor has the instructions of `L`, and the parts' elements are in memory.
                unsafe {
                    if weights.len() == part {
                        sums::<L, C, I, N, 1>([weights], input, stride, states, 2 * j);
                    } else {
                        let (first, second) = weights.split_at(part);
                        sums::<L, C, I, N, 2>([first, second], input, stride, states, 2 * j);
                    }
                }
            }
        }
    }
}

/// Computes the contributions of `SIDE_BY_SIDE` parts to states `j` to `j + J - 1`: for each of these states, the sum
/// of the part's elements times `weights`. Entry `p` of `states` is for part `p`; the elements of the first part begin
/// at `input`.
///
/// # Safety
/// The elements of `SIDE_BY_SIDE` parts are in memory, at the stride of [`Remains`], as many a part as there are
/// weights. A row has `N` numbers, and the processor has the instructions of `L`.
#[inline(always)]
unsafe fn sums<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize, const J: usize>(
    weights: [&[C]; J],
    input: *const I,
    stride: isize,
    states: &mut [States<C>],
    j: usize,
) {
    let mut sums = [[[C::ZERO; N]; J]; SIDE_BY_SIDE];
    let weights = weights.map(|weights| weights.as_chunks::<N>().0);
    for i in 0..weights[0].len() {
        for (p, sums) in sums.iter_mut().enumerate() {
            let from = input.wrapping_offset(p as isize * stride).wrapping_add(i * N).cast::<[I; N]>();
            // SAFETY: the processor has the instructions of `L`, and the parts' elements are in memory.
            let x = unsafe { from.read_unaligned() };
            for (sum, weights) in sums.iter_mut().zip(weights) {
                for l in 0..N {
                    sum[l] = sum[l].plus(weights[i][l].times(C::number_of(x[l])));
                }
            }
        }
    }
    for (states, sums) in states.iter_mut().zip(sums) {
        for (state, sum) in states[j..].iter_mut().zip(sums) {
            // SAFETY: `sum` has a number for each lane of a row, and the processor has the instructions of `L`.
            *state = total(unsafe { unknown::<L, [C; N]>(sum) });
        }
    }
}

/// Returns `row`, hidden from the compiler: it would otherwise turn a tree of sums of lanes into a serial one.
///
/// # Safety
/// `R` is a row of numbers, and the processor has the instructions of `L`.
#[inline(always)]
unsafe fn unknown<L: Lanes, R: Copy>(row: R) -> R {
    if size_of::<R>() != size_of::<L::Row>() {
        return row;
    }
    // SAFETY: `R` and a row of `L` are 64 bytes of numbers.
    unsafe {
        let row = L::opaque(std::mem::transmute_copy(&row));
        std::mem::transmute_copy(&row)
    }
}

/// Returns the sum of all lanes, in a tree: adds the upper half of the lanes to the lower half, and so on.
#[inline(always)]
fn total<C: Coefficient, const N: usize>(mut lanes: [C; N]) -> C {
    let mut half = N / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = lanes[l].plus(lanes[l + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// Join of the parts of a line: computes the states after the last part from those before the first and each part's
/// contribution.
///
/// # Safety
/// The processor has the instructions for which `run` is compiled. There are no other conditions.
pub(crate) struct Join<'a, C> {
    pub(crate) order: usize,
    /// Power of the transition matrix for the length of a part, and its rounding error, column by column.
    pub(crate) power: &'a [[States<C>; 2]],
    pub(crate) before: States<C>,
    pub(crate) states: Own<'a, C>,
}

/// Contributions of the parts: the states after each part if it began with zero states.
pub(crate) enum Own<'a, C> {
    Read(&'a [States<C>]),
    /// Contributions that the join replaces by the states before each part.
    Replaced(&'a mut [States<C>]),
}

impl<C: Coefficient> Work for Join<'_, C> {
    type Result = States<C>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> States<C> {
        let Self { order, power, before, states } = self;
        match order {
            1 | 2 => join::<C, 2>(power, before, states),
            3 | 4 => join::<C, 4>(power, before, states),
            _ => join::<C, MOST_ORDER>(power, before, states),
        }
    }
}

/// Joins the parts of a line in order, for recurrences of order at most `M`: the states after a part are `power` times
/// the states before it, plus the part's contribution. Unused states are 0.
#[inline(always)]
fn join<C: Coefficient, const M: usize>(power: &[[States<C>; 2]], before: States<C>, states: Own<'_, C>) -> States<C> {
    // Only the first `M` states, so that they stay in registers.
    let first = |states: &States<C>| {
        let mut first = [C::ZERO; M];
        first.copy_from_slice(&states[..M]);
        first
    };
    let mut now = first(&before);
    let mut next = |own: &States<C>| {
        // Two independent sums hide the latency of additions.
        let (mut behind, mut lacking) = ([C::ZERO; M], first(own));
        for (&z, [column, lacks]) in now.iter().zip(power) {
            for i in 0..M {
                lacking[i] = lacking[i].plus(lacks[i].times(z));
                behind[i] = behind[i].plus(column[i].times(z));
            }
        }
        for i in 0..M {
            behind[i] = behind[i].plus(lacking[i]);
        }
        std::mem::replace(&mut now, behind)
    };
    match states {
        Own::Read(states) => states.iter().for_each(|own| {
            next(own);
        }),
        Own::Replaced(states) => states.iter_mut().for_each(|own| {
            let before = next(own);
            own[..M].copy_from_slice(&before);
        }),
    }
    let mut behind = [C::ZERO; MOST_ORDER];
    behind[..M].copy_from_slice(&now);
    behind
}
