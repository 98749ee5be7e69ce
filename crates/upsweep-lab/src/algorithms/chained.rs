//! The chained scan: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ of any length in one pass, each tile waiting for the one
//! before.
//!
//! ```text
//!    tile 0        tile 1        tile 2        tile 3
//!    load, scan    load, scan    load, scan    load, scan    all at once
//!    publish 11 -> wait
//!                  publish 25 -> wait
//!                                publish 47 -> wait          one by one
//!    store         add 11        add 25        add 47
//!                  store         store         store
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! block b, tile b of 1024 elements, thread t:
//!     s[i] = x[i]                      for the tile's i              # load
//!     barrier
//!     scan the thread's own 4 words;  totals[t] = their sum          # serial
//!     scan the totals of all threads, up and down                    # up, down
//!     if t == 0:                                                     # chain
//!         if b > 0: wait until ready[b - 1];  before = prefix[b - 1]
//!         prefix[b] = before ⊕ total;  fence;  ready[b] = 1
//!     barrier
//!     put `before` and the lower threads' totals in front of the 4   # add
//!     barrier
//!     y[i] = s[i]                                                    # store
//! ```
//!
//! # Cost
//!
//! Each element is read and written once, where `three-kernel` does both twice. 7 operations for the 4 elements of a
//! thread, and 3 more for its total.
//!
//! The chain has a link a tile: tile b cannot publish before tile b - 1 has. A link is a way through global memory from one
//! block to another, and no number of blocks makes it shorter. That is why a chained scan crawls. On an H200 the CUDA
//! kernel's 17,477 tiles of 2²⁶ elements take 17,840 µs, a microsecond a link; `look-back`, whose tiles wait for no
//! chain, takes 502 µs. A second form has tiles of 7 elements a thread in place of 15: it takes 38,823 µs, and so does
//! the chain's length grow. Look-back takes 555 µs with them.
//!
//! Blocks wait for lower blocks only, so those have to run. A GPU does not promise it for the block's own number: the
//! CUDA form takes its tile by ticket, from a counter, so that tile b begins after tile b - 1. The model's blocks
//! begin in order. It runs them in waves, as many as are resident, and all load before the first waits.
//!
//! # What differs from the book
//!
//! The chain is its own; the tile is scanned as a thread's elements and an up- and down-sweep of the threads' totals.
//! The elements stay in shared memory until the prefix is there, which saves their second reading.

use super::tile::{Size, Tile};
use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

/// Number of blocks that the model runs at a time, as a GPU has so many resident.
const RESIDENT: usize = 16;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let Size { tile, threads, .. } = Size::of(machine.shape());
    let tiles = n.div_ceil(tile);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    let (prefix, ready) = (machine.status("prefix", tiles), machine.status_flags("ready", tiles));
    machine.launch_waves("chained", tiles, threads, RESIDENT, 2, |block, phase| {
        if phase == 0 {
            Tile::load(block, x, n);
            return;
        }
        let (number, tile) = (block.index, Tile::of(block));
        block.step("chain", |t| {
            if t.branch(t.index == 0) {
                let (totals, last) = tile.total();
                let mut sum = t.read(totals, last);
                if t.branch(number > 0) {
                    t.wait(ready, number - 1);
                    let before = t.read(prefix, number - 1);
                    t.write(tile.before, 0, before);
                    sum = t.combine(before, sum);
                }
                t.write(prefix, number, sum);
                t.write_flag(ready, number, 1);
            }
        });
        tile.store(block, y, n);
    });
    y
}
