//! Lookup of the CUDA C++ of the functions that a body calls.
//!
//! A marked function `helper` has a hidden trait of the same name, so that an import of the function imports both. The
//! trait has one method, `cuda_name_of_helper`, for the type `arith::Functions`. A call of `helper` becomes a call of
//! that method. Each call has a fallback beside it: a method of that name for `&Functions`. The compiler takes the
//! fallback where the trait is missing, and its result says that the function is not marked.

use crate::cuda::source;
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ExprPath, GenericArgument, PathArguments, UseTree, parse_quote};

/// Name of the hidden method that gives the C++ name of the function `name`.
pub(crate) fn method(name: &Ident) -> Ident {
    let plain = name.to_string();
    Ident::new(&format!("cuda_name_of_{}", plain.trim_start_matches("r#")), name.span())
}

/// Rust expression that gives the C++ name of the function that a call names by `path`: a marked function, or the
/// constructor of a tuple struct, whose name begins with an upper-case letter.
pub(crate) fn cuda_name(path: &ExprPath) -> TokenStream {
    let source = source();
    let Some(last) = path.path.segments.last() else { return TokenStream::new() };
    if last.ident.to_string().starts_with(char::is_uppercase) {
        return quote!(<#path as ::upsweep::operator::arith::Callable>::cuda_name(#source));
    }
    let (name, method, span) = (&last.ident, method(&last.ident), path.span());
    let (turbofish, parameters) = match &last.arguments {
        PathArguments::AngleBracketed(given) => {
            let mut turbofish = given.clone();
            turbofish.colon2_token = Some(syn::Token![::](span));
            let parameters = given.args.iter().enumerate().map(|(at, argument)| match argument {
                GenericArgument::Const(_) => {
                    let name = quote::format_ident!("N{at}");
                    quote!(const #name: usize)
                }
                _ => {
                    let name = quote::format_ident!("T{at}");
                    quote!(#name)
                }
            });
            (quote!(#turbofish), quote!(<#(#parameters),*>))
        }
        _ => (TokenStream::new(), TokenStream::new()),
    };
    // If the path has several segments, the function's hidden trait is imported. If it is a single name, the trait is
    // in scope where the function is.
    let import = (path.path.segments.len() > 1).then(|| {
        let mut whole = path.path.clone();
        whole.segments.iter_mut().for_each(|segment| segment.arguments = PathArguments::None);
        let tree: UseTree = parse_quote!(#whole as _);
        quote!(#[allow(unused_imports, reason = "it brings the trait")] use #tree;)
    });
    quote_spanned! {span=> {
        #import
        {
            #[allow(non_camel_case_types, dead_code, reason = "it carries the function's name into an error")]
            struct #name;
            #[allow(dead_code, reason = "it is called only where a function is not marked")]
            trait UpsweepUnmarked: ::core::marker::Sized {
                fn #method #parameters(self, _: &mut ::upsweep::operator::Source) -> #name {
                    #name
                }
            }
            impl UpsweepUnmarked for &::upsweep::operator::arith::Functions {}
            ::upsweep::operator::arith::name_of(::upsweep::operator::arith::Functions.#method #turbofish(#source))
        }
    }}
}
