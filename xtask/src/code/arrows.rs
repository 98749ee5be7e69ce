//! Dependencies between files: an arrow goes from a file to each file that defines a name it uses, by an import, a path
//! or an `#include`. Declarations of modules, and re-exports of a module's own children, make no arrow.

use super::crates::{Crate, Found, crates};
use super::items::{Item, path};
use super::lexer::Kind;
use crate::tree::{Tree, relative};
use std::collections::{BTreeMap, BTreeSet};

/// Folders of a package whose kernel files include each other: the shared files, and those of the families.
const KERNELS: [&str; 2] = ["/kernels/", "/src/"];

/// Arrows by pairs of files, (from, to). The number is the first line of `from` that needs `to`.
pub(crate) type Arrows<'a> = BTreeMap<(&'a str, &'a str), usize>;

/// Finds the arrows between the files of each crate, and between kernel files.
pub(crate) fn arrows(tree: &Tree) -> Arrows<'_> {
    let mut arrows = Arrows::new();
    let mut add = |from, to, line| {
        if from != to {
            let first = arrows.entry((from, to)).or_insert(line);
            *first = line.min(*first);
        }
    };
    for krate in crates(tree) {
        for module in 0..krate.modules.len() {
            imports(&krate, module, &mut add);
            paths(&krate, module, &mut add);
        }
    }
    for (from, text) in tree.texts(&[".cuh", ".cu"]) {
        for (to, line) in includes(tree, from, text) {
            add(from, to, line);
        }
    }
    arrows
}

/// Files that may have arrows: those of every crate, except code for tests, and kernel files.
pub(crate) fn files(tree: &Tree) -> BTreeSet<&str> {
    let of_crates = crates(tree).into_iter().flat_map(|krate| krate.files.into_keys());
    of_crates.chain(tree.texts(&[".cuh", ".cu"]).map(|(path, _)| path)).collect()
}

fn imports<'a>(krate: &Crate<'a>, module: usize, add: &mut impl FnMut(&'a str, &'a str, usize)) {
    let here = &krate.modules[module];
    let mut root = module;
    while let Some(parent) = krate.modules[root].parent.filter(|&parent| krate.modules[parent].file == here.file) {
        root = parent;
    }
    for import in here.scope.uses.iter().filter(|import| import.name != "*") {
        let Some((found, _)) = krate.resolve(module, &import.path) else { continue };
        let own = |other: usize| import.public && krate.is_inside(other, root);
        let exported = matches!(found, Found::Item(other, _) | Found::Made(other) if own(other));
        if let Some(file) = krate.file(found).filter(|_| !exported) {
            add(here.file, file, import.line);
        }
    }
}

/// Adds the arrows of the paths in the items of a module, and of the names that `use a::*` imports into it.
fn paths<'a>(krate: &Crate<'a>, module: usize, add: &mut impl FnMut(&'a str, &'a str, usize)) {
    let here = &krate.modules[module];
    let globs = here.scope.uses.iter().any(|import| import.name == "*");
    for item in &here.scope.items {
        for name in names(krate, module, item) {
            if name.path.len() == 1 && !globs {
                continue;
            }
            let found = krate.resolve(module, &name.path);
            if let Some(file) = found.and_then(|(found, _)| krate.file(found)) {
                add(here.file, file, name.line);
            }
        }
    }
}

/// Path, or single name, that occurs in an item's tokens.
pub(crate) struct Named<'a> {
    pub(crate) path: Vec<&'a str>,
    pub(crate) line: usize,
}

/// Paths and names in the tokens of `item`. Names of fields are left out, and so are paths that begin with `::`.
pub(crate) fn names<'a>(krate: &Crate<'a>, module: usize, item: &Item<'a>) -> Vec<Named<'a>> {
    names_in(krate, module, item.tokens.clone())
}

/// Paths and names in the tokens `range` of the file of a module.
pub(crate) fn names_in<'a>(krate: &Crate<'a>, module: usize, range: std::ops::Range<usize>) -> Vec<Named<'a>> {
    let Some(tokens) = krate.files.get(krate.modules[module].file) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let token = &tokens[at];
        let after = |mark: &str| at > range.start && tokens[at - 1].is(mark);
        if token.kind != Kind::Name || after("::") {
            at += 1;
            continue;
        }
        let names = path(tokens, at, range.end);
        let length = 2 * names.len() - 1;
        let next = |mark: &str| tokens.get(at + length).is_some_and(|token| token.is(mark));
        let range_before = at >= range.start + 2 && tokens[at - 1].is(".") && tokens[at - 2].is(".");
        let field = after(".") && !range_before;
        if !field || next("(") || next("::") {
            found.push(Named { path: names, line: token.line });
        }
        at += length;
    }
    found
}

/// Files that the kernel file `from` includes, with the lines of the `#include`s.
pub(crate) fn includes<'a>(tree: &'a Tree, from: &str, text: &str) -> Vec<(&'a str, usize)> {
    let package = KERNELS.iter().find_map(|folder| from.find(folder)).map(|at| &from[..at]);
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(name) = line.trim_start().strip_prefix("#include \"").and_then(|rest| rest.split('"').next()) else {
            continue;
        };
        let of_package = package.iter().flat_map(|package| KERNELS.map(|folder| format!("{package}{folder}{name}")));
        let file = of_package.chain(relative(from, name)).find_map(|path| tree.0.get_key_value(path.as_str()));
        found.extend(file.map(|(path, _)| (path.as_str(), index + 1)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const MANIFEST: (&str, &str) = ("a/Cargo.toml", "[package]\nname = \"my-a\"\n");

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let tree = tree(&[files, &[MANIFEST]].concat());
        let short = |path: &str| path.trim_start_matches("a/src/").to_owned();
        arrows(&tree).iter().map(|((from, to), line)| format!("{}:{line} {}", short(from), short(to))).collect()
    }

    #[test]
    fn imports_and_paths_lead_to_the_file_that_defines() {
        let lib = "extern crate self as my_a;\npub mod b;\nmod c;\npub use b::{B, d::D};\n\
                   pub mod prelude {\n    pub use crate::B;\n}\n";
        let b = "pub mod d;\npub(crate) use d::D;\npub struct B(D);\n";
        let d = "pub struct D;\nimpl D {\n    fn f() {\n        crate::c::g()\n    }\n}\n";
        // Names exported by the crate, by a parent, and by a module that an import names.
        let c = "use crate::{B,\n    b};\nuse my_a::D;\nuse std::fmt;\npub(crate) fn g() {\n    b::h()\n}\n";
        let files = [("a/src/lib.rs", lib), ("a/src/b/mod.rs", b), ("a/src/b/d.rs", d), ("a/src/c.rs", c)];
        assert_eq!(found(&files), ["b/d.rs:4 c.rs", "c.rs:3 b/d.rs", "c.rs:1 b/mod.rs"]);
    }

    #[test]
    fn what_a_parent_uses_itself_is_an_arrow() {
        let main = "mod b;\nuse b::f;\nstruct A;\nfn main() {\n    f(A)\n}\n";
        let b = "use super::A;\npub(crate) fn f(a: A) {}\n";
        assert_eq!(found(&[("a/src/main.rs", main), ("a/src/b.rs", b)]), ["b.rs:1 main.rs", "main.rs:2 b.rs"]);
    }

    #[test]
    fn tests_have_no_arrows() {
        let lib = "mod b;\n#[cfg(test)]\nmod tests;\n";
        let b = "#[cfg(test)]\nmod tests {\n    use crate::x::y;\n    use super::*;\n}\n#[cfg(test)]\nuse crate::c;\n";
        assert_eq!(found(&[("a/src/lib.rs", lib), ("a/src/b.rs", b), ("a/src/tests.rs", "use crate::b::c;")]), [""; 0]);
    }

    #[test]
    fn globs_macros_and_inline_modules_are_followed() {
        let lib = "mod b;\nmod c;\nmod d;\n";
        let b = "pub(crate) mod inner { pub(crate) struct B; }\nmacro_rules! m { () => { $crate::d::F } }\n";
        let c = "use crate::b::inner::*;\n\n\nfn f(x: B) {\n    x.b();\n    crate::d::made()\n}\n";
        let d = "make! { made }\npub(crate) struct F;\n";
        let files = [("a/src/lib.rs", lib), ("a/src/b.rs", b), ("a/src/c.rs", c), ("a/src/d.rs", d)];
        assert_eq!(found(&files), ["b.rs:2 d.rs", "c.rs:4 b.rs", "c.rs:6 d.rs"]);
    }

    #[test]
    fn includes_are_from_the_folder_of_all_kernels() {
        let files = [
            ("a/src/sort/s.cuh", "// S.\n#include \"tile/s.cuh\"\n#include \"sort/t.cuh\"\n"),
            ("a/src/sort/t.cuh", "// T.\n"),
            ("a/kernels/tile/s.cuh", "// S.\n"),
        ];
        assert_eq!(found(&files), ["sort/s.cuh:2 a/kernels/tile/s.cuh", "sort/s.cuh:3 sort/t.cuh"]);
    }
}
