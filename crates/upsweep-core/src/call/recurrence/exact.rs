//! Number types for the powers of a recurrence's transition: floats of about twice the digits, or the integers
//! themselves.
//!
//! The powers of a filter with close poles are small differences of large numbers: computed with the digits of the
//! states that they multiply, they would have fewer correct digits.

/// Number type in which powers of matrices of numbers `C` are computed: floats of about twice the digits, or the
/// integers themselves.
pub trait Exact<C>: Copy {
    /// Converts a number of type `C` without rounding.
    fn of(number: C) -> Self;
    /// Rounds to the nearest number of type `C`.
    fn number(self) -> C;
    /// Returns the sum of this number and `other`.
    fn plus(self, other: Self) -> Self;
    /// Returns the product of this number and `other`; 0 if one of them is 0, even if the other one is infinite.
    fn times(self, other: Self) -> Self;
}

/// A sum of two f64, whose second is at most half a unit in the last place of the first: 106 bits.
///
/// Sources: Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971; Knuth's sum of two
/// numbers with its error.
#[derive(Clone, Copy, Debug)]
pub struct Double {
    high: f64,
    low: f64,
}

impl Double {
    pub(super) const ZERO: Self = Self { high: 0.0, low: 0.0 };

    pub(super) fn of(number: f64) -> Self {
        Self { high: number, low: 0.0 }
    }

    /// Returns the power of two nearest to `2^exponent`, limited to 2^-500 and 2^500.
    pub(super) fn of_power_of_two(exponent: f64) -> Self {
        Self::of(exponent.clamp(-500.0, 500.0).round().exp2())
    }

    /// Returns the nearest f64.
    pub(super) fn high(self) -> f64 {
        self.high
    }

    pub(super) fn negated(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }

    /// Returns the quotient `self / other`: that of the high parts, corrected by the remainder.
    pub(super) fn over(self, other: Self) -> Self {
        let first = self.high / other.high;
        let left = self.plus(other.times(Self::of(first)).negated());
        Self::sum(first, left.high / other.high)
    }

    /// Returns the square root, by one step of Newton's iteration from the root of the high part; `None` unless it is
    /// positive and finite.
    pub(super) fn root(self) -> Option<Self> {
        let first = self.high.sqrt();
        let left = self.plus(Self::of(first).times(Self::of(first)).negated());
        (first > 0.0 && first.is_finite()).then(|| Self::sum(first, left.high / (2.0 * first)))
    }

    /// Returns the sum of two floats without rounding, as a pair of floats. A sum that is not finite has no error term.
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let of_b = high - a;
        let low = (a - (high - of_b)) + (b - of_b);
        if high.is_finite() { Self { high, low } } else { Self { high, low: 0.0 } }
    }

    fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        let low = a.mul_add(b, -high);
        if high.is_finite() { Self { high, low } } else { Self { high, low: 0.0 } }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let Self { high, low: middle } = Self::sum(high.high, high.low + low.high);
        Self::sum(high, middle + low.low)
    }

    pub(super) fn times(self, other: Self) -> Self {
        if self.high == 0.0 || other.high == 0.0 {
            return Self { high: 0.0, low: 0.0 };
        }
        let product = Self::product(self.high, other.high);
        let low = product.low + (self.high * other.low + self.low * other.high);
        if product.high.is_finite() { Self::sum(product.high, low) } else { product }
    }
}

impl Exact<f64> for Double {
    fn of(number: f64) -> Self {
        Self::of(number)
    }
    fn number(self) -> f64 {
        self.high + self.low
    }
    fn plus(self, other: Self) -> Self {
        self.plus(other)
    }
    fn times(self, other: Self) -> Self {
        self.times(other)
    }
}

impl Exact<f32> for Double {
    fn of(number: f32) -> Self {
        Self { high: number.into(), low: 0.0 }
    }
    fn number(self) -> f32 {
        (self.high + self.low) as f32
    }
    fn plus(self, other: Self) -> Self {
        self.plus(other)
    }
    fn times(self, other: Self) -> Self {
        self.times(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `x` is the pair `high`, `low`, to the bit.
    fn is(x: Double, high: f64, low: f64) -> bool {
        x.high.to_bits() == high.to_bits() && x.low.to_bits() == low.to_bits()
    }

    #[test]
    fn sums_and_products_have_twice_the_digits() {
        let tiny = f64::EPSILON / 8.0;
        let third = Double { high: 1.0 / 3.0, low: f64::EPSILON / 12.0 };
        assert!(is(Double::plus(Double::of(1.0), Double::of(tiny)), 1.0, tiny));
        // (1 + small) (1 - small) = 1 - small^2, which f64 rounds to 1.
        let small = 2f64.powi(-40);
        let (above, below) = (Double::of(1.0 + small), Double::of(1.0 - small));
        assert!(is(above.times(below).plus(Double::of(-1.0)), -small * small, 0.0));
        // Three times a third is one, to twice the digits of f64.
        let three = Double::of(3.0);
        let error = third.times(three).plus(Double::of(-1.0));
        assert!(error.high.abs() < 1e-31, "{error:?}");
        let root = three.root().unwrap();
        assert!(root.times(root).plus(three.negated()).high.abs() < 1e-30);
        assert!(Double::of(1.0).over(three).times(three).plus(Double::of(-1.0)).high.abs() < 1e-31);
        assert!(Double::of(-1.0).root().is_none() && Double::of(0.0).root().is_none());
    }

    #[test]
    fn what_is_infinite_stays_so_and_zero_is_stronger() {
        let (large, zero) = (Double::of(1e300), Double::of(0.0));
        let infinite = large.times(large);
        assert!(is(infinite, f64::INFINITY, 0.0) && is(infinite.plus(large), f64::INFINITY, 0.0));
        assert!(is(infinite.times(zero), 0.0, 0.0) && is(zero.times(infinite), 0.0, 0.0));
    }
}
