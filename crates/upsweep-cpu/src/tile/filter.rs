//! Linear recurrences of as many lines, or parts of a line, as a row has lanes: one in each lane. Lines that lie side by side are
//! read as they lie; parts of a line are transposed, a square at a time. What parts leave in the states is found before, by sums.

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::store::Ahead;
use upsweep_core::call::recurrence::{Coefficient, ComputesOn, MOST_ORDER, System};
use upsweep_core::operator::Element;

/// Lines or parts that go side by side, of numbers `C`.
pub(crate) const fn lanes_of<C>() -> usize {
    ROW_BYTES / size_of::<C>()
}

/// How elements lie: logical element `i` of the line or part in lane `lane` is at `first + lane * stride + i * step`.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    pub(crate) stride: isize,
    pub(crate) step: isize,
}

/// Goes over a line or part, whose elements lie side by side, in each lane, from the states in `states` on, of which state `j` of a lane is at
/// `j * lanes + lane`; and leaves the states after them there.
///
/// # Safety
/// Of the call: all elements and results of the places are there, and this thread alone uses the results. Their `step` is 1 or -1, and
/// `steps` is a multiple of the number of lanes.
pub(crate) struct Filter<'a, C, I> {
    pub(crate) system: &'a System<C>,
    pub(crate) steps: usize,
    pub(crate) states: &'a mut [C],
    pub(crate) input: *const I,
    pub(crate) places: Places,
    pub(crate) output: *mut I,
    pub(crate) results: Places,
    /// What to fetch meanwhile, as many bytes as are read: so that memory has something to do.
    pub(crate) ahead: &'a mut Ahead,
}

impl<C: ComputesOn<I>, I: Element> Work for Filter<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the processor has the instructions of `L`; the elements and results of the places are there, and this thread alone uses the results.
        unsafe {
            match (size_of::<C>(), known_order(self.system), self.places.step > 0) {
                (4, 1, true) => self.go::<L, 16, 1, true>(),
                (4, 1, false) => self.go::<L, 16, 1, false>(),
                (4, 2, true) => self.go::<L, 16, 2, true>(),
                (4, 2, false) => self.go::<L, 16, 2, false>(),
                (4, _, true) => self.go::<L, 16, 0, true>(),
                (4, _, false) => self.go::<L, 16, 0, false>(),
                (_, 1, true) => self.go::<L, 8, 1, true>(),
                (_, 1, false) => self.go::<L, 8, 1, false>(),
                (_, 2, true) => self.go::<L, 8, 2, true>(),
                (_, 2, false) => self.go::<L, 8, 2, false>(),
                (_, _, true) => self.go::<L, 8, 0, true>(),
                (_, _, false) => self.go::<L, 8, 0, false>(),
            }
        }
    }
}

impl<C: ComputesOn<I>, I: Element> Filter<'_, C, I> {
    /// With the `N` lanes of a row. A square stays in registers if the order is known.
    ///
    /// # Safety
    /// As the type, of numbers of which a row has `N`; the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize, const K: usize, const FORWARD: bool>(self) {
        let Self { system, steps, states: all, input, places, output, results, ahead } = self;
        // SAFETY: the processor has the instructions of `L`, and all positions below are those of the places.
        unsafe {
            let coefficients = Coefficients::<L>::of::<C, N>(system);
            let mut states = [row::<L, C, N>([C::ZERO; N]); MOST_ORDER];
            for (to, from) in states.iter_mut().zip(all.as_chunks::<N>().0) {
                *to = row::<L, C, N>(*from);
            }
            for first in (0..steps as isize).step_by(N) {
                // Half of the lines now and half later: all at once would be in the way of the square's.
                ahead.fetch(N * N / 2 * size_of::<I>());
                // The lowest of the next elements of the first lane.
                let lowest = |places: Places| first * places.step - if FORWARD { 0 } else { N as isize - 1 };
                let mut square = [row::<L, C, N>([C::ZERO; N]); N];
                for (lane, row) in square.iter_mut().enumerate() {
                    *row = load::<L, C, I, N>(input.offset(lowest(places) + lane as isize * places.stride));
                }
                square = L::transposed(square);
                for i in 0..N {
                    let row = &mut square[if FORWARD { i } else { N - 1 - i }];
                    *row = L::canonical::<C>(coefficients.step::<C, K>(&mut states, *row));
                }
                ahead.fetch(N * N / 2 * size_of::<I>());
                square = L::transposed(square);
                for (lane, row) in square.into_iter().enumerate() {
                    store::<L, C, I, N>(row, output.offset(lowest(results) + lane as isize * results.stride));
                }
            }
            for (from, to) in states.into_iter().zip(all.as_chunks_mut::<N>().0) {
                *to = numbers::<L, C, N>(from);
            }
        }
    }
}

/// Goes over lines that lie side by side, one in each lane of some rows, from the states in `states` on, of which state `j` of line
/// `i` is at `j * lines + i`; and leaves the states after them there.
///
/// # Safety
/// Of the call: the lines, of `steps` elements at distances of `step` from `input` on, and as many results from `output` on, are there;
/// this thread alone uses the results. There are as many lines as a row has lanes, or as [`WIDE`] rows have.
pub(crate) struct Columns<'a, C, I> {
    pub(crate) system: &'a System<C>,
    pub(crate) lines: usize,
    pub(crate) steps: usize,
    pub(crate) states: &'a mut [C],
    pub(crate) input: *const I,
    pub(crate) output: *mut I,
    pub(crate) step: isize,
}

/// The rows of lines that are gone through together: their elements at one place of the axis are neighbouring cache lines.
pub(crate) const WIDE: usize = 4;

impl<C: ComputesOn<I>, I: Element> Work for Columns<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let wide = self.lines > lanes_of::<C>();
        // SAFETY: the processor has the instructions of `L`; the lines and as many results are there, and this thread alone uses the results.
        unsafe {
            match (size_of::<C>(), wide, known_order(self.system)) {
                (4, true, 1) => self.go::<L, 16, WIDE, 1>(),
                (4, true, 2) => self.go::<L, 16, WIDE, 2>(),
                (4, true, _) => self.go::<L, 16, WIDE, 0>(),
                (4, false, _) => self.go::<L, 16, 1, 0>(),
                (_, true, 1) => self.go::<L, 8, WIDE, 1>(),
                (_, true, 2) => self.go::<L, 8, WIDE, 2>(),
                (_, true, _) => self.go::<L, 8, WIDE, 0>(),
                (_, false, _) => self.go::<L, 8, 1, 0>(),
            }
        }
    }
}

impl<C: ComputesOn<I>, I: Element> Columns<'_, C, I> {
    /// With the `N` lanes of `W` rows.
    ///
    /// # Safety
    /// As the type, of numbers of which a row has `N`; the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize, const W: usize, const K: usize>(self) {
        let Self { system, steps, states: all, input, output, step, .. } = self;
        // SAFETY: the processor has the instructions of `L`, and all positions below are those of the lines.
        unsafe {
            let coefficients = Coefficients::<L>::of::<C, N>(system);
            let mut states = [[row::<L, C, N>([C::ZERO; N]); MOST_ORDER]; W];
            for (at, from) in all.as_chunks::<N>().0.iter().enumerate() {
                states[at % W][at / W] = row::<L, C, N>(*from);
            }
            for i in 0..steps as isize {
                for (w, states) in states.iter_mut().enumerate() {
                    let at = i * step + (w * N) as isize;
                    let y = coefficients.step::<C, K>(states, load::<L, C, I, N>(input.offset(at)));
                    store::<L, C, I, N>(L::canonical::<C>(y), output.offset(at));
                }
            }
            for (at, to) in all.as_chunks_mut::<N>().0.iter_mut().enumerate() {
                *to = numbers::<L, C, N>(states[at % W][at / W]);
            }
        }
    }
}

/// The order for which there is code of its own, or 0: then the loops over states are short, and these stay in registers.
fn known_order<C>(system: &System<C>) -> usize {
    if system.sections == 0 && system.feedback && system.order <= 2 { system.order } else { 0 }
}

/// The coefficients of a recurrence, each in all lanes of a row.
struct Coefficients<L: Lanes> {
    order: usize,
    sections: usize,
    feedback: bool,
    b: [L::Row; MOST_ORDER + 1],
    a: [L::Row; MOST_ORDER],
    of_sections: [[L::Row; 5]; MOST_ORDER / 2],
}

impl<L: Lanes> Coefficients<L> {
    /// # Safety
    /// The processor has the instructions of `L`, and a row has `N` lanes.
    #[inline(always)]
    unsafe fn of<C: Coefficient, const N: usize>(system: &System<C>) -> Self {
        let System { order, sections, feedback, ref coefficients, .. } = *system;
        // SAFETY: the processor has the instructions of `L`, and a row has `N` lanes.
        let all = |x: C| unsafe { row::<L, C, N>([x; N]) };
        let (mut b, mut a) = ([all(C::ZERO); MOST_ORDER + 1], [all(C::ZERO); MOST_ORDER]);
        let mut of_sections = [[all(C::ZERO); 5]; MOST_ORDER / 2];
        if sections == 0 {
            let (of_b, of_a) = coefficients.split_at(order + 1);
            b.iter_mut().zip(of_b).for_each(|(to, from)| *to = all(*from));
            a.iter_mut().zip(of_a).for_each(|(to, from)| *to = all(*from));
        } else {
            let to = of_sections.as_flattened_mut();
            to.iter_mut().zip(coefficients).for_each(|(to, from)| *to = all(*from));
        }
        Self { order, sections, feedback, b, a, of_sections }
    }

    /// An element of each lane: its results, and the states after them. The order is `K`, with feedback; or if that is 0, any.
    ///
    /// # Safety
    /// The processor has the instructions of `L`, and rows are of numbers `C`.
    #[inline(always)]
    unsafe fn step<C: Coefficient, const K: usize>(&self, states: &mut [L::Row; MOST_ORDER], x: L::Row) -> L::Row {
        // SAFETY: the processor has the instructions of `L`, and rows are of numbers `C`.
        let plus = |a, b| unsafe { L::plus::<C>(a, b) };
        // SAFETY: the same.
        let times = |a, b| unsafe { L::times::<C>(a, b) };
        if K == 0 && self.sections > 0 {
            let mut x = x;
            for (section, z) in self.of_sections.iter().take(self.sections).zip(states.as_chunks_mut::<2>().0) {
                let [b0, b1, b2, a1, a2] = *section;
                let y = plus(times(b0, x), z[0]);
                z[0] = plus(plus(times(b1, x), z[1]), times(a1, y));
                z[1] = plus(times(b2, x), times(a2, y));
                x = y;
            }
            return x;
        }
        let order = if K == 0 { self.order } else { K };
        let y = plus(times(self.b[0], x), states[0]);
        for j in 0..order {
            let mut z = times(self.b[j + 1], x);
            if j + 1 < order {
                z = plus(z, states[j + 1]);
            }
            if K > 0 || self.feedback {
                z = plus(z, times(self.a[j], y));
            }
            states[j] = z;
        }
        y
    }
}

/// Numbers as a row.
///
/// # Safety
/// A row has `N` lanes of a `C`.
#[inline(always)]
unsafe fn row<L: Lanes, C: Copy, const N: usize>(numbers: [C; N]) -> L::Row {
    // SAFETY: a row has `N` lanes of a `C`: both are 64 bytes.
    unsafe { std::mem::transmute_copy(&numbers) }
}

/// And back.
///
/// # Safety
/// As [`row`].
#[inline(always)]
unsafe fn numbers<L: Lanes, C: Copy, const N: usize>(row: L::Row) -> [C; N] {
    // SAFETY: a row has `N` lanes of a `C`: both are 64 bytes.
    unsafe { std::mem::transmute_copy(&row) }
}

/// The numbers of neighbouring elements. This and [`store`] have loops, because `map` of an array is a function that LLVM may call, and which
/// then has no vectors of more than 16 bytes.
///
/// # Safety
/// The elements are there, and a row has `N` lanes of a `C`.
#[inline(always)]
unsafe fn load<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize>(input: *const I) -> L::Row {
    // SAFETY: `N` elements are there; those that have the size of numbers are numbers (`ComputesOn`).
    unsafe {
        if size_of::<I>() == size_of::<C>() {
            return input.cast::<L::Row>().read_unaligned();
        }
        let mut numbers = [C::ZERO; N];
        for (l, x) in numbers.iter_mut().enumerate() {
            *x = C::number_of(input.add(l).read());
        }
        row::<L, C, N>(numbers)
    }
}

/// Stores what becomes of a row of numbers, which are canonical.
///
/// # Safety
/// There is room for it, which nobody else uses, and a row has `N` lanes of a `C`.
#[inline(always)]
unsafe fn store<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize>(row: L::Row, output: *mut I) {
    // SAFETY: there is room for `N` results; those that have the size of numbers are numbers (`ComputesOn`).
    unsafe {
        if size_of::<I>() == size_of::<C>() {
            return output.cast::<L::Row>().write_unaligned(row);
        }
        for (l, y) in numbers::<L, C, N>(row).iter().enumerate() {
            output.add(l).write(y.result().canonical());
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
            // SAFETY: a row has `N` lanes.
            unsafe {
                let square: [L::Row; N] = std::mem::transmute_copy(self.0);
                *self.0 = std::mem::transmute_copy(&L::transposed(square));
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

    /// Every instruction set that this processor has.
    #[test]
    fn each_instruction_set_transposes_squares() {
        check::<u32, 16>(|i| i as u32);
        check::<f64, 8>(|i| i as f64);
    }
}
