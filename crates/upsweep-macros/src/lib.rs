//! Macros of upsweep: `#[operator]`, `#[function]` and `#[derive(Element)]`.
//!
//! Use them through the `upsweep` crate, which documents the code they accept and the results it computes.

mod attribute;
mod callee;
mod cuda;
mod element;
mod form;
mod keys;
mod signature;
mod translate;

use proc_macro::TokenStream;

/// Makes an operator of a Rust function of two values of one type, for the CPU and for the GPU.
///
/// `#[operator] fn then(f: Affine, g: Affine) -> Affine { .. }` leaves `then` callable and defines the unit struct
/// `Then`, of the same visibility, that implements `Operator<Affine>`. With `#[operator(identity = EXPR)]` the operator
/// has an identity; `EXPR` is any Rust expression of the element's type. With `#[operator(name = Name)]` the struct has
/// that name, where `Then` is taken. The function may be generic over the element type: `fn sum<T: Number>(a: T, b: T)
/// -> T`.
///
/// The operator must be associative: `then(then(a, b), c) == then(a, then(b, c))`. `upsweep::operator::check_laws`
/// tests that on samples. It need not be commutative.
///
/// The body is as for [`macro@function`], and the operator can hold values as a function can; `EXPR` can name them.
#[proc_macro_attribute]
pub fn operator(arguments: TokenStream, item: TokenStream) -> TokenStream {
    attribute::operator(arguments.into(), item.into()).into()
}

/// Makes a function of one to four elements, and of values that it holds, run on the CPU and on the GPU.
///
/// `#[function] fn square(x: f32) -> f32 { x * x }` leaves `square` callable and defines the unit struct `Square`, of
/// the same visibility, that implements `Function<(f32,)>`; with `#[function(name = Name)]` that struct is `Name`. The
/// function is no method: it stands outside of every `impl`. Other functions and operators can call it by its path; a
/// call of a generic function names its types: `twice::<T>(x)`.
///
/// # Values
/// An argument that is marked `#[param]` is a value that the function holds: `#[function] fn pull(#[param] a: f32, x:
/// f32) -> f32 { a * x }` leaves `pull(a, x)` callable and defines `struct Pull { a: f32 }`, whose field is as visible
/// as the function, and which implements `Function<(f32,)>`. Values are elements and arrays of elements of any length,
/// up to 2 KiB together in all functions of a call. On the GPU they travel with each launch: another value compiles and
/// loads nothing.
///
/// # What a body can contain
/// - `let` with `mut`, types, tuple patterns and struct patterns; assignment and `+=` to variables, fields and array
///   elements; `if`/`else` and blocks, also as values; `for i in a..b` and `a..=b`; `return`.
/// - `+ - * / % & | ^ ! << >> == != < <= > >= && ||`, `as`, `T::from(x)` without loss, `f16::from_f32(x)`, `x.to_f32()`.
/// - Fields, struct literals with `..base`, tuples, arrays `[a, b]`, `[x; N]` and `a[i]`.
/// - The methods of numbers: `min max minimum maximum clamp abs signum sqrt floor ceil trunc round fract recip mul_add
///   copysign is_nan is_infinite is_finite is_sign_negative is_sign_positive to_bits from_bits wrapping_add wrapping_sub
///   wrapping_mul wrapping_div wrapping_rem wrapping_neg wrapping_abs wrapping_shl wrapping_shr wrapping_pow
///   saturating_add saturating_sub abs_diff pow div_euclid rem_euclid rotate_left rotate_right count_ones count_zeros
///   leading_zeros trailing_zeros leading_ones trailing_ones swap_bytes reverse_bits is_power_of_two`; and of floats
///   `exp exp2 exp_m1 ln log2 ln_1p sin cos tan atan atan2 tanh powf cbrt hypot`.
/// - Constants by path (`MODULUS`, `f32::MAX`, `T::ZERO`), evaluated on the host.
/// - Calls of other functions marked `#[function]` or `#[operator]`, by the names that they were marked under: not by
///   the name of a `use helper as other`.
///
/// Anything else is a compile error that says what to write instead.
///
/// # What it computes
/// The same bits on the CPU and on the GPU, in debug and in release builds:
/// - Integers wrap. Shifts take the distance modulo the number of bits. `x / 0` is 0, `x % 0` is `x`, and
///   `MIN / -1` is `MIN`. Nothing panics.
/// - Floats round to nearest even after each operation; no multiply and add is fused unless `mul_add` says so. An
///   operation on `f16` or `bf16` is done in `f32` and its result rounded.
/// - `exp`, `sin`, `powf` and the like are made of such operations, whatever library the processor has. Their bits
///   differ from those of `f32::exp`, but are the same everywhere. The error is at most 0.51 units in the last place
///   for `f32` (0.9 for `exp`), and 1.6 for `f64`. The documentation of `Float` has the error of each.
/// - `as` from a float saturates and turns NaN into 0; `as` from an integer rounds to nearest even.
/// - The payload and sign of a NaN are never seen: `to_bits` and `copysign` see `f32::NAN` for every NaN.
/// - `clamp` is `low` if `x < low`, then `high` if that is `> high`, also when `low > high`.
/// - A constant index past the end of an array does not compile; a computed index past the end takes the last element.
/// - The bounds of `for i in 0..4` are `usize` when both are numbers without a type.
#[proc_macro_attribute]
pub fn function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    attribute::function(arguments.into(), item.into()).into()
}

/// Makes a `#[repr(C)]` struct of elements an element, with the same layout in CUDA C++.
///
/// The struct must be `Copy` and have at most 64 bytes. It may be generic over elements: `Pair<T> { a: T, b: T }`.
///
/// Fields marked `#[key]` are the keys of `Sort::by_fields`, the first one first: integers, `bool`, `char` and floats.
#[proc_macro_derive(Element, attributes(key))]
pub fn element(item: TokenStream) -> TokenStream {
    element::derive(item.into()).into()
}
