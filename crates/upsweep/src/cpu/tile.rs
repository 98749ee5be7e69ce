//! The kernels: reduce and scan a run of elements by an up-sweep and a down-sweep over tiles in the first-level cache.
//!
//! ```text
//! up-sweep     x: a b c d e f g h       even[0] = a c e g        x1 = ab cd ef gh
//!              x1                       even[1] = ab ef          x2 = abcd efgh
//! top          prefixes of the last level one after the other, each after `base` (all that comes before the tile)
//! down-sweep   exclusive prefixes p of a level from those of the level above:
//!              p[2j] = above[j]         p[2j + 1] = above[j] ⊕ even[j]
//!              x: inclusive             out[2j] = above[j] ⊕ even[j], out[2j + 1] = above[j + 1]
//! ```
//!
//! Every loop is without a dependence between its iterations, so LLVM vectorises it, for every operator whose combine
//! it can vectorise, and overlaps the latencies of the others. The operator is applied `n` times going up and `n` times
//! coming down, strictly from left to right, and never to anything but elements: it may be non-commutative and have no
//! identity.
//!
//! **Grouping.** A run is cut into tiles of [`tile_len`]. Its reduction is `local = tile ⊕ tile ⊕ ...` from the left,
//! where the rest is cut into tiles of [`SMALL`] and single elements. Its scan computes the same `local`, puts
//! `prefix ⊕ local` before each tile, and scans the rest in pieces of [`SMALL`], one element after the other. Hence a
//! block that is first reduced and later scanned with its prefix, and a block that is scanned at once, give the same
//! bits.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2; what differs: the even elements are kept
//! in arrays of their own, so that both sweeps read and write neighbours, and the sweeps stop at [`TOP`] elements.

use super::simd::{Work, dispatch};
use super::steps::{Memory, Steps};
use super::store;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The bytes of a tile: its levels and the stored results stay in a first-level cache of 32 KiB.
const TILE_BYTES: usize = 8192;
/// The elements of the tiles that the rest of a reduction is cut into.
const SMALL: usize = 256;
/// The elements at which the sweeps turn.
const TOP: usize = 16;
/// The parts in which a tile is read.
const PARTS: usize = 8;
/// How far ahead of what is being read memory is fetched.
const FETCH_AHEAD: usize = 4096;

/// The elements of a tile, a power of two that depends on the types alone; 0 when they are so large that tiles would
/// not help.
pub(super) const fn tile_len<S: Steps>() -> usize {
    let (acc, out) = (size_of::<S::Acc>(), size_of::<S::Out>());
    let size = if acc > out { acc } else { out };
    let align = if align_of::<S::Acc>() > align_of::<S::Out>() { align_of::<S::Acc>() } else { align_of::<S::Out>() };
    if size > 64 || align > 64 {
        return 0;
    }
    let most = TILE_BYTES / if size == 0 { 1 } else { size };
    1 << most.ilog2()
}

/// A part of a tile's levels; uninitialised.
#[repr(C, align(64))]
struct Buffer<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

impl<const BYTES: usize> Buffer<BYTES> {
    #[inline(always)]
    fn new() -> Self {
        Self([MaybeUninit::uninit(); BYTES])
    }

    #[inline(always)]
    fn start<T>(&mut self) -> *mut T {
        (&raw mut self.0).cast()
    }
}

/// A run of elements without a head but its first: `start .. start + len` in scan order. Positions given to the map
/// count from `origin` in memory.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) origin: usize,
}

/// How the results of a scan are stored.
#[derive(Clone, Copy)]
pub(super) struct Storing<T> {
    pub(super) exclusive: bool,
    /// What an exclusive scan stores at a head without initial value.
    pub(super) identity: Option<T>,
    /// Whether to store around the cache; the caller calls [`store::fence`] afterwards.
    pub(super) around_cache: bool,
    /// With `around_cache`, the bytes from an element being scanned to the one to fetch meanwhile; 0: none.
    pub(super) ahead: isize,
}

/// The element `k` in scan order, mapped.
///
/// # Safety
/// `k` is less than `memory.len`, and the element is initialised and not being written.
#[inline(always)]
unsafe fn load<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, k: usize, origin: usize) -> S::Acc {
    let at = memory.at(k);
    // SAFETY: `at` is less than `memory.len`, for which `input` is valid.
    steps.load(unsafe { memory.input.add(at).read() }, at - origin)
}

/// `even[j] = from(j).0`, if `KEEP`, and `above[j] = from(j).0 ⊕ from(j).1`.
///
/// # Safety
/// `even` (if `KEEP`) and `above` are valid for writes of `pairs` elements.
#[inline(always)]
unsafe fn up<const KEEP: bool, S: Steps>(
    steps: &S,
    pairs: usize,
    from: impl Fn(usize) -> (S::Acc, S::Acc),
    even: *mut S::Acc,
    above: *mut S::Acc,
) {
    for j in 0..pairs {
        let (a, b) = from(j);
        // SAFETY: `j` is less than `pairs`.
        unsafe {
            if KEEP {
                even.add(j).write(a);
            }
            above.add(j).write(steps.combine(a, b));
        }
    }
}

/// The up-sweep of the `2 * pairs` elements from `start` in scan order, to [`TOP`] elements. Returns where they are, the
/// other of the two buffers, and the end of what it wrote to `even`.
///
/// # Safety
/// The elements are in `memory`, and initialised. `a` and `b` are valid for `pairs` elements, `even` (if `KEEP`) for
/// `2 * pairs`; `pairs` is a power of two and at least [`TOP`].
#[inline(always)]
unsafe fn up_sweep<const KEEP: bool, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    mut pairs: usize,
    mut even: *mut S::Acc,
    (mut a, mut b): (*mut S::Acc, *mut S::Acc),
) -> (*mut S::Acc, *mut S::Acc, *mut S::Acc) {
    // In parts, between which memory is fetched: the hardware's own prefetch stops at the end of each page.
    let part = pairs / PARTS;
    for i in 0..PARTS {
        // SAFETY: the part is among the `2 * pairs` elements in `memory`, and so is each `2 * j + 1` in it below. All
        // buffers have room for `pairs` elements.
        unsafe {
            let first = memory.at(run.start + 2 * i * part);
            let input = memory.input.add(first);
            let index = first - run.origin;
            let (even, a) = (if KEEP { even.add(i * part) } else { even }, a.add(i * part));
            let bytes = 2 * part * size_of::<S::In>();
            // One loop a direction: LLVM must know the stride.
            if memory.reverse {
                store::fetch(input.cast::<u8>().wrapping_sub(FETCH_AHEAD + bytes), bytes);
                let from = |j: usize| {
                    (
                        steps.load(input.sub(2 * j).read(), index - 2 * j),
                        steps.load(input.sub(2 * j + 1).read(), index - 2 * j - 1),
                    )
                };
                up::<KEEP, S>(steps, part, from, even, a);
            } else {
                store::fetch(input.cast::<u8>().wrapping_add(FETCH_AHEAD), bytes);
                let from = |j: usize| {
                    (
                        steps.load(input.add(2 * j).read(), index + 2 * j),
                        steps.load(input.add(2 * j + 1).read(), index + 2 * j + 1),
                    )
                };
                up::<KEEP, S>(steps, part, from, even, a);
            }
        }
    }
    while pairs > TOP {
        // SAFETY: each level is half of the last: all levels of `even` together have less than `2 * pairs` elements,
        // and `a` holds the `pairs` elements of the last level.
        unsafe {
            if KEEP {
                even = even.add(pairs);
            }
            pairs /= 2;
            let below = a.cast_const();
            up::<KEEP, S>(steps, pairs, |j| (below.add(2 * j).read(), below.add(2 * j + 1).read()), even, b);
        }
        std::mem::swap(&mut a, &mut b);
    }
    (a, b, even)
}

/// `run` combined from left to right; `None` when it is empty.
///
/// # Safety
/// The run is in `memory`; nothing writes its input meanwhile.
pub(super) unsafe fn reduce<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> Option<S::Acc> {
    dispatch(ReduceRun { steps, memory, run })
}

/// [`reduce`], to be compiled once for each instruction set however many callers there are.
struct ReduceRun<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    run: Run,
}

impl<S: Steps> Work for ReduceRun<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    fn run(self) -> Option<S::Acc> {
        // SAFETY: the promise of `reduce`'s caller.
        unsafe { reduce_here(self.steps, self.memory, self.run) }
    }
}

/// # Safety
/// As [`reduce`].
#[inline(always)]
unsafe fn reduce_here<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> Option<S::Acc> {
    let Run { mut start, len, origin } = run;
    let end = start + len;
    let mut local = None;
    // SAFETY: the tiles and the rest are in the run.
    unsafe {
        while tile_len::<S>() > 0 && end - start >= tile_len::<S>() {
            let tile = Run { start, len: tile_len::<S>(), origin };
            local = steps.join(local, Some(reduce_tile(steps, memory, tile)));
            start += tile.len;
        }
        reduce_rest(steps, memory, Run { start, len: end - start, origin }, local)
    }
}

/// `local` and then `run`, which is shorter than a tile.
///
/// # Safety
/// As [`reduce`].
#[inline(always)]
unsafe fn reduce_rest<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    mut local: Option<S::Acc>,
) -> Option<S::Acc> {
    let Run { mut start, len, origin } = run;
    let end = start + len;
    while tile_len::<S>() > SMALL && end - start >= SMALL {
        // SAFETY: the tile is in the run.
        let total = unsafe { reduce_tile(steps, memory, Run { start, len: SMALL, origin }) };
        local = steps.join(local, Some(total));
        start += SMALL;
    }
    for k in start..end {
        // SAFETY: `k` is in the run.
        local = steps.join(local, Some(unsafe { load(steps, memory, k, origin) }));
    }
    local
}

/// The tile `run` combined.
///
/// # Safety
/// As [`reduce`]; the length is that of a tile.
#[inline(always)]
unsafe fn reduce_tile<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> S::Acc {
    let (mut a, mut b) = (Buffer::<{ TILE_BYTES / 2 }>::new(), Buffer::<{ TILE_BYTES / 4 }>::new());
    // SAFETY: the tile is in memory. The levels that `a` holds have at most a half of the tile's elements, those that
    // `b` holds a quarter.
    unsafe {
        let none = std::ptr::null_mut();
        let (top, ..) = up_sweep::<false, S>(steps, memory, run, run.len / 2, none, (a.start(), b.start()));
        let mut total = top.read();
        for i in 1..TOP {
            total = steps.combine(total, top.add(i).read());
        }
        total
    }
}

/// Scans `run` after `prefix` and stores the results. Returns the run's reduction, as [`reduce`] would, if it is `wanted`
/// (else nothing of meaning).
///
/// # Safety
/// The run is in `memory`; nothing else reads or writes its output or writes its input meanwhile. If `storing` asks for
/// stores around the cache, nothing reads the output before [`store::fence`].
pub(super) unsafe fn scan<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    prefix: Option<S::Acc>,
    wanted: bool,
    storing: &Storing<S::Acc>,
) -> Option<S::Acc> {
    dispatch(ScanRun { steps, memory, run, prefix, wanted, storing })
}

/// [`scan`], to be compiled once for each instruction set however many callers there are.
struct ScanRun<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    run: Run,
    prefix: Option<S::Acc>,
    wanted: bool,
    storing: &'a Storing<S::Acc>,
}

impl<S: Steps> Work for ScanRun<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    fn run(self) -> Option<S::Acc> {
        // SAFETY: the promise of `scan`'s caller.
        unsafe { scan_here(self.steps, self.memory, self.run, self.prefix, self.wanted, self.storing) }
    }
}

/// # Safety
/// As [`scan`].
#[inline(always)]
unsafe fn scan_here<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    prefix: Option<S::Acc>,
    wanted: bool,
    storing: &Storing<S::Acc>,
) -> Option<S::Acc> {
    let Run { mut start, len, origin } = run;
    let end = start + len;
    let mut local = None;
    // SAFETY: the tiles and the rest are in the run.
    unsafe {
        while tile_len::<S>() > 0 && end - start >= tile_len::<S>() {
            let tile = Run { start, len: tile_len::<S>(), origin };
            let total = scan_tile(steps, memory, tile, steps.join(prefix, local), storing);
            local = steps.join(local, Some(total));
            start += tile.len;
        }
        // What is shorter than a tile is scanned no faster by the sweeps than by a loop.
        let rest = Run { start, len: end - start, origin };
        let base = steps.join(prefix, local);
        if wanted {
            // In place the elements are still there: they are overwritten below.
            local = reduce_rest(steps, memory, rest, local);
        }
        sequential(steps, memory, rest, base, storing);
        local
    }
}

/// Scans the tile `run` after `base`. Returns its reduction.
///
/// # Safety
/// As [`scan`]; the length is that of a tile.
#[inline(always)]
unsafe fn scan_tile<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    base: Option<S::Acc>,
    storing: &Storing<S::Acc>,
) -> S::Acc {
    let mut even = Buffer::<TILE_BYTES>::new();
    let (mut a, mut b) = (Buffer::<{ TILE_BYTES / 2 + 64 }>::new(), Buffer::<{ TILE_BYTES / 2 + 64 }>::new());
    // SAFETY: the tile is in memory. A level of a tile has at most a half of its elements, and the down-sweep adds one
    // (which needs no more than the 64 bytes added: no element is larger). The levels of `even` together have less than
    // the tile.
    unsafe {
        let buffers = (a.start(), b.start());
        let (top, other, even) = up_sweep::<true, S>(steps, memory, run, run.len / 2, even.start(), buffers);
        let total = turn(steps, top, base);
        // Two copies: LLVM must know the length of each level.
        if base.is_some() {
            down_sweep::<true, S>(steps, memory, run, storing, (top, other, even));
        } else {
            down_sweep::<false, S>(steps, memory, run, storing, (top, other, even));
        }
        total
    }
}

/// Scans `run` after `base`, one element after the other. Every [`SMALL`] elements are combined by themselves before
/// `base` goes before them: the error of a float sum grows with the longest chain of additions.
///
/// # Safety
/// As [`scan`].
#[inline(always)]
unsafe fn sequential<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    mut base: Option<S::Acc>,
    storing: &Storing<S::Acc>,
) {
    let (mut start, end) = (run.start, run.start + run.len);
    while start < end {
        let chunk = start..end.min(start + SMALL);
        start = chunk.end;
        // SAFETY: the chunk is a part of the run, and not empty.
        let total = unsafe { sequential_chunk(steps, memory, chunk, run.origin, base, storing) };
        base = steps.join(base, Some(total));
    }
}

/// Scans `chunk` after `base`, and returns what its elements combine to.
///
/// # Safety
/// As [`scan`]; the chunk is not empty.
#[inline(always)]
unsafe fn sequential_chunk<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    chunk: Range<usize>,
    origin: usize,
    base: Option<S::Acc>,
    storing: &Storing<S::Acc>,
) -> S::Acc {
    // SAFETY: `k` is in the chunk below, so `memory.at(k)` is in the output.
    let store = |k: usize, value| unsafe { memory.output.add(memory.at(k)).write(steps.store(value)) };
    // SAFETY: `k` is in the chunk below, and its own result is not stored yet.
    let element = |k: usize| unsafe { load(steps, memory, k, origin) };
    let first = chunk.start;
    let mut value = element(first);
    if !storing.exclusive {
        store(first, base.map_or(value, |base| steps.combine(base, value)));
    } else if let Some(before) = base.or(storing.identity) {
        store(first, before);
    }
    let rest = first + 1..chunk.end;
    // One loop a case: LLVM must know what is stored.
    match (base, storing.exclusive) {
        (Some(base), true) => {
            for k in rest {
                let x = element(k);
                store(k, steps.combine(base, value));
                value = steps.combine(value, x);
            }
        }
        (None, true) => {
            for k in rest {
                let x = element(k);
                store(k, value);
                value = steps.combine(value, x);
            }
        }
        (Some(base), false) => {
            for k in rest {
                value = steps.combine(value, element(k));
                store(k, steps.combine(base, value));
            }
        }
        (None, false) => {
            for k in rest {
                value = steps.combine(value, element(k));
                store(k, value);
            }
        }
    }
    value
}

/// Replaces the [`TOP`] elements at `top` by their `TOP + 1` prefixes after `base`, and returns what the elements
/// combine to. Without `base` the first prefix is not written.
///
/// # Safety
/// `top` is valid for `TOP + 1` elements, of which the first `TOP` are initialised.
#[inline(always)]
unsafe fn turn<S: Steps>(steps: &S, top: *mut S::Acc, base: Option<S::Acc>) -> S::Acc {
    // SAFETY: all indices are at most `TOP`, and those read less.
    unsafe {
        // First without `base`, so that tiles do not wait for each other here.
        let mut total = top.read();
        let mut prefixes = [total; TOP];
        for (i, prefix) in prefixes.iter_mut().enumerate().skip(1) {
            total = steps.combine(total, top.add(i).read());
            *prefix = total;
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

/// The down-sweep of the tile `run` from the [`TOP`] prefixes at `p`, and the stores. `even` is the end of what
/// [`up_sweep`] wrote there.
///
/// # Safety
/// As [`scan`], of which this is a part. `p` and `q` are valid for half a tile and one more element; `p` holds what
/// [`turn`] wrote.
#[inline(always)]
unsafe fn down_sweep<const BASED: bool, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    storing: &Storing<S::Acc>,
    (mut p, mut q, mut even): (*mut S::Acc, *mut S::Acc, *mut S::Acc),
) {
    // Without anything before the tile, the prefix of each level's first element does not exist.
    let from = usize::from(!BASED);
    let mut pairs = TOP;
    while pairs < run.len / 2 {
        // SAFETY: a level has `pairs` even elements and `pairs + 1` prefixes (but the first, unless `BASED`); the level
        // below has twice as many, which are at most half a tile.
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
    let to = if storing.around_cache { stage.start() } else { output };
    // SAFETY: `i` is less than the tile's length below, and a tile of results fits into the stage.
    let forward = |i: usize, value| unsafe { to.add(i).write(steps.store(value)) };
    // SAFETY: as above.
    let backward = |i: usize, value| unsafe { to.add(run.len - 1 - i).write(steps.store(value)) };
    // SAFETY: `p` holds the prefixes of the pairs, `even` their even elements.
    unsafe {
        // One loop a direction: LLVM must know the stride.
        if memory.reverse {
            pairs_down::<BASED, S>(steps, (p, even), pairs, storing, backward);
        } else {
            pairs_down::<BASED, S>(steps, (p, even), pairs, storing, forward);
        }
        if storing.around_cache {
            let ahead = store::Ahead {
                start: memory.input.add(first).cast::<u8>().wrapping_offset(storing.ahead),
                bytes: if storing.ahead == 0 { 0 } else { run.len * size_of::<S::In>() },
            };
            store::around_cache(to.cast_const().cast(), output.cast(), run.len * size_of::<S::Out>(), ahead);
        }
    }
}

/// The last level of the down-sweep: two results from each prefix and even element.
///
/// # Safety
/// `above` is valid for `pairs + 1` elements (the first need not be initialised unless `BASED`), `even` for `pairs`.
#[inline(always)]
unsafe fn pairs_down<const BASED: bool, S: Steps>(
    steps: &S,
    (above, even): (*const S::Acc, *const S::Acc),
    pairs: usize,
    storing: &Storing<S::Acc>,
    store: impl Fn(usize, S::Acc),
) {
    // SAFETY: all indices are at most `pairs`, and those of `even` less.
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
