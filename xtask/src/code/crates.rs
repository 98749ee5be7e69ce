//! Modules of every crate, and resolution of paths in them.

use super::items::{Item, Kind, Scope, scope};
use super::lexer::{Token, tokens};
use crate::tree::Tree;
use std::collections::BTreeMap;

/// Modules of one crate. The first is the crate's root.
pub(crate) struct Crate<'a> {
    /// Name of the library, with which its own macros may begin paths.
    name: Option<String>,
    pub(crate) modules: Vec<Module<'a>>,
    /// Tokens of each file of the crate, except files for tests.
    pub(crate) files: BTreeMap<&'a str, Vec<Token<'a>>>,
}

/// Module of a crate: a file, or an inline module in one.
pub(crate) struct Module<'a> {
    pub(crate) file: &'a str,
    pub(crate) parent: Option<usize>,
    pub(crate) children: BTreeMap<&'a str, usize>,
    pub(crate) scope: Scope<'a>,
    /// Folder that the files of the module's children are in.
    folder: String,
}

/// What a path leads to. Modules and items are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Found {
    Module(usize),
    /// Item of a module: the index of the module, and the index of the item in it.
    Item(usize, usize),
    /// Something that a macro call in the module with this index makes.
    Made(usize),
}

/// Largest number of imports that a path is followed through, each of which imports from the next.
const LONGEST_CHAIN: usize = 8;

/// Crates of the workspace: libraries and programs, without tests, examples and benches.
pub(crate) fn crates(tree: &Tree) -> Vec<Crate<'_>> {
    let mut found = Vec::new();
    for (manifest, text) in tree.texts(&["Cargo.toml"]) {
        let package = text.lines().skip_while(|line| line.trim() != "[package]");
        let name = package.filter_map(|line| line.strip_prefix("name = ")).next();
        let Some(name) = name else { continue };
        let name = name.trim_matches('"').replace('-', "_");
        let source = format!("{}src/", manifest.trim_end_matches("Cargo.toml"));
        let is_root = |path: &str| {
            let path = path.strip_prefix(&source);
            path.is_some_and(|path| match path.split('/').collect::<Vec<_>>()[..] {
                ["lib.rs" | "main.rs"] | ["bin", _, "main.rs"] => true,
                ["bin", file] => file.ends_with(".rs"),
                _ => false,
            })
        };
        let roots = tree.texts(&[".rs"]).filter(|(path, _)| is_root(path));
        found.extend(roots.map(|(root, _)| {
            let library = root.ends_with("src/lib.rs").then(|| name.clone());
            Crate::read(tree, library, root)
        }));
    }
    found
}

impl<'a> Crate<'a> {
    fn read(tree: &'a Tree, name: Option<String>, root: &'a str) -> Self {
        let mut krate = Self { name, modules: Vec::new(), files: BTreeMap::new() };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        krate.add_file(tree, root, folder.to_owned(), None);
        krate
    }

    /// Adds the file at `path`, whose children are in `folder`, and returns its module.
    fn add_file(&mut self, tree: &'a Tree, path: &'a str, folder: String, parent: Option<usize>) -> usize {
        let text = tree.0.get(path).and_then(|text| text.as_deref()).unwrap_or_default();
        let tokens = tokens(text);
        let declared = scope(&tokens);
        self.files.insert(path, tokens);
        self.add(tree, path, folder, parent, declared)
    }

    fn add(
        &mut self,
        tree: &'a Tree,
        file: &'a str,
        folder: String,
        parent: Option<usize>,
        mut scope: Scope<'a>,
    ) -> usize {
        let at = self.modules.len();
        let inner = std::mem::take(&mut scope.modules);
        self.modules.push(Module { file, parent, children: BTreeMap::new(), scope, folder: folder.clone() });
        for module in inner {
            let folder = format!("{}/{}", self.modules[at].folder, module.name);
            let child = match module.scope {
                Some(scope) => self.add(tree, file, folder, Some(at), scope),
                None => {
                    let candidates = match module.path {
                        Some(path) => vec![crate::tree::relative(file, path).unwrap_or_default()],
                        None => vec![format!("{folder}.rs"), format!("{folder}/mod.rs")],
                    };
                    let found = candidates.iter().find_map(|path| tree.0.get_key_value(path.as_str()));
                    let Some((path, _)) = found else { continue };
                    self.add_file(tree, path, folder, Some(at))
                }
            };
            self.modules[at].children.insert(module.name, child);
        }
        at
    }

    /// Resolves `path` in the module `from`. The number is how many names of the path lead to what is found: of
    /// `Type::function` one.
    pub(crate) fn resolve(&self, from: usize, path: &[&str]) -> Option<(Found, usize)> {
        self.follow(from, path, LONGEST_CHAIN)
    }

    fn follow(&self, from: usize, path: &[&str], chain: usize) -> Option<(Found, usize)> {
        let chain = chain.checked_sub(1)?;
        let more = path.len() > 1;
        let mut found = match *path.first()? {
            "crate" => Found::Module(0),
            "self" => Found::Module(from),
            "super" => Found::Module(self.modules[from].parent?),
            first => match self.lookup(from, first, more, chain) {
                Some(found) => found,
                None if self.name.as_deref() == Some(first) => Found::Module(0),
                None => return None,
            },
        };
        let mut taken = 1;
        while let (Found::Module(module), Some(name)) = (found, path.get(taken)) {
            found = match *name {
                "super" => Found::Module(self.modules[module].parent?),
                name => match self.lookup(module, name, taken + 1 < path.len(), chain) {
                    Some(found) => found,
                    None if self.modules[module].scope.calls_macros => Found::Made(module),
                    None => return None,
                },
            };
            taken += 1;
        }
        Some((found, taken))
    }

    /// Resolves `name` in `module`. If both an item and a module have this name, `more` decides: whether more names
    /// follow, which mean the module.
    fn lookup(&self, module: usize, name: &str, more: bool, chain: usize) -> Option<Found> {
        let here = &self.modules[module];
        let is = |item: &Item<'_>| item.kind != Kind::Impl && item.name == name;
        let item = here.scope.items.iter().position(is).map(|item| Found::Item(module, item));
        let child = here.children.get(name).map(|&child| Found::Module(child));
        let declared = if more { child.or(item) } else { item.or(child) };
        let imports = |name: &'static str| here.scope.uses.iter().filter(move |import| import.name == name);
        declared
            .or_else(|| {
                let named = here.scope.uses.iter().filter(|import| import.name == name);
                named.filter_map(|import| self.follow(module, &import.path, chain)).map(|(found, _)| found).next()
            })
            .or_else(|| {
                let globs = imports("*").filter_map(|import| self.follow(module, &import.path, chain));
                let others = globs.filter_map(|(found, _)| match found {
                    Found::Module(other) if other != module => Some(other),
                    _ => None,
                });
                let chain = chain.checked_sub(1)?;
                others.into_iter().find_map(|other| self.lookup(other, name, more, chain))
            })
    }

    /// File that defines what was found. A module has no such file: it is a name for its contents.
    pub(crate) fn file(&self, found: Found) -> Option<&'a str> {
        match found {
            Found::Module(_) => None,
            Found::Item(module, _) | Found::Made(module) => Some(self.modules[module].file),
        }
    }

    /// Whether the module `inner` is `outer` or inside it.
    pub(crate) fn is_inside(&self, inner: usize, outer: usize) -> bool {
        inner == outer || self.modules[inner].parent.is_some_and(|parent| self.is_inside(parent, outer))
    }
}
