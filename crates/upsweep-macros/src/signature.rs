//! Signatures of functions under `#[operator]` and `#[function]`, and the items that both macros make.

use crate::cuda::{Cuda, plain, source};
use crate::translate::reject::check_type;
use crate::{callee, translate};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Error, FnArg, GenericParam, Generics, ItemFn, Meta, Pat, PatType, Result, ReturnType, Type, TypeArray};

/// Parts of a function's signature, of which the macros make their items.
pub(crate) struct Signature {
    arguments: Vec<Argument>,
    pub(crate) output: Type,
    /// Name of the struct that the macro defines for the function.
    unit: Ident,
}

struct Argument {
    pattern: Pat,
    ty: Type,
    /// Name of a value that the struct holds; `None` for an argument that callers pass.
    param: Option<Ident>,
}

impl Signature {
    /// Reads the signature of `function`, whose struct is `unit`, by default its own name in CamelCase.
    pub(crate) fn of(function: &ItemFn, what: &str, unit: Option<Ident>) -> Result<Self> {
        let signature = &function.sig;
        // The macro does not see that it is in an `impl`, where the compiler would refuse each of its items.
        let mut names = Vec::new();
        identifiers(function.to_token_stream(), &mut names);
        if let Some(own) = names.iter().find(|name| *name == "Self") {
            let refusal = format!("{what} stands outside of every `impl`: write the type's name for `Self`");
            return Err(Error::new(own.span(), refusal));
        }
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
                    let (pattern, ty) = ((*argument.pat).clone(), (*argument.ty).clone());
                    let param = param_of(argument)?;
                    arguments.push(Argument { pattern, ty, param });
                }
                FnArg::Receiver(receiver) => {
                    return Err(Error::new(
                        receiver.span(),
                        format!("{what} stands outside of every `impl`: give `self` a name and a type"),
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
        let unit = match unit {
            Some(unit) if unit == signature.ident => {
                return Err(Error::new(unit.span(), "the function has this name: give its struct another one"));
            }
            Some(unit) => unit,
            None => unit_of(&signature.ident)?,
        };
        Ok(Self { arguments, output, unit })
    }

    /// Returns the types of the arguments that callers pass.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Type> {
        self.arguments.iter().filter(|argument| argument.param.is_none()).map(|argument| &argument.ty)
    }

    /// Returns the names of the values that the struct holds.
    pub(crate) fn params(&self) -> Vec<&Ident> {
        self.arguments.iter().filter_map(|argument| argument.param.as_ref()).collect()
    }

    pub(crate) fn patterns(&self) -> Vec<(Pat, Type)> {
        self.arguments.iter().map(|argument| (argument.pattern.clone(), argument.ty.clone())).collect()
    }

    /// Generics of the struct: those generic parameters of the function that occur in the types of the values it holds.
    fn generics(&self, function: &ItemFn) -> Generics {
        let mut named = Vec::new();
        for argument in self.arguments.iter().filter(|argument| argument.param.is_some()) {
            identifiers(argument.ty.to_token_stream(), &mut named);
        }
        let mut generics = function.sig.generics.clone();
        generics.where_clause = None;
        generics.params = generics
            .params
            .into_iter()
            .filter(|parameter| match parameter {
                GenericParam::Type(parameter) => named.contains(&parameter.ident),
                GenericParam::Const(parameter) => named.contains(&parameter.ident),
                GenericParam::Lifetime(_) => false,
            })
            .collect();
        generics
    }

    /// Returns the struct as a type, with its generic arguments.
    pub(crate) fn of_type(&self, function: &ItemFn) -> TokenStream {
        let (unit, generics) = (&self.unit, self.generics(function));
        let (_, arguments, _) = generics.split_for_impl();
        quote!(#unit #arguments)
    }

    /// Returns three parts of the struct's implementation. The first is the arguments of a call of the function:
    /// `names` for those that callers pass, and fields of the struct for the others. The second is the method that adds
    /// the held values to a kernel, if there are any, and the third the method that returns the function's C++ name.
    pub(crate) fn calls(
        &self,
        function: &ItemFn,
        names: &[Ident],
    ) -> (Vec<TokenStream>, Option<TokenStream>, TokenStream) {
        let mut names = names.iter();
        let call = self.arguments.iter().map(|argument| match &argument.param {
            Some(param) => quote!(self.#param),
            None => names.next().to_token_stream(),
        });
        let call = call.collect();
        let params = self.params();
        let values = (!params.is_empty()).then(|| {
            quote! {
                fn values(&self, values: &mut ::upsweep::operator::Values) {
                    #(values.push(self.#params);)*
                }
            }
        });
        let (name, output, hidden) = (&function.sig.ident, &self.output, callee::method(&function.sig.ident));
        let (_, arguments, _) = function.sig.generics.split_for_impl();
        let turbofish = arguments.as_turbofish();
        let function = quote! {
            <::upsweep::operator::arith::Functions as #name>::#hidden #turbofish(::upsweep::operator::arith::Functions, source)
        };
        let body = if params.is_empty() {
            function
        } else {
            let arguments = self.arguments.iter().map(|Argument { ty, param, .. }| match (param, ty) {
                (None, _) => quote!(Open(<#ty as ::upsweep::operator::Element>::cuda_type)),
                (Some(_), Type::Array(TypeArray { elem, len, .. })) => {
                    quote!(Value(::upsweep::operator::Source::array_value::<#elem, { #len }>))
                }
                (Some(_), _) => quote!(Value(::upsweep::operator::Source::value::<#ty>)),
            });
            quote! {
                let function = #function;
                source.define_with_values(
                    &function,
                    <#output as ::upsweep::operator::Element>::cuda_type,
                    &[#(::upsweep::operator::Argument::#arguments),*],
                )
            }
        };
        let cuda = quote! {
            fn cuda_function(&self, source: &mut ::upsweep::operator::Source) -> ::std::string::String {
                #body
            }
        };
        (call, values, cuda)
    }

    /// Returns the items that replace a marked `function`: the function itself, its hidden trait (see [`callee`]), its
    /// struct, and the struct's `implementation`. `kind` is the word for the function in the struct's documentation.
    pub(crate) fn items(&self, function: &ItemFn, implementation: TokenStream, kind: &str) -> TokenStream {
        let ItemFn { attrs, vis, sig, block, .. } = function;
        let is_held_array = |argument: &Argument| argument.param.is_some() && matches!(argument.ty, Type::Array(_));
        let held_arrays: Vec<bool> = self.arguments.iter().map(is_held_array).collect();
        let (translation, error) = match translate::function(&self.patterns(), &held_arrays, &self.output, block) {
            Ok((body, cuda)) => ((body, cuda), None),
            // A body that does not translate is replaced by one that has any type, so that no other errors follow.
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
        let value = self.value(function);

        // The function's arguments lose the attribute `#[param]`. Their other attributes are left to the compiler.
        let mut sig = sig.clone();
        for argument in &mut sig.inputs {
            if let FnArg::Typed(argument) = argument {
                argument.attrs.retain(|attribute| !attribute.path().is_ident("param"));
            }
        }
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
            #value

            #implementation
        }
    }

    /// Definition of the function's struct: a unit struct, or one whose fields are the held values.
    fn value(&self, function: &ItemFn) -> TokenStream {
        let (vis, unit) = (&function.vis, &self.unit);
        let held: Vec<(&Ident, &Type)> =
            self.arguments.iter().filter_map(|argument| Some((argument.param.as_ref()?, &argument.ty))).collect();
        if held.is_empty() {
            return quote! {
                #[derive(Clone, Copy, Debug, Default)]
                #vis struct #unit;
            };
        }
        let mut generics = self.generics(function);
        let (_, arguments, _) = generics.split_for_impl();
        let arguments = quote!(#arguments);
        for parameter in &mut generics.params {
            if let GenericParam::Type(parameter) = parameter {
                parameter.bounds.clear();
            }
        }
        let (parameters, ..) = generics.split_for_impl();
        let name = unit.to_string();
        let fields = held.iter().map(|(name, ty)| {
            let docs = format!("The value of `{name}`.");
            quote!(#[doc = #docs] #vis #name: #ty)
        });
        quote! {
            #[derive(Clone, Copy)]
            #vis struct #unit #generics { #(#fields),* }

            #[automatically_derived]
            impl #parameters ::core::fmt::Debug for #unit #arguments {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_struct(#name).finish_non_exhaustive()
                }
            }
        }
    }
}

/// Name of an argument marked `#[param]`, whose value the struct holds; `None` for other arguments.
fn param_of(argument: &PatType) -> Result<Option<Ident>> {
    let Some(mark) = argument.attrs.iter().find(|attribute| attribute.path().is_ident("param")) else {
        return Ok(None);
    };
    if !matches!(mark.meta, Meta::Path(_)) {
        return Err(Error::new(mark.span(), "#[param] takes no arguments"));
    }
    match &*argument.pat {
        Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => Ok(Some(name.ident.clone())),
        pattern => {
            Err(Error::new(pattern.span(), "a value that the function holds has a name: write `#[param] name: T`"))
        }
    }
}

/// Collects all identifiers in `tokens`.
fn identifiers(tokens: TokenStream, found: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => found.push(name),
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Returns the name of the struct of a function: the function's own in CamelCase.
fn unit_of(function: &Ident) -> Result<Ident> {
    let name = function.to_string();
    let unit: String = name.trim_start_matches("r#").split('_').map(capitalised).collect();
    if unit == name || unit.is_empty() || unit.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Error::new(
            function.span(),
            "the unit struct is named after the function in CamelCase: give the function a name in snake_case",
        ));
    }
    Ok(Ident::new(&unit, function.span()))
}

/// Returns `word` with its first letter in upper case.
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
