//! CUDA C++ text that operators, functions and elements contribute to a kernel.

#[cfg(feature = "cuda")]
use crate::error::{Error, Result};
use std::any::TypeId;
use std::collections::HashMap;

/// Collects CUDA C++ definitions in dependency order, each once: the types first, then the functions.
///
/// A definition is identified by a `key`, which must differ between different definitions, type parameters included. It
/// gets a unique C++ name. The text does not depend on the keys, so it is the same in every run.
#[derive(Debug, Default)]
pub struct Source {
    text: String,
    /// Length of the prefix of `text` that defines types, in bytes.
    types: usize,
    names: HashMap<String, String>,
    /// Number of bytes of the values that functions have requested, with padding.
    values: usize,
    /// Whether a function has no text.
    host: bool,
}

impl Source {
    /// Creates an empty source.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the C++ name of the definition `key`. On the first call, `build` gets this source (for dependencies) and
    /// the new name, and returns the definition's text.
    pub fn define(&mut self, key: &str, stem: &str, build: impl FnOnce(&mut Self, &str) -> String) -> String {
        if let Some(name) = self.names.get(key) {
            return name.clone();
        }
        let name = self.name(key, stem);
        let text = build(self, &name);
        self.add(&text);
        name
    }

    /// Defines a type, as [`define`](Source::define) does; it is placed before every function.
    pub fn define_type(&mut self, key: &str, stem: &str, build: impl FnOnce(&mut Self, &str) -> String) -> String {
        if let Some(name) = self.names.get(key) {
            return name.clone();
        }
        let name = self.name(key, stem);
        let text = build(self, &name);
        self.text.insert_str(self.types, &format!("{text}\n"));
        self.types += text.len() + 1;
        name
    }

    /// Defines a function that the macros have translated, as [`define`](Source::define) does: `key` identifies it, and
    /// `pieces` are its text.
    #[doc(hidden)]
    pub fn define_function(&mut self, key: TypeId, stem: &str, pieces: &[Piece]) -> String {
        self.define(&format!("function {key:?}"), stem, |source, name| {
            let mut text = String::new();
            for piece in pieces {
                match piece {
                    Piece::Text(literal) => text.push_str(literal),
                    Piece::OwnName => text.push_str(name),
                    Piece::Made(make) => text.push_str(&make(source)),
                }
            }
            text
        })
    }

    /// Takes note of a function that has no text: a closure.
    pub(super) fn host_function(&mut self) {
        self.host = true;
    }

    /// Whether all functions have texts.
    ///
    /// # Errors
    /// [`Error::Options`] for a closure.
    #[cfg(feature = "cuda")]
    pub fn check(&self) -> Result<()> {
        if self.host {
            let reason = "it runs on the CPU alone: write #[function] fn name(..), and give Name";
            return Err(Error::Options { options: "a closure (`host`) on CUDA", reason });
        }
        Ok(())
    }

    /// Returns the number of bytes of the values that functions have requested, with padding.
    #[cfg(feature = "cuda")]
    pub fn value_bytes(&self) -> usize {
        self.values
    }

    /// Returns the offset of the next value, which is a `T`, among the values that functions hold; in bytes.
    pub(super) fn next_value<T>(&mut self) -> usize {
        place::<T>(&mut self.values)
    }

    /// Defines a function that calls `function` with the next values in place of some of its arguments, and returns its
    /// C++ name.
    #[doc(hidden)]
    pub fn define_with_values(
        &mut self,
        function: &str,
        output: fn(&mut Self) -> String,
        arguments: &[Argument],
    ) -> String {
        let (mut parameters, mut given) = (Vec::new(), Vec::new());
        let first = self.values;
        for (i, argument) in arguments.iter().enumerate() {
            match argument {
                Argument::Open(ty) => {
                    parameters.push(format!("{} x{i}", ty(self)));
                    given.push(format!("x{i}"));
                }
                Argument::Value(value) => given.push(value(self)),
            }
        }
        let (parameters, given) = (parameters.join(", "), given.join(", "));
        self.define(&format!("{function} with the values at {first}"), function, |source, name| {
            let output = output(source);
            format!("__device__ __forceinline__ {output} {name}({parameters}) {{ return {function}({given}); }}")
        })
    }

    /// Creates the C++ name, which begins with `stem`, of the definition `key`.
    fn name(&mut self, key: &str, stem: &str) -> String {
        let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let name = format!("{stem}_{}", self.names.len());
        self.names.insert(key.to_owned(), name.clone());
        name
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Returns the definitions so far, each after those it uses.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A part of a translated function's C++ text.
#[doc(hidden)]
#[derive(Debug)]
pub enum Piece {
    /// Literal text.
    Text(&'static str),
    /// C++ name of the function itself.
    OwnName,
    /// Text that is generated when the program runs: the name of a type or function, the value of a constant.
    Made(fn(&mut Source) -> String),
}

/// Returns the offset of a `T` placed after `len` bytes, and advances `len` past it.
pub(super) fn place<T>(len: &mut usize) -> usize {
    let at = len.next_multiple_of(align_of::<T>());
    *len = at + size_of::<T>();
    at
}

/// An argument of a function, some of whose arguments are values that it holds.
#[doc(hidden)]
#[derive(Debug)]
pub enum Argument {
    /// C++ expression of a value that the function holds.
    Value(fn(&mut Source) -> String),
    /// C++ type of an argument that callers pass.
    Open(fn(&mut Source) -> String),
}
