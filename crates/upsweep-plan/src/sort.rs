//! Plans of radix sorts on a CUDA device: tiles, kernels and scratch memory.

mod buckets;
pub mod cluster;
pub mod counting;
pub mod local;
pub mod scatter;
mod scratch;
pub mod segments;
pub mod streamed;
pub mod types;

use self::cluster::ClusterPlan;
use self::local::LocalPlan;
pub use self::scratch::ScratchParts;
use self::types::{DIGITS, SortTypes};
use super::constants::{Constants, constants};
use super::tuning::Tuning;

/// Number of threads of a block that counts keys, and number of vectors that each thread loads at once.
const COUNT_THREADS: usize = 1024;
const COUNT_DEPTH: usize = 2;
/// Bytes of counters of a block that counts, by the shared memory that a block may have: with keys of 4 bytes, 128 KiB
/// are a column of counters for each lane.
const COUNTER_BYTES: [(usize, usize); 3] = [(160 << 10, 128 << 10), (96 << 10, 64 << 10), (0, 32 << 10)];
/// Number of threads of a block whose warps each sort a segment or bucket.
const WARP_THREADS: usize = 128;
/// Smallest number of keys of a block that counts digits: short arrays have fewer blocks.
const LEAST_PART: usize = 8 << 10;
/// Number of threads of a block of a pass that rank keys: that compute the position of each key among those of its
/// digit.
const RANKERS: usize = 512;
/// Largest number of lines (of 32 values) of a digit's run, the keys of a tile that have this digit, up to which the
/// runs are stored whole; see `sort/drain.cuh`.
const LONG_LINES: usize = 6;
/// Nanoseconds that a thread sleeps after a poll in which no status word was new.
const POLL_NANOSECONDS: usize = 20;
/// Number of keys of two bytes from which they are counted: 65,536 counters have to be cleared and added up.
const TALLY_FROM: usize = 1 << 21;
/// Bound on the numbers that a status word of 4 bytes holds.
const SMALL_STATUS: usize = 1 << 30;

/// Number of keys from which buckets that are too large for a block are listed, as one more launch takes 2.5 us; and
/// capacity of the list, a MiB: runs of 64 make 9,450 such buckets of 2^28 keys.
const LARGE_FROM: usize = 1 << 25;
const MOST_LARGE: usize = 65_536;
/// Largest array, in keys, that a block of few threads sorts.
const FEW_KEYS: usize = 1024;

/// Bytes of shared memory for the counters of arrays of few distinct keys: a word for each of 256 distinct keys and
/// each lane.
const FEW_BYTES: usize = 4 * 256 * 32;

/// Largest number of highest bits by which a sort begins: a block's shared memory has a counter of 16 bits for each of
/// their values.
const SPLIT_BITS: u32 = 16;
/// Smallest key, in bytes, that is sorted by its highest bits first: shorter keys have as few passes from the lowest
/// digit on.
const SPLIT_KEY_BYTES: usize = 4;

/// Strategy of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    /// One block sorts the array.
    Local,
    /// A cluster of blocks sorts the array.
    Cluster(ClusterPlan),
    /// Counting sort: values are counted, and the results filled in.
    Counting,
    /// Partition by the given number of highest bits, then blocks sort the buckets. Passes follow instead where the
    /// keys make buckets larger than blocks. With more keys than [`SortPlan::has_room_for_buckets`] allows, only arrays
    /// of few distinct keys are sorted this way, and all others by passes.
    Split(u32),
    /// Passes from the lowest digit on (LSD radix sort).
    Passes,
}

/// Plan of a radix sort of an array on a CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortPlan {
    /// Number of keys.
    pub len: usize,
    /// Types of keys and values.
    pub types: SortTypes,
    /// Whether the sorted keys replace the input.
    pub in_place: bool,
    /// Number of threads of a block of a pass that rank keys.
    pub rankers: usize,
    /// Number of threads of a block of a pass that look back and store.
    pub storers: usize,
    /// Number of keys per thread that ranks.
    pub keys: usize,
    /// Number of rows, of those (`rows`) in which a warp finds equal digits at once, for which it does so through
    /// shared memory.
    pub mask_rows: usize,
    /// Number of rows (a row is one key of each lane of a warp) in which a warp finds the lanes with equal digits at
    /// once.
    pub rows: usize,
    /// Bytes of a status word.
    pub status: usize,
    /// Bytes of counters of a block that counts.
    pub counters: usize,
    /// Plan of blocks that sort keys in their shared memory.
    pub local: LocalPlan,
    /// Plan of a block that sorts the whole array.
    pub whole: LocalPlan,
    /// Plan of larger blocks, which sort buckets that are too large for others.
    pub large: LocalPlan,
    /// Plan of a cluster of blocks, on devices that have them.
    pub cluster: Option<ClusterPlan>,
    /// Whether shared memory has room for a block of the single pass by many highest bits: its counters for the largest
    /// number of buckets, and the keys of a tile.
    pub has_room_to_scatter: bool,
}

impl SortPlan {
    /// Plans a sort of `len` keys on a device of this compute capability with `multiprocessors` multiprocessors.
    #[must_use]
    pub fn new(len: usize, types: SortTypes, in_place: bool, capability: (u32, u32), multiprocessors: usize) -> Self {
        let shared = Tuning::of(capability).shared_bytes;
        let status = if len < SMALL_STATUS { 4 } else { 8 };
        let mut plan = Self {
            len,
            types,
            in_place,
            rankers: RANKERS,
            storers: 256,
            keys: 2,
            mask_rows: 2,
            rows: 4,
            status,
            counters: COUNTER_BYTES.iter().find(|(least, _)| shared >= *least).map_or(0, |(_, bytes)| *bytes),
            local: LocalPlan::new(types, shared),
            whole: LocalPlan::whole(types, shared),
            large: LocalPlan::large(types, shared),
            cluster: ClusterPlan::new(types, capability, shared),
            has_room_to_scatter: scatter::fits(shared),
        };
        // A thread has 80 of 65,536 registers. Its keys may take half of them, or fewer if there are values.
        let most = if types.value == 0 { 160 } else { 96 };
        let most = (most / types.key.max(types.value)).min(most / 4);
        // A tile for each multiprocessor, if there are enough keys.
        let wanted = len.div_ceil(multiprocessors * RANKERS).max(4);
        let fits = |keys: usize| Self { keys, ..plan }.shared_bytes() <= shared;
        let candidates = [40, 32, 24, 20, 16, 12, 10, 8, 4, 2];
        let largest = candidates.into_iter().find(|&keys| keys <= most && fits(keys)).unwrap_or(2);
        plan.keys = candidates.into_iter().rev().find(|&keys| keys >= wanted).unwrap_or(largest).min(largest);
        plan.rows = if plan.keys.is_multiple_of(4) { 4 } else { 2 };
        plan.mask_rows = plan.rows / 2;
        let rest = 8 * types.key as u32 - plan.split_bits();
        plan.local = plan.local.with_bits(rest, shared);
        plan.large = plan.large.with_bits(rest, shared);
        plan
    }

    /// Largest number of keys per lane of a warp that sorts.
    #[must_use]
    pub fn warp_items(&self) -> usize {
        // With values, keys are compared by their positions, too, and warps with many keys are slower than blocks.
        match (self.types.key, self.types.value) {
            (0..=4, 0) => 32,
            (0..=4, _) | (5..=8, 0) => 16,
            _ => 8,
        }
    }

    /// Constants of the kernel whose warps sort, with `items` keys per lane.
    #[must_use]
    pub fn warp_constants(&self, items: usize) -> Constants {
        let mut constants = self.constants(WARP_THREADS);
        constants!(constants; "LANE_KEYS" = items);
        constants
    }

    /// Returns the number of threads of a block whose warps each sort a segment or bucket.
    #[must_use]
    pub fn warp_threads() -> usize {
        WARP_THREADS
    }

    /// Whether warps sort the buckets, which are small enough. With values, blocks sort them.
    #[must_use]
    pub fn warps_sort_buckets(&self) -> bool {
        self.types.value == 0 && self.split_bits() > 0 && self.len >> self.split_bits() <= 32 * self.warp_items() / 4
    }

    /// Largest number of keys of a bucket that a warp or block sorts on its own; 0 if buckets of random keys would be
    /// larger.
    #[must_use]
    pub fn bucket_room(&self) -> usize {
        if !self.has_room_for_buckets() {
            return 0;
        }
        if self.warps_sort_buckets() { 32 * self.warp_items() } else { self.local.tile() }
    }

    /// Returns the strategy of the sort.
    #[must_use]
    pub fn road(&self) -> Road {
        let SortTypes { key, value, .. } = self.types;
        if self.len <= self.local.tile().max(self.whole.tile()) {
            return Road::Local;
        }
        if let Some(cluster) = self.cluster.filter(|cluster| self.len <= cluster.most()) {
            return Road::Cluster(cluster);
        }
        if value == 0 && (key == 1 || (key == 2 && self.len >= TALLY_FROM && self.counters >= 2 << 16)) {
            return Road::Counting;
        }
        let bits = self.bucket_bits().clamp(DIGITS.ilog2(), SPLIT_BITS);
        let has_use = value == 0 || self.has_room_for_buckets();
        if key >= SPLIT_KEY_BYTES && has_use && self.counters >= 2 << bits { Road::Split(bits) } else { Road::Passes }
    }

    /// Returns the number of highest bits by which random keys form buckets small enough for blocks.
    fn bucket_bits(&self) -> u32 {
        // Buckets of random keys are filled to eight ninths at most, eight standard deviations from full.
        self.len.div_ceil(self.local.tile() * 8 / 9).next_power_of_two().ilog2()
    }

    /// Whether blocks have room for the buckets of random keys by their highest bits.
    #[must_use]
    pub fn has_room_for_buckets(&self) -> bool {
        self.bucket_bits() <= SPLIT_BITS
    }

    /// Number of highest bits that the sort begins with; 0 if it does not.
    #[must_use]
    pub fn split_bits(&self) -> u32 {
        if let Road::Split(bits) = self.road() { bits } else { 0 }
    }

    /// Whether the number of highest bits is more than that of a digit. If so, the kernel that counts keys by them does
    /// not count digits; another kernel does, if they are needed.
    #[must_use]
    pub fn counts_apart(&self) -> bool {
        self.split_bits() > DIGITS.ilog2()
    }

    /// Whether the buckets of the first pass are cut into tiles for a second pass, by more of the highest bits.
    #[must_use]
    pub fn splits_twice(&self) -> bool {
        self.counts_apart() && !self.scatters()
    }

    /// Whether buckets that are too large for a usual block, but not for a larger one, are put on a list, from which
    /// larger blocks sort them.
    #[must_use]
    pub fn lists_large(&self) -> bool {
        let has_room = self.has_room_for_buckets() && self.large.tile() > self.local.tile();
        self.splits_twice() && self.len >= LARGE_FROM && has_room
    }

    /// Returns the capacity of the list of buckets for larger blocks.
    #[must_use]
    pub fn most_large() -> usize {
        MOST_LARGE
    }

    /// Largest number of keys of an array that a single block of few threads sorts.
    #[must_use]
    pub fn few_keys() -> usize {
        FEW_KEYS
    }

    /// Largest number of tiles of a pass: in a second pass, each bucket of the first one has one partial tile.
    #[must_use]
    pub fn most_tiles(&self) -> usize {
        self.tiles() + if self.splits_twice() { DIGITS } else { 0 }
    }

    /// Returns the number of keys per tile.
    #[must_use]
    pub fn tile(&self) -> usize {
        self.rankers * self.keys
    }

    /// Returns the number of tiles of the array.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.len.div_ceil(self.tile())
    }

    /// Returns the number of threads of a block of a pass.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.rankers + self.storers
    }

    /// Number of passes, one launch for each digit. In place it is even, as one pass may have to be a copy.
    #[must_use]
    pub fn launches(&self) -> usize {
        if self.in_place { self.types.key.next_multiple_of(2) } else { self.types.key }
    }

    /// Returns the number of bytes of shared memory of a block of a pass.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let SortTypes { key, value, .. } = self.types;
        // Besides the keys of a tile, each digit has one more slot.
        let slots = |bytes: usize| ((self.tile() + DIGITS) * bytes).next_multiple_of(128);
        slots(key) + slots(value) + self.rankers / 32 * DIGITS * (2 + 4 * self.mask_rows) + DIGITS * 24 + 256
    }

    /// Returns the launch of the kernel that counts the digits of keys.
    #[must_use]
    pub fn counting(&self, multiprocessors: usize) -> Counting {
        let part = self.len.div_ceil(multiprocessors).max(LEAST_PART).next_multiple_of(16);
        Counting { blocks: self.len.div_ceil(part), part, threads: COUNT_THREADS, shared_bytes: self.counters }
    }

    /// Constants of the kernel that counts keys by their highest bits (buckets).
    #[must_use]
    pub fn split_constants(&self) -> Constants {
        let mut constants = self.constants(COUNT_THREADS);
        constants!(constants; "DEPTH" = COUNT_DEPTH, "COUNT_DIGITS" = usize::from(!self.counts_apart()), "WIDE_COUNTERS" = usize::from(self.has_wide_counters()));
        constants
    }

    /// Whether the kernel that counts keys by their highest bits has room for counters of 32 bits; else counters have
    /// 16 bits.
    fn has_wide_counters(&self) -> bool {
        4 << self.split_bits() <= self.counters
    }

    /// Returns the launch of the kernel that counts keys by their highest bits.
    #[must_use]
    pub fn splitting(&self, multiprocessors: usize) -> Counting {
        let digits = if self.counts_apart() { 0 } else { 4 * DIGITS * self.types.key };
        let counter = if self.has_wide_counters() { 4 } else { 2 };
        let few = if self.types.value == 0 { FEW_BYTES } else { 0 };
        Counting { shared_bytes: (counter << self.split_bits()).max(few) + digits, ..self.counting(multiprocessors) }
    }

    /// Constants of the kernel that sorts in the shared memory of a block.
    #[must_use]
    pub fn local_constants(&self, local: &LocalPlan) -> Constants {
        let mut constants = self.constants(local.threads());
        local.add_to(&mut constants);
        constants
    }

    /// Constants of the kernel whose blocks are a cluster.
    #[must_use]
    pub fn cluster_constants(&self, cluster: &ClusterPlan) -> Constants {
        let mut constants = self.constants(ClusterPlan::threads());
        cluster.add_to(&mut constants);
        constants
    }

    /// Constants of kernels in blocks of `threads` threads that have no other constants of their own.
    #[must_use]
    pub fn plain_constants(&self, threads: usize) -> Constants {
        self.constants(threads)
    }

    /// Constants that all kernels of the sort have, in blocks of `threads` threads.
    fn constants(&self, threads: usize) -> Constants {
        let SortTypes { key, order, descending, value, indices, keys_out } = self.types;
        let mut constants = Constants::default();
        constants!(
            constants;
            "KEY_BYTES" = key, "VALUE_BYTES" = value, "MANTISSA_BITS" = order.mantissa as usize,
            "SIGNED" = usize::from(order.signed), "DESCENDING" = usize::from(descending), "INDICES" = indices as usize,
            "KEYS_OUT" = usize::from(keys_out),
            "LAUNCHES" = self.launches(), "SORT_HEADER_BYTES" = self.header_bytes(), "STATUS_BYTES" = self.status, "BY_OCTAVES" = usize::from(self.has_octaves()),
            "THREADS" = threads,
        );
        constants
    }

    /// Constants of the kernel that counts the digits of keys.
    #[must_use]
    pub fn counting_constants(&self) -> Constants {
        let mut constants = self.constants(COUNT_THREADS);
        let columns = (self.counters / (4 * DIGITS * self.types.key)).min(32);
        constants!(constants; "DEPTH" = COUNT_DEPTH, "COLUMN_BITS" = columns.ilog2() as usize);
        constants
    }

    /// Constants of the kernel of a pass.
    #[must_use]
    pub fn pass_constants(&self) -> Constants {
        let mut constants = self.constants(self.threads());
        constants!(
            constants;
            "RANKERS" = self.rankers, "KEYS" = self.keys, "MASK_ROWS" = self.mask_rows, "ROWS_AT_ONCE" = self.rows, "DEPTH" = COUNT_DEPTH,
            "SORT_SHARED_BYTES" = self.shared_bytes(), "LONG_LINES" = LONG_LINES, "SORT_POLL_NANOSECONDS" = POLL_NANOSECONDS,
        );
        constants
    }
}

/// Launch of a kernel that counts keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// Number of blocks of the launch.
    pub blocks: usize,
    /// Number of keys per block.
    pub part: usize,
    /// Threads per block.
    pub threads: usize,
    /// Bytes of shared memory per block.
    pub shared_bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::types::Indices;
    use super::*;
    use crate::tuning::TUNING;
    use upsweep_core::key::KeyOrder;

    #[test]
    fn every_sort_fits_every_gpu() {
        for row in TUNING {
            for key in [1, 2, 4, 8, 16] {
                for value in [0, 1, 2, 4, 8] {
                    for len in [1, 1 << 12, 1 << 16, 1 << 20, 1 << 21, 1 << 24, 1 << 28, 1 << 33] {
                        let order = KeyOrder { signed: false, mantissa: 0 };
                        let types =
                            SortTypes { key, order, descending: false, value, indices: Indices::None, keys_out: true };
                        let plan = SortPlan::new(len, types, false, row.capability, 100);
                        let (tile, rows) = (plan.tile(), plan.rows);
                        assert!(plan.shared_bytes() <= row.shared_bytes, "{plan:?}");
                        // Ranks and slots have 15 bits; two ranks are in a word.
                        assert!(
                            tile <= 1 << 15 && plan.keys.is_multiple_of(rows) && rows.is_multiple_of(2),
                            "{plan:?}"
                        );
                        assert!(plan.tiles() * tile >= len && u32::try_from(plan.tiles()).is_ok(), "{plan:?}");
                        // Counters fit beside the other shared memory and what the driver reserves.
                        assert!(plan.counters + (4 << 10) <= row.shared_bytes, "{plan:?}");
                        assert!(plan.counters >= 4 * DIGITS * key, "{plan:?}");
                        // A status word holds the number of keys and two bits.
                        assert!((len as u128) < 1 << (8 * plan.status - 2), "{plan:?}");
                        // There are cursors, and counters, for all buckets by octaves.
                        let octaves = plan.octave_buckets();
                        assert!(
                            octaves <= plan.cursors() && (octaves == 0 || octaves < plan.split_places()),
                            "{plan:?}"
                        );
                        assert!(!plan.scatters() || plan.scatter().shared_bytes() + (2 << 10) <= row.shared_bytes / 2);
                    }
                }
            }
        }
    }
}
