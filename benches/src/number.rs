//! Numbers that the benches scan.

use half::{bf16, f16};
use upsweep::Element;

/// Element of the benches' inputs.
///
/// Integers are random in all bits. Floats are small random integers in pairs that cancel: however a sum is grouped,
/// its parts are small integers too, and no type rounds them. So every output has one right value.
pub trait Value: Element + PartialEq + std::fmt::Debug {
    /// Name of the type in records.
    const NAME: &'static str;
    /// Returns the element at `index` of the random input.
    fn random(index: usize) -> Self;
}

/// Number whose sum and maximum a plain loop computes, to check outputs against.
pub trait Number: Value {
    /// Identity of the sum.
    const ZERO: Self;
    /// Returns the sum of two numbers; integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Returns the larger one of two numbers. No input is NaN.
    #[must_use]
    fn larger(self, other: Self) -> Self;
}

/// Returns a hash with good low and high bits: the finaliser of splitmix64.
#[must_use]
pub fn hash(index: usize) -> u64 {
    let x = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

macro_rules! integers {
    ($($t:ident)*) => { $(
        impl Value for $t {
            const NAME: &'static str = stringify!($t);
            fn random(index: usize) -> Self {
                hash(index) as Self
            }
        }
        impl Number for $t {
            const ZERO: Self = 0;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )* };
}
integers! { i8 u8 i16 u16 i32 u32 i64 u64 }

macro_rules! floats {
    ($($t:ident $zero:expr;)*) => { $(
        impl Value for $t {
            const NAME: &'static str = stringify!($t);
            fn random(index: usize) -> Self {
                let value = (hash(index / 2) >> 60) as i8 - 8;
                Self::from(if index % 2 == 0 { value } else { -value })
            }
        }
        impl Number for $t {
            const ZERO: Self = $zero;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if other > self { other } else { self }
            }
        }
    )* };
}
floats! { f16 f16::ZERO; bf16 bf16::ZERO; f32 0.0; f64 0.0; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_sums_are_exact_in_any_grouping() {
        let x: Vec<bf16> = (0..4096).map(bf16::random).collect();
        let left = x.iter().fold(bf16::ZERO, |sum, &x| sum.plus(x));
        let by_tile = x.chunks(7).map(|tile| tile.iter().fold(bf16::ZERO, |sum, &x| sum.plus(x)));
        assert_eq!(left, by_tile.fold(bf16::ZERO, Number::plus));
        assert_ne!(x[0], x[2]);
    }
}
