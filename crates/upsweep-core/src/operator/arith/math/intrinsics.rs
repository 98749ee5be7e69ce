//! Functions that `#[function]` bodies call but that are written separately for Rust and for C++: the raw bits of a
//! float, and polynomials and a table, whose numbers exceed an element.

use super::super::Functions;
use crate::operator::{Element, Source};
use std::any::TypeId;

/// Defines the C++ name of a function, where [`function`](macro@crate::operator::function) finds it.
macro_rules! cuda_name {
    ($name:ident $method:ident $(<$parameter:ident: $bound:ident>)?, |$source:pat_param| $body:expr) => {
        #[allow(non_camel_case_types, reason = "it is found by the function's name")]
        pub trait $name {
            fn $method $(<$parameter: $bound>)? (self, source: &mut Source) -> String;
        }
        impl $name for Functions {
            fn $method $(<$parameter: $bound>)? (self, $source: &mut Source) -> String {
                $body
            }
        }
    };
}
pub(super) use cuda_name;

/// Returns the raw bits of an `f64`, NaN payloads included. Users' bodies must not see payloads, so they have
/// `to_bits`.
#[inline(always)]
pub fn bits(x: f64) -> u64 {
    x.to_bits()
}
cuda_name! { bits cuda_name_of_bits, |_| "arith::raw_bits".to_owned() }

/// Returns the raw bits of an `f32`, NaN payloads included.
#[inline(always)]
pub fn bits_f32(x: f32) -> u32 {
    x.to_bits()
}
cuda_name! { bits_f32 cuda_name_of_bits_f32, |_| "arith::raw_bits".to_owned() }

/// Returns `x`, or `bound` where `x` is more or NaN; `bound` is not 0. One instruction.
#[inline(always)]
pub fn at_most_f32(x: f32, bound: f32) -> f32 {
    if x < bound { x } else { bound }
}
cuda_name! { at_most_f32 cuda_name_of_at_most_f32, |_| "arith::least".to_owned() }

/// Returns `x`, or `bound` where `x` is more or NaN, as `at_most_f32` does.
#[inline(always)]
pub fn at_most_f64(x: f64, bound: f64) -> f64 {
    if x < bound { x } else { bound }
}
cuda_name! { at_most_f64 cuda_name_of_at_most_f64, |_| "arith::least".to_owned() }

/// Returns `x`, or `bound` where `x` is less or NaN; `bound` is not 0. One instruction.
#[inline(always)]
pub fn at_least_f32(x: f32, bound: f32) -> f32 {
    if x > bound { x } else { bound }
}
cuda_name! { at_least_f32 cuda_name_of_at_least_f32, |_| "arith::most".to_owned() }

/// Returns `x`, or `bound` where `x` is less or NaN, as `at_least_f32` does.
#[inline(always)]
pub fn at_least_f64(x: f64, bound: f64) -> f64 {
    if x > bound { x } else { bound }
}
cuda_name! { at_least_f64 cuda_name_of_at_least_f64, |_| "arith::most".to_owned() }

/// Coefficients of a polynomial, the lowest first.
pub trait Coefficients: 'static {
    const ALL: &'static [f64];
}

/// Defines sets of [`Coefficients`].
macro_rules! coefficients {
    ($($(#[$doc:meta])* $vis:vis $name:ident = [$($coefficient:expr),* $(,)?];)*) => { $(
        $(#[$doc])*
        $vis struct $name;
        impl $crate::operator::arith::math::intrinsics::Coefficients for $name {
            const ALL: &'static [f64] = &[$($coefficient),*];
        }
    )* };
}
pub(super) use coefficients;

/// Returns the value at `x` of the polynomial with coefficients c: `c[0] + x (c[1] + x (c[2] + ..))`.
#[inline(always)]
pub fn polynomial<C: Coefficients>(x: f64) -> f64 {
    C::ALL.iter().rev().copied().reduce(|sum, c| sum * x + c).unwrap_or(0.0)
}
cuda_name! { polynomial cuda_name_of_polynomial<C: Coefficients>, |source| {
    source.define(&format!("polynomial {:?}", TypeId::of::<C>()), "polynomial", |source, name| {
        let coefficients = C::ALL.iter().rev().map(|c| c.cuda_value(source));
        let sum = coefficients.reduce(|sum, c| format!("({sum} * x + {c})")).unwrap_or_default();
        format!("ARITH f64 {name}(f64 x) {{ return {sum}; }}")
    })
} }

/// Bits of 2 / pi: 64 bits before the point, which are 0, and 1280 after it.
const TWO_OVER_PI: [u64; 21] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// Returns 64 bits of 2 / pi: word `word` of the table, from 0 to 20; 0 for words after it.
#[inline(always)]
pub fn two_over_pi(word: usize) -> u64 {
    TWO_OVER_PI.get(word).copied().unwrap_or(0)
}
cuda_name! { two_over_pi cuda_name_of_two_over_pi, |source| {
    source.define("math two_over_pi", "two_over_pi", |_, name| {
        let words = TWO_OVER_PI.map(|word| format!("{word:#x}ull")).join(", ");
        format!(
            "__device__ const u64 {name}_words[] = {{{words}}};\n\
             ARITH u64 {name}(u64 word) {{ return word < 21 ? {name}_words[word] : 0; }}"
        )
    })
} }

/// Defines a C++ function that calls `function` out of line, once per kernel however often it is called, and returns
/// its name.
pub fn called(source: &mut Source, function: &str, result: &str, parameters: &str) -> String {
    source.define(&format!("called {function}"), &format!("called_{function}"), |_, name| {
        let arguments: Vec<&str> = parameters.split(", ").filter_map(|parameter| parameter.split(' ').nth(1)).collect();
        let arguments = arguments.join(", ");
        format!("__device__ __noinline__ {result} {name}({parameters}) {{ return {function}({arguments}); }}")
    })
}
