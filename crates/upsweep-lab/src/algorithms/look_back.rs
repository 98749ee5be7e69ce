//! Decoupled look-back: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ of any length in one pass, in which no tile waits for what
//! another one finds out about the tiles before it.
//!
//! ```text
//!    tile               0     1     2     3     4     5
//!    aggregate         11    14    22     9     5     .     published as soon as the tile is read
//!    inclusive prefix  11    25    47     .     .     .     published when the tile knows what lies before it
//!    status             P     P     P     A     A     .
//!
//!    tile 5 looks back: 5 (A), 9 (A), 47 (P): stop.  Before it lies 47 ⊕ 9 ⊕ 5.
//! ```
//!
//! ```text
//! block b, tile b of 1024 elements:
//!     load the tile;  scan it: each thread its own 4, then the threads' totals
//!     b == 0: prefix[0] = total;  fence;  status[0] = P
//!     b > 0:  aggregate[b] = total;  fence;  status[b] = A
//!             warp 0, lane k, window after window of 32 tiles, the last one first:
//!                 wait until status[window's last tile - k] is A or P;  value = its aggregate, or its prefix
//!                 f = the first lane that has P, if one has
//!                 before = value of lane f ⊕ ... ⊕ value of lane 0 ⊕ before
//!                 stop if one has
//!             prefix[b] = before ⊕ total;  fence;  status[b] = P
//!     put `before` and the totals of the lower threads in front of the 4 elements;  store
//! ```
//!
//! Cost: as `chained`, each element is read and written once. A tile waits for aggregates, which depend on nothing but the
//! tile's own elements, so there is no chain; in return a tile reads and combines as many words as it looks back. In the
//! model, where the blocks of a wave all look back before the first of them publishes its prefix, that is up to as many
//! as are resident. On a GPU it is chance.
//!
//! What differs from the paper: its status word holds the flag and the value in one, where it is short enough; here they
//! are in arrays of their own, and the flag is written last. The paper's tiles lie in registers, as those of `production`
//! do. The lanes' values are combined as a tree of neighbours in the order of the tiles, so ⊕ need not commute. And the
//! phases of the model, in which all tiles publish, then all look back, then all go on, are one of many ways in which
//! blocks can follow each other. The vote that finds the lane f costs nothing in the model.

use super::tile::{THREADS, TILE, Tile};
use super::warp::{self, Order};
use crate::algorithm::Input;
use crate::machine::{Array, Block, Flags, Machine, WARP, Word};
use crate::variant::Variant;

/// Blocks that run at a time: so many that a warp's window can hold aggregates only.
const RESIDENT: usize = 48;

/// The tile's elements are combined.
const AGGREGATE: u32 = 1;
/// And all elements before it.
const PREFIX: u32 = 2;

/// What the tiles tell each other.
#[derive(Clone, Copy)]
struct Status {
    /// 0, [`AGGREGATE`] or [`PREFIX`].
    flags: Flags,
    aggregate: Array,
    prefix: Array,
}

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let tiles = n.div_ceil(TILE);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    let status = Status {
        flags: machine.status_flags("status", tiles),
        aggregate: machine.status("aggregate", tiles),
        prefix: machine.status("prefix", tiles),
    };
    machine.launch_waves("look_back", tiles, THREADS, RESIDENT, 3, |block, phase| match phase {
        0 => {
            let tile = Tile::load(block, x, n);
            publish_aggregate(block, tile, status);
        }
        1 => look_back(block, status),
        _ => {
            let tile = Tile::of(block);
            publish_prefix(block, tile, status);
            tile.store(block, y, n);
        }
    });
    y
}

fn publish_aggregate<T: Word>(block: &mut Block<'_, T>, tile: Tile, status: Status) {
    let number = block.index;
    block.step("publish", |t| {
        if t.branch(t.index == 0) {
            let (totals, last) = tile.total();
            let total = t.read(totals, last);
            let (array, flag) =
                if t.branch(number == 0) { (status.prefix, PREFIX) } else { (status.aggregate, AGGREGATE) };
            t.write(array, number, total);
            t.write_flag(status.flags, number, flag);
        }
    });
}

/// Finds what lies before the tile, by warp 0.
fn look_back<T: Word>(block: &mut Block<'_, T>, status: Status) {
    // The tiles from here on are combined in lane 0's `before`.
    let mut end = block.index;
    let mut before = None;
    while end > 0 {
        let mut flags = [0; WARP];
        let mut values = [block.operator().identity; WARP];
        block.step("look", |t| {
            if t.branch(t.index < WARP.min(end)) {
                let tile = end - 1 - t.lane();
                let flag = t.wait(status.flags, tile);
                flags[t.lane()] = flag;
                let array = if t.branch(flag == PREFIX) { status.prefix } else { status.aggregate };
                values[t.lane()] = t.read(array, tile);
            }
        });
        let found = flags.iter().position(|&flag| flag == PREFIX);
        let count = found.map_or(WARP.min(end), |lane| lane + 1);
        warp::reduce(block, &mut values, count, Order::Descending);
        if let Some(near) = before {
            block.step("next window", |t| {
                if t.branch(t.index == 0) {
                    values[0] = t.combine(values[0], near);
                }
            });
        }
        before = Some(values[0]);
        end = if found.is_some() { 0 } else { end - count };
    }
    if let Some(before) = before {
        let tile = Tile::of(block);
        block.step("found", |t| {
            if t.branch(t.index == 0) {
                t.write(tile.before, 0, before);
            }
        });
    }
}

fn publish_prefix<T: Word>(block: &mut Block<'_, T>, tile: Tile, status: Status) {
    let number = block.index;
    if number == 0 {
        return;
    }
    block.step("publish", |t| {
        if t.branch(t.index == 0) {
            let (totals, last) = tile.total();
            let (before, total) = (t.read(tile.before, 0), t.read(totals, last));
            let sum = t.combine(before, total);
            t.write(status.prefix, number, sum);
            t.write_flag(status.flags, number, PREFIX);
        }
    });
}
