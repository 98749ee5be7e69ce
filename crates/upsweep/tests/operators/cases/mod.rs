//! Operators and functions that together use every operation, method and construct that the macros translate, for every
//! element type, and random inputs for them. The tests run them through different backends.

pub(crate) mod compare;
mod constructs;
pub(crate) mod entries;
pub(crate) mod kernels;
mod methods;
mod sample;

pub(crate) use sample::{Random, Sample, samples};
use std::num::Wrapping;
use upsweep::operator::builtin::*;
use upsweep::operator::{Function, Operator};

/// Visitor of the cases: each test implements its check.
pub(crate) trait Check {
    /// Checks an operator.
    fn operator<T: Sample, O: Operator<T>>(&mut self, name: &str, operator: O);
    /// Checks a function.
    fn function<I: Sample, R: Sample, F: Function<(I,), Output = R>>(&mut self, name: &str, function: F);
}

/// Visits every case.
pub(crate) fn all(check: &mut impl Check) {
    builtins(check);
    methods::all(check);
    constructs::all(check);
}

/// Visits the built-in operators, for every type.
pub(crate) fn builtins(check: &mut impl Check) {
    macro_rules! numbers {
        ($($t:ty)*) => { $(
            check.operator::<$t, _>(concat!("Sum ", stringify!($t)), Sum);
            check.operator::<$t, _>(concat!("Product ", stringify!($t)), Product);
            check.operator::<$t, _>(concat!("Min ", stringify!($t)), Min);
            check.operator::<$t, _>(concat!("Max ", stringify!($t)), Max);
            check.operator::<($t, u64), _>(concat!("ArgMin ", stringify!($t)), ArgMin);
            check.operator::<($t, u64), _>(concat!("ArgMax ", stringify!($t)), ArgMax);
        )* };
    }
    numbers! { i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 half::f16 half::bf16 f32 f64 }
    macro_rules! logic {
        ($($t:ty)*) => { $(
            check.operator::<$t, _>(concat!("And ", stringify!($t)), And);
            check.operator::<$t, _>(concat!("Or ", stringify!($t)), Or);
            check.operator::<$t, _>(concat!("Xor ", stringify!($t)), Xor);
        )* };
    }
    macro_rules! wrapping {
        ($($operator:ident)*) => { $(
            check.operator::<Wrapping<i8>, _>(concat!(stringify!($operator), " Wrapping<i8>"), $operator);
            check.operator::<Wrapping<u64>, _>(concat!(stringify!($operator), " Wrapping<u64>"), $operator);
        )* };
    }
    wrapping! { Sum Product Min Max And Or Xor }
    #[cfg(feature = "num-complex")]
    {
        use upsweep::num_complex::Complex;
        check.operator::<Complex<f32>, _>("Sum Complex<f32>", Sum);
        check.operator::<Complex<f64>, _>("Product Complex<f64>", Product);
        check.operator::<Complex<i16>, _>("Product Complex<i16>", Product);
    }
    logic! { bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize }
    macro_rules! any {
        ($($t:ty),*) => { $(
            check.operator::<$t, _>(concat!("First ", stringify!($t)), First);
            check.operator::<$t, _>(concat!("Last ", stringify!($t)), Last);
        )* };
    }
    any! { bool, u8, i128, f32, (u8, f64), (u8, u16, u32, u64, u8, bool, i8, half::f16), [u16; 5] }
    macro_rules! compensated {
        ($($t:ty)*) => { $(
            check.operator::<Compensated<$t>, _>(concat!("CompensatedSum ", stringify!($t)), CompensatedSum);
            check.function::<$t, Compensated<$t>, _>(concat!("Compensate ", stringify!($t)), Compensate);
            check.function::<Compensated<$t>, $t, _>(concat!("Rounded ", stringify!($t)), Rounded);
        )* };
    }
    compensated! { f32 f64 half::f16 half::bf16 }
    check.operator::<f32, _>("LogSumExp f32", LogSumExp);
    check.operator::<f64, _>("LogSumExp f64", LogSumExp);
    macro_rules! powers {
        ($($t:ty)*) => { $(
            check.operator::<Powers<$t>, _>(concat!("SumOfPowers ", stringify!($t)), SumOfPowers);
            check.function::<$t, Powers<$t>, _>(concat!("Power ", stringify!($t)), Power);
            check.function::<[$t; 4], Powers<$t>, _>(concat!("FourPowers ", stringify!($t)), FourPowers);
            check.function::<Powers<$t>, $t, _>(concat!("Logarithm ", stringify!($t)), Logarithm);
        )* };
    }
    powers! { f32 f64 half::f16 half::bf16 }
}
