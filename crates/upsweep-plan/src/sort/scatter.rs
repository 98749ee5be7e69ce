//! Plans of the single pass of a sort by its highest bits, where they are more than a digit, and keys are few: see
//! `sort/scatter.cuh`.

use crate::constants::{Constants, constants};

/// Largest number of highest bits that one pass takes, where there are no values. It is faster than two passes while
/// the L2 cache holds the array (H200, 2026-11-23: benches/notes/sort.md).
pub(super) const BITS: u32 = 11;
/// Threads of a block of that pass, bytes of a thread's keys, and blocks per multiprocessor.
const THREADS: usize = 512;
const THREAD_BYTES: usize = 128;
const BLOCKS: usize = 2;
/// Shared memory of a block besides counters, places and keys, with the driver's share.
const OVERHEAD: usize = 2 << 10;

/// Whether a block has room for the most buckets, and a tile, where a multiprocessor has `shared` bytes of shared
/// memory.
pub(super) fn fits(shared: usize) -> bool {
    BLOCKS * (bytes(BITS) + OVERHEAD) <= shared
}

/// Bytes of the counters and places of buckets of `bits` bits, and of a tile.
fn bytes(bits: u32) -> usize {
    (8 << bits) + THREADS * THREAD_BYTES
}

/// A planned pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScatterPlan {
    /// Number of highest bits.
    pub bits: u32,
    /// Bytes of a key.
    pub key: usize,
}

impl ScatterPlan {
    /// Threads of a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Keys of a tile.
    #[must_use]
    pub fn tile(&self) -> usize {
        THREADS * self.keys()
    }

    /// Shared memory of a block.
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
