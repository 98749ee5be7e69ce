//! Declarations of a Rust file: items, imports and modules, found in its tokens. Code for tests is left out.

use super::lexer::{Kind as Word, Token};
use std::ops::Range;

/// Declarations in a module: its items, imports and modules.
#[derive(Debug, Default)]
pub(crate) struct Scope<'a> {
    pub(crate) items: Vec<Item<'a>>,
    pub(crate) uses: Vec<Use<'a>>,
    pub(crate) modules: Vec<Submodule<'a>>,
    /// Whether the module calls a macro between its items. Such a call may make items of any name.
    pub(crate) calls_macros: bool,
}

/// Item of a module: a function, a type, a trait, a value, a macro, or an `impl`.
#[derive(Debug)]
pub(crate) struct Item<'a> {
    pub(crate) kind: Kind,
    /// Name of the item; for an `impl`, the name of its type.
    pub(crate) name: &'a str,
    /// Indices of the item's tokens in the file.
    pub(crate) tokens: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Function,
    Type,
    Trait,
    Value,
    Macro,
    Impl,
}

/// Import of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use<'a> {
    pub(crate) path: Vec<&'a str>,
    /// Name that the import has in this module; `*` if it imports all names of the path.
    pub(crate) name: &'a str,
    /// Whether the import is `pub`, so that other modules can import the name from here.
    pub(crate) public: bool,
    pub(crate) line: usize,
}

/// Module that is declared in a module.
#[derive(Debug)]
pub(crate) struct Submodule<'a> {
    pub(crate) name: &'a str,
    /// Its declarations if it is inline, `None` if it is in a file.
    pub(crate) scope: Option<Scope<'a>>,
    /// Path in the attribute `#[path = "..."]`, if the module has one.
    pub(crate) path: Option<&'a str>,
}

/// Declarations in a module whose tokens are `tokens`.
pub(crate) fn scope<'a>(tokens: &[Token<'a>]) -> Scope<'a> {
    let mut scope = Scope::default();
    parse(tokens, 0..tokens.len(), &mut scope);
    scope
}

fn parse<'a>(tokens: &[Token<'a>], range: Range<usize>, scope: &mut Scope<'a>) {
    let mut at = range.start;
    while at < range.end {
        let (begin, attributes) = after_attributes(tokens, at);
        if attributes.test == Some(Inner(true)) {
            return;
        }
        if begin >= range.end {
            break;
        }
        let mut word = begin;
        let mut public = false;
        if tokens[word].is("pub") {
            public = true;
            word += 1;
            if tokens.get(word).is_some_and(|token| token.is("(")) {
                word = after_group(tokens, word);
            }
        }
        let end = item_end(tokens, word).min(range.end);
        if attributes.test.is_none() {
            declare(tokens, word..end, public, attributes.path, scope);
        }
        at = end.max(begin + 1);
    }
}

/// Adds the item whose tokens are in `range`, without its attributes and its visibility, to `scope`.
fn declare<'a>(tokens: &[Token<'a>], range: Range<usize>, public: bool, path: Option<&'a str>, scope: &mut Scope<'a>) {
    let text = |at: usize| tokens.get(at).filter(|_| at < range.end).map_or("", |token| token.text);
    let Some(keyword) = range.clone().find(|&at| !is_modifier(tokens, at, range.end)) else { return };
    let (kind, name) = match text(keyword) {
        "use" => return imports(tokens, range, public, scope),
        "mod" => {
            let scope_of = tokens.get(keyword + 2).filter(|token| token.is("{")).map(|_| {
                let mut inner = Scope::default();
                parse(tokens, keyword + 3..after_group(tokens, keyword + 2) - 1, &mut inner);
                inner
            });
            return scope.modules.push(Submodule { name: text(keyword + 1), scope: scope_of, path });
        }
        "extern" => return,
        "fn" => (Kind::Function, text(keyword + 1)),
        "struct" | "enum" | "union" | "type" => (Kind::Type, text(keyword + 1)),
        "trait" => (Kind::Trait, text(keyword + 1)),
        "const" | "static" => (Kind::Value, text(keyword + 1)),
        "macro_rules" => (Kind::Macro, text(keyword + 2)),
        "impl" => return implementation(tokens, keyword..range.end, scope),
        _ => {
            scope.calls_macros |= text(keyword + 1) == "!";
            return;
        }
    };
    for at in range.clone().filter(|&at| tokens[at].is("use") && !tokens[at + 1].is("<")) {
        imports(tokens, at..range.end, false, scope);
    }
    scope.items.push(Item { kind, name, tokens: range });
}

/// Whether the word at `at` is a modifier before the keyword of an item.
fn is_modifier(tokens: &[Token<'_>], at: usize, end: usize) -> bool {
    let next = |text: &str| at + 1 < end && tokens[at + 1].is(text);
    match tokens[at].text {
        "unsafe" | "async" | "default" | "auto" => true,
        "const" => next("fn") || next("unsafe") || next("async") || next("extern"),
        "extern" => !next("crate") && !next("{"),
        _ => tokens[at].kind == Word::Literal,
    }
}

fn implementation<'a>(tokens: &[Token<'a>], range: Range<usize>, scope: &mut Scope<'a>) {
    let mut at = range.start + 1;
    if tokens.get(at).is_some_and(|token| token.is("<")) {
        at = after_angles(tokens, at);
    }
    let body = (at..range.end).find(|&at| tokens[at].is("{")).unwrap_or(range.end);
    let (mut depth, mut split, mut clause) = (0i32, None, body);
    for at in at..body {
        match tokens[at].text {
            "<" => depth += 1,
            ">" => depth -= 1,
            "for" if depth == 0 && !tokens[at + 1].is("<") => split = Some(at),
            "where" if depth == 0 => {
                clause = at;
                break;
            }
            _ => {}
        }
    }
    let of = first_path(tokens, split.map_or(at, |split| split + 1)..clause);
    let name = of.last().copied().unwrap_or("");
    scope.items.push(Item { kind: Kind::Impl, name, tokens: range });
}

/// First path in `range`, up to its first angle bracket.
fn first_path<'a>(tokens: &[Token<'a>], range: Range<usize>) -> Vec<&'a str> {
    let skipped = |token: &Token<'_>| token.kind != Word::Name || matches!(token.text, "mut" | "dyn" | "const");
    let Some(first) = range.clone().find(|&at| !skipped(&tokens[at])) else { return Vec::new() };
    path(tokens, first, range.end)
}

/// Path that begins at `at`: names that `::` joins.
pub(crate) fn path<'a>(tokens: &[Token<'a>], at: usize, end: usize) -> Vec<&'a str> {
    let mut names = vec![tokens[at].text];
    let mut at = at + 1;
    while at + 1 < end && tokens[at].is("::") && tokens[at + 1].kind == Word::Name {
        names.push(tokens[at + 1].text);
        at += 2;
    }
    names
}

/// Adds the imports of an item `use a::{b, c as d, e::*};` to `scope`.
fn imports<'a>(tokens: &[Token<'a>], range: Range<usize>, public: bool, scope: &mut Scope<'a>) {
    let Some(start) = range.clone().find(|&at| tokens[at].is("use")) else { return };
    let mut found = Vec::new();
    branch(tokens, start + 1, range.end, &[], &mut found);
    scope.uses.extend(found.into_iter().map(|(path, name, line)| Use { path, name, public, line }));
}

/// Reads one branch of a tree of imports, whose path so far is `before`, and returns the index after it.
fn branch<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    end: usize,
    before: &[&'a str],
    found: &mut Vec<(Vec<&'a str>, &'a str, usize)>,
) -> usize {
    let mut path = before.to_vec();
    let line = tokens.get(at).map_or(0, |token| token.line);
    while at < end {
        let token = &tokens[at];
        if token.is("{") {
            at += 1;
            while at < end && !tokens[at].is("}") {
                at = branch(tokens, at, end, &path, found);
                at += usize::from(at < end && tokens[at].is(","));
            }
            return at + 1;
        } else if token.is("*") {
            found.push((path, "*", line));
            return at + 1;
        } else if token.is("::") {
            // At the beginning of a path, `::` marks the next name as that of another crate.
            if path.is_empty() {
                path.push("::");
            }
        } else if token.is("as") {
            let name = tokens[at + 1].text;
            found.push((path, name, line));
            return at + 2;
        } else if token.kind == Word::Name {
            if !token.is("self") || path.is_empty() {
                path.push(token.text);
            }
        } else {
            break;
        }
        at += 1;
    }
    if let Some(&name) = path.last() {
        found.push((path, name, line));
    }
    at
}

/// Attributes of an item, as far as they matter here.
#[derive(Default)]
struct Attributes<'a> {
    /// `None` if the item is not for tests alone; else whether the attribute is an inner one (`#![cfg(test)]`), which
    /// covers the whole module.
    test: Option<Inner>,
    path: Option<&'a str>,
}

#[derive(PartialEq, Eq)]
struct Inner(bool);

/// Index after the attributes that begin at `at`, and what they say.
fn after_attributes<'a>(tokens: &[Token<'a>], mut at: usize) -> (usize, Attributes<'a>) {
    let mut attributes = Attributes::default();
    while tokens.get(at).is_some_and(|token| token.is("#")) {
        let inner = tokens.get(at + 1).is_some_and(|token| token.is("!"));
        let open = at + 1 + usize::from(inner);
        let end = after_group(tokens, open);
        let words: Vec<&str> = tokens[open..end].iter().map(|token| token.text).collect();
        if let ["[", "cfg", "(", "test", ")", ..] | ["[", "cfg", "(", "all", "(", "test", ..] = words[..] {
            attributes.test = Some(Inner(inner));
        }
        if let ["[", "path", "=", path, "]"] = words[..] {
            attributes.path = Some(path.trim_matches('"'));
        }
        at = end;
    }
    (at, attributes)
}

/// Index after the item that begins at `at`: after its `;`, or after its braces if these are not part of a value.
fn item_end(tokens: &[Token<'_>], at: usize) -> usize {
    let first = (at..tokens.len()).find(|&at| !is_modifier(tokens, at, tokens.len()));
    let to_semicolon = first.is_some_and(|at| matches!(tokens[at].text, "const" | "static" | "use" | "type"));
    let mut at = at;
    while at < tokens.len() {
        if tokens[at].is(";") {
            return at + 1;
        }
        let braces = tokens[at].is("{");
        if braces || tokens[at].is("(") || tokens[at].is("[") {
            at = after_group(tokens, at);
            if braces && !to_semicolon {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// Index after the group (parentheses, brackets or braces) that opens at `at`.
fn after_group(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0;
    for (offset, token) in tokens[at..].iter().enumerate() {
        if token.kind == Word::Mark {
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
        }
        if depth == 0 {
            return at + offset + 1;
        }
    }
    tokens.len()
}

/// Index after the group of angle brackets that opens at `at`.
fn after_angles(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0;
    for (offset, token) in tokens[at..].iter().enumerate() {
        match token.text {
            "<" => depth += 1,
            ">" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + offset + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens;
    use super::*;

    #[test]
    fn imports_are_read_as_a_tree() {
        let tokens = tokens("use a::{self, b, c::{d as e, *}};\npub(crate) use super::f;\nuse ::g::h;");
        let found = scope(&tokens).uses;
        let found: Vec<_> = found.iter().map(|u| (u.path.join("/"), u.name, u.public, u.line)).collect();
        let expected = [
            ("a", "a", false, 1),
            ("a/b", "b", false, 1),
            ("a/c/d", "e", false, 1),
            ("a/c", "*", false, 1),
            ("super/f", "f", true, 2),
            ("::/g/h", "h", false, 3),
        ];
        assert_eq!(found, expected.map(|(path, name, public, line)| (path.to_owned(), name, public, line)));
    }

    #[test]
    fn items_of_all_kinds_are_found_and_those_of_tests_are_not() {
        let text = "#![allow(x, reason = \"y\")]\nextern crate self as z;\npub const fn a() -> [u8; { 1 }] { [0] }\n\
                    pub(crate) unsafe extern \"C\" fn b(x: fn() -> u8) where u8: Copy {}\nstruct C(u8);\n\
                    const D: X = X { x: 1 };\nmacro_rules! e { () => { fn hidden() {} } }\ne! { f }\n\
                    impl<T: Fn() -> u8> fmt::Display for &'a super::C<T> where T: for<'b> X<'b> { const A: u8 = 1; fn g() {} }\n\
                    trait H { type T; fn i(&self); fn j() {} }\nmod k { pub enum L {} }\n\
                    #[cfg(test)]\n#[path = \"m_tests.rs\"]\nmod m;\n#[path = \"n_of.rs\"] mod n;\n\
                    #[cfg(test)] fn o() {}\nimpl C { #[cfg(test)] fn p() {} fn q() {} }\nfn r() { use s::t; }\n";
        let tokens = tokens(text);
        let found = scope(&tokens);
        let names: Vec<_> = found.items.iter().map(|item| (item.kind, item.name)).collect();
        let expected = [
            (Kind::Function, "a"),
            (Kind::Function, "b"),
            (Kind::Type, "C"),
            (Kind::Value, "D"),
            (Kind::Macro, "e"),
            (Kind::Impl, "C"),
            (Kind::Trait, "H"),
            (Kind::Impl, "C"),
            (Kind::Function, "r"),
        ];
        assert_eq!(names, expected);
        let modules: Vec<_> = found.modules.iter().map(|module| (module.name, module.path)).collect();
        assert_eq!(modules, [("k", None), ("n", Some("n_of.rs"))]);
        assert_eq!(found.modules[0].scope.as_ref().unwrap().items[0].name, "L");
        assert_eq!(found.uses[0].path, ["s", "t"]);
        assert!(found.calls_macros);
    }
}
