//! Sequential loop on one core, as in a program without upsweep: the baseline of its measurements.

use crate::kernels::kernels;
use crate::{Error, Number, Op, Result, Type, Value, View, ViewMut};

/// Computes the inclusive scan of `x` with `op`, to `out`.
///
/// # Errors
/// [`Error::Operator`]; [`upsweep::Error::Length`] when `out` is shorter or longer than `x`; [`Error::Options`] when
/// `out` has another type than `x`.
pub fn scan(op: Op, x: View<'_>, out: ViewMut<'_>) -> Result<()> {
    op.check(x.element())?;
    let (x, out) = if op.keeps_bits() { (x.unsigned(), out.unsigned()) } else { (x, out) };
    macro_rules! of_types {
        ($($variant:ident)*) => {
            match (x, out) {
                $((View::$variant(x), ViewMut::$variant(out)) if x.len() == out.len() => {
                    (kernels(op)?.plain_scan)(x, out);
                    Ok(())
                })*
                (x, out) if x.element() == out.element() => {
                    Err(upsweep::Error::Length { what: "output", found: out.len(), expected: x.len() }.into())
                }
                _ => Err(Error::Options { options: "x and out", reason: "they have different types: give one" }),
            }
        };
    }
    of_types! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
}

/// Computes the reduction of `x` with `op`; `None` without elements.
///
/// # Errors
/// [`Error::Operator`]
pub fn reduce(op: Op, x: View<'_>) -> Result<Option<Number>> {
    let element = x.element();
    op.check(element)?;
    let x = if op.keeps_bits() { x.unsigned() } else { x };
    crate::with_view!(x, x => Ok((kernels(op)?.plain_reduce)(x).map(|value| number(value, element))))
}

/// Returns the number that `value` is as a value of type `element`: a signed integer was computed as the unsigned `T`
/// with the same bits.
fn number<T: Value>(value: T, element: Type) -> Number {
    match (value.number(), element) {
        (Number::Integer(n), Type::I8) => Number::Integer((n as i8).into()),
        (Number::Integer(n), Type::I16) => Number::Integer((n as i16).into()),
        (Number::Integer(n), Type::I32) => Number::Integer((n as i32).into()),
        (Number::Integer(n), Type::I64) => Number::Integer((n as i64).into()),
        (number, _) => number,
    }
}
