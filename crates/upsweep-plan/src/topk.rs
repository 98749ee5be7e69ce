//! Top-k on a CUDA device: the pipeline that collects and stores, what is guessed from a sample, the kernels beside.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SEGMENTS, SPREAD, Sizes, TileShape, TileSize, WARP};
use super::tuning::Tuning;
use upsweep_core::key::KeyOrder;

/// The sizes of tiles, and the blocks a multiprocessor, from which the first is taken with which a tile waits long enough for its
/// prefix.
const CHOICES: [(TileSize, usize); 4] = [(SEGMENTS, 2), (LARGE, 3), (LARGE, 2), (LARGE, 1)];
const FEWEST_LAG: usize = 2;
/// Shared memory beside what grows with the tile: tickets, alignment.
const OVERHEAD: usize = 2 << 10;
/// Keys of a sample. What is found out of it is as good as chance lets it be; a larger one takes one block longer.
const SAMPLE: usize = 16 << 10;
/// Keys from which a window is guessed: so many are read in some microseconds.
const GUESS_FROM: usize = 1 << 20;
/// Standard deviations between a rank in the sample and the ends of its window, and places beside. Of 10^8 windows one misses.
const DEVIATIONS: f64 = 6.0;
const PLACES: f64 = 4.0;
/// The part of the sample up to whose key results are taken from candidates; of more, only the wanted key is looked for among them.
const MOST_CANDIDATES: usize = 128;
/// Threads of the kernels beside the pipeline.
const GUESS_THREADS: usize = 1024;
const COUNT_THREADS: usize = 512;
/// Blocks a multiprocessor that collect: the keys of two steps are in registers.
const COLLECT_BLOCKS: usize = 2;
const ORDER_THREADS: usize = 512;
/// Bits of a digit: see `topk/ranked.cuh`.
const DIGIT_BITS: usize = 11;
/// Rows of up to so many keys are a block's of few threads.
const SHORT_ROW: usize = 4 << 10;
/// Keys that one block goes over as fast as the device's blocks together: a row of fewer is a block's.
const ROW_OF_A_BLOCK: usize = 16 << 10;
/// The most results of a row that one block sorts.
#[cfg(feature = "cuda")]
pub const MOST_ORDERED: usize = 2 << 10;

/// What is ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankTypes {
    /// Bytes of a key.
    pub key: usize,
    /// How keys' bits are ordered.
    pub order: KeyOrder,
    /// From the last to the first.
    pub descending: bool,
    /// Bytes of a key's place in its row.
    pub place: usize,
}

/// A window in which the key of a rank lies, most probably.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The rank in the sample of its first key; 0 for the first key that there is.
    pub low_rank: usize,
    /// The rank in the sample of its last key; more than the sample has for the last key that there is.
    pub high_rank: usize,
    /// Candidates that there is room for.
    pub room: usize,
}

/// The pipeline over all keys: see `topk/store.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The tiles' shape.
    pub shape: TileShape,
    /// Their number.
    pub tiles: usize,
    /// The bytes of what tiles tell each other: two numbers of keys.
    pub state: usize,
    /// Blocks that a multiprocessor should run.
    pub blocks: usize,
    /// Tiles that a block holds between counting keys and storing them.
    pub lag: usize,
    /// Through which the blocks look back.
    pub words: StatusWords,
    /// See [`Tuning`].
    pub tuning: &'static Tuning,
}

impl Pass {
    fn new(len: usize, key: usize, tuning: &'static Tuning) -> Self {
        let plan = |(size, blocks)| Self::within(len, key, size, blocks, tuning);
        CHOICES.into_iter().map(plan).find(|plan| plan.lag >= FEWEST_LAG).unwrap_or_else(|| plan((LARGE, 1)))
    }

    /// With tiles of this size in so many blocks a multiprocessor, with the longest lag that fits.
    fn within(len: usize, key: usize, size: TileSize, blocks: usize, tuning: &'static Tuning) -> Self {
        let shape = TileShape::new(Sizes::plain(key, 1, 1), size);
        let tiles = len.div_ceil(shape.elements()).max(1);
        let state = if u32::try_from(len).is_ok() { 8 } else { 16 };
        let words = StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), state);
        // Of each tile a number a thread, some a warp.
        let stage = shape.bytes() + 4 * shape.threads + (state + 8) * (shape.warps() + 1);
        let stages = tuning.shared_of_block(blocks).saturating_sub(OVERHEAD) / stage;
        let lag = stages.saturating_sub(tuning.ahead + 1).clamp(1, tuning.lag);
        Self { shape, tiles, state, blocks, lag, words, tuning }
    }

    fn threads(&self) -> usize {
        self.shape.threads + self.tuning.look_back_warps * WARP
    }

    fn stages(&self) -> usize {
        self.tuning.ahead + self.lag + 1
    }
}

/// A planned top-k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopKPlan {
    /// Keys of a row.
    pub len: usize,
    /// What is ranked.
    pub types: RankTypes,
    /// The pass over all keys.
    pub pass: Pass,
    /// What is guessed; nothing of few keys.
    pub window: Option<Window>,
}

impl TopKPlan {
    /// The plan for the key of `rank`, from 1 on, among `len` keys; with `results` for all keys up to it.
    #[must_use]
    pub fn new(len: usize, rank: usize, types: RankTypes, results: bool, capability: (u32, u32)) -> Self {
        let pass = Pass::new(len, types.key, Tuning::of(capability));
        Self { len, types, pass, window: window(len, rank, results) }
    }

    /// Whether results are taken from the candidates, most probably: else only the wanted key is looked for among them.
    #[must_use]
    pub fn takes(&self) -> bool {
        self.window.is_some_and(|window| window.low_rank == 0)
    }

    /// Digits of a key: a launch of the kernel that counts for each. Where results are taken, those of a place follow.
    #[must_use]
    pub fn digits(&self, takes: bool) -> usize {
        let places = if takes { (8 * self.types.place).div_ceil(DIGIT_BITS) } else { 0 };
        (8 * self.types.key).div_ceil(DIGIT_BITS) + places
    }

    /// The bytes of what the kernels tell each other, which are to be cleared: as `RankHeader` in `topk/ranked.cuh`.
    #[must_use]
    pub fn header_bytes(&self) -> usize {
        let digits = self.digits(true);
        let before = (2 * self.types.key).next_multiple_of(8) + 5 * 8 + 4 * digits;
        (before.next_multiple_of(8) + digits * (8 << DIGIT_BITS)).next_multiple_of(16)
    }

    /// Threads of a block of the pass over all keys, and its shared memory.
    #[must_use]
    pub fn pass_shape(&self) -> (usize, usize) {
        (self.pass.threads(), self.pass.stages() * self.pass.shape.bytes())
    }

    /// Blocks that count, where a multiprocessor runs four.
    #[must_use]
    pub fn counting_blocks(&self, multiprocessors: usize) -> usize {
        (self.len * self.types.key).div_ceil(64 * COUNT_THREADS).clamp(1, 4 * multiprocessors)
    }

    /// Blocks that collect.
    #[must_use]
    pub fn collecting_blocks(&self, multiprocessors: usize) -> usize {
        (self.len * self.types.key).div_ceil(64 * COUNT_THREADS).clamp(1, COLLECT_BLOCKS * multiprocessors)
    }

    /// Blocks that take results from candidates.
    #[must_use]
    pub fn taking_blocks(&self, multiprocessors: usize) -> usize {
        self.window.map_or(1, |window| window.room).div_ceil(COUNT_THREADS).clamp(1, multiprocessors)
    }

    /// Threads of a block that guesses, of one that counts, collects or takes, and of one that puts results in order.
    #[must_use]
    pub fn threads() -> [usize; 3] {
        [GUESS_THREADS, COUNT_THREADS, ORDER_THREADS]
    }

    /// Whether each of so many rows is a block's.
    #[must_use]
    pub fn by_rows(len: usize, rows: usize, multiprocessors: usize) -> bool {
        len <= ROW_OF_A_BLOCK || 2 * rows >= multiprocessors
    }

    /// Threads of a block that has a row.
    #[must_use]
    pub fn row_threads(&self) -> usize {
        if self.len <= SHORT_ROW { 256 } else { 1024 }
    }

    /// The places that a block sorts which puts `number` results in order, and their bytes.
    #[must_use]
    pub fn order_places(&self, number: usize) -> (usize, usize) {
        let places = number.next_power_of_two().max(16);
        (places, places * (self.types.key + self.types.place))
    }

    /// The numbers that the pass over all keys is compiled with.
    #[must_use]
    pub fn pass_constants(&self) -> Constants {
        let Tuning { ahead, look_back_warps, groups, .. } = *self.pass.tuning;
        let Pass { shape, state, lag, blocks, .. } = self.pass;
        let mut constants = shape.constants(Sizes::plain(self.types.key, state, self.types.key));
        let ring = (lag + 1).next_multiple_of(look_back_warps);
        constants!(constants; "BLOCKS" = blocks, "AHEAD" = ahead, "LAG" = lag, "STAGES" = self.pass.stages(), "RING" = ring, "LOOK_BACK_WARPS" = look_back_warps, "GROUPS" = groups);
        self.add_types(&mut constants);
        constants
    }

    /// The numbers that the other kernels are compiled with, in blocks of so many threads.
    #[must_use]
    pub fn constants(&self, threads: usize) -> Constants {
        let mut constants = Constants::default();
        constants!(constants; "THREADS" = threads, "SAMPLE" = SAMPLE, "COLLECT_BLOCKS" = COLLECT_BLOCKS);
        self.add_types(&mut constants);
        constants
    }

    fn add_types(&self, constants: &mut Constants) {
        let RankTypes { key, order, descending, place } = self.types;
        constants!(constants; "PLACE_BYTES" = place, "KEY_BYTES" = key, "MANTISSA_BITS" = order.mantissa as usize, "SIGNED" = usize::from(order.signed), "DESCENDING" = usize::from(descending), "RANK_HEADER_BYTES" = self.header_bytes());
    }
}

/// The window for a rank. Where few results are wanted, it begins with the first key, so that they are all in it.
fn window(len: usize, rank: usize, results: bool) -> Option<Window> {
    if len < GUESS_FROM {
        return None;
    }
    let share = rank as f64 / len as f64;
    let centre = share * SAMPLE as f64;
    let spread = DEVIATIONS * (centre * (1.0 - share)).max(0.0).sqrt() + PLACES;
    let high_rank = (centre + spread).ceil() as usize;
    let few = high_rank <= SAMPLE / MOST_CANDIDATES;
    let low_rank = if few && results { 0 } else { (centre - spread).max(0.0) as usize };
    let samples = (high_rank.min(SAMPLE + 1) - low_rank) as f64;
    // So many keys lie in it on average; and as the sample may have met few of them, more.
    let most = samples + DEVIATIONS * (samples.sqrt() + 1.0);
    let room = (most * (len / SAMPLE) as f64).ceil() as usize;
    Some(Window { low_rank, high_rank, room: room.min(len) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_their_rank_and_are_small() {
        for len in [1 << 20, (1 << 28) + 77, 1 << 33] {
            for rank in [1, 16, 1 << 16, len / 100, len / 2, len - 1, len] {
                for results in [false, true] {
                    let Window { low_rank, high_rank, room } = window(len, rank, results).unwrap();
                    let centre = rank as f64 / len as f64 * SAMPLE as f64;
                    assert!((low_rank as f64) < centre.max(0.5) && centre < high_rank as f64, "{len} {rank}");
                    assert!(room <= len && room >= len / SAMPLE, "{len} {rank}: {room}");
                    assert!(room <= len / 8, "{len} {rank}: {room}");
                }
            }
        }
        assert_eq!(window(GUESS_FROM - 1, 1, true), None);
    }
}
