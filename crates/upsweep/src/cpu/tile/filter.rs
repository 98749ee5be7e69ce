//! Linear recurrences of as many lines, or parts of a line, as a row has lanes: one in each lane. Lines that lie side by side are
//! read as they lie; parts of a line are transposed, a square at a time.

use super::lanes::{Lanes, ROW_BYTES, Work};
use crate::linear::{Coefficient, ComputesOn, MOST_ORDER, System};
use crate::operator::Element;
use std::marker::PhantomData;

/// Lines or parts that go side by side, of numbers `C`.
pub(in crate::cpu) const fn lanes_of<C>() -> usize {
    ROW_BYTES / size_of::<C>()
}

/// How elements lie: logical element `i` of the line or part in lane `lane` is at `first + lane * stride + i * step`.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Places {
    pub(in crate::cpu) stride: isize,
    pub(in crate::cpu) step: isize,
}

/// What is stored of a number.
pub(in crate::cpu) trait Stored<C> {
    type Value: Copy;
    fn of(number: C) -> Self::Value;
}

/// The number itself, which something is still to be added to.
pub(in crate::cpu) struct Unfinished;
impl<C: Copy> Stored<C> for Unfinished {
    type Value = C;
    #[inline(always)]
    fn of(number: C) -> C {
        number
    }
}

/// A result.
pub(in crate::cpu) struct Finished<I>(PhantomData<I>);
impl<I: Element, C: ComputesOn<I>> Stored<C> for Finished<I> {
    type Value = I;
    #[inline(always)]
    fn of(number: C) -> I {
        number.result().canonical()
    }
}

/// Goes over a line or part in each lane, from the states in `states` on, of which state `j` of a lane is at `j * lanes + lane`; and
/// leaves the states after them there.
///
/// # Safety
/// Of the call: all elements and results of the places are there, and this thread alone uses the results. Where elements lie side by
/// side (`step` is 1 or -1), `steps` is a multiple of the number of lanes; else `stride` is 1.
pub(in crate::cpu) struct Filter<'a, C, I, S: Stored<C>> {
    pub(in crate::cpu) system: &'a System<C>,
    pub(in crate::cpu) steps: usize,
    pub(in crate::cpu) states: &'a mut [C],
    pub(in crate::cpu) input: *const I,
    pub(in crate::cpu) places: Places,
    pub(in crate::cpu) output: *mut S::Value,
    pub(in crate::cpu) results: Places,
}

impl<C: ComputesOn<I>, I: Element, S: Stored<C>> Work for Filter<'_, C, I, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the caller's promise.
        unsafe {
            match (size_of::<C>(), self.system.sections, self.system.order) {
                (4, 0, 1) => self.go::<L, 16, 1>(),
                (4, 0, 2) => self.go::<L, 16, 2>(),
                (4, ..) => self.go::<L, 16, 0>(),
                (_, 0, 1) => self.go::<L, 8, 1>(),
                (_, 0, 2) => self.go::<L, 8, 2>(),
                _ => self.go::<L, 8, 0>(),
            }
        }
    }
}

/// The coefficients of a recurrence where loops over them are short.
struct Coefficients<C> {
    order: usize,
    sections: usize,
    feedback: bool,
    b: [C; MOST_ORDER + 1],
    a: [C; MOST_ORDER],
    of_sections: [[C; 5]; MOST_ORDER / 2],
}

impl<C: Coefficient> Coefficients<C> {
    #[inline(always)]
    fn of(system: &System<C>) -> Self {
        let System { order, sections, feedback, ref coefficients, .. } = *system;
        let (mut b, mut a) = ([C::ZERO; MOST_ORDER + 1], [C::ZERO; MOST_ORDER]);
        let mut of_sections = [[C::ZERO; 5]; MOST_ORDER / 2];
        if sections == 0 {
            let (of_b, of_a) = coefficients.split_at(order + 1);
            b.iter_mut().zip(of_b).for_each(|(to, from)| *to = *from);
            a.iter_mut().zip(of_a).for_each(|(to, from)| *to = *from);
        } else {
            let (fives, _) = coefficients.as_chunks::<5>();
            of_sections.iter_mut().zip(fives).for_each(|(to, from)| *to = *from);
        }
        Self { order, sections, feedback, b, a, of_sections }
    }

    /// An element of each lane: its results, and the states after them. The order is `K`, or if that is 0, any.
    #[inline(always)]
    fn step<const N: usize, const K: usize>(&self, states: &mut [[C; N]; MOST_ORDER], x: [C; N]) -> [C; N] {
        if K == 0 && self.sections > 0 {
            let mut x = x;
            for (section, z) in self.of_sections.iter().take(self.sections).zip(states.as_chunks_mut::<2>().0) {
                let [b0, b1, b2, a1, a2] = *section;
                for l in 0..N {
                    let y = b0.times(x[l]).plus(z[0][l]);
                    z[0][l] = b1.times(x[l]).plus(z[1][l]).plus(a1.times(y));
                    z[1][l] = b2.times(x[l]).plus(a2.times(y));
                    x[l] = y;
                }
            }
            return x;
        }
        let order = if K == 0 { self.order } else { K };
        let mut y = [C::ZERO; N];
        for l in 0..N {
            y[l] = self.b[0].times(x[l]).plus(states[0][l]);
        }
        for j in 0..order {
            let mut z = [C::ZERO; N];
            for l in 0..N {
                z[l] = self.b[j + 1].times(x[l]);
            }
            if j + 1 < order {
                for l in 0..N {
                    z[l] = z[l].plus(states[j + 1][l]);
                }
            }
            if self.feedback {
                for l in 0..N {
                    z[l] = z[l].plus(self.a[j].times(y[l]));
                }
            }
            states[j] = z;
        }
        y
    }
}

impl<C: ComputesOn<I>, I: Element, S: Stored<C>> Filter<'_, C, I, S> {
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize, const K: usize>(self) {
        let Self { system, steps, states: all, input, places, output, results } = self;
        let coefficients = Coefficients::of(system);
        let mut states = [[C::ZERO; N]; MOST_ORDER];
        for (to, from) in states.iter_mut().zip(all.as_chunks::<N>().0) {
            *to = *from;
        }
        let at = |places: Places, lane: usize, i: usize| lane as isize * places.stride + i as isize * places.step;
        if places.stride == 1 && places.step != 1 {
            for i in 0..steps {
                let mut x = [C::ZERO; N];
                for (lane, x) in x.iter_mut().enumerate() {
                    // SAFETY: the caller's promise.
                    *x = C::number_of(unsafe { input.offset(at(places, lane, i)).read() });
                }
                let y = coefficients.step::<N, K>(&mut states, x);
                for (lane, &y) in y.iter().enumerate() {
                    // SAFETY: the caller's promise.
                    unsafe { output.offset(at(results, lane, i)).write(S::of(y)) };
                }
            }
        } else {
            let mut square = [[C::ZERO; N]; N];
            for first in (0..steps).step_by(N) {
                for (lane, row) in square.iter_mut().enumerate() {
                    // SAFETY: the caller's promise: the next `N` elements of the part.
                    let from = unsafe { input.offset(at(places, lane, first)) };
                    for (i, x) in row.iter_mut().enumerate() {
                        // SAFETY: the same.
                        *x = C::number_of(unsafe { from.offset(i as isize * places.step).read() });
                    }
                }
                // SAFETY: a square of numbers of the size of a lane; the processor has the instructions of `L`.
                unsafe { L::transpose::<C>(square.as_mut_ptr().cast()) };
                for row in &mut square {
                    *row = coefficients.step::<N, K>(&mut states, *row);
                }
                // SAFETY: the same.
                unsafe { L::transpose::<C>(square.as_mut_ptr().cast()) };
                for (lane, row) in square.iter().enumerate() {
                    // SAFETY: the caller's promise.
                    let to = unsafe { output.offset(at(results, lane, first)) };
                    for (i, &y) in row.iter().enumerate() {
                        // SAFETY: the same.
                        unsafe { to.offset(i as isize * results.step).write(S::of(y)) };
                    }
                }
            }
        }
        for (from, to) in states.iter().zip(all.as_chunks_mut::<N>().0) {
            *to = *from;
        }
    }
}

/// Adds to the results of a part what its first states make of them, and stores them.
///
/// # Safety
/// Of the call: there are `results.len()` results to be stored at `output`, at distances of `step`, which this thread alone uses.
pub(in crate::cpu) struct Correct<'a, C, I> {
    pub(in crate::cpu) system: &'a System<C>,
    /// What each state makes of the results of a part, one after the other.
    pub(in crate::cpu) responses: &'a [C],
    pub(in crate::cpu) states: &'a [C],
    pub(in crate::cpu) results: &'a mut [C],
    pub(in crate::cpu) output: *mut I,
    pub(in crate::cpu) step: isize,
}

impl<C: ComputesOn<I>, I: Element> Work for Correct<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { system, responses, states, results, output, step } = self;
        let (len, order) = (results.len(), system.order);
        let responses: [&[C]; MOST_ORDER] =
            std::array::from_fn(|j| responses.get(j * len..(j + 1) * len).unwrap_or(&[]));
        if !system.feedback {
            // Most responses are 0, and must be, even of states that are infinite.
            for (&response, &state) in responses.iter().zip(states) {
                for (y, &a) in results.iter_mut().zip(response).take(order).filter(|(_, a)| **a != C::ZERO) {
                    *y = y.plus(a.times(state));
                }
            }
        } else {
            for (responses, states) in responses.chunks(2).zip(states.chunks(2)).take(order.div_ceil(2)) {
                match (responses, states) {
                    (&[first, second], &[a, b]) => {
                        for ((y, &of_a), &of_b) in results.iter_mut().zip(first).zip(second) {
                            *y = y.plus(of_a.times(a)).plus(of_b.times(b));
                        }
                    }
                    (&[response, ..], &[a, ..]) => {
                        for (y, &of_a) in results.iter_mut().zip(response) {
                            *y = y.plus(of_a.times(a));
                        }
                    }
                    _ => {}
                }
            }
        }
        for (i, &y) in results.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { output.offset(i as isize * step).write(Finished::<I>::of(y)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::Set;
    use super::*;

    struct Transposed<'a, T, const N: usize>(&'a mut [[T; N]; N]);

    impl<T: Copy, const N: usize> Work for Transposed<'_, T, N> {
        type Result = ();
        #[inline(always)]
        unsafe fn run<L: Lanes>(self) {
            // SAFETY: a square of numbers.
            unsafe { L::transpose::<T>(self.0.as_mut_ptr().cast()) };
        }
    }

    fn check<T: Copy + PartialEq + std::fmt::Debug, const N: usize>(of: impl Fn(usize) -> T) {
        for set in Set::all() {
            let mut square: [[T; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| of(i * N + j)));
            // SAFETY: the set is this processor's.
            unsafe { set.compiled()(Transposed(&mut square)) };
            for (i, row) in square.iter().enumerate() {
                for (j, x) in row.iter().enumerate() {
                    assert_eq!(*x, of(j * N + i), "{i} {j}");
                }
            }
        }
    }

    /// Every instruction set this processor has, in a release build; the portable one in others.
    #[test]
    fn each_instruction_set_transposes_squares() {
        check::<u32, 16>(|i| i as u32);
        check::<f64, 8>(|i| i as f64);
    }
}
