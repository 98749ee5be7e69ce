//! Lexer of Rust and of CUDA C++: tokens with their lines, without comments and lifetimes.

/// Token: a name, a mark or a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    /// Text of the token as it is written, of a literal with its quotes.
    pub(crate) text: &'a str,
    /// Line on which the token begins, counted from 1.
    pub(crate) line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword; raw ones without `r#`.
    Name,
    /// One character of punctuation, or one of [`JOINED`].
    Mark,
    /// A number, character or string.
    Literal,
}

/// Marks of two characters that matter to a reader of paths and of angle brackets.
const JOINED: [&str; 3] = ["::", "->", "=>"];

impl Token<'_> {
    /// Whether the token is the keyword or mark `text`. A literal is neither.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Literal && self.text == text
    }
}

/// Splits `text` into tokens.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = next(rest, first);
        if let Some(kind) = kind {
            let text = &rest[..length];
            let text = if kind == Kind::Name { text.strip_prefix("r#").unwrap_or(text) } else { text };
            tokens.push(Token { kind, text, line });
        }
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

/// Kind of the token at the beginning of `rest`, and its length in bytes; `first` is its first character. The kind is
/// `None` for what is no token: white space, a comment or a lifetime.
fn next(rest: &str, first: char) -> (Option<Kind>, usize) {
    if first.is_whitespace() {
        return (None, first.len_utf8());
    }
    if rest.starts_with("//") {
        return (None, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (None, block_comment(rest));
    }
    if let Some(length) = raw_string(rest).or_else(|| quoted(rest)) {
        return (Some(Kind::Literal), length);
    }
    if first == '\'' {
        return apostrophe(rest);
    }
    if first.is_ascii_digit() {
        return (Some(Kind::Literal), number(rest));
    }
    if is_word(first) {
        let raw = if rest.starts_with("r#") { 2 } else { 0 };
        return (Some(Kind::Name), raw + word(&rest[raw..]));
    }
    let length = if JOINED.iter().any(|mark| rest.starts_with(mark)) { 2 } else { first.len_utf8() };
    (Some(Kind::Mark), length)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length in bytes of the word at the beginning of `rest`.
fn word(rest: &str) -> usize {
    rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

/// Length in bytes of the number at the beginning of `rest`: `0x1f`, `1.5f32`; of `0..4` only the 0.
fn number(rest: &str) -> usize {
    let whole = word(rest);
    let fraction = rest[whole..].strip_prefix('.').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
    whole + fraction.map_or(0, |digits| 1 + word(digits))
}

/// Length in bytes of the comment `/* */` at the beginning of `rest`. Comments nest in Rust; in C++ no comment of this
/// project contains another.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// Length in bytes of the raw string at the beginning of `rest`, if there is one: `r"..."`, `br#"..."#`, `cr"..."`.
fn raw_string(rest: &str) -> Option<usize> {
    let after = ["br", "cr", "r"].iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(rest.len() - body.len() + length)
}

/// Length in bytes of the string at the beginning of `rest`, if there is one: `"..."`, `b"..."`, `c"..."`.
fn quoted(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix(['b', 'c']).unwrap_or(rest).strip_prefix('"')?;
    Some(rest.len() - body.len() + closing(body, '"'))
}

/// Number of bytes of `body`, the text after a literal's first quote, up to and including the `quote` that ends it.
fn closing(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    body.len()
}

/// Kind and length in bytes of what begins with an apostrophe: a literal `'c'` or `'\n'`, or a lifetime `'a`, which has
/// no kind.
fn apostrophe(rest: &str) -> (Option<Kind>, usize) {
    let body = &rest[1..];
    let mut letters = body.chars();
    let first = letters.next();
    if first == Some('\\') || letters.next() == Some('\'') {
        return (Some(Kind::Literal), 1 + closing(body, '\''));
    }
    (None, 1 + word(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_lifetimes_and_literals_hide_no_code() {
        assert_eq!(words("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"]);
        assert_eq!(words("fn f<'a>(x: &'a str) -> char { 'x' }").join(" "), "fn f < > ( x : & str ) -> char { 'x' }");
        assert_eq!(words(r#"['\'', '"', b'a', "\"//", 'b']"#).join(" "), r#"[ '\'' , '"' , b 'a' , "\"//" , 'b' ]"#);
        assert_eq!(words("r#\"a \" b\"# r#type br\"c\" x"), ["r#\"a \" b\"#", "type", "br\"c\"", "x"]);
        assert_eq!(words("0..4 1.5f32 a::b => >>"), ["0", ".", ".", "4", "1.5f32", "a", "::", "b", "=>", ">", ">"]);
    }

    #[test]
    fn lines_are_counted_through_strings_and_comments() {
        let found = tokens("a\n\"x\ny\" /*\n*/ b\n\nc");
        assert_eq!(found.iter().map(|token| token.line).collect::<Vec<_>>(), [1, 2, 4, 6]);
    }
}
