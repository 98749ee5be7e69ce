//! Conversions: `as`, and `T::from` without loss.

use crate::operator::Element;
use half::{bf16, f16};

/// Conversion `x as U`: any integer, `f32`, `f64` and `bool` to any integer, `f32` and `f64` (`bool` to integers).
///
/// As in Rust: integers keep their low bits, an integer becomes the nearest float (ties to even), a float becomes the
/// integer towards 0, saturating, and NaN becomes 0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be converted to `{U}` with `as` in an operator",
    note = "for f16 and bf16 write `x.to_f32()`, `f16::from_f32(x)` or `bf16::from_f32(x)`; for bool write `x != 0`"
)]
pub trait Cast<U>: Element {
    /// `x as U`
    fn cast(x: Self) -> U;
}

macro_rules! casts {
    ($($from:ident)* => $to:tt) => { $(casts! { @from $from $to })* };
    (@from $from:ident { $($to:ident)* }) => { $(impl Cast<$to> for $from {
        #[inline(always)]
        fn cast(x: Self) -> $to {
            x as $to
        }
    })* };
}
casts! { char => { u32 u64 u128 i64 i128 } }
casts! {
    i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64
    => { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }
}
casts! { bool => { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool } }

/// An element type that holds every value of `T`, so that `U::from(x)` in an operator and
/// [`Widen`](crate::operator::Widen) can convert to it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold every value of `{T}`",
    note = "a conversion with loss is written `x as {Self}`"
)]
pub trait WidenFrom<T>: Element {
    /// Converts `x` without loss.
    fn widen_from(x: T) -> Self;
}

impl<T: Element> WidenFrom<T> for T {
    #[inline(always)]
    fn widen_from(x: T) -> T {
        x
    }
}
macro_rules! widens {
    ($($from:ident => $($to:ident)*;)*) => { $($(impl WidenFrom<$from> for $to {
        #[inline(always)]
        fn widen_from(x: $from) -> $to {
            <$to>::from(x)
        }
    })*)* };
}
macro_rules! widens_to_size {
    ($($from:ident => $to:ident;)*) => { $(impl WidenFrom<$from> for $to {
        #[inline(always)]
        fn widen_from(x: $from) -> $to {
            x as $to
        }
    })* };
}
// Lossless where `usize` has 32 bits or more, as it has on every device; the standard library has no `From` for them.
widens_to_size! {
    u16 => isize;
    u32 => usize;
    i32 => isize;
}
widens! {
    bool => i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize;
    u8 => u16 u32 u64 u128 usize i16 i32 i64 i128 isize f16 bf16 f32 f64;
    u16 => u32 u64 u128 usize i32 i64 i128 f32 f64;
    u32 => u64 u128 i64 i128 f64;
    u64 => u128 i128;
    i8 => i16 i32 i64 i128 isize f16 bf16 f32 f64;
    i16 => i32 i64 i128 isize f32 f64;
    i32 => i64 i128 f64;
    i64 => i128;
    f16 => f32 f64;
    bf16 => f32 f64;
    f32 => f64;
}
