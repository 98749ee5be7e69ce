//! Templates of CUDA C++ text, with placeholders for types, constants and names of functions, which Rust fills in when
//! the program runs.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Template of CUDA C++ text: pieces of fixed text, and placeholders for type names, values and function names, which
/// the program fills in when it runs.
#[derive(Clone, Default)]
pub(crate) struct Cuda(Vec<Piece>);

#[derive(Clone)]
enum Piece {
    Text(String),
    /// C++ name of a Rust type.
    Type(TokenStream),
    /// C++ text of the value of a Rust expression of an element type.
    Value(TokenStream),
    /// C++ text of the value of a Rust expression of type `usize`.
    Count(TokenStream),
    /// C++ name of the function being defined.
    OwnName,
    /// Rust expression that gives the C++ name of a function that the text calls; it uses the variable [`source`].
    Function(TokenStream),
}

impl Cuda {
    pub(crate) fn ty(ty: impl quote::ToTokens) -> Self {
        Self(vec![Piece::Type(quote!(#ty))])
    }
    pub(crate) fn value(expression: impl quote::ToTokens) -> Self {
        Self(vec![Piece::Value(quote!(#expression))])
    }
    pub(crate) fn count(expression: impl quote::ToTokens) -> Self {
        Self(vec![Piece::Count(quote!(#expression))])
    }
    pub(crate) fn function(name: TokenStream) -> Self {
        Self(vec![Piece::Function(name)])
    }
    pub(crate) fn own_name() -> Self {
        Self(vec![Piece::OwnName])
    }

    pub(crate) fn push(&mut self, more: impl Into<Cuda>) {
        for piece in more.into().0 {
            match (self.0.last_mut(), piece) {
                (Some(Piece::Text(text)), Piece::Text(more)) => text.push_str(&more),
                (_, piece) => self.0.push(piece),
            }
        }
    }

    /// Joins the items with `separator` between them.
    pub(crate) fn join(items: impl IntoIterator<Item = Cuda>, separator: &str) -> Cuda {
        let mut all = Cuda::default();
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                all.push(separator);
            }
            all.push(item);
        }
        all
    }

    /// Returns the Rust expression of the template: an array of `upsweep::operator::Piece`.
    pub(crate) fn pieces(&self) -> TokenStream {
        let source = source();
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Text(literal) => quote!(::upsweep::operator::Piece::Text(#literal)),
            Piece::Type(ty) => {
                quote!(::upsweep::operator::Piece::Made(<#ty as ::upsweep::operator::Element>::cuda_type))
            }
            Piece::Value(value) => {
                quote!(::upsweep::operator::Piece::Made(|#source| ::upsweep::operator::arith::constant(#value, #source)))
            }
            Piece::Count(count) => quote!(::upsweep::operator::Piece::Made(|_| ::upsweep::operator::arith::count(#count))),
            Piece::OwnName => quote!(::upsweep::operator::Piece::OwnName),
            Piece::Function(name) => quote!(::upsweep::operator::Piece::Made(|#source| #name)),
        });
        quote!([#(#pieces),*])
    }
}

/// Name of the variable of type `&mut Source` in generated code; by hygiene, no name in the user's program is equal to
/// it.
pub(crate) fn source() -> Ident {
    Ident::new("source", Span::mixed_site())
}

impl From<&str> for Cuda {
    fn from(text: &str) -> Self {
        Self(vec![Piece::Text(text.to_owned())])
    }
}
impl From<String> for Cuda {
    fn from(text: String) -> Self {
        Self(vec![Piece::Text(text)])
    }
}
impl From<&String> for Cuda {
    fn from(text: &String) -> Self {
        Self(vec![Piece::Text(text.clone())])
    }
}
impl From<&Cuda> for Cuda {
    fn from(cuda: &Cuda) -> Self {
        cuda.clone()
    }
}

/// Concatenates pieces of text and of [`Cuda`] to one [`Cuda`].
macro_rules! cuda {
    ($($piece:expr),* $(,)?) => {{
        let mut all = $crate::cuda::Cuda::default();
        $(all.push($piece);)*
        all
    }};
}
pub(crate) use cuda;

/// Converts a Rust identifier to a part of a C++ one: ASCII letters, digits and `_` only.
pub(crate) fn plain(name: &str) -> String {
    let mut plain = String::new();
    for c in name.trim_start_matches("r#").chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            plain.push(c);
        } else {
            plain.push_str(&format!("u{:x}", u32::from(c)));
        }
    }
    plain
}

/// C++ name of a field: `m_` for `m`, so that it is never a keyword, and `f0` for `0`.
pub(crate) fn field(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => format!("{}_", plain(&name.to_string())),
        syn::Member::Unnamed(index) => format!("f{}", index.index),
    }
}
