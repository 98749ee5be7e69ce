//! Mathematical functions that bodies can call, with the same bits on every processor.
//!
//! The functions are written once, with [`#[function]`](macro@crate::operator::function), of operations that are
//! rounded in the same way everywhere: + - * / and square roots, integers, and the bits of floats. So the CUDA C++ of
//! each comes from its Rust, and a kernel contains only the functions that its bodies call. There is no fused
//! multiply-add, which a CPU without the instruction computes in software.
//!
//! Functions of f64 err by less than one to two units in the last place; they carry the low part of a sum in a second
//! float where a single float would err by more. Functions of f32 compute in f64 and round once, so that they err by
//! little more than half a unit. f16 and bf16 use the functions of f32 and round again. The polynomials are from
//! `xtask/math/coefficients.py`, the errors in the documentation of [`Float`](crate::operator::Float) from the tests in
//! `upsweep/tests/operators/math`.

#![allow(dead_code, unreachable_pub, reason = "each function is also a unit struct, which nobody needs")]

mod atan;
mod exact;
mod exp;
mod far;
pub mod intrinsics;
mod log;
mod power;
mod roots;
mod sum_of_powers;
mod trig;

use super::Functions;
use crate::operator::Source;

/// Returns the C++ text of the function `name` of one argument, from the names of the functions of f64 and f32.
fn of_one(name: &str, double: &str, single: &str) -> String {
    format!(
        "template <class T> ARITH T {name}(T x) {{\n  \
         if constexpr (arith::same_type<T, f64>) return {double}(x);\n  \
         else return arith::narrow<T>({single}(arith::widen(x)));\n}}"
    )
}

/// Returns the C++ text of a function of two arguments, one of which can be a number without a type.
fn of_two(name: &str, double: &str, single: &str) -> String {
    format!(
        "template <class A, class B> ARITH auto {name}(A left, B right) {{\n  \
         typedef common_t<A, B> T;\n  const T a = left, b = right;\n  \
         if constexpr (arith::same_type<T, f64>) return {double}(a, b);\n  \
         else return arith::narrow<T>({single}(arith::widen(a), arith::widen(b)));\n}}"
    )
}

/// Placement of a C++ function of f64 or f32. A kernel calls one function for many elements at once: an inlined copy of
/// a long function for each element would take a second and more to compile.
enum Place {
    Inline,
    Called(&'static str, &'static str),
}
const INLINE: Place = Place::Inline;
const CALLED: Place = Place::Called("f64", "f64 x");
const CALLED_WITH_TWO: Place = Place::Called("f64", "f64 x, f64 y");

impl Place {
    fn name(self, function: String, source: &mut Source) -> String {
        match self {
            Self::Inline => function,
            Self::Called(result, parameters) => intrinsics::called(source, &function, result, parameters),
        }
    }
}

macro_rules! functions {
    ($($name:ident($($argument:ident),*) $text:ident: $family:ident
       $double:ident $double_name:ident $place:ident $single:ident $single_name:ident;)*) => {
        /// Mathematical functions, with implementations for `f32` and for `f64`.
        pub(super) trait Elementary: Sized {
            $(fn $name($($argument: Self),*) -> Self;)*
        }
        impl Elementary for f32 {
            $(#[inline(always)]
            fn $name($($argument: Self),*) -> Self {
                $family::$single($($argument),*)
            })*
        }
        impl Elementary for f64 {
            $(#[inline(always)]
            fn $name($($argument: Self),*) -> Self {
                $family::$double($($argument),*)
            })*
        }
        $(
            #[doc = concat!("Adds `", stringify!($name), "`, for every type of floats, to `source` and returns its C++ name.")]
            pub fn $name(source: &mut Source) -> String {
                source.define(concat!("math ", stringify!($name)), stringify!($name), |source, name| {
                    use $family::{$double, $single};
                    let double = $place.name(Functions.$double_name(source), source);
                    let single = Functions.$single_name(source);
                    $text(name, &double, &single)
                })
            }
        )*
    };
}
functions! {
    exp(x) of_one: exp exp_double cuda_name_of_exp_double INLINE exp_single cuda_name_of_exp_single;
    exp2(x) of_one: exp exp2_double cuda_name_of_exp2_double INLINE exp2_single cuda_name_of_exp2_single;
    exp_m1(x) of_one: exp exp_m1_double cuda_name_of_exp_m1_double INLINE exp_m1_single cuda_name_of_exp_m1_single;
    tanh(x) of_one: exp tanh_double cuda_name_of_tanh_double CALLED tanh_single cuda_name_of_tanh_single;
    ln(x) of_one: log ln_double cuda_name_of_ln_double INLINE ln_single cuda_name_of_ln_single;
    log2(x) of_one: log log2_double cuda_name_of_log2_double INLINE log2_single cuda_name_of_log2_single;
    ln_1p(x) of_one: log ln_1p_double cuda_name_of_ln_1p_double INLINE ln_1p_single cuda_name_of_ln_1p_single;
    sin(x) of_one: trig sin_double cuda_name_of_sin_double CALLED sin_single cuda_name_of_sin_single;
    cos(x) of_one: trig cos_double cuda_name_of_cos_double CALLED cos_single cuda_name_of_cos_single;
    tan(x) of_one: trig tan_double cuda_name_of_tan_double CALLED tan_single cuda_name_of_tan_single;
    atan(x) of_one: atan atan_double cuda_name_of_atan_double CALLED atan_single cuda_name_of_atan_single;
    atan2(y, x) of_two: atan atan2_double cuda_name_of_atan2_double CALLED_WITH_TWO atan2_single cuda_name_of_atan2_single;
    powf(x, y) of_two: power powf_double cuda_name_of_powf_double CALLED_WITH_TWO powf_single cuda_name_of_powf_single;
    cbrt(x) of_one: roots cbrt_double cuda_name_of_cbrt_double INLINE cbrt_single cuda_name_of_cbrt_single;
    hypot(x, y) of_two: roots hypot_double cuda_name_of_hypot_double INLINE hypot_single cuda_name_of_hypot_single;
    power_exponent(x) of_one: sum_of_powers power_exponent_double cuda_name_of_power_exponent_double INLINE
        power_exponent_single cuda_name_of_power_exponent_single;
    power_of_rest(x) of_one: sum_of_powers power_of_rest_double cuda_name_of_power_of_rest_double INLINE
        power_of_rest_single cuda_name_of_power_of_rest_single;
    power_over_distance(x) of_one: sum_of_powers power_over_distance_double cuda_name_of_power_over_distance_double INLINE
        power_over_distance_single cuda_name_of_power_over_distance_single;
    power_below(x) of_one: sum_of_powers power_below_double cuda_name_of_power_below_double INLINE
        power_below_single cuda_name_of_power_below_single;
}
