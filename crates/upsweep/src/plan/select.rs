//! Select and what is made of it on a CUDA device: the pipeline, whose tiles are compacted in shared memory before they are
//! stored. See `kernels/device/select.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SEGMENTS, SPREAD, Sizes, TileShape, TileSize, WARP};
use super::tuning::Tuning;

/// Shared memory beside what grows with the tile: tickets, the warps' numbers, alignment.
const OVERHEAD: usize = 2 << 10;
/// Beside a tile's results: the phases of two runs, each rounded up; and tiles begin at memory lines.
const PHASES: usize = 128;

/// Up to so many results of a tile are fetched one by one, if they have so few bytes. By flags fewer: so a tile of u32 waits for three
/// others instead of two (H200, 2026-11-22: half of u32 by flags 487 us instead of 575).
const FEW: usize = 512;
const FEW_BY_FLAGS: usize = 128;
const FEW_BYTES: usize = 4 << 10;
/// Bits of a thread's place among a warp's results, beside its elements' in a word of at most 128.
const PLACE_BITS: usize = 12;
/// The sizes of tiles, and the blocks a multiprocessor, from which the first is taken with which a tile waits long enough for its
/// prefix. Most of the kernel's instructions are of a tile, whatever its size, and they are what bounds it (H200, 2026-11-22: 450
/// instructions a warp for tiles of 12 KiB, of which 100 depend on the number of elements).
const CHOICES: [(TileSize, usize); 5] = [(SEGMENTS, 2), (LARGE, 3), (LARGE, 2), (LARGE, 1), (LAST, 1)];
const LAST: TileSize = TileSize { threads: 256, thread_bytes: 16 };
const FEWEST_LAG: usize = 2;

/// The shape of tiles of this size: as a scan's, but for what a scan's registers hold.
fn shape(input: usize, size: TileSize) -> TileShape {
    let shape = TileShape::new(Sizes::plain(input, 1, 1), size);
    let most = (128 - PLACE_BITS) / shape.vector;
    TileShape { rows: ((size.thread_bytes / shape.slot).clamp(1, most) - 1) | 1, ..shape }
}

/// What decides a plan beside the number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectSizes {
    /// The bytes of an element.
    pub input: usize,
    /// The bytes of an index, where indices are stored; else 0.
    pub index: usize,
    /// Whether flags are read.
    pub flags: bool,
    /// Whether an element's neighbour decides.
    pub neighbours: bool,
    /// Of these, whether it is the one after it.
    pub last: bool,
    /// Whether the others are stored, too.
    pub others: bool,
    /// The bytes of what is stored of each run beside its element; 0 where what is kept are no runs.
    pub run: usize,
    /// Whether that is how long it is, instead of where it begins.
    pub lengths: bool,
}

impl SelectSizes {
    fn reads_elements(self) -> bool {
        !self.flags || self.index == 0
    }
}

/// A planned select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectPlan {
    /// What it was made for.
    pub sizes: SelectSizes,
    /// The tiles' shape.
    pub shape: TileShape,
    /// Tiles, of as many elements as the input has room for.
    pub tiles: usize,
    /// The bytes of what tiles tell each other: a number of elements, and with runs an index.
    pub state: usize,
    /// Blocks that a multiprocessor should run.
    pub blocks: usize,
    /// Tiles that a block holds between finding what is kept and storing it.
    pub lag: usize,
    /// Through which the blocks look back.
    pub words: StatusWords,
    /// See [`Tuning`].
    pub tuning: &'static Tuning,
}

impl SelectPlan {
    /// The plan for up to `len` elements on a device of this compute capability.
    #[must_use]
    pub fn new(len: usize, sizes: SelectSizes, capability: (u32, u32)) -> Self {
        let tuning = Tuning::of(capability);
        let plan = |(size, blocks)| Self::within(len, sizes, size, blocks, tuning);
        // Flags take the room of a tile's lag (H200, 2026-11-22: flags of u32 485 us in small tiles, 531 in large ones).
        let choices = || CHOICES.into_iter().filter(|(size, _)| !sizes.flags || *size != SEGMENTS);
        let with = |lag: usize| choices().map(plan).find(|plan| plan.lag >= lag);
        with(FEWEST_LAG).or_else(|| with(1)).unwrap_or_else(|| plan((LAST, 1)))
    }

    /// The plan with tiles of this size in so many blocks a multiprocessor, with the longest lag that fits.
    fn within(len: usize, sizes: SelectSizes, size: TileSize, blocks: usize, tuning: &'static Tuning) -> Self {
        let shape = shape(sizes.input, size);
        let tiles = len.div_ceil(shape.elements()).max(1);
        let number = if u32::try_from(len).is_ok() { 4 } else { 8 };
        let state = if sizes.run > 0 { 2 * number } else { number };
        let words = StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), state);
        let mut plan = Self { sizes, shape, tiles, state, blocks, lag: 1, words, tuning };
        let room = tuning.shared_of_block(blocks).saturating_sub(OVERHEAD + plan.beside_stages());
        let stages = room / (plan.stage_bytes() + plan.stage_numbers());
        plan.lag = stages.saturating_sub(tuning.ahead + 1).min(tuning.lag);
        plan
    }

    /// The bytes of a result.
    fn stored(&self) -> usize {
        if self.sizes.index > 0 { self.sizes.index } else { self.sizes.input }
    }

    /// The results of a tile up to which they are fetched one by one.
    fn few(&self) -> usize {
        let few = if self.sizes.flags { FEW_BY_FLAGS } else { FEW };
        few.min(FEW_BYTES / self.stored().max(1))
    }

    /// Whether a tile's results lie in a buffer of their own, because they need more room than its elements.
    fn is_buffered(&self) -> bool {
        !self.sizes.reads_elements() || self.stored() * self.shape.vector > self.shape.slot
    }

    /// The bytes of a tile's elements in shared memory.
    fn stage_bytes(&self) -> usize {
        let phases = if self.is_buffered() { 0 } else { PHASES };
        if self.sizes.reads_elements() { self.shape.bytes() + phases } else { 0 }
    }

    /// The bytes of what is known of a tile: a word a thread, and some numbers a warp.
    fn stage_numbers(&self) -> usize {
        let bits = self.shape.rows * self.shape.vector + PLACE_BITS;
        self.shape.threads * (bits.next_power_of_two().max(32) / 8) + (self.state + 8) * (self.shape.warps() + 1)
    }

    /// Dynamic shared memory beside the tiles: flags, the buffer.
    fn beside(&self) -> usize {
        let flags = if self.sizes.flags { (self.tuning.ahead + 1) * self.shape.elements() } else { 0 };
        let buffer = if self.is_buffered() { self.shape.elements() * self.stored() + PHASES } else { 0 };
        let runs = if self.sizes.run > 0 { 2 * self.shape.elements() } else { 0 };
        flags + buffer + (self.few() * self.stored() + PHASES).next_multiple_of(16) + runs
    }

    /// All shared memory beside the tiles.
    fn beside_stages(&self) -> usize {
        let edges =
            if self.sizes.neighbours { (self.tuning.ahead + 1) * self.shape.warps() * self.shape.slot } else { 0 };
        self.beside() + edges
    }

    fn stages(&self) -> usize {
        self.tuning.ahead + self.lag + 1
    }

    /// Threads a block, the helper warps included.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shape.threads + self.tuning.look_back_warps * WARP
    }

    /// Dynamic shared memory a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.stages() * self.stage_bytes() + self.beside()
    }

    /// The numbers that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let Tuning { ahead, look_back_warps, groups, .. } = *self.tuning;
        let ring = (self.lag + 1).next_multiple_of(look_back_warps);
        let SelectSizes { index, last, others, run, lengths, .. } = self.sizes;
        let mut constants = self.shape.constants(Sizes::plain(self.sizes.input, self.state, self.sizes.input));
        constants!(constants; "BLOCKS" = self.blocks, "AHEAD" = ahead, "LAG" = self.lag, "STAGES" = self.stages(), "RING" = ring, "LOOK_BACK_WARPS" = look_back_warps, "GROUPS" = groups, "INDEX_BYTES" = index, "KEEP_LAST" = usize::from(last), "OTHERS" = usize::from(others), "PHASES" = PHASES, "FEW" = self.few(), "RUN_BYTES" = run, "RUN_LENGTHS" = usize::from(lengths));
        constants
    }
}

/// The bytes of a block's elements on the CPU: they and what is kept of them stay in a second-level cache. Where one thread does everything
/// they are few, because what an allocator has to ask the system for is slow the first time: calls of 128 KiB took 4 times as long.
const BLOCK_BYTES: usize = 128 << 10;
const SMALL_BLOCK_BYTES: usize = 32 << 10;
/// The bytes of input below which the calling thread does everything and nothing is fetched ahead, and from which results are stored past
/// the cache.
const PARALLEL_FROM_BYTES: usize = 2 << 20;
const NON_TEMPORAL_FROM_BYTES: usize = 32 << 20;

/// Sizes that decide how the CPU selects. Tests make them small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CpuSelectPlan {
    /// The elements of a block, which a thread compacts at once.
    pub(crate) block: usize,
    /// The threads.
    pub(crate) threads: usize,
    /// Whether what is read next is fetched.
    pub(crate) ahead: bool,
    /// Whether results are stored past the cache.
    pub(crate) non_temporal: bool,
}

impl CpuSelectPlan {
    /// The plan for `len` elements of `size` bytes, where the threads are those of the current rayon pool.
    pub(crate) fn new(len: usize, size: usize, in_place: bool) -> Self {
        let bytes = len.saturating_mul(size);
        let parallel = bytes >= PARALLEL_FROM_BYTES;
        let block = (if parallel { BLOCK_BYTES } else { SMALL_BLOCK_BYTES } / size.max(1)).max(1);
        let threads = if parallel { rayon::current_num_threads() } else { 1 };
        Self {
            block,
            threads: threads.clamp(1, len.div_ceil(block).max(1)),
            ahead: parallel,
            non_temporal: !in_place && bytes >= NON_TEMPORAL_FROM_BYTES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tile that waits for two others only takes a sixth longer.
    #[test]
    fn flags_leave_room_for_a_lag_of_three() {
        let sizes = SelectSizes {
            input: 4,
            index: 0,
            flags: true,
            neighbours: false,
            last: false,
            others: false,
            run: 0,
            lengths: false,
        };
        assert_eq!(SelectPlan::new(1 << 28, sizes, (9, 0)).lag, 3);
    }

    #[test]
    fn what_a_block_holds_fits_its_share_of_shared_memory() {
        for capability in [(7, 5), (8, 0), (8, 6), (9, 0), (12, 0)] {
            for input in [1, 2, 3, 4, 8, 12, 16, 24, 48, 64] {
                for (flags, neighbours, index, run) in [
                    (false, false, 0, 0),
                    (true, false, 0, 0),
                    (false, true, 8, 0),
                    (false, false, 4, 0),
                    (false, true, 0, 8),
                ] {
                    let others = run == 0;
                    let sizes =
                        SelectSizes { input, index, flags, neighbours, last: false, others, run, lengths: true };
                    for len in [1 << 20, 1 << 33] {
                        let plan = SelectPlan::new(len, sizes, capability);
                        let fixed =
                            plan.stages() * plan.stage_numbers() + plan.beside_stages() - plan.beside() + OVERHEAD;
                        let most = plan.tuning.shared_bytes;
                        let most = (most + (1 << 10)) / plan.blocks - (1 << 10);
                        assert!(plan.shared_bytes() + fixed <= most, "{capability:?} {sizes:?}: {plan:?}");
                        assert!(plan.shape.rows * plan.shape.vector + PLACE_BITS <= 128 && plan.lag > 0);
                        let numbers = if run > 0 { 2 } else { 1 };
                        assert_eq!(plan.state, numbers * if len > u32::MAX as usize { 8 } else { 4 });
                    }
                }
            }
        }
    }
}
