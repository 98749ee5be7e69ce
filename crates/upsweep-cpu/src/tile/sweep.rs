//! Upsweep and downsweep of a tile over arrays in the first-level cache: its reduction and its scan.
//!
//! ```text
//! upsweep      x: a b c d e f g h       even[0] = a c e g        x1 = ab cd ef gh
//!              x1                       even[1] = ab ef          x2 = abcd efgh
//! top          serial scan of the last level, with `base` (the exclusive prefix of the tile)
//! downsweep    exclusive prefixes p of a level from those of the level above:
//!              p[2j] = above[j]         p[2j + 1] = above[j] ⊕ even[j]
//!              x: inclusive             out[2j] = above[j] ⊕ even[j], out[2j + 1] = above[j + 1]
//! ```
//!
//! No loop has a dependence between its iterations. So LLVM vectorises it for every operator whose combine it can
//! vectorise, and the latencies of other operators overlap. The operator is applied `n` times in the upsweep and `n`
//! times in the downsweep, from left to right, and only to elements: it need not commute or have an identity.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2. The difference: the even elements are
//! kept in arrays of their own, so that both sweeps access contiguously, and the sweeps stop at [`TOP`] elements.

use super::lanes::{Lanes, ROW_BYTES};
use super::run::{Memory, Run, Storing};
use super::store::{Ahead, StreamingCopy};
use super::windows;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use upsweep_core::inputs::Read;
use upsweep_core::steps::{In, Out, Steps};

/// Bytes of a tile: its levels and the staged results stay in a first-level cache of 32 KiB.
pub(crate) const TILE_BYTES: usize = 8192;
/// Number of elements of the top level, at which the upsweep stops.
pub(crate) const TOP: usize = 16;
/// Largest number of numbers of an element for which elements are stored as a structure of arrays.
pub(crate) const MOST_NUMBERS: usize = 8;
/// Bytes of a buffer: half a tile, and one more cache line for each number of an element.
const HALF_BYTES: usize = TILE_BYTES / 2 + MOST_NUMBERS * ROW_BYTES;
/// Number of parts in which the elements of a tile are read: memory is prefetched between parts.
const PARTS: usize = 8;
/// Prefetch distance in bytes if no other block is prefetched: a page, at whose end the hardware prefetcher stops.
const FETCH_AHEAD: usize = 4096;

/// Uninitialised buffer for levels of a tile.
#[repr(C, align(64))]
pub(crate) struct Buffer<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

impl<const BYTES: usize> Buffer<BYTES> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([MaybeUninit::uninit(); BYTES])
    }

    #[inline(always)]
    pub(crate) fn start<T>(&mut self) -> *mut T {
        (&raw mut self.0).cast()
    }

    #[inline(always)]
    fn level<S: Steps>(&mut self) -> Level<S> {
        // Number of words in a cache line.
        let line = ROW_BYTES / const { word::<S>() }.max(1);
        let room = BYTES / size_of::<S::Acc>().max(1) / line.max(1) * line.max(1);
        Level { start: self.start(), room, of: PhantomData }
    }
}

/// Pointer to values in a buffer. Values of several numbers are a structure of arrays: all first numbers, then all
/// second numbers, and so on. LLVM makes vectors of these. Of an array of structures it would separate the numbers and
/// interleave them again at each level.
struct Level<S: Steps> {
    start: *mut u8,
    /// Capacity of the buffer in values: the distance between the arrays.
    room: usize,
    of: PhantomData<S>,
}

impl<S: Steps> Clone for Level<S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Steps> Copy for Level<S> {}

/// Returns the bytes of a word: a number in a structure of arrays, or a whole value.
const fn word<S: Steps>() -> usize {
    let (size, numbers) = (size_of::<S::Acc>(), S::NUMBERS[1]);
    if numbers > 0 && numbers <= MOST_NUMBERS && (size == 4 * numbers || size == 8 * numbers) {
        size / numbers
    } else {
        size
    }
}

impl<S: Steps> Level<S> {
    #[inline(always)]
    fn add(self, n: usize) -> Self {
        Self { start: self.start.wrapping_add(n * const { word::<S>() }), ..self }
    }
    #[inline(always)]
    fn sub(self, n: usize) -> Self {
        Self { start: self.start.wrapping_sub(n * const { word::<S>() }), ..self }
    }

    /// Reads the value at the pointer.
    ///
    /// # Safety
    /// The pointer is to an initialised value.
    #[inline(always)]
    unsafe fn read(self) -> S::Acc {
        if const { word::<S>() == size_of::<S::Acc>() } {
            // SAFETY: the pointer is to an initialised value.
            return unsafe { self.start.cast::<S::Acc>().read() };
        }
        let mut value = MaybeUninit::<S::Acc>::uninit();
        for i in 0..S::NUMBERS[1] {
            // SAFETY: the pointer is to an initialised value of `NUMBERS[1]` numbers of 4 or 8 bytes.
            unsafe {
                if const { word::<S>() == 4 } {
                    value.as_mut_ptr().cast::<u32>().add(i).write(self.start.cast::<u32>().add(i * self.room).read());
                } else {
                    value.as_mut_ptr().cast::<u64>().add(i).write(self.start.cast::<u64>().add(i * self.room).read());
                }
            }
        }
        // SAFETY: all its numbers have been written.
        unsafe { value.assume_init() }
    }

    /// Writes `value` at the pointer.
    ///
    /// # Safety
    /// The buffer has room for a value there.
    #[inline(always)]
    unsafe fn write(self, value: S::Acc) {
        if const { word::<S>() == size_of::<S::Acc>() } {
            // SAFETY: the buffer has room for a value there.
            return unsafe { self.start.cast::<S::Acc>().write(value) };
        }
        let value = &raw const value;
        for i in 0..S::NUMBERS[1] {
            // SAFETY: the buffer has room for a value there, of `NUMBERS[1]` numbers of 4 or 8 bytes.
            unsafe {
                if const { word::<S>() == 4 } {
                    self.start.cast::<u32>().add(i * self.room).write(value.cast::<u32>().add(i).read());
                } else {
                    self.start.cast::<u64>().add(i * self.room).write(value.cast::<u64>().add(i).read());
                }
            }
        }
    }
}

/// One level of the upsweep. Pair `j` is `from(j)`: `even[j]` is its first (if `KEEP`), `above[j]` both combined.
///
/// # Safety
/// `even` (if `KEEP`) and `above` are valid for writes of `pairs` elements.
#[inline(always)]
unsafe fn up<const KEEP: bool, S: Steps>(
    steps: &S,
    pairs: usize,
    from: impl Fn(usize) -> (S::Acc, S::Acc),
    even: Level<S>,
    above: Level<S>,
) {
    for j in 0..pairs {
        let (a, b) = from(j);
        // SAFETY: `j` is less than `pairs`.
        unsafe {
            if const { KEEP } {
                even.add(j).write(a);
            }
            above.add(j).write(steps.combine(a, b));
        }
    }
}

/// Upsweep of the first `2 * pairs` elements of `run` to [`TOP`] elements. Returns the buffer with these, the other of
/// the two buffers, and the start of the last level in `even`.
///
/// # Safety
/// The elements are in `memory`, and initialised. `a` and `b` are valid for `pairs` elements, `even` (if `KEEP`) for
/// `2 * pairs`. `pairs` is a power of two and at least [`TOP`].
#[inline(always)]
unsafe fn up_sweep<const KEEP: bool, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    mut pairs: usize,
    mut even: Level<S>,
    (a, b): (Level<S>, Level<S>),
    ahead: &mut Ahead,
) -> (Level<S>, Level<S>, Level<S>) {
    // Memory is prefetched between parts, as the hardware prefetcher stops at the end of each page.
    let part = pairs / PARTS;
    for i in 0..PARTS {
        // SAFETY: the part is among the `2 * pairs` elements in `memory`, and so is each `2 * j + 1` in it below. All
        // buffers have room for `pairs` elements.
        unsafe {
            let first = memory.at(run.start + 2 * i * part);
            let input = &memory.input;
            let index = first.wrapping_sub(run.origin);
            let (even, a) = (if KEEP { even.add(i * part) } else { even }, a.add(i * part));
            let (len, distance) = (2 * part, FETCH_AHEAD / size_of::<In<S>>().max(1));
            let in_order = ahead.is_nothing();
            ahead.fetch(len * S::In::address(input, first).1);
            // One loop a direction: LLVM must know the stride.
            if memory.reverse {
                if in_order {
                    S::In::fetch(input, first.wrapping_sub(distance + len), len, windows::fetch);
                }
                let from = |j: usize| {
                    (
                        steps.load(S::In::read(input, first - 2 * j), index - 2 * j),
                        steps.load(S::In::read(input, first - 2 * j - 1), index - 2 * j - 1),
                    )
                };
                up::<KEEP, S>(steps, part, from, even, a);
            } else {
                if in_order {
                    S::In::fetch(input, first.wrapping_add(distance), len, windows::fetch);
                }
                let from = |j: usize| {
                    (
                        steps.load(S::In::read(input, first + 2 * j), index + 2 * j),
                        steps.load(S::In::read(input, first + 2 * j + 1), index + 2 * j + 1),
                    )
                };
                up::<KEEP, S>(steps, part, from, even, a);
            }
        }
    }
    // Alternates between `a` and `b` (double buffer): LLVM sees two allocations, and needs no overlap test at run time.
    while pairs > TOP {
        // SAFETY: each level is half of the last: all levels of `even` together have less than `2 * pairs` elements,
        // and `a` holds the `pairs` elements of the last level.
        unsafe {
            even = if KEEP { even.add(pairs) } else { even };
            pairs /= 2;
            up::<KEEP, S>(steps, pairs, |j| (a.add(2 * j).read(), a.add(2 * j + 1).read()), even, b);
        }
        if pairs == TOP {
            return (b, a, even);
        }
        // SAFETY: each level is half of the last, so `even` has room. `b` holds the `pairs` elements of the last.
        unsafe {
            even = if KEEP { even.add(pairs) } else { even };
            pairs /= 2;
            up::<KEEP, S>(steps, pairs, |j| (b.add(2 * j).read(), b.add(2 * j + 1).read()), even, a);
        }
    }
    (a, b, even)
}

/// Returns the reduction of the tile `run`.
///
/// # Safety
/// The run is in memory, and nothing writes it. The length is a power of two, from twice [`TOP`] to that of a tile.
#[inline(always)]
pub(crate) unsafe fn reduce_tile<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    ahead: &mut Ahead,
) -> S::Acc {
    let (mut a, mut b) = (Buffer::<{ TILE_BYTES / 2 }>::new(), Buffer::<{ TILE_BYTES / 4 }>::new());
    // SAFETY: the tile is in memory. The levels in `a` have at most half of its elements, those in `b` a quarter.
    unsafe {
        let (a, b) = (a.level(), b.level());
        let (top, ..) = up_sweep::<false, S>(steps, memory, run, run.len / 2, a, (a, b), ahead);
        top_total(steps, top)
    }
}

/// Combines the [`TOP`] elements at `top` in a tree.
///
/// # Safety
/// `top` is valid for reads of [`TOP`] elements.
#[inline(always)]
unsafe fn top_total<S: Steps>(steps: &S, top: Level<S>) -> S::Acc {
    const { assert!(TOP == 16, "the tree below has so many leaves") };
    // SAFETY: the indices are less than `TOP`.
    let pair = |i: usize| unsafe { steps.combine(top.add(2 * i).read(), top.add(2 * i + 1).read()) };
    let four = |i: usize| steps.combine(pair(2 * i), pair(2 * i + 1));
    let eight = |i: usize| steps.combine(four(2 * i), four(2 * i + 1));
    steps.combine(eight(0), eight(1))
}

/// Scans the tile `run` with the exclusive prefix `base`, which is `None` if `FIRST`. Returns its reduction.
///
/// # Safety
/// The run, a tile, is in memory. Nothing else uses its output, or writes its input, until `store::fence`.
#[inline(always)]
pub(crate) unsafe fn scan_tile<const FIRST: bool, L: Lanes, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    base: Option<S::Acc>,
    storing: &Storing<S::Acc>,
) -> S::Acc {
    let mut even = Buffer::<TILE_BYTES>::new();
    let (mut a, mut b) = (Buffer::<HALF_BYTES>::new(), Buffer::<HALF_BYTES>::new());
    // SAFETY: the tile is in memory. A level of a tile has at most half of its elements, and the downsweep adds one,
    // for which buffers have one more line for each number. All levels of `even` together have fewer elements than the
    // tile.
    unsafe {
        let buffers = (a.level(), b.level());
        let mut ahead = Ahead::of_scan(memory, run, storing);
        let (top, other, even) =
            up_sweep::<true, S>(steps, memory, run, run.len / 2, even.level(), buffers, &mut ahead);
        let total = turn(steps, top, base);
        // Two instances: LLVM must know the length of each level.
        if const { !FIRST } && base.is_some() {
            down_sweep::<true, L, S>(steps, memory, run, storing, (top, other, even));
        } else {
            down_sweep::<false, L, S>(steps, memory, run, storing, (top, other, even));
        }
        total
    }
}

/// Replaces the [`TOP`] elements at `top` by their `TOP + 1` prefixes, each combined with `base`, and returns the
/// reduction of the elements. Without `base` the first prefix is not written.
///
/// # Safety
/// `top` is valid for `TOP + 1` elements, and the first `TOP` are initialised.
#[inline(always)]
unsafe fn turn<S: Steps>(steps: &S, top: Level<S>, base: Option<S::Acc>) -> S::Acc {
    // SAFETY: all indices are at most `TOP`, and indices that are read are less.
    unsafe {
        let total = top_total(steps, top);
        // The serial scan does not use `base`, so that it does not depend on the tile before.
        let mut prefixes = [top.read(); TOP];
        for i in 1..TOP {
            prefixes[i] = steps.combine(prefixes[i - 1], top.add(i).read());
        }
        match base {
            Some(base) => {
                top.write(base);
                for (i, prefix) in prefixes.into_iter().enumerate() {
                    top.add(i + 1).write(steps.combine(base, prefix));
                }
            }
            None => {
                for (i, prefix) in prefixes.into_iter().enumerate() {
                    top.add(i + 1).write(prefix);
                }
            }
        }
        total
    }
}

/// Downsweep of the tile `run` from the [`TOP`] prefixes at `p`, with the stores. `even` is the last level that
/// [`up_sweep`] wrote there.
///
/// # Safety
/// The conditions of [`scan_tile`] hold. `p` and `q` are valid for half a tile and one more element, and `p` holds the
/// prefixes that [`turn`] wrote.
#[inline(always)]
unsafe fn down_sweep<const BASED: bool, L: Lanes, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    storing: &Storing<S::Acc>,
    (mut p, mut q, mut even): (Level<S>, Level<S>, Level<S>),
) {
    // Without a base, the first exclusive prefix of each level does not exist.
    let from = usize::from(!BASED);
    let mut pairs = TOP;
    while pairs < run.len / 2 {
        // SAFETY: a level has `pairs` even elements and `pairs + 1` prefixes (the first only if `BASED`). The level
        // below has twice as many, at most half a tile.
        unsafe {
            if !BASED {
                q.add(1).write(even.read());
            }
            for j in from..pairs {
                let before = p.add(j).read();
                q.add(2 * j).write(before);
                q.add(2 * j + 1).write(steps.combine(before, even.add(j).read()));
            }
            q.add(2 * pairs).write(p.add(pairs).read());
            pairs *= 2;
            even = even.sub(pairs);
        }
        std::mem::swap(&mut p, &mut q);
    }
    let mut stage = Buffer::<TILE_BYTES>::new();
    let first = memory.at(if memory.reverse { run.start + run.len - 1 } else { run.start });
    // SAFETY: the tile's elements are in the output, from `first` on.
    let output = unsafe { memory.output.add(first) };
    let to = if storing.non_temporal { stage.start() } else { output };
    // SAFETY: below, `i` is less than `run.len`, and `to`, the output or the stage, has room for as many results.
    let forward = |i: usize, value| unsafe { to.add(i).write(steps.store(value)) };
    // SAFETY: below, `i` is less than `run.len`, and `to`, the output or the stage, has room for as many results.
    let backward = |i: usize, value| unsafe { to.add(run.len - 1 - i).write(steps.store(value)) };
    // SAFETY: `p` holds the prefixes of the pairs, and `even` their even elements.
    unsafe {
        // One loop a direction: LLVM must know the stride.
        if memory.reverse {
            pairs_down::<BASED, S>(steps, (p, even), pairs, storing, backward);
        } else {
            pairs_down::<BASED, S>(steps, (p, even), pairs, storing, forward);
        }
        if storing.non_temporal {
            StreamingCopy::<L>::new(to.cast_const().cast(), output.cast(), run.len * size_of::<Out<S>>()).finish(false);
        }
    }
}

/// Last level of the downsweep: two results from each prefix and even element.
///
/// # Safety
/// `above` is valid for `pairs + 1` elements (the first is initialised only if `BASED`), and `even` for `pairs`.
#[inline(always)]
unsafe fn pairs_down<const BASED: bool, S: Steps>(
    steps: &S,
    (above, even): (Level<S>, Level<S>),
    pairs: usize,
    storing: &Storing<S::Acc>,
    store: impl Fn(usize, S::Acc),
) {
    // SAFETY: all indices are at most `pairs`, and indices of `even` are less.
    unsafe {
        if !BASED {
            let first = even.read();
            if storing.exclusive {
                if let Some(identity) = storing.identity {
                    store(0, identity);
                }
                store(1, first);
            } else {
                store(0, first);
                store(1, above.add(1).read());
            }
        }
        let from = usize::from(!BASED);
        if storing.exclusive {
            for j in from..pairs {
                let before = above.add(j).read();
                store(2 * j, before);
                store(2 * j + 1, steps.combine(before, even.add(j).read()));
            }
        } else {
            for j in from..pairs {
                let after = above.add(j + 1).read();
                store(2 * j, steps.combine(above.add(j).read(), even.add(j).read()));
                store(2 * j + 1, after);
            }
        }
    }
}
