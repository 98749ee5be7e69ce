//! Scan of a tile in registers, for operators in vector instructions on elements of several numbers.
//!
//! ```text
//! a group of 8 rows with an element in      rows: a b c d e f g h      a row is a vector for each number of an element
//!   each lane                               even: a c e g    pairs: ab cd ef gh
//! up: rows, pairs, fours, eights            even: ab ef      fours: abcd efgh
//! the row of eights                         scanned as a row of numbers, base ⊕ the exclusive prefix of each lane
//! down: p is the exclusive prefix           before a pair: p, before its second: p ⊕ even
//! results of a pair                         p ⊕ even, and the p of the next pair
//! next group                                base = base ⊕ total
//! ```
//!
//! As in [`sweep`](super::sweep) the operator is applied some 2 times an element. But a group has so few rows that its
//! levels are registers, and the top level is one row, not a chain. As in [`rows`](super::rows), loads, arithmetic and
//! stores overlap.
//!
//! **Grouping.** A tile's total is grouped as in `sweep::reduce_tile`: a balanced tree.

use super::lanes::{AFTER, EVENS, LOWER, Lanes, ODDS, ROW_BYTES, UPPER, Work};
use super::run::{Memory, Run, Storing};
use super::states::{State, Wide, combine, combined, each, every, lane, lanes, load_pair, number, store_pair};
use super::store::{Ahead, StreamingCopy};
use super::sweep::{Buffer, MOST_NUMBERS, TILE_BYTES};
use std::mem::MaybeUninit;
use upsweep_core::inputs::Read;
use upsweep_core::steps::{Out, Steps};

/// Number of rows in a group: the rows of 64 bytes whose levels of the upsweep stay in registers.
const GROUP: usize = 8;
/// Largest number of groups in a tile.
const MOST_GROUPS: usize = TILE_BYTES / ROW_BYTES / GROUP;

/// Whether tiles of elements of `S` are scanned by this kernel, if they have an exclusive prefix.
pub(crate) const fn apply<S: Steps>() -> bool {
    S::VECTORS && S::NUMBERS[1] > 0 && S::NUMBERS[1] <= MOST_NUMBERS && (number::<S>() == 4 || number::<S>() == 8)
}

/// One step of a Sklansky scan: combines the last lane of each lower half of `SPAN` bytes with the lanes of the upper
/// half.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn step<L: Lanes, S: Steps, const N: usize, const SPAN: usize>(
    wide: Wide<'_, S>,
    x: State<L, N>,
) -> State<L, N> {
    if const { SPAN < number::<S>() } {
        return x;
    }
    // SAFETY: the processor has the instructions of `L`; numbers have 4 or 8 bytes.
    let before = unsafe { each!(S, L::spread::<SPAN>(x)) };
    let upper = combined::<L, S, N>(wide, before, x);
    halves::<L, S, N, SPAN>(x, upper)
}

/// Blends the lower halves of `lower` with the upper halves of `upper`, where a half is `SPAN` bytes of neighbouring
/// lanes.
#[inline(always)]
fn halves<L: Lanes, S: Steps, const N: usize, const SPAN: usize>(
    lower: State<L, N>,
    upper: State<L, N>,
) -> State<L, N> {
    let mut to = lower;
    for n in 0..N {
        // SAFETY: the processor has the instructions that this is compiled for, and numbers have 4 or 8 bytes.
        to[n] = unsafe {
            if const { number::<S>() == 4 } {
                L::halves::<u32, SPAN>(lower[n], upper[n], false)
            } else {
                L::halves::<u64, SPAN>(lower[n], upper[n], false)
            }
        };
    }
    to
}

/// Scans each half of a row (inclusive).
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn scan_halves<L: Lanes, S: Steps, const N: usize>(wide: Wide<'_, S>, mut x: State<L, N>) -> State<L, N> {
    // SAFETY: the processor has the instructions of `L`.
    unsafe {
        x = step::<L, S, N, 4>(wide, x);
        x = step::<L, S, N, 8>(wide, x);
        step::<L, S, N, 16>(wide, x)
    }
}

/// Returns the exclusive prefixes of the two halves of a row `x`, where `before` is the exclusive prefix of the row. So
/// no more than half a row is combined without `before`: products of a whole row that underflow become denormal numbers
/// first, which take a hundred times as long.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn before_halves<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    before: State<L, N>,
    x: State<L, N>,
) -> State<L, N> {
    // SAFETY: the processor has the instructions of `L`; numbers have 4 or 8 bytes.
    let lower = unsafe { each!(S, L::spread::<32>(x)) };
    let upper = combined::<L, S, N>(wide, before, lower);
    halves::<L, S, N, 32>(before, upper)
}

/// Upsweep step: returns the even lanes of the rows `a` and `b`, and the combined pairs of neighbouring lanes.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn up<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    a: State<L, N>,
    b: State<L, N>,
) -> (State<L, N>, State<L, N>) {
    // SAFETY: the processor has the instructions of `L`; numbers have 4 or 8 bytes.
    let (even, odd): (State<L, N>, State<L, N>) =
        unsafe { (each!(S, L::two::<EVENS>(a, b)), each!(S, L::two::<ODDS>(a, b))) };
    (even, combine::<L, S, N>(wide, even, odd))
}

/// Downsweep step: returns the exclusive prefixes of the lanes of two rows. `p` has the prefixes of their pairs of
/// lanes.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn down<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    p: State<L, N>,
    even: State<L, N>,
) -> [State<L, N>; 2] {
    let after = combine::<L, S, N>(wide, p, even);
    // SAFETY: the processor has the instructions of `L`; numbers have 4 or 8 bytes.
    unsafe { [each!(S, L::two::<LOWER>(p, after)), each!(S, L::two::<UPPER>(p, after))] }
}

/// Result of the upsweep of a group: the even elements of each level, and the row of combined eights, also scanned.
struct Lifted<L: Lanes, const N: usize> {
    rows: [State<L, N>; 4],
    pairs: [State<L, N>; 2],
    fours: State<L, N>,
    eights: State<L, N>,
    scanned: State<L, N>,
}

impl<L: Lanes, const N: usize> Clone for Lifted<L, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<L: Lanes, const N: usize> Copy for Lifted<L, N> {}

/// Upsweep of a group of rows, which begins at index `at` in memory.
///
/// # Safety
/// The group's elements are in memory. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn lift<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    memory: &Memory<S::In, S::Out>,
    at: usize,
    origin: usize,
) -> Lifted<L, N> {
    // SAFETY: the processor has the instructions of `L`, and the group's elements are in memory.
    unsafe {
        macro_rules! load {
            ($pair:literal) => {{
                let at = at + pair_at::<S>($pair, memory.reverse);
                let (even, odd) = load_pair::<L, S, N>(wide, memory, at, origin);
                (even, combine::<L, S, N>(wide, even, odd))
            }};
        }
        let ((row0, pair0), (row1, pair1), (row2, pair2), (row3, pair3)) = (load!(0), load!(1), load!(2), load!(3));
        let ((even0, four0), (even1, four1)) = (up::<L, S, N>(wide, pair0, pair1), up::<L, S, N>(wide, pair2, pair3));
        let (fours, eights) = up::<L, S, N>(wide, four0, four1);
        let scanned = scan_halves::<L, S, N>(wide, eights);
        Lifted { rows: [row0, row1, row2, row3], pairs: [even0, even1], fours, eights, scanned }
    }
}

/// Job of [`lift`] for instruction sets whose rows are memory, not registers. Writes a [`Lifted`] of the set's rows to
/// `to`.
///
/// # Safety
/// The group's elements are in memory, and `to` has room for a [`Lifted`] of the instruction set's rows.
struct Lift<'a, S: Steps, const N: usize> {
    wide: Wide<'a, S>,
    memory: &'a Memory<S::In, S::Out>,
    at: usize,
    origin: usize,
    to: *mut u8,
}

impl<S: Steps, const N: usize> Work for Lift<'_, S, N> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: the processor has the instructions of `L`. The group's elements are in memory, and `to` has room for
        // a [`Lifted`].
        unsafe { self.to.cast::<Lifted<L, N>>().write(lift::<L, S, N>(self.wide, self.memory, self.at, self.origin)) };
    }
}

/// Downsweep of a group with the exclusive prefix `before`. Stores the group's results at `to`, and returns the
/// exclusive prefix of the next group.
///
/// # Safety
/// `to` has room for the results of a group. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn lower<L: Lanes, S: Steps, const N: usize>(
    wide: Wide<'_, S>,
    lifted: &Lifted<L, N>,
    before: State<L, N>,
    exclusive: bool,
    reverse: bool,
    to: *mut Out<S>,
) -> State<L, N> {
    let &Lifted { rows, pairs, fours, scanned, .. } = lifted;
    // SAFETY: the processor has the instructions of `L`, `to` has room for the group's results, and numbers have 4 or 8
    // bytes.
    unsafe {
        let halves = before_halves::<L, S, N>(wide, before, scanned);
        let after = combine::<L, S, N>(wide, halves, scanned);
        let next: State<L, N> = each!(S, L::last(after));
        let [p0, p1] = down::<L, S, N>(wide, each!(S, L::shifted(before, after)), fours);
        let ([q0, q1], [q2, q3]) = (down::<L, S, N>(wide, p0, pairs[0]), down::<L, S, N>(wide, p1, pairs[1]));
        macro_rules! store {
            ($pair:literal, $p:ident, $next:ident) => {{
                let middle = combine::<L, S, N>(wide, $p, rows[$pair]);
                let results = if exclusive { ($p, middle) } else { (middle, each!(S, L::two::<AFTER>($p, $next))) };
                store_pair::<L, S, N>(wide, results, to.add(pair_at::<S>($pair, reverse)), reverse);
            }};
        }
        store!(0, q0, q1);
        store!(1, q1, q2);
        store!(2, q2, q3);
        store!(3, q3, next);
        next
    }
}

/// Job of [`lower`] for instruction sets whose rows are memory, not registers. `states` points to a [`Lifted`] and to
/// the exclusive prefix, which is replaced by that of the next group.
///
/// # Safety
/// `to` has room for the results of a group. Both `states` are of the instruction set's rows.
struct Lower<'a, S: Steps, const N: usize> {
    wide: Wide<'a, S>,
    states: (*const u8, *mut u8),
    exclusive: bool,
    reverse: bool,
    to: *mut Out<S>,
}

impl<S: Steps, const N: usize> Work for Lower<'_, S, N> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { wide, states: (lifted, before), exclusive, reverse, to } = self;
        let before = before.cast::<State<L, N>>();
        // SAFETY: the processor has the instructions of `L`, both pointers are of its rows, and `to` has room for the
        // group's results.
        unsafe {
            let lifted = &*lifted.cast::<Lifted<L, N>>();
            before.write(lower::<L, S, N>(wide, lifted, before.read(), exclusive, reverse, to));
        }
    }
}

/// Returns the offset, in elements, of a pair of rows from the lowest address of its group.
#[inline(always)]
fn pair_at<S: Steps>(pair: usize, reverse: bool) -> usize {
    2 * const { lanes::<S>() } * if reverse { GROUP / 2 - 1 - pair } else { pair }
}

/// Scans the tile `run` with the exclusive prefix `base`. Returns its reduction.
///
/// # Safety
/// The run is in `memory`, and nothing else uses its output, or writes its input, until `store::fence`. It is a tile
/// for which [`apply`] is true. The processor has the instructions of `L`.
#[inline(always)]
pub(crate) unsafe fn scan<L: Lanes, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    base: S::Acc,
    storing: &Storing<S::Acc>,
) -> S::Acc {
    // SAFETY: the processor has the instructions of `L`. The run is in the memory, and a tile for which `apply` is
    // true.
    unsafe {
        match const { S::NUMBERS[1] } {
            1 => scan_numbers::<L, S, 1>(steps, memory, run, base, storing),
            2 => scan_numbers::<L, S, 2>(steps, memory, run, base, storing),
            3 => scan_numbers::<L, S, 3>(steps, memory, run, base, storing),
            4 => scan_numbers::<L, S, 4>(steps, memory, run, base, storing),
            5 => scan_numbers::<L, S, 5>(steps, memory, run, base, storing),
            6 => scan_numbers::<L, S, 6>(steps, memory, run, base, storing),
            7 => scan_numbers::<L, S, 7>(steps, memory, run, base, storing),
            _ => scan_numbers::<L, S, 8>(steps, memory, run, base, storing),
        }
    }
}

/// [`scan`] for elements of `N` numbers.
///
/// # Safety
/// The conditions of [`scan`] hold, and an element consists of `N` numbers.
#[inline(always)]
unsafe fn scan_numbers<L: Lanes, S: Steps, const N: usize>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    base: S::Acc,
    storing: &Storing<S::Acc>,
) -> S::Acc {
    let lanes = const { lanes::<S>() };
    let wide = Wide::of(steps);
    let group_len = GROUP * lanes;
    let mut stage = Buffer::<TILE_BYTES>::new();
    let first = memory.at(if memory.reverse { run.start + run.len - 1 } else { run.start });
    // SAFETY: the processor has the instructions of `L`. The tile's elements are in the input and the output, from
    // `first` on. The stage has room for the results of a tile.
    unsafe {
        let output = memory.output.add(first);
        let to = if storing.non_temporal { stage.start() } else { output };
        let mut ahead = Ahead::of_scan(memory, run, storing);
        let (_, size) = S::In::address(&memory.input, first);
        let bytes = run.len * size_of::<Out<S>>();
        let mut copy = StreamingCopy::<L>::new(to.cast_const().cast(), output.cast(), bytes);
        let mut before: State<L, N> = every::<L, S, N>(wide, base);
        let mut totals = [before; MOST_GROUPS];
        let groups = run.len / group_len;
        let group_at = |group: usize| group_len * if memory.reverse { groups - 1 - group } else { group };
        macro_rules! lift {
            ($group:expr) => {{
                let at = first + group_at($group);
                if const { L::IN_MEMORY } {
                    let mut to = MaybeUninit::<Lifted<L, N>>::uninit();
                    L::call(Lift::<S, N> { wide, memory, at, origin: run.origin, to: to.as_mut_ptr().cast() });
                    to.assume_init()
                } else {
                    lift::<L, S, N>(wide, memory, at, run.origin)
                }
            }};
        }
        let mut lifted = lift!(0);
        for group in 0..groups {
            let this = lifted;
            // The upsweep of the next group comes first: it is independent, and hides the latency of this group's
            // downsweep.
            if group + 1 < groups {
                lifted = lift!(group + 1);
            }
            if let Some(total) = totals.get_mut(group) {
                *total = this.eights;
            }
            let to = to.add(group_at(group));
            before = if const { L::IN_MEMORY } {
                let mut before = before;
                let states = ((&raw const this).cast(), (&raw mut before).cast());
                L::call(Lower::<S, N> { wide, states, exclusive: storing.exclusive, reverse: memory.reverse, to });
                before
            } else {
                lower::<L, S, N>(wide, &this, before, storing.exclusive, memory.reverse, to)
            };
            ahead.fetch(group_len * size);
            if storing.non_temporal {
                // Copies earlier groups only: results of this group have not reached the cache yet.
                copy.copy(group * group_len * size_of::<Out<S>>(), memory.reverse);
            }
        }
        if storing.non_temporal {
            copy.finish(memory.reverse);
        }
        let mut len = groups;
        while len > 1 {
            len /= 2;
            for i in 0..len {
                (_, totals[i]) = up::<L, S, N>(wide, totals[2 * i], totals[2 * i + 1]);
            }
        }
        // Reduces the last row: after each step the lower half of its lanes is left.
        let mut len = lanes;
        while len > 1 {
            len /= 2;
            (_, totals[0]) = up::<L, S, N>(wide, totals[0], totals[0]);
        }
        lane::<S::Acc, _, N>(&totals[0], 0)
    }
}
