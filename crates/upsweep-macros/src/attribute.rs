//! `#[operator]` and `#[function]`: the items that they make of a function.

use crate::cuda::{Cuda, plain, source};
use crate::translate::reject::check_type;
use crate::{callee, form, translate};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Error, Expr, FnArg, GenericParam, ItemFn, Pat, Result, ReturnType, Token, Type};

pub(crate) fn operator(arguments: TokenStream, item: TokenStream) -> TokenStream {
    parse(item, |function| {
        let identity = identity(arguments)?;
        let signature = Signature::of(function, "an operator")?;
        let [(_, first), (_, second)] = &signature.arguments[..] else {
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
        let identity = identity.map(|identity| {
            quote! {
                #[inline]
                fn identity(&self) -> ::core::option::Option<#output> {
                    ::core::option::Option::Some(#identity)
                }
            }
        });
        let name = &function.sig.ident;
        let lanes = form::suits_lanes(&function.block);
        let form = Ident::new(form::of(&signature.arguments, &function.block), Span::call_site());
        let (impl_generics, arguments, clause) = function.sig.generics.split_for_impl();
        let turbofish = arguments.as_turbofish();
        let hidden = callee::method(name);
        let unit = &signature.unit;
        Ok(signature.items(
            function,
            quote! {
                #[automatically_derived]
                impl #impl_generics ::upsweep::operator::Operator<#output> for #unit #clause {
                    const LANES: bool = #lanes;
                    const FORM: ::upsweep::operator::Form = ::upsweep::operator::Form::#form;
                    #[inline(always)]
                    fn combine(&self, a: #output, b: #output) -> #output {
                        #name(a, b)
                    }
                    #identity
                    fn cuda_function(&self, source: &mut ::upsweep::operator::Source) -> ::std::string::String {
                        <::upsweep::operator::arith::Functions as #name>::#hidden #turbofish(::upsweep::operator::arith::Functions, source)
                    }
                }
            },
            "operator",
        ))
    })
}

pub(crate) fn function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    parse(item, |function| {
        // Of upsweep's own helpers: bodies call them, but they are no values, which errors would list to users.
        let helper = arguments.to_string() == "helper";
        if !arguments.is_empty() && !helper {
            return Err(Error::new(arguments.span(), "#[function] takes no arguments"));
        }
        let signature = Signature::of(function, "a function")?;
        if !(1..=4).contains(&signature.arguments.len()) {
            return Err(Error::new(function.sig.paren_token.span.join(), "a #[function] takes one to four values"));
        }
        if helper {
            return Ok(signature.items(function, TokenStream::new(), "function"));
        }
        let types: Vec<&Type> = signature.arguments.iter().map(|(_, ty)| ty).collect();
        let names: Vec<Ident> = (0..types.len()).map(|i| format_ident!("x{i}")).collect();
        let (name, output, unit) = (&function.sig.ident, &signature.output, &signature.unit);
        let (impl_generics, arguments, clause) = function.sig.generics.split_for_impl();
        let turbofish = arguments.as_turbofish();
        let hidden = callee::method(name);
        Ok(signature.items(
            function,
            quote! {
                #[automatically_derived]
                impl #impl_generics ::upsweep::operator::Function<(#(#types,)*)> for #unit #clause {
                    type Output = #output;
                    #[inline(always)]
                    fn call(&self, (#(#names,)*): (#(#types,)*)) -> #output {
                        #name(#(#names),*)
                    }
                    fn cuda_function(&self, source: &mut ::upsweep::operator::Source) -> ::std::string::String {
                        <::upsweep::operator::arith::Functions as #name>::#hidden #turbofish(::upsweep::operator::arith::Functions, source)
                    }
                }
            },
            "function",
        ))
    })
}

/// Parses the function and makes the items; on an error, keeps the function so that it is not missed elsewhere.
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

/// `identity = EXPR`, or nothing.
fn identity(arguments: TokenStream) -> Result<Option<Expr>> {
    if arguments.is_empty() {
        return Ok(None);
    }
    let parser = |input: syn::parse::ParseStream<'_>| {
        let name: Ident = input.parse()?;
        if name != "identity" {
            return Err(Error::new(
                name.span(),
                format!("#[operator] has no option `{name}`: write #[operator] or #[operator(identity = ..)]"),
            ));
        }
        input.parse::<Token![=]>()?;
        let identity: Expr = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Some(identity))
    };
    syn::parse::Parser::parse2(parser, arguments)
}

/// What the items need to know of a function.
struct Signature {
    arguments: Vec<(Pat, Type)>,
    output: Type,
    /// The unit struct's name.
    unit: Ident,
}

impl Signature {
    fn of(function: &ItemFn, what: &str) -> Result<Self> {
        let signature = &function.sig;
        if let Some(token) = &signature.constness {
            return Err(Error::new(token.span(), format!("{what} cannot be `const`: leave the word out")));
        }
        if let Some(token) = &signature.asyncness {
            return Err(Error::new(token.span(), format!("{what} cannot be `async`: leave the word out")));
        }
        if !signature.safety.to_token_stream().is_empty() {
            return Err(Error::new(signature.safety.span(), format!("{what} cannot be `unsafe`: leave the word out")));
        }
        if let Some(abi) = &signature.abi {
            return Err(Error::new(abi.span(), format!("{what} cannot be `extern`: leave the word out")));
        }
        for parameter in &signature.generics.params {
            if let GenericParam::Lifetime(lifetime) = parameter {
                return Err(Error::new(
                    lifetime.span(),
                    format!("{what} takes values, not references: leave the lifetime out"),
                ));
            }
        }
        let mut arguments = Vec::new();
        for argument in &signature.inputs {
            match argument {
                FnArg::Typed(argument) => {
                    check_type(&argument.ty)?;
                    arguments.push(((*argument.pat).clone(), (*argument.ty).clone()));
                }
                FnArg::Receiver(receiver) => {
                    return Err(Error::new(
                        receiver.span(),
                        format!("{what} is a free function: give `self` a name and a type"),
                    ));
                }
            }
        }
        let output = match &signature.output {
            ReturnType::Type(_, ty) => {
                check_type(ty)?;
                (**ty).clone()
            }
            ReturnType::Default => {
                return Err(Error::new(
                    signature.paren_token.span.close(),
                    format!("{what} returns a value: write `-> T`"),
                ));
            }
        };
        let name = signature.ident.to_string();
        let unit: String = name.trim_start_matches("r#").split('_').map(capitalised).collect();
        if unit == name || unit.is_empty() || unit.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(Error::new(
                signature.ident.span(),
                "the unit struct is named after the function in CamelCase: give the function a name in snake_case",
            ));
        }
        Ok(Self { arguments, output, unit: Ident::new(&unit, signature.ident.span()) })
    }

    /// The function, its hidden trait (see [`callee`]), its unit struct, and the unit struct's `implementation`.
    fn items(&self, function: &ItemFn, implementation: TokenStream, kind: &str) -> TokenStream {
        let ItemFn { attrs, vis, sig, block, .. } = function;
        let (translation, error) = match translate::function(&self.arguments, &self.output, block) {
            Ok((body, cuda)) => ((body, cuda), None),
            // A body that has any type, so that no other errors follow.
            Err(error) => ((quote!({ ::core::unreachable!() }), Cuda::default()), Some(error.into_compile_error())),
        };
        let allowed = error.is_some().then(|| quote!(#[allow(unused, reason = "the body did not translate")]));
        let (body, cuda) = translation;
        let (pieces, source) = (cuda.pieces(), source());
        let hidden = callee::method(&sig.ident);

        let inline =
            (!attrs.iter().any(|attribute| attribute.path().is_ident("inline"))).then(|| quote!(#[inline(always)]));
        let name = &sig.ident;
        let stem = plain(&name.to_string());
        let docs = attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        let summary = format!("The {kind} `{name}` as a value.");
        let gap = attrs.iter().any(|attribute| attribute.path().is_ident("doc")).then(|| quote!(#[doc = ""]));
        let unit = &self.unit;

        let generics = &sig.generics;
        let (parameters, arguments, clause) = generics.split_for_impl();
        let mut bare = generics.clone();
        bare.where_clause = None;
        for parameter in &mut bare.params {
            if let GenericParam::Type(parameter) = parameter {
                parameter.bounds.clear();
            }
        }
        let types: Vec<&Ident> = generics.type_params().map(|parameter| &parameter.ident).collect();
        quote! {
            #error

            #(#attrs)*
            #inline
            #allowed
            #[allow(unused_parens, unused_braces, clippy::all, reason = "the body is rewritten")]
            #vis #sig #body

            #[doc(hidden)]
            #[allow(
                non_camel_case_types,
                dead_code,
                unreachable_pub,
                private_bounds,
                private_interfaces,
                reason = "it carries the function's name to other functions"
            )]
            #vis trait #name {
                fn #hidden #parameters(self, source: &mut ::upsweep::operator::Source) -> ::std::string::String #clause;
            }

            #[automatically_derived]
            impl #name for ::upsweep::operator::arith::Functions {
                fn #hidden #parameters(self, #source: &mut ::upsweep::operator::Source) -> ::std::string::String #clause {
                    #[allow(dead_code, reason = "it tells apart the functions and their type parameters")]
                    struct UpsweepKey #bare(::core::marker::PhantomData<fn() -> (#(#types,)*)>);
                    #source.define_function(::core::any::TypeId::of::<UpsweepKey #arguments>(), #stem, &#pieces)
                }
            }

            #(#docs)*
            #gap
            #[doc = #summary]
            #[derive(Clone, Copy, Debug, Default)]
            #vis struct #unit;

            #implementation
        }
    }
}

/// `word` with its first letter in upper case.
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
