//! Random numbers by their index, and the points that they choose: the same on every device, in any order.

use upsweep::prelude::*;

/// Step of SplitMix64's state.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// 2^-53: numbers of 53 bits times this are all multiples of it in 0..1.
const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

/// Random number `k` of the generator SplitMix64, counted from 0: 64 bits, a bijection of `seed + (k + 1) STEP`.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014, with the constants of Vigna's
/// splitmix64.c.
#[function]
pub(super) fn random(seed: u64, k: u64) -> u64 {
    let state = seed + (k + 1) * STEP;
    let mixed = (state ^ (state >> 30)) * 0xbf58_476d_1ce4_e5b9;
    let mixed = (mixed ^ (mixed >> 27)) * 0x94d0_49bb_1331_11eb;
    mixed ^ (mixed >> 31)
}

/// Number in 0..1, without 1, from 64 random bits.
#[function]
pub(super) fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 * UNIT
}

/// Whole number in 0..below, without `below`, from 64 random bits: `bits below / 2^64`, rounded down.
#[function]
pub(super) fn whole(bits: u64, below: u64) -> u64 {
    ((bits as u128 * below as u128) >> 64u32) as u64
}

/// Independent point `k` in 0..=most, where `most` is the number before the total.
#[function]
pub(super) fn point(#[param] seed: u64, #[param] total: f64, #[param] most: f64, k: u64) -> f64 {
    (fraction(random(seed, k)) * total).min(most)
}

/// Point `k` of `n` at equal distances, in 0..=most. The quotient comes first, so that the product does not overflow.
#[function]
pub(super) fn even_point(#[param] shift: f64, #[param] n: f64, #[param] total: f64, #[param] most: f64, k: u64) -> f64 {
    ((k as f64 + shift) / n * total).min(most)
}

/// Independent point `k` among whole numbers, less than `total`.
#[function]
pub(super) fn whole_point(#[param] seed: u64, #[param] total: u64, k: u64) -> u64 {
    whole(random(seed, k), total)
}

/// Point `k` of `n` at equal distances: `(k total + shift) / n`, rounded down. It is less than `total`, as `shift` is.
#[function]
pub(super) fn even_whole_point(#[param] shift: u64, #[param] n: u64, #[param] total: u64, k: u64) -> u64 {
    ((k as u128 * total as u128 + shift as u128) / n as u128) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First numbers of Vigna's splitmix64.c.
    #[test]
    fn numbers_are_those_of_the_source() {
        let numbers: [u64; 3] = std::array::from_fn(|k| random(1_234_567, k as u64));
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        assert_eq!(random(0, 0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn the_least_and_the_largest_bits_stay_in_range() {
        assert_eq!([fraction(0), fraction(1 << 11), fraction(u64::MAX)], [0.0, UNIT, 1.0 - UNIT]);
        for below in [1, 2, 3, 1 << 63, u64::MAX] {
            assert_eq!([whole(0, below), whole(u64::MAX, below)], [0, below - 1], "{below}");
        }
        assert_eq!(even_whole_point(u64::MAX - 2, 1 << 40, u64::MAX - 1, (1 << 40) - 1), u64::MAX - 2);
    }
}
