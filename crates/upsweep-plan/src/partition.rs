//! Plans of partitions on a CUDA device: the pipeline, whose tiles are compacted in shared memory before they are
//! stored. See `select/partition.cuh`.

use super::compaction::{SelectPlan, SelectSizes, shape};
use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SEGMENTS, SPREAD, Sizes, TileSize, WARP};
use super::tuning::Tuning;

/// Bytes of shared memory besides the parts that grow with the tile: tickets, the numbers of elements that each warp
/// selects, alignment.
const OVERHEAD: usize = 512;
/// Bytes of padding of a tile's results in shared memory. The selected and the rejected elements are two runs. Each is
/// moved by the address of its destination modulo 16, and the end of the first one is rounded up.
const PHASES: usize = 48;
/// Largest result, in bytes, for which each warp stores its own results.
const STORED_BY_WARP: usize = 2;
/// Candidates of tile size and blocks per multiprocessor. The first candidate is taken whose lag (the number of tiles
/// between selecting and storing) is long enough for a tile's prefix to arrive. Most of the kernel's instructions are
/// per tile, whatever its size, and they limit its throughput (H200, 2026-11-22: 450 instructions a warp for tiles of
/// 12 KiB, of which 100 depend on the number of elements).
const CHOICES: [(TileSize, usize); 5] = [(SEGMENTS, 2), (LARGE, 3), (LARGE, 2), (LARGE, 1), (LAST, 1)];
const LAST: TileSize = TileSize { threads: 256, thread_bytes: 16 };
const FEWEST_LAG: usize = 2;

/// Plans a partition of up to `len` elements.
pub(super) fn plan(len: usize, sizes: SelectSizes, tuning: &'static Tuning) -> SelectPlan {
    let plan = |(size, blocks)| within(len, sizes, size, blocks, tuning);
    // Flags take the shared memory in which one more tile could wait (H200, 2026-11-22: flags of u32 485 us in small
    // tiles, 531 in large ones).
    let choices = || CHOICES.into_iter().filter(|(size, _)| !sizes.flags || *size != SEGMENTS);
    let with = |lag: usize| choices().map(plan).find(|plan| plan.lag >= lag);
    with(FEWEST_LAG).or_else(|| with(1)).unwrap_or_else(|| plan((LAST, 1)))
}

/// Plans tiles of this size with `blocks` blocks per multiprocessor, and with the longest lag that fits.
fn within(len: usize, sizes: SelectSizes, size: TileSize, blocks: usize, tuning: &'static Tuning) -> SelectPlan {
    let shape = shape(sizes.input, size);
    let tiles = len.div_ceil(shape.elements()).max(1);
    let state = if u32::try_from(len).is_ok() { 4 } else { 8 };
    let words = StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), state);
    let plan = SelectPlan { sizes, shape, tiles, state, blocks, ring: 0, lag: 1, words, tuning };
    let room = tuning.shared_of_block(blocks).saturating_sub(OVERHEAD + beside(&plan));
    let stages = room / (stage_bytes(&plan) + number_bytes(&plan));
    SelectPlan { lag: stages.saturating_sub(tuning.ahead + 1).min(tuning.lag), ..plan }
}

/// Bytes of a result: of an index if indices are stored, else of an element.
fn stored(plan: &SelectPlan) -> usize {
    if plan.sizes.index > 0 { plan.sizes.index } else { plan.sizes.input }
}

/// Whether a tile's results have a buffer of their own, because they need more room than its elements.
fn is_buffered(plan: &SelectPlan) -> bool {
    !plan.sizes.reads_elements() || stored(plan) * plan.shape.vector > plan.shape.slot
}

/// Bytes of shared memory for a tile's elements, padded for the alignment of each warp's results; 0 if elements are not
/// read.
fn stage_bytes(plan: &SelectPlan) -> usize {
    let gap = PHASES.next_multiple_of(plan.shape.slot) * plan.shape.warps();
    if plan.sizes.reads_elements() { plan.shape.bytes() + gap } else { 0 }
}

/// Bytes of shared memory for a tile's selection: a bit per element, in words of each thread, and some numbers per
/// warp; if results are large, also a barrier for each warp's copies.
fn number_bytes(plan: &SelectPlan) -> usize {
    let words = (plan.shape.rows * plan.shape.vector).div_ceil(32);
    let copies = if stored(plan) > STORED_BY_WARP { 8 * plan.shape.warps() } else { 8 };
    plan.shape.threads * 4 * words + (plan.state + 4) * (plan.shape.warps() + 1) + copies
}

/// Bytes of dynamic shared memory besides the tiles: flags, and the buffer of results.
fn beside(plan: &SelectPlan) -> usize {
    let flags = if plan.sizes.flags { (plan.tuning.ahead + 1) * plan.shape.elements() } else { 0 };
    let buffer = if is_buffered(plan) { plan.shape.elements() * stored(plan) + PHASES } else { 0 };
    flags + buffer
}

fn stages(plan: &SelectPlan) -> usize {
    plan.tuning.ahead + plan.lag + 1
}

/// Number of threads per block, with the helper warps of the look-back.
pub(super) fn threads(plan: &SelectPlan) -> usize {
    plan.shape.threads + plan.tuning.look_back_warps * WARP
}

/// Bytes of dynamic shared memory per block.
pub(super) fn shared_bytes(plan: &SelectPlan) -> usize {
    stages(plan) * stage_bytes(plan) + beside(plan)
}

/// Constants that the kernel is compiled with.
pub(super) fn constants(plan: &SelectPlan) -> Constants {
    let Tuning { ahead, look_back_warps, groups, .. } = *plan.tuning;
    let ring = (plan.lag + 1).next_multiple_of(look_back_warps);
    let mut constants = plan.shape.constants(Sizes::plain(plan.sizes.input, plan.state, plan.sizes.input));
    constants!(constants; "BLOCKS" = plan.blocks, "AHEAD" = ahead, "LAG" = plan.lag, "STAGES" = stages(plan), "RING" = ring, "LOOK_BACK_WARPS" = look_back_warps, "GROUPS" = groups, "INDEX_BYTES" = plan.sizes.index, "KEEP_LAST" = usize::from(plan.sizes.last), "RUN_BYTES" = 0);
    constants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_block_holds_fits_its_share_of_shared_memory() {
        for capability in [(7, 5), (8, 0), (8, 6), (9, 0), (12, 0)] {
            for input in [1, 2, 3, 4, 8, 12, 16, 24, 48, 64] {
                for (flags, neighbours, index) in
                    [(false, false, 0), (true, false, 0), (false, true, 8), (false, false, 4)]
                {
                    let sizes = SelectSizes {
                        input,
                        index,
                        flags,
                        neighbours,
                        last: false,
                        others: true,
                        run: 0,
                        lengths: false,
                    };
                    for len in [1 << 20, 1 << 33] {
                        let plan = SelectPlan::new(len, sizes, capability);
                        let most = (plan.tuning.shared_bytes + (1 << 10)) / plan.blocks - (1 << 10);
                        let held = plan.shared_bytes() + stages(&plan) * number_bytes(&plan) + OVERHEAD;
                        assert!(plan.lag >= 1 && held <= most, "{capability:?} {sizes:?}: {plan:?}");
                        assert_eq!(plan.state, if len > u32::MAX as usize { 8 } else { 4 });
                    }
                }
            }
        }
    }

    /// Tests the lag: with 2 instead of 3, 2^28 elements of 2 bytes take 441 us instead of 406 (H100, 2026-11-25).
    #[test]
    fn large_tiles_wait_for_their_prefix() {
        for (input, lag) in [(1, 2), (2, 3), (4, 3), (8, 3)] {
            let sizes = SelectSizes {
                input,
                index: 0,
                flags: false,
                neighbours: false,
                last: false,
                others: true,
                run: 0,
                lengths: false,
            };
            let plan = SelectPlan::new(1 << 28, sizes, (9, 0));
            assert_eq!((plan.shape.rows, plan.blocks, plan.lag), (5, 2, lag), "{sizes:?}");
        }
    }
}
