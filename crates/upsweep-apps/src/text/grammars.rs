//! Lexical grammars of small languages.

use super::Lexer;
use crate::error::Result;

/// Rules of a language, as a [`Lexer`] takes them: of rules that match the same text, the first counts.
#[derive(Clone, Copy, Debug)]
pub struct Grammar {
    /// Name of the language.
    pub name: &'static str,
    /// Pairs of a name and a regular expression.
    pub rules: &'static [(&'static str, &'static str)],
}

impl Grammar {
    /// Finds the grammar of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        GRAMMARS.iter().copied().find(|grammar| grammar.name == name)
    }

    /// Builds the lexer of the grammar.
    ///
    /// # Errors
    /// None, for a grammar of [`GRAMMARS`].
    pub fn lexer(&self) -> Result<Lexer> {
        Lexer::new(self.rules)
    }
}

/// Grammars that come with upsweep.
///
/// - `json`: strings, numbers and words as RFC 8259 has them
/// - `csv`: cells, cells in quotes, commas and ends of lines as RFC 4180 has them; a quote that is never closed goes to
///   the end
/// - `arithmetic`: numbers, names, operators and parentheses
/// - `rust`: source like Rust's: comments do not nest, raw strings have no `#`, and `'` begins a character or a
///   lifetime
pub const GRAMMARS: &[Grammar] = &[
    Grammar {
        name: "json",
        rules: &[
            ("space", r"[ \t\r\n]+"),
            ("string", r#""([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#),
            ("number", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?"),
            ("word", r"true|false|null"),
            ("punctuation", r"[{}\[\],:]"),
        ],
    },
    Grammar {
        name: "csv",
        rules: &[
            ("quoted", r#""([^"]|"")*"?"#),
            ("cell", r#"[^",\r\n][^,\r\n]*"#),
            ("comma", ","),
            ("end", r"\r?\n|\r"),
        ],
    },
    Grammar {
        name: "arithmetic",
        rules: &[
            ("space", r"[ \t\r\n]+"),
            ("number", r"[0-9]+(\.[0-9]*)?|\.[0-9]+"),
            ("name", r"[A-Za-z_][A-Za-z0-9_]*"),
            ("operator", r"[-+*/^%]"),
            ("parenthesis", r"[()]"),
        ],
    },
    Grammar {
        name: "rust",
        rules: &[
            ("space", r"[ \t\r\n]+"),
            ("comment", r"//[^\n]*|/\*([^*]|\*+[^*/])*(\*+/?)?"),
            ("string", r#"b?"([^"\\]|\\(.|\n))*"?"#),
            ("character", r"'([^'\\\n]|\\[^\n]|\\u\{[0-9a-fA-F]*\}|\\x[0-9a-fA-F]{2})'"),
            ("byte", r"b'([^'\\\n]|\\[^\n]|\\x[0-9a-fA-F]{2})?'?"),
            ("lifetime", r"'[A-Za-z_][A-Za-z0-9_]*"),
            ("number", r"[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)?"),
            ("name", r"(r#)?[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*"),
            ("punctuation", r"[-+*/%^!&|=<>@.,;:#$?~(){}\[\]]|->|=>|::|\.\.=?|[-+*/%^&|=<>!]=|&&|\|\||<<|>>"),
        ],
    },
];
