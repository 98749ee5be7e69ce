//! The CUDA C++ that operators, functions and elements contribute to a kernel.

use std::collections::HashMap;

/// Collects CUDA C++ definitions in dependency order, each once: the types first, then the functions.
///
/// A definition is identified by a `key` (which must tell apart what differs, type parameters included) and gets a C++
/// name that no other definition has. The text does not depend on the keys, so it is the same in every run.
#[derive(Debug, Default)]
pub struct Source {
    text: String,
    /// The bytes of `text` that define types.
    types: usize,
    names: HashMap<String, String>,
}

impl Source {
    /// An empty source.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The C++ name of the definition `key`. On the first call, `build` is given this source (for what it depends on)
    /// and the new name, and returns the definition's text.
    pub fn define(&mut self, key: &str, stem: &str, build: impl FnOnce(&mut Self, &str) -> String) -> String {
        let (name, text) = match self.build(key, stem, build) {
            Ok(built) => built,
            Err(name) => return name,
        };
        self.text.push_str(&text);
        self.text.push('\n');
        name
    }

    /// As [`define`](Source::define), for a type: it is placed before every function.
    pub fn define_type(&mut self, key: &str, stem: &str, build: impl FnOnce(&mut Self, &str) -> String) -> String {
        let (name, text) = match self.build(key, stem, build) {
            Ok(built) => built,
            Err(name) => return name,
        };
        self.text.insert_str(self.types, &format!("{text}\n"));
        self.types += text.len() + 1;
        name
    }

    /// The name and text of a new definition, or the name of a known one.
    fn build(
        &mut self,
        key: &str,
        stem: &str,
        build: impl FnOnce(&mut Self, &str) -> String,
    ) -> Result<(String, String), String> {
        if let Some(name) = self.names.get(key) {
            return Err(name.clone());
        }
        let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let name = format!("{stem}_{}", self.names.len());
        self.names.insert(key.to_owned(), name.clone());
        let text = build(self, &name);
        Ok((name, text))
    }

    /// The definitions so far, each after those it uses.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}
