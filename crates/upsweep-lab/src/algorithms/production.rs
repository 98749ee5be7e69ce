//! The library's own CUDA scan, in simplified form: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ of any length in one pass,
//! the elements in registers and the look-back of a fixed shape.
//!
//! ```text
//!    tiles of 2048 elements, 256 threads of 8; groups of 32 tiles
//!
//!    group     g - 8 | g - 7 ...  g - 1 | g: tiles 32 g ... t - 1 | t
//!    combined  ^before[g - 8]
//!              ^group[g - 8] ... ^group[g - 1]
//!                                         ^aggregates of its own tiles
//!
//!    before tile t  =  before[g - 8] ⊕ group[g - 8] ⊕ ... ⊕ group[g - 1]
//!                      ⊕ aggregate[32 g] ⊕ ... ⊕ aggregate[t - 1]
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! block b, tile b, thread t:
//!     items = the thread's 8 elements;  sum = items, combined # load and reduce
//!     scan the sums of each warp, by shuffles                 # scan the warp
//!     totals[warp] = the warp's;  barrier                     # totals
//!     warp 0: scan the totals of the warps # totals of the warps, scan the warp
//!             publish the last as aggregate[b]                # publish
//!     the last tile of a group: wait for its aggregates       # wait
//!             combine them, publish group[g]      # reduce the warp, publish
//!     warp 0: look back: lanes wait for a word each           # wait
//!             and combine them by shuffles                    # reduce the warp
//!             lane w: before[w] = what lies before the tile,  # put together
//!                     and the totals of the warps below w     # put together
//!             the first tile of a group: publish before[g]    # publish
//!     barrier
//!     sum = before[own warp] ⊕ the sums of the lower lanes    # rescan
//!     for each of the 8 items: sum = sum ⊕ item;  y = sum     # rescan
//! ```
//!
//! The shape of the look-back is fixed: it combines the same values in the same order in every run, so sums of floats
//! have the same bits, which `look-back` cannot promise. It has one dependent step, before[g - 8], which was published
//! 8 groups ago.
//!
//! # Cost
//!
//! Each element is read and written once. 15 operations for the 8 elements of a thread, and 5 more for its sum. Shared
//! memory holds two words a warp, and a tile has two barriers. Here a thread reads and writes its neighbouring
//! elements in global memory itself, which costs nothing in the model; the library goes through shared memory, so that
//! a warp accesses whole lines.
//!
//! # What differs from the library
//!
//! - Staging. The library copies tiles to shared memory asynchronously, several ahead of the one it works on.
//! - Overlap. Its blocks stay and take tiles by ticket; a tile is rescanned four tiles after it was reduced, while
//!   warps of their own look back. Here a block has one tile, and its phases follow each other.
//! - Packing. Its status words hold value and epoch in one, so that nothing has to be cleared and the order of two
//!   writes does not matter. Here a flag is written after the value.
//! - Partial tiles and the lack of an identity. It combines elements only, and counts them; here a tile is filled up
//!   with the identity.
//! - Segments, `map` and `finish`, exclusive scans, and short arrays, which have a kernel of their own, are left out.

use super::warp::{self, Order};
use crate::algorithm::Input;
use crate::machine::{Array, Block, Flags, Machine, Shape, Word};
use crate::variant::Variant;

/// Number of elements of a tile.
const TILE: usize = 2048;
/// Number of blocks that the model runs at a time, as a GPU has so many resident.
const RESIDENT: usize = 48;

/// Sizes of tiles, of blocks, and of groups of tiles, in a scan on a machine of some shape.
#[derive(Clone, Copy)]
struct Size {
    tile: usize,
    /// Number of neighbouring elements that one thread has.
    items: usize,
    threads: usize,
    /// Number of warps of a block.
    warps: usize,
    /// Number of tiles of a group: as many as a warp has threads.
    group: usize,
    /// Largest number of whole groups before a tile whose aggregates the tile's block combines itself.
    groups: usize,
}

impl Size {
    fn of(shape: Shape) -> Self {
        let tile = shape.tile_or(TILE);
        let items = shape.items(tile, 8);
        let threads = tile / items;
        let groups = (shape.warp / 4).max(1);
        Self { tile, items, threads, warps: threads / shape.warp, group: shape.warp, groups }
    }
}

/// Status words, one for each tile or group: a value, and a flag that is 1 when the value is published.
#[derive(Clone, Copy)]
struct Status {
    values: Array,
    ready: Flags,
}

/// Status words of all tiles (`aggregate`) and of all groups (`group`, `before`).
#[derive(Clone, Copy)]
struct Statuses {
    tiles: usize,
    aggregate: Status,
    group: Status,
    before: Status,
}

/// Registers of a block, which are kept while the block is resident, from phase to phase of its kernel.
struct Registers<T> {
    /// Elements of the tile; those of thread t begin at index t * `Size::items`.
    items: Vec<T>,
    /// Sum of each thread's elements; later the inclusive scan of these sums in each warp.
    sums: Vec<T>,
    /// Inclusive scan of the warps' totals: lane w of warp 0 has the combination of warps 0 to w.
    totals: Vec<T>,
}

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let Size { tile, threads, group, .. } = Size::of(machine.shape());
    let (tiles, groups) = (n.div_ceil(tile), n.div_ceil(tile * group));
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    let mut status =
        |values, ready, len| Status { values: machine.status(values, len), ready: machine.status_flags(ready, len) };
    let statuses = Statuses {
        tiles,
        aggregate: status("aggregate", "aggregate_ready", tiles),
        group: status("group", "group_ready", groups),
        before: status("before", "before_ready", groups),
    };
    let identity = machine.operator().identity;
    let mut resident: Vec<_> = (0..RESIDENT.min(tiles))
        .map(|_| Registers {
            items: vec![identity; tile],
            sums: vec![identity; threads],
            totals: vec![identity; threads],
        })
        .collect();
    machine.launch_waves("production", tiles, threads, RESIDENT, 3, |block, phase| {
        let registers = &mut resident[block.index % RESIDENT];
        match phase {
            0 => reduce(block, (x, n), registers, statuses),
            1 => publish_group(block, statuses),
            _ => {
                look_back(block, registers, statuses);
                rescan(block, (y, n), registers);
            }
        }
    });
    y
}

/// Loads the elements of the block's tile, reduces them, and publishes the tile's aggregate.
fn reduce<T: Word>(block: &mut Block<'_, T>, (x, n): (Array, usize), registers: &mut Registers<T>, to: Statuses) {
    let (number, identity) = (block.index, block.operator().identity);
    let (Size { tile, items: each, warps: count, .. }, width) = (Size::of(block.shape()), block.shape().warp);
    let totals = block.shared("totals", count);
    let Registers { items, sums, totals: warps } = registers;
    block.step("load and reduce", |t| {
        let first = number * tile + t.index * each;
        let own = &mut items[t.index * each..][..each];
        for (index, item) in (first..).zip(own.iter_mut()) {
            *item = if t.branch(index < n) { t.read(x, index) } else { identity };
        }
        let mut sum = own[0];
        for &item in &own[1..] {
            sum = t.combine(sum, item);
        }
        sums[t.index] = t.keep("sum", sum);
    });
    warp::scan(block, ("sum", sums), count, width);
    block.step("totals", |t| {
        if t.branch(t.lane() == width - 1) {
            t.write(totals, t.warp(), sums[t.index]);
        }
    });
    block.barrier();
    block.step("totals of the warps", |t| {
        if t.branch(t.index < count) {
            let total = t.read(totals, t.index);
            warps[t.index] = t.keep("total", total);
        }
    });
    warp::scan(block, ("total", warps), 1, count);
    publish(block, to.aggregate, number, warps, count - 1);
}

/// Publishes a value, the register of thread `thread`, as the status word with this index.
fn publish<T: Word>(block: &mut Block<'_, T>, to: Status, index: usize, registers: &[T], thread: usize) {
    block.step("publish", |t| {
        if t.branch(t.index == thread) {
            t.write(to.values, index, registers[thread]);
            t.write_flag(to.ready, index, 1);
        }
    });
}

/// Waits for `count` status words from index `first` on, one a lane of warp 0, and combines them in lane 0.
fn gather<T: Word>(block: &mut Block<'_, T>, from: Status, first: usize, count: usize) -> Vec<T> {
    let mut values = vec![block.operator().identity; block.shape().warp];
    block.step("wait", |t| {
        if t.branch(t.index < count) {
            t.wait(from.ready, first + t.index);
            let value = t.read(from.values, first + t.index);
            values[t.index] = t.keep("value", value);
        }
    });
    warp::reduce(block, ("value", &mut values), count, Order::Ascending);
    values
}

/// Publishes the aggregate of a group, if the block's tile is the last one of the group.
fn publish_group<T: Word>(block: &mut Block<'_, T>, statuses: Statuses) {
    let (tile, Size { group: size, .. }) = (block.index, Size::of(block.shape()));
    if tile % size == size - 1 && tile + 1 < statuses.tiles {
        let group = tile / size;
        let all = gather(block, statuses.aggregate, group * size, size);
        publish(block, statuses.group, group, &all, 0);
    }
}

/// Combines what lies before the block's tile, and in shared memory what lies before each of its warps.
fn look_back<T: Word>(block: &mut Block<'_, T>, registers: &Registers<T>, statuses: Statuses) {
    let Size { threads, warps, group: size, groups, .. } = Size::of(block.shape());
    let tile = block.index;
    let (group, in_group) = (tile / size, tile % size);
    let first = group.saturating_sub(groups);
    let mut parts = Vec::new();
    if first > 0 {
        parts.push(gather(block, statuses.before, first, 1)[0]);
    }
    if group > first {
        parts.push(gather(block, statuses.group, first, group - first)[0]);
    }
    if in_group > 0 {
        parts.push(gather(block, statuses.aggregate, group * size, in_group)[0]);
    }
    let before_warps = block.shared("before", warps);
    let mut before = vec![block.operator().identity; threads];
    block.step("put together", |t| {
        if t.branch(t.index < warps) {
            // Every lane combines all values of `parts`, which lie before the tile and reach it by shuffles.
            let mut all = None;
            for &part in &parts {
                all = Some(all.map_or(part, |front| t.combine(front, part)));
            }
            before[t.index] = all.unwrap_or(before[t.index]);
            let mut sum = before[t.index];
            if t.branch(t.index > 0) {
                let lower = t.shuffle(&registers.totals, t.index - 1);
                sum = if tile > 0 { t.combine(sum, lower) } else { lower };
            }
            t.write(before_warps, t.index, sum);
        }
    });
    if in_group == 0 && group > 0 && (group + groups) * size < statuses.tiles {
        publish(block, statuses.before, group, &before, 0);
    }
    block.barrier();
}

/// Scans the tile's elements once more, now with all that lies before each thread, and stores the results.
fn rescan<T: Word>(block: &mut Block<'_, T>, (y, n): (Array, usize), registers: &Registers<T>) {
    let (number, before) = (block.index, block.shared_before(1));
    let Size { tile, items, .. } = Size::of(block.shape());
    block.step("rescan", |t| {
        let lower = if t.branch(t.lane() > 0) { Some(t.shuffle(&registers.sums, t.index - 1)) } else { None };
        // No elements lie before warp 0 of tile 0, so it has nothing to read.
        let warps = if t.branch(number > 0 || t.warp() > 0) { Some(t.read(before, t.warp())) } else { None };
        let mut sum = match (warps, lower) {
            (Some(warps), Some(lower)) => Some(t.combine(warps, lower)),
            (one, other) => one.or(other),
        };
        for item in t.index * items..(t.index + 1) * items {
            let own = registers.items[item];
            let through = sum.map_or(own, |sum| t.combine(sum, own));
            sum = Some(through);
            let index = number * tile + item;
            if t.branch(index < n) {
                t.write(y, index, through);
            }
        }
    });
}
