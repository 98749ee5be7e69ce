//! Plans of the single pass of a sort by its highest bits, where these are more bits than a digit has, and keys are
//! few: see `sort/scatter.cuh`.

use crate::constants::{Constants, constants};

/// Largest number of highest bits by which one pass partitions keys without values. One pass is faster than two while
/// the L2 cache holds the array (H200, 2026-11-23: benches/notes/sort.md).
pub(super) const BITS: u32 = 11;
/// Number of threads of a block of that pass, bytes of a thread's keys, and number of blocks per multiprocessor.
const THREADS: usize = 512;
const THREAD_BYTES: usize = 128;
const BLOCKS: usize = 2;
/// Bytes of shared memory that a block needs besides its counters, bucket bases and keys: the kernel's static arrays
/// and what the driver reserves for each block.
const OVERHEAD: usize = 2 << 10;

/// Whether a block has room for the largest number of buckets, and a tile, where a multiprocessor has `shared` bytes of
/// shared memory.
pub(super) fn fits(shared: usize) -> bool {
    BLOCKS * (bytes(BITS) + OVERHEAD) <= shared
}

/// Returns the number of bytes of shared memory for the counters and bases (first positions) of the buckets by `bits`
/// bits, and for the keys of a tile.
fn bytes(bits: u32) -> usize {
    (8 << bits) + THREADS * THREAD_BYTES
}

/// A planned pass by the highest bits of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScatterPlan {
    /// Number of highest bits that the pass takes.
    pub bits: u32,
    /// Bytes of a key.
    pub key: usize,
}

impl ScatterPlan {
    /// Returns the number of threads of a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Returns the number of keys of a tile.
    #[must_use]
    pub fn tile(&self) -> usize {
        THREADS * self.keys()
    }

    /// Returns the number of bytes of shared memory of a block for counters, bucket bases and keys.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        bytes(self.bits)
    }

    fn keys(&self) -> usize {
        THREAD_BYTES / self.key
    }

    /// Adds the constants of the kernel.
    pub(super) fn add_to(&self, constants: &mut Constants) {
        constants!(constants; "KEYS" = self.keys(), "SCATTER_BLOCKS" = BLOCKS);
    }
}
