//! State of a translation: the variables in scope, the C++ names in use, and the errors so far.

use crate::cuda::{Cuda, cuda, field, plain};
use proc_macro2::{Ident, TokenStream};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{Error, Member, Pat, Result, Type};

/// Translation of an expression or statement, in Rust and in CUDA C++.
pub(super) struct Both {
    pub(super) rust: TokenStream,
    pub(super) cuda: Cuda,
}

/// Expected C++ type of an expression, from its context. A number without a suffix has no type of its own.
#[derive(Clone)]
pub(super) enum Want {
    /// The expected type is known: this C++ type.
    Type(Cuda),
    /// The expected type is not known, but C++ converts a number without a suffix to it.
    Convert,
    /// The expected type is not known, so a number without a suffix is an error.
    Unknown,
}

impl Want {
    pub(super) fn ty(&self) -> Option<&Cuda> {
        match self {
            Self::Type(ty) => Some(ty),
            Self::Convert | Self::Unknown => None,
        }
    }
}

pub(super) struct Local {
    /// C++ name of the variable.
    pub(super) cuda: String,
    /// Number of value blocks (C++ lambdas) around the declaration of the variable.
    pub(super) depth: usize,
}

/// State of the translation of one function's body.
pub(super) struct Translator {
    pub(super) scopes: Vec<HashMap<Ident, Local>>,
    /// Number of C++ names created so far.
    pub(super) names: usize,
    /// Number of value blocks (C++ lambdas) around the code that is being translated.
    pub(super) depth: usize,
    pub(super) output: Type,
    /// Type at the `let` whose value is being translated.
    pub(super) annotation: Option<Type>,
    pub(super) errors: Option<Error>,
}

/// Use of the last expression of a block.
#[derive(Clone)]
pub(super) enum Mode {
    /// The expression is the block's value, which the C++ function or lambda around the block returns.
    Value(Want),
    /// The block has no value.
    Unit,
}

impl Translator {
    /// Creates the state in which the translation of a function that returns `output` begins.
    pub(super) fn new(output: &Type) -> Self {
        Self {
            scopes: vec![HashMap::new()],
            names: 0,
            depth: 0,
            output: output.clone(),
            annotation: None,
            errors: None,
        }
    }

    /// Returns the value of `result`, or records its error. The errors are reported together at the end, so that each
    /// statement reports its own.
    pub(super) fn noted<T>(&mut self, result: Result<T>) -> Option<T> {
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

    /// Creates a new C++ name. Names of locals end with `_`, which no other name of the generated text does.
    pub(super) fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{}_{}_", plain(stem), self.names)
    }

    pub(super) fn local(&self, name: &Ident) -> Option<&Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Declares the variables of `pattern`. Returns the C++ name of the whole value and the C++ declarations of its
    /// parts, which are read from the expression `value`. Without `value`, the name of the whole value is a new one.
    pub(super) fn bind(&mut self, pattern: &Pat, value: Option<&str>) -> Result<(String, Cuda)> {
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

    pub(super) fn bind_parts(&mut self, parts: Vec<(Member, &Pat)>, value: Option<&str>) -> Result<(String, Cuda)> {
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
