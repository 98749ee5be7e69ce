//! What the elements of parts of a line leave in a recurrence's states, and the states before each part.

use super::lanes::{Lanes, Work};
use upsweep_core::call::recurrence::{Coefficient, ComputesOn, MOST_ORDER};
use upsweep_core::operator::Element;

/// The states of a line or a part, of which the first ones are used.
pub(crate) type States<C> = [C; MOST_ORDER];

/// What the elements of parts leave of no states: sums of the elements, each with its weight.
///
/// # Safety
/// Of the call: the elements of as many parts as there are `states` are there, those of part `p` from `input + p * stride` on. There are
/// a multiple of four parts, whose lengths are multiples of 16.
pub(crate) struct Remains<'a, C, I> {
    pub(crate) order: usize,
    /// Of each state as many as a part has elements, in the order of their addresses.
    pub(crate) weights: &'a [C],
    pub(crate) input: *const I,
    pub(crate) stride: isize,
    pub(crate) states: &'a mut [States<C>],
}

/// Parts whose sums are computed side by side, so that additions of one are not waited for.
const SIDE_BY_SIDE: usize = 4;

impl<C: ComputesOn<I>, I: Element> Work for Remains<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the processor has the instructions of `L`; the parts' elements are there.
        unsafe {
            match size_of::<C>() {
                4 => self.go::<L, 16>(),
                _ => self.go::<L, 8>(),
            }
        }
    }
}

impl<C: ComputesOn<I>, I: Element> Remains<'_, C, I> {
    /// # Safety
    /// As the type, of numbers of which a row has `N`; the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize>(self) {
        let Self { order, weights, input, stride, states } = self;
        let part = weights.len() / order;
        for (four, states) in states.chunks_exact_mut(SIDE_BY_SIDE).enumerate() {
            let input = input.wrapping_offset((four * SIDE_BY_SIDE) as isize * stride);
            for (j, weights) in weights.chunks(2 * part).enumerate() {
                // SAFETY: the processor has the instructions of `L`; the parts' elements are there.
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

/// States `j` to `j + J - 1` of some parts.
///
/// # Safety
/// As [`Remains`].
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
            // SAFETY: the processor has the instructions of `L`; the parts' elements are there.
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
            // SAFETY: a row of as many numbers as it has lanes; the processor has the instructions of `L`.
            *state = total(unsafe { unknown::<L, [C; N]>(sum) });
        }
    }
}

/// A row whose lanes the compiler knows nothing of: it would add up those of a total one by one from the beginning.
///
/// # Safety
/// `R` is a row of numbers, and the processor has the instructions of `L`.
#[inline(always)]
unsafe fn unknown<L: Lanes, R: Copy>(row: R) -> R {
    if size_of::<R>() != size_of::<L::Row>() {
        return row;
    }
    // SAFETY: both are 64 bytes of numbers.
    unsafe {
        let row = L::opaque(std::mem::transmute_copy(&row));
        std::mem::transmute_copy(&row)
    }
}

/// The sum of neighbours' halves, of theirs, and so on.
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

/// The states behind some parts, of those before the first and what each part leaves of no states.
///
/// # Safety
/// The processor has the instructions that it is run with; nothing else.
pub(crate) struct Join<'a, C> {
    pub(crate) order: usize,
    /// The power of the transition for a part, and what it lacks for having been rounded, column by column.
    pub(crate) power: &'a [[States<C>; 2]],
    pub(crate) before: States<C>,
    pub(crate) states: Own<'a, C>,
}

/// What parts leave of no states.
pub(crate) enum Own<'a, C> {
    Read(&'a [States<C>]),
    /// The states before each part come in their place.
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

/// Of at most `M` states: those that there are not are 0.
#[inline(always)]
fn join<C: Coefficient, const M: usize>(power: &[[States<C>; 2]], before: States<C>, states: Own<'_, C>) -> States<C> {
    // The first ones alone, so that few of them stay in registers.
    let first = |states: &States<C>| {
        let mut first = [C::ZERO; M];
        first.copy_from_slice(&states[..M]);
        first
    };
    let mut now = first(&before);
    let mut next = |own: &States<C>| {
        // Two sums, so that additions of one are not waited for.
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
