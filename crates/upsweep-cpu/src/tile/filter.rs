//! Linear recurrences (IIR filters) of several lines, or parts of a line, at once: one in each lane.
//!
//! Interleaved lines are read as they lie. Parts of a line are transposed, a square at a time. Their initial states are
//! found before, by sums (`remains`).

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::store::Ahead;
use upsweep_core::call::recurrence::{Coefficient, ComputesOn, MOST_ORDER, System};
use upsweep_core::operator::Element;

/// Returns the number of lanes of a row of numbers `C`.
pub(crate) const fn lanes_of<C>() -> usize {
    ROW_BYTES / size_of::<C>()
}

/// Strides, in elements, of the elements or results of a filter. Logical element `i` of the line or part in lane `lane`
/// is at `first + lane * stride + i * step`, where `first` is the pointer to the input or the output.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    pub(crate) stride: isize,
    pub(crate) step: isize,
}

/// Filters one line or part in each lane, each with contiguous elements. Begins with the states in `states` and leaves
/// the final states there. State `j` of a lane is at `j * lanes + lane`.
///
/// # Safety
/// Conditions of the call: the elements at `places` from `input` on and the results at `results` from `output` on are
/// in memory, and this thread alone uses the results. Both have a `step` of 1 or both of -1, and `steps` is a multiple
/// of the number of lanes.
pub(crate) struct Filter<'a, C, I> {
    pub(crate) system: &'a System<C>,
    pub(crate) steps: usize,
    pub(crate) states: &'a mut [C],
    pub(crate) input: *const I,
    pub(crate) places: Places,
    pub(crate) output: *mut I,
    pub(crate) results: Places,
    /// Memory to prefetch meanwhile, as many bytes as are read: so that memory bandwidth is used during the
    /// computation.
    pub(crate) ahead: &'a mut Ahead,
}

impl<C: ComputesOn<I>, I: Element> Work for Filter<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the processor has the instructions of `L`. The elements at `places` and the results at `results` are
        // in memory, and this thread alone uses the results.
        unsafe {
            // Only the rows that are used are compiled: the constant decides before that.
            match const { lanes_of::<C>() } {
                16 => self.of_order::<L, 16>(),
                _ => self.of_order::<L, 8>(),
            }
        }
    }
}

impl<C: ComputesOn<I>, I: Element> Filter<'_, C, I> {
    /// Runs the filter with rows of `N` numbers.
    ///
    /// # Safety
    /// The conditions of [`Filter`] hold. A row has `N` numbers, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn of_order<L: Lanes, const N: usize>(self) {
        // SAFETY: the conditions of this function.
        unsafe {
            match (known_order(self.system), self.places.step > 0) {
                (1, true) => self.go::<L, N, 1, true>(),
                (1, false) => self.go::<L, N, 1, false>(),
                (2, true) => self.go::<L, N, 2, true>(),
                (2, false) => self.go::<L, N, 2, false>(),
                (_, true) => self.go::<L, N, 0, true>(),
                (_, false) => self.go::<L, N, 0, false>(),
            }
        }
    }

    /// Runs the filter with rows (vectors) of `N` numbers, one per lane. `K` is the order of the recurrence, or 0 for
    /// any; `FORWARD` says that the step between elements is 1, not -1. Elements are transposed in squares of `N` rows.
    /// With a constant order a square stays in registers.
    ///
    /// # Safety
    /// The conditions of [`Filter`] hold. A row has `N` numbers, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize, const K: usize, const FORWARD: bool>(self) {
        let Self { system, steps, states: all, input, places, output, results, ahead } = self;
        // SAFETY: the processor has the instructions of `L`. By the conditions of [`Filter`] all elements and results
        // below are in memory.
        unsafe {
            let coefficients = Coefficients::<L>::of::<C, N>(system);
            let mut states = [row::<L, C, N>([C::ZERO; N]); MOST_ORDER];
            for (to, from) in states.iter_mut().zip(all.as_chunks::<N>().0) {
                *to = row::<L, C, N>(*from);
            }
            squares::<L, C, I, N, K, FORWARD>(
                &coefficients,
                &mut states,
                steps,
                (input, places),
                (output, results),
                ahead,
            );
            for (from, to) in states.into_iter().zip(all.as_chunks_mut::<N>().0) {
                *to = numbers::<L, C, N>(from);
            }
        }
    }
}

/// Filters `steps` elements of each lane, a multiple of `N`, in squares. Returns the last square of results, transposed:
/// a row for each element of a lane.
///
/// # Safety
/// The conditions of [`Filter`] hold. A row has `N` numbers, and the processor has the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn squares<
    L: Lanes,
    C: ComputesOn<I>,
    I: Element,
    const N: usize,
    const K: usize,
    const FORWARD: bool,
>(
    coefficients: &Coefficients<L>,
    states: &mut [L::Row; MOST_ORDER],
    steps: usize,
    (input, places): (*const I, Places),
    (output, results): (*mut I, Places),
    ahead: &mut Ahead,
) -> [L::Row; N] {
    // SAFETY: the processor has the instructions of `L`. By the conditions of [`Filter`] all elements and results below
    // are in memory.
    unsafe {
        let mut last = [row::<L, C, N>([C::ZERO; N]); N];
        for first in (0..steps as isize).step_by(N) {
            // Half of the cache lines are prefetched now and half later: all at once would delay the loads of the
            // square.
            ahead.fetch(N * N / 2 * size_of::<I>());
            // Index of the lowest of the next `N` elements of the first lane.
            let lowest = |places: Places| first * places.step - if FORWARD { 0 } else { N as isize - 1 };
            let mut square = load_square::<L, C, I, N>(input.offset(lowest(places)), places.stride);
            for i in 0..N {
                let row = &mut square[if FORWARD { i } else { N - 1 - i }];
                *row = L::canonical::<C>(coefficients.step::<C, K>(states, *row));
            }
            ahead.fetch(N * N / 2 * size_of::<I>());
            last = square;
            store_square::<L, C, I, N>(square, output.offset(lowest(results)), results.stride);
        }
        last
    }
}

/// Loads a square of `N` neighbouring elements of each of `N` lanes, and transposes it.
///
/// # Safety
/// The elements are in memory, `stride` apart from lane to lane. A row has `N` numbers, and the processor has the
/// instructions of `L`.
#[inline(always)]
pub(super) unsafe fn load_square<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize>(
    input: *const I,
    stride: isize,
) -> [L::Row; N] {
    // SAFETY: the elements are in memory, and the processor has the instructions of `L`.
    unsafe {
        let mut square = [row::<L, C, N>([C::ZERO; N]); N];
        for (lane, row) in square.iter_mut().enumerate() {
            *row = load::<L, C, I, N>(input.offset(lane as isize * stride));
        }
        L::transposed(square)
    }
}

/// Inverse of [`load_square`]: stores results.
///
/// # Safety
/// As of [`load_square`], and nobody else uses the results.
#[inline(always)]
pub(super) unsafe fn store_square<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize>(
    square: [L::Row; N],
    output: *mut I,
    stride: isize,
) {
    // SAFETY: the results are in memory, and the processor has the instructions of `L`.
    unsafe {
        for (lane, row) in L::transposed(square).into_iter().enumerate() {
            store::<L, C, I, N>(row, output.offset(lane as isize * stride));
        }
    }
}

/// Filters interleaved lines, one in each lane of some rows. Begins with the states in `states` and leaves the final
/// states there. State `j` of line `i` is at `j * lines + i`.
///
/// # Safety
/// Conditions of the call: each line has `steps` elements at a stride of `step` from `input` on, and equally many
/// results from `output` on. This thread alone uses the results. The number of lines is that of the lanes of one row or
/// of [`WIDE`] rows.
pub(crate) struct Columns<'a, C, I> {
    pub(crate) system: &'a System<C>,
    pub(crate) lines: usize,
    pub(crate) steps: usize,
    pub(crate) states: &'a mut [C],
    pub(crate) input: *const I,
    pub(crate) output: *mut I,
    pub(crate) step: isize,
}

/// Number of rows of lines that are filtered together: their elements at one index of the axis are neighbouring cache
/// lines.
pub(crate) const WIDE: usize = 4;

impl<C: ComputesOn<I>, I: Element> Work for Columns<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let (wide, order) = (self.lines > lanes_of::<C>(), known_order(self.system));
        // SAFETY: the processor has the instructions of `L`. The lines and their results are in memory, and this thread
        // alone uses the results.
        unsafe {
            match const { lanes_of::<C>() } {
                16 => match (wide, order) {
                    (true, 1) => self.go::<L, 16, WIDE, 1>(),
                    (true, 2) => self.go::<L, 16, WIDE, 2>(),
                    (true, _) => self.go::<L, 16, WIDE, 0>(),
                    (false, _) => self.go::<L, 16, 1, 0>(),
                },
                _ => match (wide, order) {
                    (true, 1) => self.go::<L, 8, WIDE, 1>(),
                    (true, 2) => self.go::<L, 8, WIDE, 2>(),
                    (true, _) => self.go::<L, 8, WIDE, 0>(),
                    (false, _) => self.go::<L, 8, 1, 0>(),
                },
            }
        }
    }
}

impl<C: ComputesOn<I>, I: Element> Columns<'_, C, I> {
    /// Runs the filter with `W` rows of `N` lanes. `K` is the system's order, or 0 for any.
    ///
    /// # Safety
    /// The conditions of [`Columns`] hold. A row has `N` numbers, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize, const W: usize, const K: usize>(self) {
        let Self { system, steps, states: all, input, output, step, .. } = self;
        // SAFETY: the processor has the instructions of `L`. By the conditions of [`Columns`] each of the `W * N` lines
        // has `steps` elements and results at a stride of `step`, and nothing else is accessed.
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

/// Returns the order of the system if there is specialised code for it, or 0. With a constant order the loops over
/// states are short, and states stay in registers.
pub(super) fn known_order<C>(system: &System<C>) -> usize {
    if system.sections == 0 && system.feedback && system.order <= 2 { system.order } else { 0 }
}

/// Coefficients of a recurrence, each broadcast to all lanes of a row.
pub(super) struct Coefficients<L: Lanes> {
    order: usize,
    sections: usize,
    feedback: bool,
    b: [L::Row; MOST_ORDER + 1],
    a: [L::Row; MOST_ORDER],
    of_sections: [[L::Row; 5]; MOST_ORDER / 2],
}

impl<L: Lanes> Coefficients<L> {
    /// Broadcasts each coefficient of `system` to a row.
    ///
    /// # Safety
    /// The processor has the instructions of `L`, and a row has `N` lanes.
    #[inline(always)]
    pub(super) unsafe fn of<C: Coefficient, const N: usize>(system: &System<C>) -> Self {
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

    /// Filters one element of each lane: returns the results and updates the states. `K` is the order of a system with
    /// feedback, or 0 for any system.
    ///
    /// # Safety
    /// The processor has the instructions of `L`, and rows are of numbers `C`.
    #[inline(always)]
    pub(super) unsafe fn step<C: Coefficient, const K: usize>(
        &self,
        states: &mut [L::Row; MOST_ORDER],
        x: L::Row,
    ) -> L::Row {
        // SAFETY: the processor has the instructions of `L`, and rows are of numbers `C`.
        let plus = |a, b| unsafe { L::plus::<C>(a, b) };
        // SAFETY: the processor has the instructions of `L`, and rows are of numbers `C`.
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

/// Converts numbers to a row.
///
/// # Safety
/// A row has `N` lanes of a `C`.
#[inline(always)]
pub(super) unsafe fn row<L: Lanes, C: Copy, const N: usize>(numbers: [C; N]) -> L::Row {
    // SAFETY: a row has `N` lanes of a `C`: both are 64 bytes.
    unsafe { std::mem::transmute_copy(&numbers) }
}

/// Converts a row to numbers.
///
/// # Safety
/// A row has `N` lanes of a `C`.
#[inline(always)]
pub(super) unsafe fn numbers<L: Lanes, C: Copy, const N: usize>(row: L::Row) -> [C; N] {
    // SAFETY: a row has `N` lanes of a `C`: both are 64 bytes.
    unsafe { std::mem::transmute_copy(&row) }
}

/// Loads neighbouring elements as numbers. This and [`store`] have loops instead of the `map` of arrays: LLVM may not
/// inline that function, which then has no vectors of more than 16 bytes.
///
/// # Safety
/// `input` has `N` elements, and a row has `N` lanes of a `C`.
#[inline(always)]
pub(super) unsafe fn load<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize>(input: *const I) -> L::Row {
    // SAFETY: `input` has `N` elements. Elements of the size of numbers are numbers (`ComputesOn`).
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

/// Stores the results of a row of numbers, which are canonical.
///
/// # Safety
/// `output` has room for `N` results, which nobody else uses, and a row has `N` lanes of a `C`.
#[inline(always)]
pub(super) unsafe fn store<L: Lanes, C: ComputesOn<I>, I: Element, const N: usize>(row: L::Row, output: *mut I) {
    // SAFETY: `output` has room for `N` results. Elements of the size of numbers are numbers (`ComputesOn`).
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

    /// Checks every instruction set of this processor.
    #[test]
    fn each_instruction_set_transposes_squares() {
        check::<u32, 16>(|i| i as u32);
        check::<f64, 8>(|i| i as f64);
    }
}
