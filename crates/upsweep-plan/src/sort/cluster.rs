//! Plans of sorts by a cluster of blocks, of keys that fit in the shared memory of all its blocks: see
//! `sort/cluster.cuh`.

use super::types::{DIGITS, SortTypes};
use crate::constants::{Constants, constants};

/// Number of blocks of the cluster (blocks that access each other's shared memory): the most that GPUs with clusters
/// run together, on request.
const BLOCKS: usize = 16;
/// Number of threads of a block. It is small, because the fixed work of a warp takes longer than four rows of its keys.
const THREADS: usize = 512;
/// Largest key in bytes; and numbers of keys per thread, for keys of up to two bytes without values, and for others.
/// Longer keys have more digits, each of which takes 3 us however few keys there are.
const KEY_BYTES: usize = 4;
const KEYS: (usize, usize) = (32, 8);
/// Number of rows (a row is one key of each lane of a warp) in which a warp finds the lanes with equal digits at once;
/// and number of these rows for which it does so through shared memory.
const ROWS: (usize, usize) = (4, 2);
/// Bytes of a key's position, which accompanies the key if there are values.
const POSITION_BYTES: usize = 4;

/// Plan of a sort by a cluster: blocks that access each other's shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterPlan {
    key: usize,
    has_values: bool,
    keys: usize,
}

impl ClusterPlan {
    /// Plans a sort of these types on a device of this compute capability where a block may have `shared` bytes of
    /// shared memory. `None` where a cluster cannot run, or has no room.
    #[must_use]
    pub fn new(types: SortTypes, capability: (u32, u32), shared: usize) -> Option<Self> {
        let has_values = types.value > 0;
        let keys = if types.key <= 2 && !has_values { KEYS.0 } else { KEYS.1 };
        let plan = Self { key: types.key, has_values, keys };
        (capability >= (9, 0) && types.key <= KEY_BYTES && plan.shared_bytes() <= shared).then_some(plan)
    }

    /// Returns the number of blocks of the cluster.
    #[must_use]
    pub fn blocks() -> usize {
        BLOCKS
    }

    /// Returns the number of threads of a block.
    #[must_use]
    pub fn threads() -> usize {
        THREADS
    }

    /// Returns the largest number of keys of an array that the cluster sorts.
    #[must_use]
    pub fn most(&self) -> usize {
        BLOCKS * THREADS * self.keys
    }

    /// Returns the number of keys per block, for an array of `len` keys.
    #[must_use]
    pub fn share(len: usize) -> usize {
        len.div_ceil(BLOCKS).next_multiple_of(32 * ROWS.0)
    }

    /// Returns the number of bytes of shared memory of a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let warps = THREADS / 32;
        let position = if self.has_values { POSITION_BYTES } else { 0 };
        let of_digit = warps * (2 + 4 * ROWS.1) + 4 * (THREADS / DIGITS + BLOCKS + 1);
        2 * THREADS * self.keys * (self.key + position) + DIGITS * of_digit + 8 * warps + 2 * BLOCKS * self.key + 64
    }

    /// Adds the constants of the kernel.
    pub(super) fn add_to(&self, constants: &mut Constants) {
        constants!(
            constants;
            "KEYS" = self.keys, "ROWS_AT_ONCE" = ROWS.0, "MASK_ROWS" = ROWS.1, "CLUSTER" = BLOCKS,
            "SORT_SHARED_BYTES" = self.shared_bytes(),
        );
    }
}
