//! From the body of a Rust function to two bodies that compute the same bits: Rust for the CPU, in which every operation
//! is a call of a function in `upsweep::operator::arith`, and CUDA C++, in which it is a call of the function of the
//! same name in `arith.cuh`.

mod expression;
mod literal;
mod methods;
mod path;
mod reject;
mod statement;
mod untyped;

use crate::cuda::{Cuda, cuda, field, plain};
use proc_macro2::{Ident, TokenStream};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{Block, Error, Member, Pat, Result, Type};

/// An expression or statement in both languages.
struct Both {
    rust: TokenStream,
    cuda: Cuda,
}

/// What the surroundings of an expression say about its C++ type. A number without a suffix has none of its own.
#[derive(Clone)]
enum Want {
    /// It is this type.
    Type(Cuda),
    /// It is a type to which C++ converts a bare number.
    Convert,
    /// Nothing: a bare number cannot be written.
    Unknown,
}

impl Want {
    fn ty(&self) -> Option<&Cuda> {
        match self {
            Self::Type(ty) => Some(ty),
            Self::Convert | Self::Unknown => None,
        }
    }
}

struct Local {
    /// Its C++ name.
    cuda: String,
    /// How many value blocks surround it.
    depth: usize,
}

/// The state of a translation.
struct Translator {
    scopes: Vec<HashMap<Ident, Local>>,
    /// How many C++ names have been given.
    names: usize,
    /// How many value blocks (C++ lambdas) surround the current place.
    depth: usize,
    output: Type,
    /// The type at the `let` whose value is being translated.
    annotation: Option<Type>,
    errors: Option<Error>,
}

/// The function's body in Rust and its definition in CUDA C++.
pub(crate) fn function(arguments: &[(Pat, Type)], output: &Type, body: &Block) -> Result<(TokenStream, Cuda)> {
    let mut translator = Translator {
        scopes: vec![HashMap::new()],
        names: 0,
        depth: 0,
        output: output.clone(),
        annotation: None,
        errors: None,
    };
    let mut parameters = Vec::new();
    let mut patterns = Cuda::default();
    for (pattern, ty) in arguments {
        let name = match pattern {
            Pat::Ident(_) => {
                let declared = translator.bind(pattern, None);
                translator.noted(declared).map(|(name, _)| name).unwrap_or_default()
            }
            _ => {
                let name = translator.name("argument");
                let declarations = translator.bind(pattern, Some(&name));
                if let Some((_, declarations)) = translator.noted(declarations) {
                    patterns.push(declarations);
                }
                name
            }
        };
        parameters.push(cuda!["[[maybe_unused]] ", Cuda::ty(ty), " ", name]);
    }
    let wanted = Want::Type(Cuda::ty(output));
    let both = translator.block(body, &statement::Mode::Value(wanted));
    if let Some(errors) = translator.errors {
        return Err(errors);
    }
    let definition = cuda![
        "__device__ __forceinline__ ",
        Cuda::ty(output),
        " ",
        Cuda::own_name(),
        "(",
        Cuda::join(parameters, ", "),
        ") {\n",
        patterns,
        both.cuda,
        "}"
    ];
    Ok((both.rust, definition))
}

impl Translator {
    /// Keeps an error for the end, so that each statement reports its own.
    fn noted<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                match &mut self.errors {
                    Some(errors) => errors.combine(error),
                    none => *none = Some(error),
                }
                None
            }
        }
    }

    /// A new C++ name. Names of locals end with `_`, which no other name of the generated text does.
    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{}_{}_", plain(stem), self.names)
    }

    fn local(&self, name: &Ident) -> Option<&Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Declares the variables of `pattern`. Returns the C++ name of the whole value and the declarations of the parts,
    /// which read from `value`; for a plain name and no `value`, the name is new.
    fn bind(&mut self, pattern: &Pat, value: Option<&str>) -> Result<(String, Cuda)> {
        match pattern {
            Pat::Ident(pattern) => {
                if let Some(by_ref) = &pattern.by_ref {
                    return Err(Error::new(
                        by_ref.span(),
                        "leave `ref` out: elements are Copy, and the GPU has no references",
                    ));
                }
                if let Some((_, pattern)) = &pattern.subpat {
                    return Err(Error::new(pattern.span(), "write a second `let` instead of `name @ pattern`"));
                }
                let name = self.name(&pattern.ident.to_string());
                let local = Local { cuda: name.clone(), depth: self.depth };
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(pattern.ident.clone(), local);
                }
                let declaration =
                    value.map(|value| cuda!["[[maybe_unused]] auto ", &name, " = ", value, ";\n"]).unwrap_or_default();
                Ok((name, declaration))
            }
            Pat::Wild(_) => Ok((String::new(), Cuda::default())),
            Pat::Paren(pattern) => self.bind(&pattern.pat, value),
            Pat::Type(pattern) => self.bind(&pattern.pat, value),
            Pat::Tuple(pattern) => {
                let parts = pattern.elems.iter().enumerate().map(|(i, part)| (Member::from(i), part));
                self.bind_parts(parts.collect(), value)
            }
            Pat::TupleStruct(pattern) => {
                let parts = pattern.elems.iter().enumerate().map(|(i, part)| (Member::from(i), part));
                self.bind_parts(parts.collect(), value)
            }
            Pat::Struct(pattern) => {
                let parts = pattern.fields.iter().map(|part| (part.member.clone(), &*part.pat));
                self.bind_parts(parts.collect(), value)
            }
            other => Err(Error::new(
                other.span(),
                "an operator's body takes apart tuples and structs only: write `let (a, b) = ..`, `let Point { x, y } = ..`, \
                 or read the parts with `.x`, `.0` and `[i]`",
            )),
        }
    }

    fn bind_parts(&mut self, parts: Vec<(Member, &Pat)>, value: Option<&str>) -> Result<(String, Cuda)> {
        let value = match value {
            Some(value) => value.to_owned(),
            None => self.name("parts"),
        };
        let mut declarations = Cuda::default();
        for (member, part) in parts {
            if let Pat::Rest(rest) = part {
                return Err(Error::new(rest.span(), "write a `_` for each part that is left out"));
            }
            let part_value = format!("{value}.{}", field(&member));
            declarations.push(self.bind(part, Some(&part_value))?.1);
        }
        Ok((value, declarations))
    }
}
