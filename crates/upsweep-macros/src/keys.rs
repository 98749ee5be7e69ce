//! Fields marked `#[key]`: functions that combine them into sort keys.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Error, Field, Fields, Ident, Member, Result, Type};

/// Largest number of bits of a sort key.
const MOST: u32 = 128;

/// Returns the implementation of the trait `Fields`, by which `Sort::by_fields` sorts the struct; nothing if no field
/// is a key.
pub(crate) fn implementation(input: &DeriveInput, fields: &Fields, members: &[Member]) -> Result<TokenStream> {
    let mut keys = Vec::new();
    for (field, member) in fields.iter().zip(members) {
        if let Some(mark) = field.attrs.iter().find(|attribute| attribute.path().is_ident("key")) {
            mark.meta.require_path_only()?;
            let (name, bits) = kind(field)?;
            keys.push((member, name, bits));
        }
    }
    if keys.is_empty() {
        return Ok(TokenStream::new());
    }
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(
            parameter,
            "a struct with #[key] fields has no parameters: give Sort::by_key a function",
        ));
    }
    // Neighbouring fields whose bits fit in one sort key are combined to one.
    let mut parts: Vec<(u32, Vec<_>)> = Vec::new();
    for key in keys {
        match parts.last_mut() {
            Some((sum, part)) if *sum + key.2 <= MOST => {
                *sum += key.2;
                part.push(key);
            }
            _ => parts.push((key.2, vec![key])),
        }
    }
    let (name, number) = (&input.ident, parts.len());
    let (mut functions, mut calls) = (TokenStream::new(), Vec::new());
    for (index, (sum, part)) in parts.iter().enumerate() {
        let (function, value) = (format_ident!("part_{index}"), format_ident!("Part{index}"));
        let bits = [32, 64].into_iter().find(|bits| sum <= bits).unwrap_or(MOST);
        let ty = format_ident!("u{bits}");
        let mut left = *sum;
        let terms = part.iter().map(|(member, kind, width)| {
            left -= width;
            // The path has no leading `::`, which bodies of functions cannot have.
            let of = format_ident!("of_{kind}");
            quote!(((upsweep::sort_by_fields::in_order::#of(x.#member, descending) as #ty) << #left))
        });
        functions.extend(quote! {
            #[::upsweep::function]
            fn #function(#[param] descending: bool, x: #name) -> #ty {
                #(#terms)|*
            }
        });
        calls.push(quote!(sort.by(#value { descending })?;));
    }
    calls.reverse();
    Ok(quote! {
        const _: () = {
            #functions

            #[automatically_derived]
            impl ::upsweep::sort_by_fields::Fields for #name {
                const PARTS: usize = #number;
                fn each<S: ::upsweep::sort_by_fields::SortPart<Self>>(sort: &mut S, descending: bool) -> ::upsweep::Result<()> {
                    #(#calls)*
                    ::core::result::Result::Ok(())
                }
            }
        };
    })
}

/// Returns the name of a key field's type, and its number of bits.
fn kind(field: &Field) -> Result<(Ident, u32)> {
    let name = match &field.ty {
        Type::Path(path) if path.qself.is_none() => {
            path.path.segments.last().filter(|segment| segment.arguments.is_empty())
        }
        _ => None,
    };
    let bits = name.and_then(|segment| match segment.ident.to_string().as_str() {
        "u8" | "i8" | "bool" => Some(8),
        "u16" | "i16" | "f16" | "bf16" => Some(16),
        "u32" | "i32" | "f32" | "char" => Some(32),
        "u64" | "i64" | "f64" | "usize" | "isize" => Some(64),
        "u128" | "i128" => Some(128),
        _ => None,
    });
    name.zip(bits).map(|(segment, bits)| (segment.ident.clone(), bits)).ok_or_else(|| {
        let message = "a #[key] field is an integer, bool, char, f16, bf16, f32 or f64, by that name: mark the fields of an \
                       inner struct in a function for Sort::by_key instead";
        Error::new_spanned(&field.ty, message)
    })
}
