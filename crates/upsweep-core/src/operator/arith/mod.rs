//! Meaning of the operations inside `#[operator]` and `#[function]` bodies.
//!
//! The macros rewrite every operation of a body into a call of one of these functions, and emit a call of the function
//! of the same name in `upsweep-cuda/kernels/arith.cuh` for the GPU. Each pair computes the same bits; the tests
//! `upsweep/tests/operators/bits.rs` (on a GPU) and `arith.rs` beside it (against Rust's own arithmetic) check that.
//! Operands that these functions do not accept do not compile, so that every body that compiles can be translated. The
//! mathematical functions in [`math`] are translated themselves and need no twin.

mod cast;
mod float;
mod integer;
#[doc(hidden)]
pub mod math;
mod traits;

use super::{Element, Source};
pub use cast::{Cast, WidenFrom};
pub use traits::{Float, Half, Integer, Logic, Number, Signed, Unsigned};

/// A constructor that operator bodies can call: implemented for tuple structs that are elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element that runs on the GPU",
    note = "an operator's body can call functions marked #[function] or #[operator], and constructors of tuple structs \
            with #[derive(Element)]"
)]
pub trait Callable {
    /// Adds the type to `source` and returns the C++ name of its constructor.
    fn cuda_name(source: &mut Source) -> String;
}

/// Type for which the hidden traits of marked functions are implemented.
#[derive(Clone, Copy, Debug)]
pub struct Functions;

/// C++ name of a function that is marked `#[function]` or `#[operator]`.
#[diagnostic::on_unimplemented(
    message = "an operator's body calls the function `{Self}`, which is not marked #[function]",
    label = "write #[function] above this function",
    note = "the GPU runs only functions that are translated: those marked #[function] or #[operator], each called by the \
            name that it was marked under"
)]
pub trait Marked {
    /// Returns the C++ name as a string.
    fn name(self) -> String;
}

#[diagnostic::do_not_recommend]
impl Marked for String {
    fn name(self) -> String {
        self
    }
}

/// Returns the C++ name of a function. It does not compile for a function that is not marked.
pub fn name_of<T: Marked>(name: T) -> String {
    name.name()
}

macro_rules! twins {
    ($($trait:ident { $($name:ident($($argument:ident),*) -> $result:ty;)* })*) => { $($(
        #[doc = concat!("[`", stringify!($trait), "::", stringify!($name), "`]")]
        #[inline(always)]
        pub fn $name<T: $trait>($($argument: T),*) -> $result {
            <T as $trait>::$name($($argument),*)
        }
    )*)* };
}
twins! {
    Number {
        add(a, b) -> T; sub(a, b) -> T; mul(a, b) -> T; div(a, b) -> T; rem(a, b) -> T;
        lt(a, b) -> bool; le(a, b) -> bool; gt(a, b) -> bool; ge(a, b) -> bool;
        min(a, b) -> T; max(a, b) -> T; minimum(a, b) -> T; maximum(a, b) -> T; clamp(x, low, high) -> T;
        div_euclid(a, b) -> T; rem_euclid(a, b) -> T;
    }
    Signed { neg(x) -> T; abs(x) -> T; signum(x) -> T; }
    Logic { bit_and(a, b) -> T; bit_or(a, b) -> T; bit_xor(a, b) -> T; bit_not(x) -> T; }
    Integer {
        saturating_add(a, b) -> T; saturating_sub(a, b) -> T; abs_diff(a, b) -> T::Unsigned;
        count_ones(x) -> u32; count_zeros(x) -> u32; leading_zeros(x) -> u32; trailing_zeros(x) -> u32;
        leading_ones(x) -> u32; trailing_ones(x) -> u32; swap_bytes(x) -> T; reverse_bits(x) -> T;
    }
    Unsigned { is_power_of_two(x) -> bool; }
    Float {
        sqrt(x) -> T; floor(x) -> T; ceil(x) -> T; trunc(x) -> T; round(x) -> T; fract(x) -> T; recip(x) -> T;
        mul_add(x, factor, addend) -> T; copysign(x, sign) -> T;
        exp(x) -> T; exp2(x) -> T; exp_m1(x) -> T; ln(x) -> T; log2(x) -> T; ln_1p(x) -> T; tanh(x) -> T;
        sin(x) -> T; cos(x) -> T; tan(x) -> T; atan(x) -> T; atan2(y, x) -> T;
        powf(x, y) -> T; cbrt(x) -> T; hypot(x, y) -> T;
        power_exponent(x) -> T; power_of_rest(x) -> T; power_over_distance(x) -> T; power_below(x) -> T;
        is_nan(x) -> bool; is_infinite(x) -> bool; is_finite(x) -> bool;
        is_sign_negative(x) -> bool; is_sign_positive(x) -> bool; to_bits(x) -> T::Bits;
    }
    Half { to_f32(x) -> f32; to_f64(x) -> f64; }
}

macro_rules! integer_aliases {
    ($($name:ident($($argument:ident: $ty:ty),*) = $twin:ident;)*) => { $(
        #[doc = concat!("As `", stringify!($twin), "`: integers wrap anyway.")]
        #[inline(always)]
        pub fn $name<T: Integer>($($argument: $ty),*) -> T {
            T::$twin($($argument),*)
        }
    )* };
}
integer_aliases! {
    wrapping_add(a: T, b: T) = add;
    wrapping_sub(a: T, b: T) = sub;
    wrapping_mul(a: T, b: T) = mul;
    wrapping_div(a: T, b: T) = div;
    wrapping_rem(a: T, b: T) = rem;
    wrapping_neg(x: T) = wrapping_neg;
    wrapping_shl(x: T, n: u32) = shl;
    wrapping_shr(x: T, n: u32) = shr;
    pow(x: T, n: u32) = pow;
    wrapping_pow(x: T, n: u32) = pow;
    rotate_left(x: T, n: u32) = rotate_left;
    rotate_right(x: T, n: u32) = rotate_right;
}

/// `|x|`; the lowest integer wraps to itself.
#[inline(always)]
pub fn wrapping_abs<T: Integer + Signed>(x: T) -> T {
    T::abs(x)
}
/// `x << n`, with `n` taken modulo the bits of `x`.
#[inline(always)]
pub fn shl<T: Integer, N: Integer>(x: T, n: N) -> T {
    T::shl(x, n.low_u32())
}
/// `x >> n`, with `n` taken modulo the bits of `x`.
#[inline(always)]
pub fn shr<T: Integer, N: Integer>(x: T, n: N) -> T {
    T::shr(x, n.low_u32())
}
/// `a == b`, field by field.
#[inline(always)]
pub fn eq<T: Element>(a: T, b: T) -> bool {
    a.equals(b)
}
/// `a != b`.
#[inline(always)]
pub fn ne<T: Element>(a: T, b: T) -> bool {
    !a.equals(b)
}
/// Returns the float whose bits are `bits`.
#[inline(always)]
pub fn from_bits<T: Float>(bits: T::Bits) -> T {
    T::from_bits(bits)
}
/// Returns the 16-bit float nearest to `x`, ties to even.
#[inline(always)]
pub fn from_f32<T: Half>(x: f32) -> T {
    T::from_f32(x)
}
/// `x as U`.
#[inline(always)]
pub fn cast<T: Cast<U>, U>(x: T) -> U {
    T::cast(x)
}
/// `U::from(x)`.
#[inline(always)]
pub fn from<U: WidenFrom<T>, T>(x: T) -> U {
    U::widen_from(x)
}

/// `array[index]`; an index past the end reads the last element.
#[inline(always)]
pub fn at<T, const N: usize>(index: usize, array: &[T; N]) -> &T {
    const { assert!(N > 0, "an array without elements cannot be indexed") };
    &array[if index < N { index } else { N - 1 }]
}
/// `array[index]` to assign to; an index past the end writes the last element.
#[inline(always)]
pub fn at_mut<T, const N: usize>(index: usize, array: &mut [T; N]) -> &mut T {
    const { assert!(N > 0, "an array without elements cannot be indexed") };
    &mut array[if index < N { index } else { N - 1 }]
}
/// `array[INDEX]`, checked when it is compiled:
///
/// ```compile_fail,E0080
/// #[upsweep::function]
/// fn past_the_end(x: [u32; 3]) -> u32 {
///     x[0] + x[3]
/// }
/// past_the_end([1, 2, 3]);
/// ```
#[inline(always)]
pub fn at_const<const INDEX: usize, T, const N: usize>(array: &[T; N]) -> &T {
    const { assert!(INDEX < N, "the index is past the end of the array") };
    &array[INDEX]
}
/// `array[INDEX]` to assign to, checked when it is compiled.
#[inline(always)]
pub fn at_const_mut<const INDEX: usize, T, const N: usize>(array: &mut [T; N]) -> &mut T {
    const { assert!(INDEX < N, "the index is past the end of the array") };
    &mut array[INDEX]
}

/// Returns the CUDA C++ expression of a constant.
pub fn constant<T: Element>(value: T, source: &mut Source) -> String {
    value.cuda_value(source)
}
/// Returns the CUDA C++ expression of a length, such as the bound of a loop.
#[must_use]
pub fn count(count: usize) -> String {
    count.to_string()
}
/// Range `low..high` of a loop.
#[inline(always)]
pub fn range<T>(low: T, high: T) -> std::ops::Range<T> {
    low..high
}
/// Range `low..=high` of a loop.
#[inline(always)]
pub fn range_inclusive<T>(low: T, high: T) -> std::ops::RangeInclusive<T> {
    low..=high
}
