//! Expansion of `#[derive(Element)]`.

use crate::{cuda, keys};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, GenericParam, Index, Member, Result, parse_quote, parse_quote_spanned};

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    syn::parse2(item).and_then(implementation).unwrap_or_else(Error::into_compile_error)
}

fn implementation(input: DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(
            input.ident.span(),
            "an element is a struct: write the cases of an enum or union as a struct with a number for the case",
        ));
    };
    check_representation(&input)?;
    if data.fields.is_empty() {
        return Err(Error::new(input.ident.span(), "an element has at least one field"));
    }
    if let Some(GenericParam::Lifetime(lifetime)) =
        input.generics.params.iter().find(|p| matches!(p, GenericParam::Lifetime(_)))
    {
        return Err(Error::new(lifetime.span(), "an element contains no references: leave the lifetime out"));
    }

    let name = &input.ident;
    let members: Vec<Member> = data
        .fields
        .iter()
        .enumerate()
        .map(|(i, field)| field.ident.clone().map_or(Member::Unnamed(Index::from(i)), Member::Named))
        .collect();
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    let names: Vec<String> = members.iter().map(cuda::field).collect();

    let mut generics = input.generics.clone();
    let generic = generics.params.iter().any(|p| matches!(p, GenericParam::Type(_)));
    if generic {
        let clause = generics.make_where_clause();
        for ty in &types {
            clause.predicates.push(parse_quote!(#ty: ::upsweep::operator::Element));
        }
        let (_, arguments, _) = input.generics.split_for_impl();
        clause.predicates.push(parse_quote!(#name #arguments: ::core::marker::Copy + ::core::marker::Send
            + ::core::marker::Sync + 'static));
    } else {
        // With this bound, the compiler says once that a struct is not `Copy`, and not for every trait that an element
        // needs.
        generics.make_where_clause().predicates.push(parse_quote_spanned!(name.span()=> #name: ::core::marker::Copy));
    }
    let (impl_generics, arguments, clause) = generics.split_for_impl();
    let field_types =
        types.iter().map(|ty| quote_spanned!(ty.span()=> <#ty as ::upsweep::operator::Element>::cuda_type(source)));
    let fields = types.iter().map(|ty| {
        quote_spanned!(ty.span()=> (::core::mem::size_of::<#ty>(), <#ty as ::upsweep::operator::Element>::NUMBERS))
    });
    // The size of a struct without generic parameters is checked at its definition, that of a generic one at its use.
    let check = |ty: TokenStream| {
        let span = name.span();
        quote_spanned!(span=> assert!(
            ::core::mem::size_of::<#ty>() <= ::upsweep::operator::MAX_ELEMENT_BYTES,
            "an element has at most 64 bytes"
        ))
    };
    let (size_check, late_check) = if input.generics.params.is_empty() {
        let check = check(quote!(#name));
        (quote!(const _: () = #check;), TokenStream::new())
    } else {
        let check = check(quote!(Self));
        (TokenStream::new(), quote!(const { #check };))
    };
    let canonical =
        construct(&data.fields, &members, |member| quote!(::upsweep::operator::Element::canonical(self.#member)));
    let constructor = matches!(data.fields, Fields::Unnamed(_)).then(|| {
        quote! {
            #[automatically_derived]
            impl #impl_generics ::upsweep::operator::arith::Callable for #name #arguments #clause {
                fn cuda_name(source: &mut ::upsweep::operator::Source) -> ::std::string::String {
                    <Self as ::upsweep::operator::Element>::cuda_type(source) + "::make"
                }
            }
        }
    });
    let stem = cuda::plain(&name.to_string());
    let keys = keys::implementation(&input, &data.fields, &members)?;

    Ok(quote! {
        #size_check
        // SAFETY: the C++ struct has this struct's own offsets, size and alignment, which its C++ text asserts, and
        // each field is an element.
        #[automatically_derived]
        unsafe impl #impl_generics ::upsweep::operator::Element for #name #arguments #clause {
            type Carrier = Self;
            const NUMBERS: usize = ::upsweep::operator::numbers_of(&[#(#fields),*], ::core::mem::size_of::<Self>());
            fn cuda_type(source: &mut ::upsweep::operator::Source) -> ::std::string::String {
                #late_check
                ::upsweep::operator::Layout::define::<Self>(source, #stem, |source| {
                    ::upsweep::operator::Layout::of::<Self>(::std::vec![#(::upsweep::operator::Field {
                        name: ::std::string::String::from(#names),
                        ty: #field_types,
                        offset: ::core::mem::offset_of!(Self, #members),
                    }),*])
                })
            }
            fn cuda_value(self, source: &mut ::upsweep::operator::Source) -> ::std::string::String {
                let ty = <Self as ::upsweep::operator::Element>::cuda_type(source);
                let values = [#(::upsweep::operator::Element::cuda_value(self.#members, source)),*];
                ty + "::make(" + &values.join(", ") + ")"
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                #(::upsweep::operator::Element::equals(self.#members, other.#members))&&*
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                #canonical
            }
        }
        #constructor
        #keys
    })
}

/// Returns the expression `Self { .. }` or `Self(..)`, in which each field is the expression that `value` returns for
/// it.
fn construct(fields: &Fields, members: &[Member], value: impl Fn(&Member) -> TokenStream) -> TokenStream {
    let values = members.iter().map(value);
    match fields {
        Fields::Unnamed(_) => quote!(Self(#(#values),*)),
        _ => quote!(Self { #(#members: #values),* }),
    }
}

fn check_representation(input: &DeriveInput) -> Result<()> {
    let mut c = false;
    let mut packed = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("C") {
                c = true;
            } else if meta.path.is_ident("packed") {
                packed = Some(meta.path.span());
            }
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                let _ignored: TokenStream = content.parse()?;
            }
            Ok(())
        })?;
    }
    if let Some(span) = packed {
        return Err(Error::new(
            span,
            "a packed struct cannot be an element: GPUs load aligned values; leave `packed` out",
        ));
    }
    if !c {
        let message = format!(
            "an element has the same layout in Rust and in C++: write #[repr(C)] above `struct {}`",
            input.ident
        );
        return Err(Error::new(input.ident.span(), message));
    }
    Ok(())
}
