//! Plans of top-k on a CUDA device: the pipeline that collects and stores, the window estimated from a sample, and the
//! other kernels. Candidates are the keys in the window.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SEGMENTS, SPREAD, Sizes, TileShape, TileSize, WARP};
use super::tuning::Tuning;
use upsweep_core::key::KeyOrder;

/// Candidates of tile size and blocks per multiprocessor. The first candidate is taken whose lag (the number of tiles
/// between counting and storing) is long enough for a tile's prefix to arrive.
const CHOICES: [(TileSize, usize); 4] = [(SEGMENTS, 2), (LARGE, 3), (LARGE, 2), (LARGE, 1)];
const FEWEST_LAG: usize = 2;
/// Bytes of shared memory besides the parts that grow with the tile: tickets (by which blocks take tiles), alignment.
const OVERHEAD: usize = 2 << 10;
/// Number of keys of a sample. Chance limits the precision of the estimate; a larger sample takes one block longer.
const SAMPLE: usize = 16 << 10;
/// Smallest number of keys for which a window (a range of keys that probably contains the requested one) is estimated
/// from a sample. Fewer keys are read in some microseconds.
const GUESS_FROM: usize = 1 << 20;
/// Distance in the sample from the requested rank to each end of its window: a number of standard deviations, plus a
/// number of ranks. One window in 10^8 misses the rank.
const DEVIATIONS: f64 = 6.0;
const PLACES: f64 = 4.0;
/// Divisor of the size of the sample, for a limit on the rank at which a window ends in the sample. Up to this limit,
/// results are taken from the candidates (the keys in the window). Beyond it, only the key of the requested rank is
/// searched among them.
const MOST_CANDIDATES: usize = 128;
/// Number of threads per block of the kernels besides the pipeline: of the kernel that estimates, and of those that
/// count, collect or take.
const GUESS_THREADS: usize = 1024;
const COUNT_THREADS: usize = 512;
/// Number of blocks per multiprocessor of the kernel that collects candidates. Few blocks run, because a thread holds
/// the keys of two iterations in registers.
const COLLECT_BLOCKS: usize = 2;
const ORDER_THREADS: usize = 512;
/// Number of bits of a digit: see `topk/ranked.cuh`.
const DIGIT_BITS: usize = 11;
/// Largest row, in keys, that a block of few threads ranks.
const SHORT_ROW: usize = 4 << 10;
/// Number of keys of a row that one block processes as fast as all blocks of the device together: a shorter row has a
/// single block.
const ROW_OF_A_BLOCK: usize = 16 << 10;
/// Largest number of results of a row that one block sorts.
#[cfg(feature = "cuda")]
pub const MOST_ORDERED: usize = 2 << 10;

/// Types of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankTypes {
    /// Bytes of a key.
    pub key: usize,
    /// Order of the keys' bits.
    pub order: KeyOrder,
    /// Whether the order is descending.
    pub descending: bool,
    /// Bytes of a key's index in its row.
    pub place: usize,
}

/// A range of keys that most probably contains the key of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Rank in the sample of the window's first key; 0 for the first key of all.
    pub low_rank: usize,
    /// Rank in the sample of the window's last key; more than the size of the sample for the last key of all.
    pub high_rank: usize,
    /// Largest number of candidates (keys in the window) for which there is room in memory.
    pub room: usize,
}

/// The pipeline over all keys: see `topk/store.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Shape of the tiles: their threads, and the elements of each thread.
    pub shape: TileShape,
    /// Number of tiles into which the input is cut.
    pub tiles: usize,
    /// Bytes of a tile's look-back state: two counts of keys.
    pub state: usize,
    /// Number of blocks that a multiprocessor should run at once.
    pub blocks: usize,
    /// Number of tiles that a block holds between counting their keys and storing them.
    pub lag: usize,
    /// Number of status words (memory through which tiles pass on their totals) of the look-back.
    pub words: StatusWords,
    /// Tuning parameters of the device: see [`Tuning`].
    pub tuning: &'static Tuning,
}

impl Pass {
    fn new(len: usize, key: usize, tuning: &'static Tuning) -> Self {
        let plan = |(size, blocks)| Self::within(len, key, size, blocks, tuning);
        CHOICES.into_iter().map(plan).find(|plan| plan.lag >= FEWEST_LAG).unwrap_or_else(|| plan((LARGE, 1)))
    }

    /// Plans tiles of this size with `blocks` blocks per multiprocessor, and with the longest lag that fits.
    fn within(len: usize, key: usize, size: TileSize, blocks: usize, tuning: &'static Tuning) -> Self {
        let shape = TileShape::new(Sizes::plain(key, 1, 1), size);
        let tiles = len.div_ceil(shape.elements()).max(1);
        let state = if u32::try_from(len).is_ok() { 8 } else { 16 };
        let words = StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), state);
        // Besides its keys, each tile has a number per thread and some per warp in shared memory.
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

/// Plan of a top-k, the first keys in order, on a CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopKPlan {
    /// Number of keys of a row.
    pub len: usize,
    /// Types of the ranking.
    pub types: RankTypes,
    /// Pass over all keys, which stores the results in the order of the input if they are not taken from candidates.
    pub pass: Pass,
    /// Estimated window, a range of keys that most probably contains the requested one; none for few keys.
    pub window: Option<Window>,
}

impl TopKPlan {
    /// Plans the search for the key of `rank`, from 1 on, among `len` keys; with `results`, for all keys up to it.
    #[must_use]
    pub fn new(len: usize, rank: usize, types: RankTypes, results: bool, capability: (u32, u32)) -> Self {
        let pass = Pass::new(len, types.key, Tuning::of(capability));
        Self { len, types, pass, window: window(len, rank, results) }
    }

    /// Whether all results are, most probably, taken from the candidates (the keys in the window). If not, only the key
    /// of the requested rank is searched among them.
    #[must_use]
    pub fn takes(&self) -> bool {
        self.window.is_some_and(|window| window.low_rank == 0)
    }

    /// Returns the number of digits that are found, one launch of the counting kernel each: those of a key and, if
    /// results are taken from the candidates (`takes`), those of an index.
    #[must_use]
    pub fn digits(&self, takes: bool) -> usize {
        let places = if takes { (8 * self.types.place).div_ceil(DIGIT_BITS) } else { 0 };
        (8 * self.types.key).div_ceil(DIGIT_BITS) + places
    }

    /// Bytes of the header through which kernels communicate, and which has to be cleared: as `RankHeader` in
    /// `topk/ranked.cuh`.
    #[must_use]
    pub fn header_bytes(&self) -> usize {
        let digits = self.digits(true);
        let before = (2 * self.types.key).next_multiple_of(8) + 5 * 8 + 4 * digits;
        (before.next_multiple_of(8) + digits * (8 << DIGIT_BITS)).next_multiple_of(16)
    }

    /// Returns the number of threads of a block of the pass over all keys, and the bytes of its shared memory.
    #[must_use]
    pub fn pass_shape(&self) -> (usize, usize) {
        (self.pass.threads(), self.pass.stages() * self.pass.shape.bytes())
    }

    /// Returns the number of blocks of the kernel that counts digits, four per multiprocessor at most.
    #[must_use]
    pub fn counting_blocks(&self, multiprocessors: usize) -> usize {
        (self.len * self.types.key).div_ceil(64 * COUNT_THREADS).clamp(1, 4 * multiprocessors)
    }

    /// Returns the number of blocks of the kernel that collects candidates (the keys in the estimated window).
    #[must_use]
    pub fn collecting_blocks(&self, multiprocessors: usize) -> usize {
        (self.len * self.types.key).div_ceil(64 * COUNT_THREADS).clamp(1, COLLECT_BLOCKS * multiprocessors)
    }

    /// Returns the number of blocks of the kernel that takes results from the candidates (the keys in the window).
    #[must_use]
    pub fn taking_blocks(&self, multiprocessors: usize) -> usize {
        self.window.map_or(1, |window| window.room).div_ceil(COUNT_THREADS).clamp(1, multiprocessors)
    }

    /// Returns the number of threads of a block that estimates, of one that counts, collects or takes, and of one that
    /// orders results.
    #[must_use]
    pub fn threads() -> [usize; 3] {
        [GUESS_THREADS, COUNT_THREADS, ORDER_THREADS]
    }

    /// Whether each of `rows` rows of `len` keys is processed by a single block.
    #[must_use]
    pub fn by_rows(len: usize, rows: usize, multiprocessors: usize) -> bool {
        len <= ROW_OF_A_BLOCK || 2 * rows >= multiprocessors
    }

    /// Returns the number of threads of a block that processes a whole row.
    #[must_use]
    pub fn row_threads(&self) -> usize {
        if self.len <= SHORT_ROW { 256 } else { 1024 }
    }

    /// Returns the number of elements that a block sorts to order `number` results, padding included, and the bytes of
    /// these elements.
    #[must_use]
    pub fn order_places(&self, number: usize) -> (usize, usize) {
        let places = number.next_power_of_two().max(16);
        (places, places * (self.types.key + self.types.place))
    }

    /// Constants of the pass over all keys.
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

    /// Constants of the other kernels, in blocks of `threads` threads.
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

/// Estimates the window of the rank `rank` among `len` keys: the range of keys, by their ranks in the sample, that most
/// probably contains it. If few results are requested (`results`), the window begins with the first key, so that it
/// contains all of them.
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
    // Upper estimate of the number of the sample's keys in the window: the sample may contain few of the window's keys.
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
