//! Built-in operators, written with the macro that programs use for their own operators.

#[allow(unreachable_pub, reason = "the functions stay here; the operators are exported")]
mod definitions {
    use crate::operator::{Element, Float, Logic, Number, function, operator};

    /// The sum: `a + b`.
    ///
    /// Identity 0, also of floats (so an empty or exclusive sum begins with +0). Integers wrap in their own type, where
    /// NumPy and the command line add them in 64 bits: with `accumulate::<u64>()`, or `i64`, a scan or a reduction does
    /// that. Float addition is not associative: the result depends on the order of combination, which is the same in
    /// every run.
    #[operator(identity = T::ZERO)]
    pub fn sum<T: Number>(a: T, b: T) -> T {
        a + b
    }

    /// The product: `a * b`.
    ///
    /// Identity 1. Integers wrap in their own type, as those of a sum do. Float multiplication is not associative: the
    /// result depends on the order of combination, which is the same in every run.
    #[operator(identity = T::ONE)]
    pub fn product<T: Number>(a: T, b: T) -> T {
        a * b
    }

    /// The smallest value.
    ///
    /// Identity: the highest integer, infinity for floats. For floats, the result is NaN if there is one, as in NumPy,
    /// and -0 < +0 (IEEE 754-2019 `minimum`), so it is associative and commutative for every type.
    #[operator(identity = T::HIGHEST)]
    pub fn min<T: Number>(a: T, b: T) -> T {
        a.minimum(b)
    }

    /// The largest value.
    ///
    /// Identity: the lowest integer, minus infinity for floats. For floats, the result is NaN if there is one, as in
    /// NumPy, and -0 < +0 (IEEE 754-2019 `maximum`), so it is associative and commutative for every type.
    #[operator(identity = T::LOWEST)]
    pub fn max<T: Number>(a: T, b: T) -> T {
        a.maximum(b)
    }

    /// Bitwise and: `a & b`; "all" of `bool`.
    ///
    /// Identity: every bit 1, `true`.
    #[operator(identity = T::ALL)]
    pub fn and<T: Logic>(a: T, b: T) -> T {
        a & b
    }

    /// Bitwise or: `a | b`; "any" of `bool`.
    ///
    /// Identity: 0, `false`.
    #[operator(identity = T::NONE)]
    pub fn or<T: Logic>(a: T, b: T) -> T {
        a | b
    }

    /// Bitwise exclusive or: `a ^ b`; parity of `bool`.
    ///
    /// Identity: 0, `false`.
    #[operator(identity = T::NONE)]
    pub fn xor<T: Logic>(a: T, b: T) -> T {
        a ^ b
    }

    /// The smallest value and its position: over pairs `(value, position)`, as `Enumerate` makes them.
    ///
    /// Among equal values (-0 equals +0) the lowest position wins; the first NaN wins over every number, as in NumPy.
    /// Identity: the highest value at position `u64::MAX`. Associative and commutative for every type.
    #[operator(identity = (T::HIGHEST, u64::MAX))]
    pub fn arg_min<T: Number>(a: (T, u64), b: (T, u64)) -> (T, u64) {
        let a_wins = if a.0 != a.0 { b.0 == b.0 || a.1 <= b.1 } else { a.0 < b.0 || (a.0 == b.0 && a.1 <= b.1) };
        if a_wins { a } else { b }
    }

    /// The largest value and its position: over pairs `(value, position)`, as `Enumerate` makes them.
    ///
    /// Among equal values (-0 equals +0) the lowest position wins; the first NaN wins over every number, as in NumPy.
    /// Identity: the lowest value at position `u64::MAX`. Associative and commutative for every type.
    #[operator(identity = (T::LOWEST, u64::MAX))]
    pub fn arg_max<T: Number>(a: (T, u64), b: (T, u64)) -> (T, u64) {
        let a_wins = if a.0 != a.0 { b.0 == b.0 || a.1 <= b.1 } else { a.0 > b.0 || (a.0 == b.0 && a.1 <= b.1) };
        if a_wins { a } else { b }
    }

    /// Logarithm of a sum whose terms are given by logarithms: ln(e^a + e^b).
    ///
    /// Computed as m + ln(1 + e^(l - m)) with the larger `m` and the smaller `l`, so that no power overflows. The
    /// identity is minus infinity, the logarithm of 0. The result is infinity if one is infinite, NaN if one is NaN.
    /// Commutative, and associative but for rounding: one result errs by at most 1 unit in the last place of the
    /// largest of `|m|`, the result and 1. Over long arrays [`SumOfPowers`] is faster.
    ///
    /// ```
    /// use upsweep::{Device, Reduce, operator::builtin::LogSumExp};
    ///
    /// // The powers themselves would be infinite.
    /// let scores = [1000.0f64, 1001.0, 1002.0];
    /// let total: f64 = Reduce::new(LogSumExp).run_to_host(&Device::cpu(), &scores)?;
    /// assert!((total - 1002.407605964444).abs() < 1e-11);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    #[operator(identity = T::LOWEST)]
    pub fn log_sum_exp<T: Float>(a: T, b: T) -> T {
        let (larger, smaller) = (a.maximum(b), a.minimum(b));
        // The difference of infinities would be NaN.
        if larger.is_infinite() { larger } else { larger + (smaller - larger).exp().ln_1p() }
    }

    /// A sum of powers of e, which may exceed every float: `e^exponent · sum`. [`Power`] creates it.
    #[derive(Element, Clone, Copy, Debug, Default, PartialEq)]
    #[repr(C)]
    pub struct Powers<F> {
        /// Largest exponent of all, rounded to the next multiple of ln 2: within 0.35 (for 16-bit floats: or half the
        /// distance of two neighbours). Where floats are 1/2 or more apart, the largest exponent itself.
        pub exponent: F,
        /// Sum of the powers, each divided by `e^exponent`.
        pub sum: F,
    }

    /// Sum of two sums of powers: with the larger exponent `m` and the smaller `l`, `m` and `sum_m + sum_l e^(l - m)`.
    ///
    /// Exponents are multiples of ln 2, so that `e^(l - m)` is a power of two, which takes a few instructions;
    /// [`LogSumExp`] computes a power and a logarithm. Map with [`Power`] before it, which computes one power per
    /// element, and finish with [`Logarithm`]. Commutative, and associative but for rounding. Identity: `sum` 0, the
    /// sum of no powers. The result is infinity if an element is, NaN if one is NaN; for two elements it errs by at
    /// most 2 units in the last place of the largest of `|m|`, the result and 1.
    ///
    /// ```
    /// use upsweep::prelude::*;
    /// use upsweep::operator::builtin::{Logarithm, Power, SumOfPowers};
    ///
    /// let scores = [1000.0f32, 1001.0, 1002.0];
    /// let total: f32 = Reduce::new(SumOfPowers).map(Power).finish(Logarithm).run_to_host(&Device::cpu(), &scores)?;
    /// assert!((total - 1002.4076).abs() < 1e-3);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    #[operator(identity = Powers { exponent: F::LOWEST, sum: F::ZERO })]
    pub fn sum_of_powers<F: Float>(a: Powers<F>, b: Powers<F>) -> Powers<F> {
        let power = (a.exponent - b.exponent).abs().power_over_distance();
        let (larger, smaller) = if a.exponent < b.exponent { (b.sum, a.sum) } else { (a.sum, b.sum) };
        // A NaN exponent stays, as `maximum` returns NaN, and makes the result NaN.
        Powers { exponent: a.exponent.maximum(b.exponent), sum: larger + smaller * power }
    }

    /// Converts a float to the first value of a [`SumOfPowers`]: e^`x`.
    #[function]
    pub fn power<F: Float>(x: F) -> Powers<F> {
        let exponent = x.power_exponent();
        Powers { exponent, sum: (x - exponent).power_of_rest() }
    }

    /// Converts four neighbouring floats to the first value of a [`SumOfPowers`]: e^`x[0]` + e^`x[1]` + e^`x[2]` +
    /// e^`x[3]`. It replaces [`Power`] where the input is [chunks](crate::buffer::View::as_chunks): operators are then
    /// applied a quarter as often.
    ///
    /// ```
    /// use upsweep::prelude::*;
    /// use upsweep::Input;
    /// use upsweep::operator::builtin::{FourPowers, Logarithm, SumOfPowers};
    ///
    /// // Two rows of eight floats.
    /// let scores = [0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    /// let (chunks, _) = scores.view().as_chunks::<4>();
    /// let mut sums = [0.0f32; 2];
    /// Reduce::new(SumOfPowers).map(FourPowers).finish(Logarithm).axis(&[2, 2], 1).run(&Device::cpu(), &chunks, &mut sums)?;
    /// assert!((sums[0] - 7.4583397).abs() < 1e-5 && (sums[1] - 8.0f32.ln()).abs() < 1e-6);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    #[function]
    pub fn four_powers<F: Float>(x: [F; 4]) -> Powers<F> {
        let exponent = x[0].maximum(x[1]).maximum(x[2].maximum(x[3])).power_exponent();
        let mut sum = (x[0] - exponent).power_below();
        for i in 1..4 {
            sum = sum + (x[i] - exponent).power_below();
        }
        Powers { exponent, sum }
    }

    /// Logarithm of a [`SumOfPowers`]: `exponent + ln sum`.
    #[function]
    pub fn logarithm<F: Float>(x: Powers<F>) -> F {
        // An infinite exponent may have a sum of 0.
        if x.exponent.is_infinite() { x.exponent } else { x.exponent + x.sum.ln() }
    }

    /// The first element: `a`. It has no identity.
    #[operator]
    pub fn first<T: Element>(a: T, _b: T) -> T {
        a
    }

    /// The last element: `b`. It has no identity.
    #[operator]
    pub fn last<T: Element>(_a: T, b: T) -> T {
        b
    }

    /// A float sum and its rounding error: the value is `sum + error`.
    #[derive(Element, Clone, Copy, Debug, Default, PartialEq)]
    #[repr(C)]
    pub struct Compensated<F> {
        /// Rounded sum.
        pub sum: F,
        /// Rounding error of the sum.
        pub error: F,
    }

    /// A float sum that keeps the rounding errors (Knuth's two-sum): 8 operations instead of one, and the result is
    /// about as good as a sum in twice the precision.
    ///
    /// `s = a.sum + b.sum`, exactly `s + e = a.sum + b.sum`; the errors add up as `a.error + b.error + e`. Not
    /// associative to the last bit of `error`. Identity 0. Map with [`Compensate`] before it and finish with
    /// [`Rounded`]. When `s` is infinite or NaN, `e` is 0.
    #[operator(identity = Compensated { sum: F::ZERO, error: F::ZERO })]
    pub fn compensated_sum<F: Float>(a: Compensated<F>, b: Compensated<F>) -> Compensated<F> {
        let sum = a.sum + b.sum;
        let b_part = sum - a.sum;
        let lost = (a.sum - (sum - b_part)) + (b.sum - b_part);
        let lost = if sum.is_finite() { lost } else { F::ZERO };
        Compensated { sum, error: a.error + b.error + lost }
    }

    /// Converts a float to the first value of a [`CompensatedSum`]: `x` without error.
    #[function]
    pub fn compensate<F: Float>(x: F) -> Compensated<F> {
        Compensated { sum: x, error: F::ZERO }
    }

    /// The float nearest to a [`Compensated`] sum: `sum + error`.
    #[function]
    pub fn rounded<F: Float>(x: Compensated<F>) -> F {
        x.sum + x.error
    }
}

pub use definitions::{
    And, ArgMax, ArgMin, Compensate, Compensated, CompensatedSum, First, FourPowers, Last, LogSumExp, Logarithm, Max,
    Min, Or, Power, Powers, Product, Rounded, Sum, SumOfPowers, Xor,
};

/// [`ArgMin`] and [`ArgMax`] have a second implementation, for an element that no program has. With a single
/// implementation the compiler would assume that elements are pairs, and only report that other elements are not.
mod no_pairs {
    use super::{ArgMax, ArgMin, First};
    use crate::operator::{Element, Operator, Source};

    /// An element that is no pair.
    #[derive(Element, Clone, Copy, Debug)]
    #[repr(C)]
    pub struct NoPair(u8);

    macro_rules! operators {
        ($($operator:ident)*) => { $(
            #[diagnostic::do_not_recommend]
            #[doc(hidden)]
            impl Operator<NoPair> for $operator {
                fn combine(&self, a: NoPair, _: NoPair) -> NoPair {
                    a
                }
                fn cuda_function(&self, source: &mut Source) -> String {
                    Operator::<NoPair>::cuda_function(&First, source)
                }
            }
        )* };
    }
    operators! { ArgMin ArgMax }
}
