//! Numbers in which the powers of a recurrence's transition are computed: twice the digits of f64, or the integers themselves.
//!
//! The powers of a filter whose poles are close together are small differences of large numbers: in f64 they would have fewer
//! right digits than the states that they multiply.

/// Numbers to compute powers in, of numbers `C`.
pub trait Exact<C>: Copy {
    /// The number.
    fn of(number: C) -> Self;
    /// The nearest number.
    fn number(self) -> C;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product; 0 where a factor is 0, even if the other one is infinite.
    fn times(self, other: Self) -> Self;
}

/// The sum of two f64, of which the second is at most half a unit in the last place of the first: 106 bits.
///
/// Sources: Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971; Knuth's sum of two numbers with its
/// error.
#[derive(Clone, Copy, Debug)]
pub struct Double {
    high: f64,
    low: f64,
}

impl Double {
    /// The sum of two numbers, exactly. What is not finite has no error.
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

    fn plus(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let Self { high, low: middle } = Self::sum(high.high, high.low + low.high);
        Self::sum(high, middle + low.low)
    }

    fn times(self, other: Self) -> Self {
        if self.high == 0.0 || other.high == 0.0 {
            return Self { high: 0.0, low: 0.0 };
        }
        let product = Self::product(self.high, other.high);
        let low = product.low + (self.high * other.low + self.low * other.high);
        if product.high.is_finite() { Self::sum(product.high, low) } else { product }
    }
}

macro_rules! of_floats {
    ($($t:ty),*) => { $(
        impl Exact<$t> for Double {
            fn of(number: $t) -> Self { Self { high: number.into(), low: 0.0 } }
            fn number(self) -> $t { (self.high + self.low) as $t }
            fn plus(self, other: Self) -> Self { self.plus(other) }
            fn times(self, other: Self) -> Self { self.times(other) }
        }
    )* };
}
of_floats! { f32, f64 }

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `x` is the sum of `high` and `low`, to the bit.
    fn is(x: Double, high: f64, low: f64) -> bool {
        x.high.to_bits() == high.to_bits() && x.low.to_bits() == low.to_bits()
    }

    #[test]
    fn sums_and_products_have_twice_the_digits() {
        let tiny = f64::EPSILON / 8.0;
        let third = Double { high: 1.0 / 3.0, low: f64::EPSILON / 12.0 };
        assert!(is(Double::plus(Exact::<f64>::of(1.0), Exact::<f64>::of(tiny)), 1.0, tiny));
        // (1 + tiny) (1 - tiny) = 1 - tiny^2, of which f64 sees 1.
        let (above, below) = (Double::sum(1.0, tiny), Double::sum(1.0, -tiny));
        assert!(is(above.times(below).plus(Exact::<f64>::of(-1.0)), -tiny * tiny, 0.0));
        // Three thirds are one.
        let three: Double = Exact::<f64>::of(3.0);
        let error = third.times(three).plus(Exact::<f64>::of(-1.0));
        assert!(error.high.abs() < 1e-31, "{error:?}");
    }

    #[test]
    fn what_is_infinite_stays_so_and_zero_is_stronger() {
        let (large, zero): (Double, Double) = (Exact::<f64>::of(1e300), Exact::<f64>::of(0.0));
        let infinite = large.times(large);
        assert!(is(infinite, f64::INFINITY, 0.0) && is(infinite.plus(large), f64::INFINITY, 0.0));
        assert!(is(infinite.times(zero), 0.0, 0.0) && is(zero.times(infinite), 0.0, 0.0));
    }
}
