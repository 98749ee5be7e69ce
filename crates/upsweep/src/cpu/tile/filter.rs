//! Linear recurrences of as many lines, or parts of a line, as a row has lanes: one in each lane. Lines that lie side by side are
//! read as they lie; parts of a line are transposed, a square at a time. What parts leave in the states is found before, by sums.

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::store::Ahead;
use crate::linear::{Coefficient, ComputesOn, MOST_ORDER, System};
use crate::operator::Element;

/// Lines or parts that go side by side, of numbers `C`.
pub(in crate::cpu) const fn lanes_of<C>() -> usize {
    ROW_BYTES / size_of::<C>()
}

/// The rows of lines or parts that go together where there are as many: the next step of one is computed while the other waits for its last.
pub(in crate::cpu) const TWICE: usize = 2;

/// How elements lie: logical element `i` of the line or part in lane `lane` is at `first + lane * stride + i * step`.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Places {
    pub(in crate::cpu) stride: isize,
    pub(in crate::cpu) step: isize,
}

/// Goes over a line or part, whose elements lie side by side, in each lane of one row or [`TWICE`] as many, from the states in `states` on, of
/// which state `j` of a lane is at `j * lanes + lane`; and leaves the states after them there.
///
/// # Safety
/// Of the call: all elements and results of the places are there, and this thread alone uses the results. Their `step` is 1 or -1, and
/// `steps` is a multiple of the number of lanes.
pub(in crate::cpu) struct Filter<'a, C, I> {
    pub(in crate::cpu) system: &'a System<C>,
    pub(in crate::cpu) steps: usize,
    pub(in crate::cpu) states: &'a mut [C],
    pub(in crate::cpu) input: *const I,
    pub(in crate::cpu) places: Places,
    pub(in crate::cpu) output: *mut I,
    pub(in crate::cpu) results: Places,
    /// What to fetch meanwhile, as many bytes as are read: so that memory has something to do.
    pub(in crate::cpu) ahead: &'a mut Ahead,
}

impl<C: ComputesOn<I>, I: Element> Work for Filter<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the caller's promise.
        unsafe {
            let wide = self.states.len() == TWICE * lanes_of::<C>() * MOST_ORDER;
            match (size_of::<C>(), wide, if self.system.sections == 0 { self.system.order } else { 0 }) {
                (4, true, 1) => self.go::<L, 16, 2, 1>(),
                (4, true, 2) => self.go::<L, 16, 2, 2>(),
                (4, true, _) => self.go::<L, 16, 2, 0>(),
                (4, false, 1) => self.go::<L, 16, 1, 1>(),
                (4, false, 2) => self.go::<L, 16, 1, 2>(),
                (4, false, _) => self.go::<L, 16, 1, 0>(),
                (_, true, 1) => self.go::<L, 8, 2, 1>(),
                (_, true, 2) => self.go::<L, 8, 2, 2>(),
                (_, true, _) => self.go::<L, 8, 2, 0>(),
                (_, false, 1) => self.go::<L, 8, 1, 1>(),
                (_, false, 2) => self.go::<L, 8, 1, 2>(),
                (_, false, _) => self.go::<L, 8, 1, 0>(),
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

impl<C: ComputesOn<I>, I: Element> Filter<'_, C, I> {
    /// With lines in the `N` lanes of `W` rows.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize, const W: usize, const K: usize>(self) {
        /// Steps in which what is to be fetched for each of them is fetched together.
        const FETCHED: usize = 8;
        let Self { system, steps, states: all, input, places, output, results, ahead } = self;
        let coefficients = Coefficients::of(system);
        let mut states = [[[C::ZERO; N]; MOST_ORDER]; W];
        for (at, from) in all.as_chunks::<N>().0.iter().enumerate() {
            states[at % W][at / W] = *from;
        }
        /// Its rows do not lie across lines of the cache.
        #[repr(align(64))]
        struct Aligned<T>(T);
        let Aligned(squares) = &mut Aligned([[[C::ZERO; N]; N]; W]);
        let backward = places.step < 0;
        for first in (0..steps as isize).step_by(N) {
            // The lowest of the next elements of the first lane of a row, as many as it has.
            let lowest = |places: Places, row: usize| {
                first * places.step + (row * N) as isize * places.stride - if backward { N as isize - 1 } else { 0 }
            };
            for (row, square) in squares.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                unsafe { transposed::<L, C, I, N>(input.offset(lowest(places, row)), places.stride, square) };
            }
            for i in 0..N {
                // Some lines at a time: all at once would be in the way of the next square.
                if i % FETCHED == 0 {
                    ahead.fetch(FETCHED * W * N * size_of::<I>());
                }
                for w in 0..W {
                    let row = &mut squares[w][if backward { N - 1 - i } else { i }];
                    // Where results have the size of numbers, they are stored as they lie here.
                    *row = coefficients.step::<N, K>(&mut states[w], *row);
                    row.iter_mut().for_each(|y| *y = y.canonical());
                }
            }
            for (row, square) in squares.iter().enumerate() {
                // SAFETY: the same.
                unsafe { put::<L, C, I, N>(square, output.offset(lowest(results, row)), results.stride) };
            }
        }
        for (at, to) in all.as_chunks_mut::<N>().0.iter_mut().enumerate() {
            *to = states[at % W][at / W];
        }
    }
}

/// Goes over lines that lie side by side, one in each lane of some rows, from the states in `states` on, of which state `j` of line
/// `i` is at `j * lines + i`; and leaves the states after them there.
///
/// # Safety
/// Of the call: the lines, of `steps` elements at distances of `step` from `input` on, and as many results from `output` on, are there;
/// this thread alone uses the results. There are as many lines as a row has lanes, or as [`WIDE`] rows have.
pub(in crate::cpu) struct Columns<'a, C, I> {
    pub(in crate::cpu) system: &'a System<C>,
    pub(in crate::cpu) lines: usize,
    pub(in crate::cpu) steps: usize,
    pub(in crate::cpu) states: &'a mut [C],
    pub(in crate::cpu) input: *const I,
    pub(in crate::cpu) output: *mut I,
    pub(in crate::cpu) step: isize,
}

/// The rows of lines that are gone through together: their elements at one place of the axis are neighbouring cache lines.
pub(in crate::cpu) const WIDE: usize = 4;

impl<C: ComputesOn<I>, I: Element> Work for Columns<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let order = if self.system.sections == 0 { self.system.order } else { 0 };
        // SAFETY: the caller's promise.
        unsafe {
            match (self.lines, order) {
                (64, 1) => self.go::<64, 1>(),
                (64, 2) => self.go::<64, 2>(),
                (64, _) => self.go::<64, 0>(),
                (32, 1) => self.go::<32, 1>(),
                (32, 2) => self.go::<32, 2>(),
                (32, _) => self.go::<32, 0>(),
                (16, _) => self.go::<16, 0>(),
                _ => self.go::<8, 0>(),
            }
        }
    }
}

impl<C: ComputesOn<I>, I: Element> Columns<'_, C, I> {
    #[inline(always)]
    unsafe fn go<const N: usize, const K: usize>(self) {
        let Self { system, steps, states: all, input, output, step, .. } = self;
        let coefficients = Coefficients::of(system);
        let mut states = [[C::ZERO; N]; MOST_ORDER];
        for (to, from) in states.iter_mut().zip(all.as_chunks::<N>().0) {
            *to = *from;
        }
        for i in 0..steps as isize {
            // SAFETY: the caller's promise: the next element of each line.
            unsafe {
                let y = coefficients.step::<N, K>(&mut states, read(input.offset(i * step)));
                write(y, output.offset(i * step));
            }
        }
        for (from, to) in states.iter().zip(all.as_chunks_mut::<N>().0) {
            *to = *from;
        }
    }
}

/// The numbers of neighbouring elements. This and [`write`] are loops, because `map` of an array is a function that LLVM may call, and which
/// then has no vectors of more than 16 bytes.
///
/// # Safety
/// The elements are there.
#[inline(always)]
unsafe fn read<C: ComputesOn<I>, I: Element, const N: usize>(input: *const I) -> [C; N] {
    let mut row = [C::ZERO; N];
    for (l, x) in row.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *x = C::number_of(unsafe { input.add(l).read() });
    }
    row
}

/// Stores what becomes of numbers.
///
/// # Safety
/// There is room for them, which nobody else uses.
#[inline(always)]
unsafe fn write<C: ComputesOn<I>, I: Element, const N: usize>(row: [C; N], output: *mut I) {
    for (l, y) in row.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { output.add(l).write(y.result().canonical()) };
    }
}

/// Reads `N` neighbouring elements for each lane, and makes a row of the first ones, a row of the second ones, and so on.
///
/// # Safety
/// All elements are there, and the processor has the instructions of `L`.
#[inline(always)]
unsafe fn transposed<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize>(
    input: *const I,
    stride: isize,
    square: &mut [[C; N]; N],
) {
    let to = (square.as_mut_ptr().cast::<C>(), N as isize);
    // SAFETY: the caller's promise; elements that have the size of numbers are numbers (`ComputesOn`).
    unsafe {
        if size_of::<I>() == size_of::<C>() {
            L::transpose::<C>((input.cast(), stride), to);
        } else {
            let mut rows = [[C::ZERO; N]; N];
            for (lane, row) in rows.iter_mut().enumerate() {
                *row = read(input.offset(lane as isize * stride));
            }
            L::transpose::<C>((rows.as_ptr().cast(), N as isize), to);
        }
    }
}

/// The reverse: stores rows of results, which are canonical.
///
/// # Safety
/// As [`transposed`], and nobody else uses the results.
#[inline(always)]
unsafe fn put<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize>(
    square: &[[C; N]; N],
    output: *mut I,
    stride: isize,
) {
    let from = (square.as_ptr().cast::<C>(), N as isize);
    // SAFETY: the caller's promise; results that have the size of numbers are numbers (`ComputesOn`).
    unsafe {
        if size_of::<I>() == size_of::<C>() {
            L::transpose::<C>(from, (output.cast(), stride));
        } else {
            let mut rows = [[C::ZERO; N]; N];
            L::transpose::<C>(from, (rows.as_mut_ptr().cast(), N as isize));
            for (lane, row) in rows.into_iter().enumerate() {
                write(row, output.offset(lane as isize * stride));
            }
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
            let from = *self.0;
            // SAFETY: squares of numbers.
            unsafe {
                L::transpose::<T>((from.as_ptr().cast(), N as isize), (self.0.as_mut_ptr().cast(), N as isize));
            }
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
