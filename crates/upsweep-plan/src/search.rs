//! Plans of binary searches on a CUDA device: see `search/search.cuh`.

use super::constants::{Constants, constants};

/// Number of threads per block.
pub const THREADS: usize = 256;
/// Number of values that a thread looks up at a time, so that as many loads are in flight.
const LOOKED_UP: usize = 4;
/// Largest number of blocks: several for each multiprocessor of any GPU; each strides over the values.
const MOST_BLOCKS: usize = 4096;

/// Returns the number of blocks to launch for `values` values.
#[must_use]
pub fn blocks(values: usize) -> usize {
    values.div_ceil(THREADS * LOOKED_UP).min(MOST_BLOCKS)
}

/// Constants that the kernel is compiled with.
#[must_use]
pub fn constants(upper: bool, index: usize) -> Constants {
    let mut constants = Constants::default();
    constants!(constants; "THREADS" = THREADS, "LOOKED_UP" = LOOKED_UP, "UPPER" = usize::from(upper), "INDEX_BYTES" = index);
    constants
}
