//! Linear recurrences (IIR filters) of contiguous lines: one in each lane, from the first element to the last.
//!
//! Elements are transposed in squares ([`filter`](super::filter)). What is left of lines after whole squares is in a
//! square that overlaps with the one before; its first results are those of that square again. Of lines shorter than a
//! square, those of 1, 2, 4 .. elements are unzipped in registers. The others go through a buffer, where a row may have
//! elements of the next line behind its own.

use super::filter::{
    Coefficients, Places, known_order, lanes_of, load, load_square, numbers, row, squares, store, store_square,
};
use super::lanes::{EVENS, LOWER, Lanes, ODDS, UPPER, Work};
use super::store::Ahead;
use upsweep_core::call::recurrence::{ComputesOn, MOST_ORDER, System};
use upsweep_core::operator::Element;

/// Filters groups of contiguous lines: a group has a line for each lane of a row.
///
/// # Safety
/// Conditions of the call: the lines are in memory, one after the other from `input` and `output` on, and this thread
/// alone uses the results. So are the states of each line, unless the pointers are null.
pub(crate) struct Rows<'a, C, I> {
    pub(crate) system: &'a System<C>,
    pub(crate) len: usize,
    pub(crate) groups: usize,
    pub(crate) reverse: bool,
    pub(crate) input: *const I,
    pub(crate) output: *mut I,
    pub(crate) first: *const C,
    pub(crate) last: *mut C,
}

/// Smallest length of lines that are prefetched: the hardware sees shorter lines as one stream.
const PREFETCH_FROM: usize = 64;
/// Largest number of lanes of a row.
const MOST_LANES: usize = 16;

impl<C: ComputesOn<I>, I: Element> Work for Rows<'_, C, I> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the processor has the instructions of `L`, and the conditions of `Rows` hold.
        unsafe {
            match const { lanes_of::<C>() } {
                16 => self.of_order::<L, 16>(),
                _ => self.of_order::<L, 8>(),
            }
        }
    }
}

impl<C: ComputesOn<I>, I: Element> Rows<'_, C, I> {
    /// Filters lines in rows (vectors) of `N` numbers.
    ///
    /// # Safety
    /// The conditions of [`Rows`] hold. A row has `N` numbers, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn of_order<L: Lanes, const N: usize>(self) {
        // SAFETY: the conditions of this function.
        unsafe {
            match (known_order(self.system), self.reverse) {
                (1, false) => self.go::<L, N, 1, true>(),
                (1, true) => self.go::<L, N, 1, false>(),
                (2, false) => self.go::<L, N, 2, true>(),
                (2, true) => self.go::<L, N, 2, false>(),
                (_, false) => self.go::<L, N, 0, true>(),
                (_, true) => self.go::<L, N, 0, false>(),
            }
        }
    }

    /// Filters lines in rows (vectors) of `N` numbers. `K` is the order of the recurrence, or 0 for any; `FORWARD` says
    /// that lines begin at their lowest address.
    ///
    /// # Safety
    /// The conditions of [`Rows`] hold. A row has `N` numbers, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes, const N: usize, const K: usize, const FORWARD: bool>(self) {
        let (system, len) = (self.system, self.len);
        let (stride, step) = (len as isize, if FORWARD { 1 } else { -1 });
        let places = Places { stride, step };
        let rest = len % N;
        // Room for `N` lines that are shorter than `N`, and what a row has behind the last one.
        let mut buffer = [C::ZERO.result(); MOST_LANES * MOST_LANES];
        // SAFETY: the processor has the instructions of `L`. Lines, results and states are in memory. Squares are
        // within the lines of a group, or within the buffer.
        unsafe {
            let coefficients = Coefficients::<L>::of::<C, N>(system);
            // The lines of the next group are prefetched: the hardware sees no stream in squares.
            let group = N * len * size_of::<I>();
            let mut ahead = if len < PREFETCH_FROM {
                Ahead::NOTHING
            } else {
                Ahead::lines(self.input.wrapping_add(N * len).cast(), (self.groups - 1) * group)
            };
            for group in 0..self.groups {
                let line = group * N;
                let mut states = [row::<L, C, N>([C::ZERO; N]); MOST_ORDER];
                if !self.first.is_null() {
                    for (j, states) in states.iter_mut().enumerate().take(system.states) {
                        let mut own = [C::ZERO; N];
                        for (lane, z) in own.iter_mut().enumerate() {
                            *z = self.first.add((line + lane) * system.states + j).read();
                        }
                        *states = row::<L, C, N>(own);
                    }
                }
                let (input, output) = (self.input.add(line * len), self.output.add(line * len));
                let step = |states: &mut [L::Row; MOST_ORDER], x: L::Row| {
                    L::canonical::<C>(coefficients.step::<C, K>(states, x))
                };
                // The row of a square that has the element `i` of its lines.
                let at = |i: usize| if FORWARD { i } else { N - 1 - i };
                if len < N && len.is_power_of_two() {
                    let (from, to, states, coefficients) = (input, output, &mut states, &coefficients);
                    match len {
                        1 => zipped::<L, C, I, N, K, 1, FORWARD>(coefficients, states, from, to),
                        2 => zipped::<L, C, I, N, K, 2, FORWARD>(coefficients, states, from, to),
                        4 => zipped::<L, C, I, N, K, 4, FORWARD>(coefficients, states, from, to),
                        _ => zipped::<L, C, I, N, K, 8, FORWARD>(coefficients, states, from, to),
                    }
                } else if len < N {
                    let buffer = buffer.as_mut_ptr();
                    buffer.copy_from_nonoverlapping(input, N * len);
                    let mut square = load_square::<L, C, I, N>(buffer, stride);
                    for i in 0..len {
                        let row = &mut square[if FORWARD { i } else { len - 1 - i }];
                        *row = step(&mut states, *row);
                    }
                    store_square::<L, C, I, N>(square, buffer, stride);
                    output.copy_from_nonoverlapping(buffer, N * len);
                } else {
                    let begin = if FORWARD { 0 } else { len - 1 };
                    let (from, to) = ((input.add(begin), places), (output.add(begin), places));
                    let before =
                        squares::<L, C, I, N, K, FORWARD>(&coefficients, &mut states, len - rest, from, to, &mut ahead);
                    ahead.fetch(N * rest * size_of::<I>());
                    if rest > 0 {
                        let lowest = if FORWARD { len - N } else { 0 };
                        let mut square = load_square::<L, C, I, N>(input.add(lowest), stride);
                        for i in 0..N {
                            let row = &mut square[at(i)];
                            *row = if i < N - rest { before[at(rest + i)] } else { step(&mut states, *row) };
                        }
                        store_square::<L, C, I, N>(square, output.add(lowest), stride);
                    }
                }
                if !self.last.is_null() {
                    for (j, states) in states.into_iter().enumerate().take(system.states) {
                        for (lane, z) in numbers::<L, C, N>(states).into_iter().enumerate() {
                            self.last.add((line + lane) * system.states + j).write(z);
                        }
                    }
                }
            }
        }
    }
}

/// Filters `N` contiguous lines of `LEN` elements, a power of two below `N`. They are unzipped to a row for each element
/// of a line, and the results are zipped.
///
/// # Safety
/// The lines and results are in memory, and this thread alone uses the results. A row has `N` numbers, and the
/// processor has the instructions of `L`.
#[inline(always)]
unsafe fn zipped<L, C, I, const N: usize, const K: usize, const LEN: usize, const FORWARD: bool>(
    coefficients: &Coefficients<L>,
    states: &mut [L::Row; MOST_ORDER],
    input: *const I,
    output: *mut I,
) where
    L: Lanes,
    C: ComputesOn<I>,
    I: Element,
{
    // SAFETY: the lines fill `LEN` rows, and the processor has the instructions of `L`.
    unsafe {
        let mut rows = [row::<L, C, N>([C::ZERO; N]); LEN];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = load::<L, C, I, N>(input.add(i * N));
        }
        // Each round sorts the columns by one more bit of their index.
        for _ in 0..LEN.ilog2() {
            let before = rows;
            for i in 0..LEN / 2 {
                rows[i] = L::two::<C, EVENS>(before[2 * i], before[2 * i + 1]);
                rows[LEN / 2 + i] = L::two::<C, ODDS>(before[2 * i], before[2 * i + 1]);
            }
        }
        for i in 0..LEN {
            let row = &mut rows[if FORWARD { i } else { LEN - 1 - i }];
            *row = L::canonical::<C>(coefficients.step::<C, K>(states, *row));
        }
        for _ in 0..LEN.ilog2() {
            let before = rows;
            for i in 0..LEN / 2 {
                rows[2 * i] = L::two::<C, LOWER>(before[i], before[LEN / 2 + i]);
                rows[2 * i + 1] = L::two::<C, UPPER>(before[i], before[LEN / 2 + i]);
            }
        }
        for (i, row) in rows.into_iter().enumerate() {
            store::<L, C, I, N>(row, output.add(i * N));
        }
    }
}
