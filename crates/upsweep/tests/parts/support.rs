//! What the cases share.

use upsweep::Carry;
use upsweep_testing::random::Rng;

/// Returns positions at which an array of `len` elements is cut, some of them next to each other.
pub(crate) fn cuts(rng: &mut Rng, len: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..rng.below(6)).map(|_| rng.below(len + 1)).collect();
    let next: Vec<usize> = cuts.iter().map(|&cut| (cut + rng.below(3)).min(len)).collect();
    cuts.extend(next);
    cuts.extend([0, 0, len]);
    cuts.sort_unstable();
    cuts
}

/// Returns `len` keys in runs, most of which have at most `most` elements.
pub(crate) fn keys(rng: &mut Rng, len: usize, most: usize) -> Vec<u32> {
    let mut key = 7;
    (0..len).map(|_| (key += u32::from(rng.below(most) == 0), key / 2 * 3).1).collect()
}

/// Returns the carry after as many elements more that its position is `position`.
pub(crate) fn moved_to(carry: &Carry, position: u64) -> Carry {
    let mut bytes = carry.to_bytes().unwrap();
    bytes[32..40].copy_from_slice(&position.to_le_bytes());
    let checksum = bytes.len() - 8;
    let hash = bytes[..checksum]
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    bytes[checksum..].copy_from_slice(&hash.to_le_bytes());
    Carry::from_bytes(&bytes).unwrap()
}
