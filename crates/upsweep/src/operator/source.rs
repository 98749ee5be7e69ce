//! The CUDA C++ that operators, functions and elements contribute to a kernel.

use std::collections::HashMap;
use std::fmt::Write;

/// Collects CUDA C++ definitions in dependency order, each once.
///
/// A definition is identified by a `key` (usually [`std::any::type_name`] of what it defines, which names its type
/// parameters too) and gets a C++ name that no other definition has.
#[derive(Debug, Default)]
pub struct Source {
    text: String,
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
        if let Some(name) = self.names.get(key) {
            return name.clone();
        }
        let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let name = format!("{stem}_{}", self.names.len());
        self.names.insert(key.to_owned(), name.clone());
        let text = build(self, &name);
        let _infallible = writeln!(self.text, "{text}");
        name
    }

    /// The definitions so far, each after those it uses.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}
