//! Decoupled look-back: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ of any length in one pass, in which no tile waits for
//! what another one finds out about the tiles before it.
//!
//! Each tile publishes its aggregate (A), what its elements combine to, before it knows what lies before it; and later
//! its inclusive prefix (P). A tile reads the aggregates to its left until it comes to a prefix. Aggregates depend on
//! nothing but the tile's own elements, so nobody waits for a chain. That is what makes one pass over memory enough.
//!
//! ```text
//!    tile               0     1     2     3     4     5
//!    aggregate         11    14    22     9     5     .   tile is read
//!    inclusive prefix  11    25    47     .     .     .   what is before it
//!    status             P     P     P     A     A     .   is known
//!
//!    tile 5 looks back: 5 (A), 9 (A), 47 (P): stop.
//!    Before it lies 47 ⊕ 9 ⊕ 5.
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! block b, tile b of 1024 elements:
//!     s[i] = x[i]                      for the tile's i              # load
//!     barrier
//!     scan the thread's own 4 words;  totals[t] = their sum          # serial
//!     scan the totals of all threads, up and down                    # up, down
//!     b == 0: prefix[0] = total;  fence;  status[0] = P              # publish
//!     b > 0:  aggregate[b] = total;  fence;  status[b] = A           # publish
//!     warp 0, lane k, window after window of 32 tiles:
//!         wait until status[window's last tile - k] is A or P        # look
//!         value = its aggregate, or its prefix                       # look
//!         f = the first lane that has P, if one has
//!         lane 0 gets value f ⊕ ... ⊕ value 0, by shuffles # reduce the warp
//!         before = this ⊕ before                                   # next window
//!         stop if a lane had P
//!     if t == 0: s.before = before                                   # found
//!     prefix[b] = before ⊕ total;  fence;  status[b] = P             # publish
//!     barrier
//!     put `before` and the lower threads' totals in front of the 4   # add
//!     barrier
//!     y[i] = s[i]                                                    # store
//! ```
//!
//! # Cost
//!
//! As `chained`, each element is read and written once. A tile reads and combines as many words as it looks back. In
//! the model, where the blocks of a wave all look back before the first of them publishes its prefix, that is up to as
//! many as are resident. On a GPU it is chance: it depends on which tile publishes first.
//!
//! # What differs from the paper
//!
//! Its status word holds the flag and the value in one, where it is short enough; here they are in arrays of their
//! own, and the flag is written last. The paper's tiles lie in registers, as those of `production` do. The lanes'
//! values are combined as a tree of neighbours in the order of the tiles, so ⊕ need not commute. And the phases of the
//! model, in which all tiles publish, then all look back, then all go on, are one of many ways in which blocks can
//! follow each other. The vote that finds the lane f costs nothing in the model.

use super::tile::{Size, Tile};
use super::warp::{self, Order};
use crate::algorithm::Input;
use crate::machine::{Array, Block, Flags, Machine, WARP, Word};
use crate::variant::Variant;

/// Number of blocks that the model runs at a time: enough for a window of a warp's 32 tiles that has aggregates only.
const RESIDENT: usize = 48;

/// Flag of a tile whose aggregate is published.
const AGGREGATE: u32 = 1;
/// Flag of a tile whose inclusive prefix is published.
const PREFIX: u32 = 2;

/// Arrays by which the blocks communicate, each with a word for every tile.
#[derive(Clone, Copy)]
struct Status {
    /// Flag of each tile: 0, [`AGGREGATE`] or [`PREFIX`].
    flags: Flags,
    aggregate: Array,
    prefix: Array,
}

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let Size { tile, threads, .. } = Size::of(machine.shape());
    let tiles = n.div_ceil(tile);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    let status = Status {
        flags: machine.status_flags("status", tiles),
        aggregate: machine.status("aggregate", tiles),
        prefix: machine.status("prefix", tiles),
    };
    machine.launch_waves("look_back", tiles, threads, RESIDENT, 3, |block, phase| match phase {
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

/// Finds the exclusive prefix of the block's tile: warp 0 looks back at the tiles before it.
fn look_back<T: Word>(block: &mut Block<'_, T>, status: Status) {
    // In lane 0, `before` combines the tiles from `end` on that lie before the block's own tile.
    let mut end = block.index;
    let (mut before, warp) = (None, block.shape().warp);
    while end > 0 {
        let mut flags = [0; WARP];
        let mut values = [block.operator().identity; WARP];
        block.step("look", |t| {
            if t.branch(t.index < warp.min(end)) {
                let tile = end - 1 - t.lane();
                let flag = t.wait(status.flags, tile);
                flags[t.lane()] = t.keep("flag", flag);
                let array = if t.branch(flag == PREFIX) { status.prefix } else { status.aggregate };
                let value = t.read(array, tile);
                values[t.lane()] = t.keep("value", value);
            }
        });
        let found = flags.iter().position(|&flag| flag == PREFIX);
        let count = found.map_or(warp.min(end), |lane| lane + 1);
        warp::reduce(block, ("value", &mut values), count, Order::Descending);
        if let Some(near) = before {
            block.step("next window", |t| {
                if t.branch(t.index == 0) {
                    let both = t.combine(values[0], near);
                    values[0] = t.keep("value", both);
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
