//! Number of powers of `x` that stay within the range of its type.

use upsweep::operator::Number;

/// Powers of a number `x` that are safe to compute with, because they stay away from the ends of the range of its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Range<T> {
    /// All powers of `x` that are needed.
    All,
    /// Powers below `x^len`, where `len` is a power of 2; `power` is `x^len` itself.
    Blocks { len: usize, power: T },
    /// Too few powers of `x`: a loop over all coefficients is as good as blocks.
    None,
}

/// Smallest number of coefficients of a block for which blocks are worth it.
const LEAST: usize = 64;

/// Safe powers of `x` among those that `n` coefficients need. Integers compute modulo 2^b, so all their powers are
/// safe. So are those of 0, NaN and infinity, which no loop makes better.
pub(super) fn power_range<T: Number>(x: T, n: usize) -> Range<T> {
    let equal = |a: T, b: T| Number::le(a, b) && Number::ge(a, b);
    let is_finite = |x: T| equal(Number::sub(x, x), T::ZERO);
    let is_float = !is_finite(T::HIGHEST);
    if !is_float || !is_finite(x) || equal(x, T::ZERO) {
        return Range::All;
    }
    // A power is safe if its square, and the reciprocal of its square, are finite numbers: then the power has all
    // digits, and products with it have room in the type's range.
    let is_safe = |power: T| {
        let square = Number::mul(power, power);
        is_finite(square) && !equal(square, T::ZERO) && is_finite(Number::div(T::ONE, square))
    };
    let (mut len, mut power) = (1, x);
    while len < n {
        let square = Number::mul(power, power);
        if !is_safe(power) || !is_safe(square) {
            return if len < LEAST { Range::None } else { Range::Blocks { len, power } };
        }
        (len, power) = (2 * len, square);
    }
    Range::All
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_keep_away_from_the_ends() {
        assert_eq!(power_range(3u8, 1000), Range::All);
        assert_eq!(power_range(1.0f64, usize::MAX >> 1), Range::All);
        assert_eq!(power_range(0.0f64, 1000), Range::All);
        assert_eq!(power_range(1e200f64, 3), Range::None);
        assert_eq!(power_range(1e200f64, 1), Range::All);
        assert_eq!(power_range(2.0f64, 512), Range::Blocks { len: 256, power: 256f64.exp2() });
        assert_eq!(power_range(2.0f64, 256), Range::All);
        assert_eq!(power_range(-0.5f64, 513), Range::Blocks { len: 256, power: (-256f64).exp2() });
        assert_eq!(power_range(2.0f32, 64), Range::None);
    }
}
