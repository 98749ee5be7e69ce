//! Elements of several numbers in registers, as a structure of arrays: a vector for each number.
//!
//! Operations on lanes are loops over the lanes, which LLVM vectorises. It does that in two ways: by the loop
//! vectoriser, or by unrolling the loop first and looking for vectors in the straight-line code, which fails for most
//! operators on several numbers. Loops of constant length go the second way, so the length is hidden here: see
//! [`Wide`]. As in [`rows`](super::rows), shuffles and their operands are hidden from the compiler.

use super::hidden::hidden;
use super::lanes::{EVENS, LOWER, Lanes, ODDS, ROW_BYTES, UPPER, Work};
use super::run::Memory;
use super::sweep::MOST_NUMBERS;
use std::mem::MaybeUninit;
use upsweep_core::inputs::Read;
use upsweep_core::steps::{In, Out, Steps};

/// Returns the size in bytes of one number of an accumulator value.
pub(super) const fn number<S: Steps>() -> usize {
    size_of::<S::Acc>() / if S::NUMBERS[1] == 0 { 1 } else { S::NUMBERS[1] }
}

pub(super) const fn lanes<S: Steps>() -> usize {
    ROW_BYTES / number::<S>()
}

/// Row of elements, one in each lane: a vector for each number of an element.
pub(super) type State<L, const N: usize> = [<L as Lanes>::Row; N];

/// Returns the element in lane `i` of `state`.
///
/// # Safety
/// `i` is less than the number of lanes of a row, and a `T` consists of `N` numbers.
#[inline(always)]
pub(super) unsafe fn lane<T: Copy, R, const N: usize>(state: &[R; N], i: usize) -> T {
    // SAFETY: `i` is less than the number of lanes, and a `T` consists of `N` numbers.
    unsafe { lane_xor(state, i, 0) }
}

/// Returns the element in lane `i`, with each number XORed with `zero`: a 0 that may be hidden from the compiler.
///
/// # Safety
/// `i` is less than the number of lanes of a row, and a `T` consists of `N` numbers.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "iterators may stay calls, which lack the instruction set")]
unsafe fn lane_xor<T: Copy, R, const N: usize>(state: &[R; N], i: usize, zero: usize) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    for n in 0..N {
        // SAFETY: an element consists of `N` numbers, and nothing else.
        unsafe {
            let (from, to) = ((&raw const state[n]), value.as_mut_ptr());
            if const { size_of::<T>() == 4 * N } {
                to.cast::<u32>().add(n).write(from.cast::<u32>().add(i).read() ^ zero as u32);
            } else {
                to.cast::<u64>().add(n).write(from.cast::<u64>().add(i).read() ^ zero as u64);
            }
        }
    }
    // SAFETY: all its numbers have been written.
    unsafe { value.assume_init() }
}

/// Writes `value` to lane `i`: number `n` of the element goes to the vector at `to[n]`, for `n < N`.
///
/// # Safety
/// `to[0]` to `to[N - 1]` are valid for writes of a vector, and `i` is less than the number of its lanes.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "iterators may stay calls, which lack the instruction set")]
unsafe fn set<T: Copy, R, const N: usize>(to: &[*mut R; MOST_NUMBERS], i: usize, value: T) {
    let from = &raw const value;
    for n in 0..N {
        // SAFETY: an element consists of `N` numbers, and nothing else.
        unsafe {
            if const { size_of::<T>() == 4 * N } {
                to[n].cast::<u32>().add(i).write(from.cast::<u32>().add(n).read());
            } else {
                to[n].cast::<u64>().add(i).write(from.cast::<u64>().add(n).read());
            }
        }
    }
}

/// Makes a state of `$N` vectors whose lane `$i` is `$value`. Each vector is a variable of its own: only then LLVM
/// keeps vectors that are written lane by lane in registers.
macro_rules! lanewise {
    ($L:ident, $N:tt, $wide:ident, |$i:ident| $value:expr) => {{
        let mut r0 = MaybeUninit::<$L::Row>::uninit();
        let (mut r1, mut r2, mut r3, mut r4, mut r5, mut r6, mut r7) = (r0, r0, r0, r0, r0, r0, r0);
        let to = [
            r0.as_mut_ptr(),
            r1.as_mut_ptr(),
            r2.as_mut_ptr(),
            r3.as_mut_ptr(),
            r4.as_mut_ptr(),
            r5.as_mut_ptr(),
            r6.as_mut_ptr(),
            r7.as_mut_ptr(),
        ];
        // SAFETY: `i` is a lane, and every lane has been written before the vectors are read.
        #[allow(unused_unsafe, reason = "the value may be unsafe")]
        unsafe {
            for $i in 0..$wide.lanes {
                set::<_, $L::Row, $N>(&to, $i, $value);
            }
            let mut rows = [to[0].read(); $N];
            for n in 1..$N {
                rows[n] = to[n].read();
            }
            rows
        }
    }};
}

/// Applies a shuffle of [`Lanes`] to the vector of each number: makes a state from one state or from two.
macro_rules! each {
    ($S:ident, $L:ident::$shuffle:ident $(::<$span:tt>)? ($($row:expr),*)) => {{
        let mut to = each!(@first $($row),*);
        for n in 0..N {
            to[n] = if const { number::<$S>() == 4 } {
                $L::$shuffle::<u32 $(, $span)?>($($row[n]),*)
            } else {
                $L::$shuffle::<u64 $(, $span)?>($($row[n]),*)
            };
        }
        to
    }};
    (@first $first:expr $(, $more:expr)*) => { $first };
}
pub(super) use each;

/// Returns the same rows, whose origin is hidden from the compiler.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn opaque<L: Lanes, const N: usize>(mut rows: [L::Row; N]) -> [L::Row; N] {
    for row in &mut rows {
        // SAFETY: the processor has the instructions of `L`.
        *row = unsafe { L::opaque(*row) };
    }
    rows
}

/// Operator, and the number of lanes of a row, which is hidden from the compiler.
pub(super) struct Wide<'a, S: Steps> {
    steps: &'a S,
    lanes: usize,
}

impl<S: Steps> Clone for Wide<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Steps> Copy for Wide<'_, S> {}

impl<'a, S: Steps> Wide<'a, S> {
    /// Makes a `Wide` of an operator with the number of lanes of a row. As far as the compiler knows, the number may be
    /// 0, and the vectors that a loop over the lanes writes may stay uninitialised.
    /// that a loop over the lanes writes may stay uninitialised.
    #[inline(always)]
    pub(super) fn of(steps: &'a S) -> Self {
        Self { steps, lanes: unknown(const { lanes::<S>() }) & const { lanes::<S>() } }
    }
}

/// Returns `n`, hidden from the compiler on x86. This is not measured on other processors.
#[inline(always)]
fn unknown(n: usize) -> usize {
    if cfg!(target_arch = "x86_64") { hidden(n) } else { n }
}

/// Broadcasts `value` to every lane.
#[inline(always)]
pub(super) fn every<L: Lanes, S: Steps, const N: usize>(wide: Wide<'_, S>, value: S::Acc) -> State<L, N> {
    lanewise!(L, N, wide, |_lane| value)
}

/// Returns `a ⊕ b`, lane by lane, hidden from the compiler's optimisations.
#[inline(always)]
pub(super) fn combine<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    a: State<L, N>,
    b: State<L, N>,
) -> State<L, N> {
    // SAFETY: the processor has the instructions that this is compiled for.
    unsafe { opaque::<L, N>(combined::<L, S, N>(wide, a, b)) }
}

/// Returns `a ⊕ b`, lane by lane, without hiding the result.
#[inline(always)]
pub(super) fn combined<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    a: State<L, N>,
    b: State<L, N>,
) -> State<L, N> {
    if const { L::IN_MEMORY } {
        let mut states = [a, b];
        // SAFETY: `states` holds two states, and the processor has the instructions that this is compiled for.
        unsafe { L::call(Combined::<S, N> { wide, states: (&raw mut states).cast() }) };
        return states[0];
    }
    combined_here::<L, S, N>(wide, a, b)
}

/// [`combined`], inlined.
#[inline(always)]
fn combined_here<L: Lanes, S: Steps, const N: usize>(wide: Wide<'_, S>, a: State<L, N>, b: State<L, N>) -> State<L, N> {
    lanewise!(L, N, wide, |i| wide.steps.combine(lane::<S::Acc, _, N>(&a, i), lane::<S::Acc, _, N>(&b, i)))
}

/// Job of [`combined`] for instruction sets whose rows are memory, not registers. `states` points to two states, and
/// the result replaces the first.
///
/// # Safety
/// `states` points to two states of the instruction set's rows.
struct Combined<'a, S: Steps, const N: usize> {
    wide: Wide<'a, S>,
    states: *mut u8,
}

impl<S: Steps, const N: usize> Work for Combined<'_, S, N> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let states = self.states.cast::<State<L, N>>();
        // SAFETY: `states` points to two states of this instruction set's rows.
        unsafe { states.write(combined_here::<L, S, N>(self.wide, states.read(), states.add(1).read())) };
    }
}

/// Loads a row of contiguous values of `N` numbers each, and separates the numbers: array of structures to structure of
/// arrays.
///
/// # Safety
/// `from` has a value for each lane. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn gather<L: Lanes, T: Copy, const N: usize>(from: *const T) -> [L::Row; N] {
    // SAFETY: the processor has the instructions of `L`, and `from` has a value for each lane.
    unsafe {
        let rows = from.cast::<[L::Row; N]>().read_unaligned();
        let mut words = rows;
        if const { N == 2 } {
            (words[0], words[1]) = apart::<L, T, N>(rows[0], rows[1]);
        } else if const { N == 4 } {
            let (even0, odd0) = apart::<L, T, N>(rows[0], rows[1]);
            let (even1, odd1) = apart::<L, T, N>(rows[2], rows[3]);
            (words[0], words[2]) = apart::<L, T, N>(even0, even1);
            (words[1], words[3]) = apart::<L, T, N>(odd0, odd1);
        }
        words
    }
}

/// Stores a row as contiguous values: the inverse of [`gather`].
///
/// # Safety
/// `to` has room for a value for each lane. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn scatter<L: Lanes, T: Copy, const N: usize>(words: [L::Row; N], to: *mut T) {
    // SAFETY: the processor has the instructions of `L`, and `to` has room for the values.
    unsafe {
        let mut rows = words;
        if const { N == 2 } {
            (rows[0], rows[1]) = together::<L, T, N>(words[0], words[1]);
        } else if const { N == 4 } {
            let (even0, even1) = together::<L, T, N>(words[0], words[2]);
            let (odd0, odd1) = together::<L, T, N>(words[1], words[3]);
            (rows[0], rows[1]) = together::<L, T, N>(even0, odd0);
            (rows[2], rows[3]) = together::<L, T, N>(even1, odd1);
        }
        to.cast::<[L::Row; N]>().write_unaligned(rows);
    }
}

/// Deinterleaves two rows: returns their even and their odd lanes.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn apart<L: Lanes, T, const N: usize>(a: L::Row, b: L::Row) -> (L::Row, L::Row) {
    // SAFETY: the processor has the instructions of `L`.
    unsafe {
        if const { size_of::<T>() == 4 * N } {
            (L::two::<u32, EVENS>(a, b), L::two::<u32, ODDS>(a, b))
        } else {
            (L::two::<u64, EVENS>(a, b), L::two::<u64, ODDS>(a, b))
        }
    }
}

/// Interleaves two rows: `a` has the even lanes of the result, and `b` the odd lanes.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn together<L: Lanes, T, const N: usize>(a: L::Row, b: L::Row) -> (L::Row, L::Row) {
    // SAFETY: the processor has the instructions of `L`.
    unsafe {
        if const { size_of::<T>() == 4 * N } {
            (L::two::<u32, LOWER>(a, b), L::two::<u32, UPPER>(a, b))
        } else {
            (L::two::<u64, LOWER>(a, b), L::two::<u64, UPPER>(a, b))
        }
    }
}

/// Returns `numbers`, the number of numbers in a `T`, if these have the size of the accumulator's numbers; otherwise 0.
const fn of_numbers<S: Steps, T>(numbers: usize) -> usize {
    if size_of::<T>() == numbers * number::<S>() { numbers } else { 0 }
}

/// Loads and maps two rows of elements from index `at` in memory on: returns the elements at even and those at odd
/// indices in scan order. The positions given to the map count from `origin`.
///
/// # Safety
/// The elements are in memory. The processor has the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn load_pair<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    memory: &Memory<S::In, S::Out>,
    at: usize,
    origin: usize,
) -> (State<L, N>, State<L, N>) {
    // SAFETY: the processor has the instructions of `L`, and the pair's elements are in memory.
    let (even, odd): (State<L, N>, State<L, N>) = unsafe {
        match const { of_numbers::<S, In<S>>(S::NUMBERS[0]) } {
            1 => mapped::<L, S, N, 1>(wide, memory, at, origin),
            2 => mapped::<L, S, N, 2>(wide, memory, at, origin),
            4 => mapped::<L, S, N, 4>(wide, memory, at, origin),
            _ => {
                let index = at.wrapping_sub(origin);
                let a: State<L, N> =
                    lanewise!(L, N, wide, |i| wide.steps.load(S::In::read(&memory.input, at + i), index + i));
                let (at, index) = (at + const { lanes::<S>() }, index + const { lanes::<S>() });
                let b: State<L, N> =
                    lanewise!(L, N, wide, |i| wide.steps.load(S::In::read(&memory.input, at + i), index + i));
                let (a, b) = (opaque::<L, N>(a), opaque::<L, N>(b));
                let (mut even, mut odd) = (a, b);
                for n in 0..N {
                    (even[n], odd[n]) = apart::<L, S::Acc, N>(a[n], b[n]);
                }
                (even, odd)
            }
        }
    };
    // SAFETY: the processor has the instructions of `L`, and numbers have 4 or 8 bytes.
    unsafe {
        let (even, odd) = (opaque::<L, N>(even), opaque::<L, N>(odd));
        if memory.reverse { (each!(S, L::reversed(odd)), each!(S, L::reversed(even))) } else { (even, odd) }
    }
}

/// [`load_pair`] in memory order, for elements of `M` numbers: deinterleaved before they are mapped.
///
/// # Safety
/// The elements are in memory. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn mapped<L: Lanes, S: Steps, const N: usize, const M: usize>(
    wide: Wide<'_, S>,
    memory: &Memory<S::In, S::Out>,
    at: usize,
    origin: usize,
) -> (State<L, N>, State<L, N>) {
    let lanes = const { lanes::<S>() };
    // SAFETY: the processor has the instructions of `L`, and the pair's elements are in memory.
    unsafe {
        let a = gather::<L, In<S>, M>(S::In::address(&memory.input, at).0.cast());
        let b = gather::<L, In<S>, M>(S::In::address(&memory.input, at + lanes).0.cast());
        let (mut first, mut second) = (a, b);
        for m in 0..M {
            (first[m], second[m]) = apart::<L, In<S>, M>(a[m], b[m]);
        }
        if const { N == M } && S::same_map() {
            // A loop over lanes that only copies would become a call of `memcpy`.
            return ((&raw const first).cast::<State<L, N>>().read(), (&raw const second).cast::<State<L, N>>().read());
        }
        let index = at.wrapping_sub(origin);
        (
            lanewise!(L, N, wide, |i| wide.steps.load(lane::<In<S>, _, M>(&first, i), index + 2 * i)),
            lanewise!(L, N, wide, |i| wide.steps.load(lane::<In<S>, _, M>(&second, i), index + 2 * i + 1)),
        )
    }
}

/// Stores the results of two rows, which are at even and at odd indices in scan order.
///
/// # Safety
/// `to` has room for the results of two rows. The processor has the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn store_pair<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    (mut even, mut odd): (State<L, N>, State<L, N>),
    to: *mut Out<S>,
    reverse: bool,
) {
    if reverse {
        // SAFETY: the processor has the instructions of `L`, and numbers have 4 or 8 bytes.
        (even, odd) = unsafe { (each!(S, L::reversed(odd)), each!(S, L::reversed(even))) };
    }
    let (mut a, mut b) = (even, odd);
    for n in 0..N {
        // SAFETY: the processor has the instructions of `L`, and there is room for the pair at `to`.
        unsafe {
            let (first, second) = together::<L, S::Acc, N>(even[n], odd[n]);
            (a[n], b[n]) = (L::opaque(first), L::opaque(second));
        }
    }
    // SAFETY: the processor has the instructions of `L`, and there is room for the pair at `to`.
    unsafe {
        store_row::<L, S, N>(wide, &a, to);
        store_row::<L, S, N>(wide, &b, to.add(const { lanes::<S>() }));
    }
}

/// Stores the results of a row.
///
/// # Safety
/// `to` has room for the results of a row. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn store_row<L: Lanes, S: Steps, const N: usize>(wide: Wide<'_, S>, row: &State<L, N>, to: *mut Out<S>) {
    // As in `mapped`, a loop that only copies would become a call: the XOR with 0 hides the copy.
    let zero = if S::same_finish() { unknown(0) } else { 0 };
    macro_rules! numbers {
        ($number:literal) => {{
            let results = lanewise!(L, $number, wide, |i| wide.steps.store(lane_xor::<S::Acc, _, N>(row, i, zero)));
            // SAFETY: the processor has the instructions of `L`, and there is room for the row at `to`.
            unsafe { scatter::<L, Out<S>, $number>(results, to) }
        }};
    }
    match const { of_numbers::<S, Out<S>>(S::NUMBERS[2]) } {
        2 => numbers!(2),
        4 => numbers!(4),
        _ => {
            for i in 0..wide.lanes {
                // SAFETY: the processor has the instructions of `L`, and there is room for the row at `to`.
                unsafe { to.add(i).write(wide.steps.store(lane_xor::<S::Acc, _, N>(row, i, zero))) };
            }
        }
    }
}
