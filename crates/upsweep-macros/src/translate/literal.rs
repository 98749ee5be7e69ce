//! Translation of numbers, `true` and `false`.

use super::translator::{Both, Want};
use super::untyped::untyped_error;
use crate::cuda::{Cuda, cuda};
use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Error, Expr, Lit, LitFloat, LitInt, Result};

/// Translates a number or bool. With `negative` the number is negated, with `inverted` its bits are inverted.
pub(super) fn literal(literal: &Lit, negative: bool, inverted: bool, want: &Want, whole: &Expr) -> Result<Both> {
    let (text, suffix) = match literal {
        Lit::Int(number) if number.suffix().starts_with('f') => (
            float_text(&LitFloat::new(&format!("{}.0", number.base10_digits()), number.span()), negative)?,
            number.suffix(),
        ),
        Lit::Int(number) => (integer_text(number, negative, inverted)?, number.suffix()),
        Lit::Float(_) if inverted => return Err(Error::new(whole.span(), "`!` works on integers and bool")),
        Lit::Float(number) => (float_text(number, negative)?, number.suffix()),
        Lit::Byte(byte) => (format!("int_lit({:#x}ull)", byte.value()), "u8"),
        Lit::Bool(value) => return Ok(Both { rust: literal.to_token_stream(), cuda: value.value.to_string().into() }),
        other => return Err(Error::new(other.span(), "an operator's body has numbers, `true` and `false` only")),
    };
    let cuda = match (suffix, want) {
        ("", Want::Type(ty)) => cuda![ty, "(", text, ")"],
        ("", Want::Convert) => text.into(),
        ("", Want::Unknown) => return Err(untyped_error(whole)),
        (suffix, _) => {
            let ty = Ident::new(suffix, literal.span());
            cuda![Cuda::ty(ty), "(", text, ")"]
        }
    };
    Ok(Both { rust: literal.to_token_stream(), cuda })
}

fn integer_text(number: &LitInt, negative: bool, inverted: bool) -> Result<String> {
    let mut bits: u128 = number.base10_parse()?;
    if negative {
        bits = bits.wrapping_neg();
    }
    if inverted {
        bits = !bits;
    }
    let (high, low) = ((bits >> 64) as u64, bits as u64);
    Ok(if high == 0 { format!("int_lit({low:#x}ull)") } else { format!("int_lit({high:#x}ull, {low:#x}ull)") })
}

fn float_text(number: &LitFloat, negative: bool) -> Result<String> {
    let (mut wide, mut narrow): (f64, f32) = (number.base10_parse()?, number.base10_parse()?);
    if negative {
        (wide, narrow) = (-wide, -narrow);
    }
    Ok(format!("float_lit({:#x}ull, {:#x}u)", wide.to_bits(), narrow.to_bits()))
}
