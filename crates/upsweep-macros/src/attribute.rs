//! Expansion of the attributes `#[operator]` and `#[function]` to the items that replace the marked function.

use crate::form;
use crate::signature::Signature;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Error, Expr, ItemFn, Result, Token, Type};

pub(crate) fn operator(arguments: TokenStream, item: TokenStream) -> TokenStream {
    parse(item, |function| {
        let Arguments { name: unit, identity, .. } = Arguments::parse(arguments, "operator", &["name", "identity"])?;
        let signature = Signature::of(function, "an operator", unit)?;
        let [first, second] = signature.open().collect::<Vec<_>>()[..] else {
            return Err(Error::new(
                function.sig.paren_token.span.join(),
                "an operator combines two values: `fn name(a: T, b: T) -> T`; for other functions write #[function]",
            ));
        };
        let output = &signature.output;
        for other in [second, output] {
            if other.to_token_stream().to_string() != first.to_token_stream().to_string() {
                return Err(Error::new(
                    other.span(),
                    format!(
                        "an operator combines two values of one type to a value of that type: write `{}` here",
                        first.to_token_stream()
                    ),
                ));
            }
        }
        let params = signature.params();
        let identity = identity.map(|identity| {
            let params = (!params.is_empty()).then(|| {
                quote! {
                    #[allow(unused_variables, reason = "an identity need not depend on every value")]
                    let Self { #(#params),* } = *self;
                }
            });
            quote! {
                #[inline]
                fn identity(&self) -> ::core::option::Option<#output> {
                    #params
                    ::core::option::Option::Some(#identity)
                }
            }
        });
        let name = &function.sig.ident;
        let (lanes, vectors) = (form::suits_lanes(&function.block), form::suits_vectors(&function.block));
        let form = if params.is_empty() { form::of(&signature.patterns(), &function.block) } else { "Other" };
        let form = Ident::new(form, Span::call_site());
        let (impl_generics, _, clause) = function.sig.generics.split_for_impl();
        let unit = signature.of_type(function);
        let (call, values, cuda) = signature.calls(function, &[format_ident!("a"), format_ident!("b")]);
        Ok(signature.items(
            function,
            quote! {
                #[automatically_derived]
                impl #impl_generics ::upsweep::operator::Operator<#output> for #unit #clause {
                    const LANES: bool = #lanes;
                    const VECTORS: bool = #vectors;
                    const FORM: ::upsweep::operator::Form = ::upsweep::operator::Form::#form;
                    #[inline(always)]
                    fn combine(&self, a: #output, b: #output) -> #output {
                        #name(#(#call),*)
                    }
                    #identity
                    #values
                    #cuda
                }
            },
            "operator",
        ))
    })
}

pub(crate) fn function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    parse(item, |function| {
        let Arguments { name: unit, helper, .. } = Arguments::parse(arguments, "function", &["name"])?;
        let signature = Signature::of(function, "a function", unit)?;
        let types: Vec<&Type> = signature.open().collect();
        if !(1..=4).contains(&types.len()) {
            return Err(Error::new(function.sig.paren_token.span.join(), "a #[function] takes one to four values"));
        }
        if helper {
            return Ok(signature.items(function, TokenStream::new(), "function"));
        }
        let names: Vec<Ident> = (0..types.len()).map(|i| format_ident!("x{i}")).collect();
        let (name, output, unit) = (&function.sig.ident, &signature.output, signature.of_type(function));
        let (impl_generics, _, clause) = function.sig.generics.split_for_impl();
        let (call, values, cuda) = signature.calls(function, &names);
        Ok(signature.items(
            function,
            quote! {
                #[automatically_derived]
                impl #impl_generics ::upsweep::operator::Function<(#(#types,)*)> for #unit #clause {
                    type Output = #output;
                    #[inline(always)]
                    fn call(&self, (#(#names,)*): (#(#types,)*)) -> #output {
                        #name(#(#call),*)
                    }
                    #values
                    #cuda
                }
            },
            "function",
        ))
    })
}

/// Parses `item`, a function, and returns the items that `make` makes of it. On an error it returns the error and the
/// function itself, so that other code still finds the function.
fn parse(item: TokenStream, make: impl FnOnce(&ItemFn) -> Result<TokenStream>) -> TokenStream {
    match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => make(&function).unwrap_or_else(|error| {
            let error = error.into_compile_error();
            quote!(#error #function)
        }),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#error #item)
        }
    }
}

/// Arguments of an attribute.
#[derive(Default)]
struct Arguments {
    /// Name of the struct that the macro defines; by default that of the function in CamelCase.
    name: Option<Ident>,
    identity: Option<Expr>,
    /// Whether the function is a helper of upsweep itself, `#[function(helper)]`. Bodies can call it, but it does not
    /// implement `Function`: the compiler would list the implementation to users in errors.
    helper: bool,
}

impl Arguments {
    /// Parses the arguments of the attribute `attribute`, which has these `options`: `name = Name`, `identity = EXPR`.
    fn parse(arguments: TokenStream, attribute: &str, options: &[&str]) -> Result<Self> {
        if attribute == "function" && arguments.to_string() == "helper" {
            return Ok(Self { helper: true, ..Self::default() });
        }
        let parser = |input: ParseStream<'_>| {
            let mut parsed = Self::default();
            while !input.is_empty() {
                let option: Ident = input.parse()?;
                if !options.iter().any(|known| option == known) {
                    let known: Vec<String> =
                        options.iter().map(|known| format!("#[{attribute}({known} = ..)]")).collect();
                    let known = known.join(" or ");
                    let refusal = format!("#[{attribute}] has no option `{option}`: write #[{attribute}] or {known}");
                    return Err(Error::new(option.span(), refusal));
                }
                input.parse::<Token![=]>()?;
                if option == "name" {
                    parsed.name = Some(input.parse()?);
                } else {
                    parsed.identity = Some(input.parse()?);
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(parsed)
        };
        parser.parse2(arguments)
    }
}
