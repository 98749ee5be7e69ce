//! Plans of upsweeps on a CUDA device: see `up_sweep/up_sweep.cuh`.

use super::constants::{Constants, constants};

/// Number of threads of a block. Below it, limits of the neighbouring elements of a thread: their bytes, two loads of
/// 16 bytes in flight, and their number.
pub const THREADS: usize = 256;
const THREAD_BYTES: usize = 32;
const MOST_ITEMS: usize = 16;

/// Returns the number of neighbouring elements of `size` bytes per thread: a power of two.
#[must_use]
pub fn items(size: usize) -> usize {
    let most = (THREAD_BYTES / size.max(1)).clamp(1, MOST_ITEMS);
    1 << most.ilog2()
}

/// Returns the number of elements of `size` bytes of a tile.
#[must_use]
pub fn tile(size: usize) -> usize {
    THREADS * items(size)
}

/// Constants that the kernel is compiled with, for elements of `size` bytes.
#[must_use]
pub fn constants(size: usize) -> Constants {
    let mut constants = Constants::default();
    constants!(constants; "THREADS" = THREADS, "LEAVES" = items(size));
    constants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_powers_of_two() {
        assert_eq!([1, 2, 3, 4, 8, 12, 64].map(items), [16, 16, 8, 8, 4, 2, 1]);
        assert!((1..=64).all(|size| tile(size).is_power_of_two()));
    }
}
