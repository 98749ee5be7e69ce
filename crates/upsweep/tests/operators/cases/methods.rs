//! Every operation and every method of numbers, for every type that has it.

#![allow(unused_variables, reason = "the functions of a kind share their arguments")]

use super::{Check, Sample};
use half::{bf16, f16};
use upsweep::operator::{Cast, Float, Half, Integer, Logic, Number, Signed, Unsigned, WidenFrom, function};

/// Defines the functions of each kind, and a list of them to run.
macro_rules! methods {
    ($run:ident<$p:ident: $bound:ident>$arguments:tt: $input:ty; $(fn $name:ident -> $output:ty = $unit:ident $body:block)*) => {
        $(#[function]
        fn $name<$p: $bound>($arguments: $input) -> $output $body)*
        #[allow(clippy::multiple_bound_locations, reason = "T itself is often among the outputs")]
        fn $run<$p: $bound + Sample>(check: &mut impl Check)
        where $input: Sample, $($output: Sample),*
        {
            $(check.function::<$input, $output, _>(
                &format!("{} {}", stringify!($unit), std::any::type_name::<$p>()), $unit);)*
        }
    };
}

methods! { numbers<T: Number>(a, b): (T, T);
    fn plus -> T = Plus { a + b }
    fn minus -> T = Minus { a - b }
    fn times -> T = Times { a * b }
    fn over -> T = Over { a / b }
    fn modulo -> T = Modulo { a % b }
    fn order -> (bool, bool, bool, bool, bool, bool) = Order { (a < b, a <= b, a > b, a >= b, a == b, a != b) }
    fn least -> T = Least { a.min(b) }
    fn most -> T = Most { a.max(b) }
    fn minima -> T = Minima { T::minimum(a, b) }
    fn maxima -> T = Maxima { a.maximum(b) }
    fn clamped -> T = Clamped { a.clamp(b, T::ONE) }
    fn euclid -> T = Euclid { a.div_euclid(b) }
    fn euclid_rest -> T = EuclidRest { a.rem_euclid(b) }
}
methods! { signed<T: Signed>(a, b): (T, T);
    fn negative -> T = Negative { -a }
    fn magnitude -> T = Magnitude { (a + b).abs() }
    fn sign -> T = Sign { a.signum() }
}
methods! { logic<T: Logic>(a, b): (T, T);
    fn both -> T = Both { a & b }
    fn either -> T = Either { a | b }
    fn one -> T = One { a ^ b }
    fn inverse -> T = Inverse { !a }
}
methods! { integers<T: Integer>(a, b, n): (T, T, u32);
    fn left -> T = Left { a << b }
    fn right -> T = Right { a >> b }
    fn left_by -> T = LeftBy { a.wrapping_shl(n) }
    fn right_by -> T = RightBy { a.wrapping_shr(n) }
    fn wrapped_sum -> T = WrappedSum { a.wrapping_add(b) }
    fn wrapped_difference -> T = WrappedDifference { a.wrapping_sub(b) }
    fn wrapped_product -> T = WrappedProduct { a.wrapping_mul(b) }
    fn wrapped_quotient -> T = WrappedQuotient { a.wrapping_div(b) }
    fn wrapped_rest -> T = WrappedRest { a.wrapping_rem(b) }
    fn wrapped_negative -> T = WrappedNegative { a.wrapping_neg() }
    fn power -> T = Power { a.pow(n & 63) }
    fn wrapped_power -> T = WrappedPower { a.wrapping_pow(5) }
    fn saturated_sum -> T = SaturatedSum { a.saturating_add(b) }
    fn saturated_difference -> T = SaturatedDifference { a.saturating_sub(b) }
    fn turned_left -> T = TurnedLeft { a.rotate_left(n) }
    fn turned_right -> T = TurnedRight { a.rotate_right(n) }
    fn counts -> (u32, u32, u32, u32, u32, u32) = Counts {
        (a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros(), a.leading_ones(), a.trailing_ones())
    }
    fn bytes -> T = Bytes { a.swap_bytes() }
    fn mirrored -> T = Mirrored { a.reverse_bits() }
}
methods! { unsigned<T: Unsigned>(a, _b): (T, T);
    fn power_of_two -> bool = PowerOfTwo { a.is_power_of_two() }
}
methods! { floats<T: Float>(a, b, c): (T, T, T);
    fn root -> T = Root { a.sqrt() }
    fn down -> T = Down { a.floor() }
    fn up -> T = Up { a.ceil() }
    fn cut -> T = Cut { a.trunc() }
    fn nearest -> T = Nearest { a.round() }
    fn rest -> T = Rest { a.fract() }
    fn inverted -> T = Inverted { a.recip() }
    fn fused -> T = Fused { a.mul_add(b, c) }
    fn not_fused -> T = NotFused { a * b + c }
    fn signed_as -> T = SignedAs { a.copysign(b) }
    fn kinds -> (bool, bool, bool, bool, bool) = Kinds {
        (a.is_nan(), a.is_infinite(), a.is_finite(), a.is_sign_negative(), a.is_sign_positive())
    }
    fn through_bits -> T = ThroughBits { T::from_bits(a.to_bits() ^ b.to_bits()) }
}
methods! { functions<T: Float>(a, b): (T, T);
    fn e_power -> T = EPower { a.exp() }
    fn two_power -> T = TwoPower { a.exp2() }
    fn e_power_less_one -> T = EPowerLessOne { a.exp_m1() }
    fn hyperbolic -> T = Hyperbolic { a.tanh() }
    fn natural_log -> T = NaturalLog { a.ln() }
    fn binary_log -> T = BinaryLog { a.log2() }
    fn log_of_one_more -> T = LogOfOneMore { a.ln_1p() }
    fn sine -> T = Sine { a.sin() }
    fn cosine -> T = Cosine { a.cos() }
    fn tangent -> T = Tangent { T::tan(a) }
    fn arc_tangent -> T = ArcTangent { a.atan() }
    fn angle -> T = Angle { a.atan2(b) }
    fn real_power -> T = RealPower { a.powf(b) + T::powf(b, a) }
    fn cube_root -> T = CubeRoot { a.cbrt() }
    fn long_side -> T = LongSide { a.hypot(b) }
}
methods! { halves<T: Half>(a, x): (T, f32);
    fn narrowed -> T = Narrowed { T::from_f32(x) }
    fn widened -> (f32, f64) = Widened { (a.to_f32(), a.to_f64()) }
}

macro_rules! differences {
    ($($name:ident $unit:ident $t:ty => $u:ty;)*) => {
        $(#[function]
        fn $name((a, b): ($t, $t)) -> $u { a.abs_diff(b) })*
        fn differences(check: &mut impl Check) {
            $(check.function::<($t, $t), $u, _>(stringify!($unit), $unit);)*
        }
    };
}
differences! {
    diff_a DiffA i8 => u8; diff_b DiffB i16 => u16; diff_c DiffC i32 => u32; diff_d DiffD i64 => u64;
    diff_e DiffE i128 => u128; diff_f DiffF u8 => u8; diff_g DiffG u16 => u16; diff_h DiffH u32 => u32;
    diff_i DiffI u64 => u64; diff_j DiffJ u128 => u128; diff_k DiffK isize => usize;
}

#[function]
fn wrapped_magnitude<T: Integer + Signed>(x: T) -> T {
    x.wrapping_abs()
}

/// Type that `as` converts to every number type.
trait CastsAll:
    Cast<i8>
    + Cast<i16>
    + Cast<i32>
    + Cast<i64>
    + Cast<i128>
    + Cast<u8>
    + Cast<u16>
    + Cast<u32>
    + Cast<u64>
    + Cast<u128>
    + Cast<f32>
    + Cast<f64>
    + Cast<usize>
    + Cast<isize>
{
}
macro_rules! casts_all { ($($t:ty)*) => { $(impl CastsAll for $t {})* }; }
casts_all! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
#[function]
fn to_signed<T: CastsAll>(x: T) -> (i8, i16, i32, i64, i128, isize) {
    (x as i8, x as i16, x as i32, x as i64, x as i128, x as isize)
}
#[function]
fn to_unsigned<T: CastsAll>(x: T) -> (u8, u16, u32, u64, u128, usize) {
    (x as u8, x as u16, x as u32, x as u64, x as u128, x as usize)
}
#[function]
fn to_floats<T: CastsAll>(x: T) -> (f32, f64) {
    (x as f32, x as f64)
}
#[function]
fn of_bool((a, b): (bool, bool)) -> (u8, i32, u128, u64) {
    (a as u8, (a ^ b) as i32, b as u128, u64::from(a && !b))
}
trait Small: Sized + upsweep::Element {}
impl Small for u8 {}
impl Small for i8 {}
#[function]
fn lossless<T: Small>(x: T) -> (f16, bf16, f32, f64, i16, i128)
where
    f16: WidenFrom<T>,
    bf16: WidenFrom<T>,
    f32: WidenFrom<T>,
    f64: WidenFrom<T>,
    i16: WidenFrom<T>,
    i128: WidenFrom<T>,
{
    (f16::from(x), bf16::from(x), f32::from(x), f64::from(x), i16::from(x), i128::from(x))
}
#[function]
fn lossless_floats((a, b, c): (f16, bf16, f32)) -> (f32, f32, f64, f64) {
    (f32::from(a), f32::from(b), f64::from(c), f64::from(b))
}

macro_rules! each {
    ($check:ident, $($run:ident: $($t:ty)*;)*) => { $($($run::<$t>($check);)*)* };
}

/// Every case.
pub(crate) fn all(check: &mut impl Check) {
    each! { check,
        numbers: i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f16 bf16 f32 f64;
        signed: i8 i16 i32 i64 i128 f16 bf16 f32 f64;
        logic: bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128;
        integers: i8 i16 i32 i64 i128 u8 u16 u32 u64 u128;
        unsigned: u8 u16 u32 u64 u128;
        floats: f16 bf16 f32 f64;
        functions: f16 bf16 f32 f64;
        halves: f16 bf16;
    }
    differences(check);
    macro_rules! magnitudes {
        ($($t:ty)*) => { $(check.function::<$t, $t, _>(concat!("WrappedMagnitude ", stringify!($t)), WrappedMagnitude);)* };
    }
    magnitudes! { i8 i16 i32 i64 i128 isize }
    macro_rules! casts {
        ($($t:ty)*) => { $(
            check.function::<$t, _, _>(concat!("ToSigned ", stringify!($t)), ToSigned);
            check.function::<$t, _, _>(concat!("ToUnsigned ", stringify!($t)), ToUnsigned);
            check.function::<$t, _, _>(concat!("ToFloats ", stringify!($t)), ToFloats);
        )* };
    }
    casts! { i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize f32 f64 }
    check.function::<(bool, bool), _, _>("OfBool", OfBool);
    check.function::<u8, _, _>("Lossless u8", Lossless);
    check.function::<i8, _, _>("Lossless i8", Lossless);
    check.function::<(f16, bf16, f32), _, _>("LosslessFloats", LosslessFloats);
}
