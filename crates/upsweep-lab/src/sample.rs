//! Sample inputs: small numbers that depend on a seed alone.

use crate::operator::Affine;

/// Type of elements that can be drawn at random.
pub trait Sample: Sized {
    /// Converts random bits, of which the highest is 0, to an element.
    fn from_bits(bits: u64) -> Self;
}

impl Sample for i64 {
    fn from_bits(bits: u64) -> Self {
        // The elements are the digits 0 to 9.
        (bits % 10) as Self
    }
}

impl Sample for Affine {
    fn from_bits(bits: u64) -> Self {
        // The factors are -1, 1 and 2, so that products of a few stay short.
        let m = [1, 1, 2, -1][(bits % 4) as usize];
        Self { m, c: (bits / 4 % 7) as i64 - 3 }
    }
}

/// Draws `n` random elements that depend on the seed alone.
#[must_use]
pub fn values<T: Sample>(seed: u64, n: usize) -> Vec<T> {
    let mut bits = Bits::new(seed);
    (0..n).map(|_| T::from_bits(bits.next())).collect()
}

/// Draws `n` random head flags that depend on the seed alone; about a quarter of them is set.
#[must_use]
pub fn heads(seed: u64, n: usize) -> Vec<bool> {
    // The bits are others than those of the values with this seed.
    let mut bits = Bits::new(!seed);
    (0..n).map(|_| bits.next().is_multiple_of(4)).collect()
}

/// Random bits by SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Bits(u64);

impl Bits {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // The lower bits are as random as the upper ones. After the shift the number is not negative as an i64, either.
        (mixed ^ (mixed >> 31)) >> 1
    }
}
