//! Helpers shared by the tests of the model and of the GPU.

use upsweep_lab::operator::Affine;

pub(crate) const LENGTHS: [usize; 16] = [1, 2, 3, 5, 8, 31, 32, 33, 100, 512, 513, 1000, 1024, 1025, 2047, 2048];

/// Length for algorithms that take any.
pub(crate) const MILLION: usize = 1_000_007;

/// Pseudo-random numbers (the finaliser of SplitMix64).
pub(crate) fn random(index: usize) -> i64 {
    let mut z = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) as i64
}

pub(crate) fn affine(index: usize) -> Affine {
    Affine { m: random(index) | 1, c: random(index + 1) }
}
