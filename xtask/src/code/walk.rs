//! What a function needs, item by item: the functions and types that its signature and its body name, and what those
//! name in turn. Of a file that has one of them a reader must know the file.
//!
//! A path is followed to the item that it names. A call `x.name(..)` is followed to each function of that name of a type
//! or trait that was reached, as only a compiler knows the type of `x`: so the walk goes too far rather than not far
//! enough.

use super::arrows::{includes, names_in};
use super::crates::{Crate, Found, crates};
use super::items::{Item, Kind};
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

/// A file that was reached, and by what.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step<'a> {
    pub(crate) path: &'a str,
    /// The first item of it that was reached; none of a kernel.
    pub(crate) item: &'a str,
    /// The file that names it; none of the first.
    pub(crate) from: Option<&'a str>,
    /// Its lines of code that were walked through; none of a kernel.
    pub(crate) lines: BTreeSet<usize>,
}

/// The files that one must know to read `entry`, a path such as `upsweep::scan::Scan::run`, in the order in which a walk
/// level by level meets them. Where `stops` says so of a file, the walk does not enter it.
pub(crate) fn walk<'a>(tree: &'a Tree, entry: &str, stops: &dyn Fn(&str) -> bool) -> Result<Vec<Step<'a>>, String> {
    let names: Vec<&str> = entry.split("::").collect();
    let [krate, path @ ..] = &names[..] else { return Err("an entry is a path: upsweep::scan::Scan::run".to_owned()) };
    let crates = crates(tree);
    let is_library = |other: &&Crate<'_>| other.name() == Some(krate);
    let Some(krate) = crates.iter().find(is_library) else { return Err(format!("there is no library {krate}")) };
    let mut walk = Walk::new(krate, stops);
    let nothing = || format!("there is no {entry}");
    let (found, taken) = krate.resolve(0, path).ok_or_else(nothing)?;
    walk.from = None;
    match (&path[taken..], found) {
        ([], Found::Item(..)) => walk.reach(found),
        ([function], Found::Item(..)) => {
            // The function alone: what its type's other functions need is not on the way.
            walk.visited.insert(Place::Item(found));
            walk.know(found);
            walk.call_of(found, function);
        }
        _ => return Err(nothing()),
    }
    walk.finish();
    if walk.bodies == 0 {
        return Err(nothing());
    }
    Ok(walk.steps)
}

/// The files that a kernel includes, and those that they include in turn, after the kernel itself.
pub(crate) fn kernels<'a>(tree: &'a Tree, root: &str, stops: &dyn Fn(&str) -> bool) -> Result<Vec<Step<'a>>, String> {
    let (root, _) = tree.0.get_key_value(root).ok_or_else(|| format!("there is no {root}"))?;
    let step = |path, from| Step { path, item: "", from, lines: BTreeSet::new() };
    let mut steps = vec![step(root, None)];
    let mut at = 0;
    while at < steps.len() {
        let from = steps[at].path;
        let text = tree.0.get(from).and_then(|text| text.as_deref()).unwrap_or_default();
        for (path, _) in includes(tree, from, text) {
            if !stops(path) && !steps.iter().any(|step| step.path == path) {
                steps.push(step(path, Some(from)));
            }
        }
        at += 1;
    }
    Ok(steps)
}

/// A part of the crate that is walked through once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Item(Found),
    /// A function of the `impl` or trait.
    Function(Found, usize),
    /// What an `impl` says beside its functions.
    Head(Found),
}

struct Walk<'a, 'c> {
    krate: &'c Crate<'a>,
    stops: &'c dyn Fn(&str) -> bool,
    /// Each type and trait with its `impl`s.
    implementations: BTreeMap<Found, Vec<Found>>,
    visited: BTreeSet<Place>,
    queue: VecDeque<Place>,
    /// The types and traits that were reached.
    known: Vec<Found>,
    /// The functions that were called on some value, and from where first.
    called: BTreeMap<&'a str, Option<&'a str>>,
    steps: Vec<Step<'a>>,
    /// The file of what is walked through.
    from: Option<&'a str>,
    bodies: usize,
}

impl<'a, 'c> Walk<'a, 'c> {
    fn new(krate: &'c Crate<'a>, stops: &'c dyn Fn(&str) -> bool) -> Self {
        let mut implementations = BTreeMap::<Found, Vec<Found>>::new();
        for (module, scope) in krate.modules.iter().enumerate() {
            for (at, item) in scope.scope.items.iter().enumerate().filter(|(_, item)| item.kind == Kind::Impl) {
                for path in [&item.of, &item.of_trait] {
                    if let Some((of, _)) = krate.resolve(module, path) {
                        implementations.entry(of).or_default().push(Found::Item(module, at));
                    }
                }
            }
        }
        Self {
            krate,
            stops,
            implementations,
            visited: BTreeSet::new(),
            queue: VecDeque::new(),
            known: Vec::new(),
            called: BTreeMap::new(),
            steps: Vec::new(),
            from: None,
            bodies: 0,
        }
    }

    fn item(&self, found: Found) -> Option<(usize, &'c Item<'a>)> {
        let Found::Item(module, at) = found else { return None };
        Some((module, &self.krate.modules[module].scope.items[at]))
    }

    /// Notes the file of `found`; false where the walk stops.
    fn enter(&mut self, found: Found, item: &'a str) -> bool {
        let Some(path) = self.krate.file(found) else { return false };
        if (self.stops)(path) {
            return false;
        }
        if !self.steps.iter().any(|step| step.path == path) {
            self.steps.push(Step { path, item, from: self.from, lines: BTreeSet::new() });
        }
        true
    }

    /// Walks to an item: a function's body, a type's fields.
    fn reach(&mut self, found: Found) {
        let name = self.item(found).map_or("", |(_, item)| item.name);
        let entered = self.enter(found, name);
        // Also of a type whose file is not entered: it can have functions in files that are.
        self.know(found);
        if entered {
            self.push(Place::Item(found));
        }
    }

    fn push(&mut self, place: Place) {
        if self.visited.insert(place.clone()) {
            self.queue.push_back(place);
        }
    }

    /// From now on the functions of this type or trait are among those that a call can mean.
    fn know(&mut self, found: Found) {
        let Some((_, item)) = self.item(found) else { return };
        if matches!(item.kind, Kind::Type | Kind::Trait) && !self.known.contains(&found) {
            self.known.push(found);
            for (name, from) in self.called.clone() {
                let outer = std::mem::replace(&mut self.from, from);
                self.call_of(found, name);
                self.from = outer;
            }
        }
    }

    /// Walks to the functions `name` of a type or trait.
    fn call_of(&mut self, of: Found, name: &str) {
        let blocks = self.implementations.get(&of).cloned().unwrap_or_default();
        for block in blocks.into_iter().chain([of]) {
            let Some((module, item)) = self.item(block) else { continue };
            // What other types do for a trait matters where they were reached.
            let of_type = self.krate.resolve(module, &item.of).map(|(found, _)| found);
            let local = of_type.filter(|found| matches!(found, Found::Item(..)));
            let reached = block == of || local.is_none_or(|of_type| of_type == of || self.known.contains(&of_type));
            for (at, &(function, _)) in item.functions.iter().enumerate() {
                if function == name && reached && self.enter(block, function) {
                    self.push(Place::Function(block, at));
                    self.push(Place::Head(block));
                }
            }
        }
    }

    fn finish(&mut self) {
        while let Some(place) = self.queue.pop_front() {
            let found = match place {
                Place::Item(found) | Place::Function(found, _) | Place::Head(found) => found,
            };
            let Some((module, item)) = self.item(found) else { continue };
            self.from = Some(self.krate.modules[module].file);
            self.bodies += 1;
            match place {
                Place::Function(_, at) => self.through(module, item, item.functions[at].1.clone()),
                Place::Item(_) if item.functions.is_empty() => self.through(module, item, item.tokens.clone()),
                Place::Item(_) | Place::Head(_) => {
                    let mut at = item.tokens.start;
                    for (_, function) in &item.functions {
                        self.through(module, item, at..function.start);
                        at = function.end;
                    }
                    self.through(module, item, at..item.tokens.end);
                }
            }
        }
    }

    /// Walks to all that these tokens of an item name.
    fn through(&mut self, module: usize, item: &Item<'a>, range: Range<usize>) {
        let file = self.krate.modules[module].file;
        let tokens = self.krate.files.get(file).and_then(|tokens| tokens.get(range.clone())).unwrap_or_default();
        if let Some(step) = self.steps.iter_mut().find(|step| step.path == file) {
            step.lines.extend(tokens.iter().map(|token| token.line));
        }
        for name in names_in(self.krate, module, range) {
            if name.method {
                self.call(name.path[0]);
                continue;
            }
            let own = name.path[0] == "Self";
            let found = match own {
                true => self.krate.resolve(module, &item.of).map(|(found, _)| (found, 1)),
                false => self.krate.resolve(module, &name.path),
            };
            let Some((found, taken)) = found else {
                // The functions of a type parameter are those of its traits.
                if let [_, function] = name.path[..] {
                    self.call(function);
                }
                continue;
            };
            if !own {
                self.reach(found);
            }
            if let Some(function) = name.path.get(taken) {
                self.call_of(found, function);
            }
        }
    }

    /// Walks to the functions `name` of all that was reached, now or later.
    fn call(&mut self, name: &'a str) {
        if self.called.contains_key(name) {
            return;
        }
        self.called.insert(name, self.from);
        for of in self.known.clone() {
            self.call_of(of, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const MANIFEST: (&str, &str) = ("a/Cargo.toml", "[package]\nname = \"a\"\n");

    fn files(files: &[(&str, &str)], stop: &str) -> Vec<String> {
        let tree = tree(&[files, &[MANIFEST]].concat());
        let steps = walk(&tree, "a::b::B::run", &|path| path == stop).unwrap();
        steps.iter().map(|step| step.path.trim_start_matches("a/src/").to_owned()).collect()
    }

    const LIB: (&str, &str) = ("a/src/lib.rs", "pub mod b;\nmod c;\nmod d;\nmod e;\nmod f;\n");

    #[test]
    fn only_what_the_function_needs_is_reached() {
        let b = "use crate::{c, d, e::E};\npub struct B;\nimpl B {\n    pub fn run(&self) {\n        c::g()\n    }\n    fn \
                 other(&self) -> E {\n        d::h()\n    }\n}\n";
        let c = "pub fn g() {\n    crate::f::F.work()\n}\npub fn unused() {\n    crate::d::h()\n}\n";
        let f = "pub struct F;\nimpl F {\n    pub fn work(&self) {}\n    pub fn idle(&self) {\n        crate::e::k()\n    }\n}\n";
        let all = [LIB, ("a/src/b.rs", b), ("a/src/c.rs", c), ("a/src/d.rs", "pub fn h() {}\n"), ("a/src/f.rs", f)];
        let all = [&all[..], &[("a/src/e.rs", "pub struct E;\npub fn k() {}\n")]].concat();
        assert_eq!(files(&all, ""), ["b.rs", "c.rs", "f.rs"]);
        assert_eq!(files(&all, "a/src/c.rs"), ["b.rs"]);
    }

    #[test]
    fn calls_on_values_reach_the_types_that_are_known() {
        // `work` is D's for the trait C; the call is before D is known. E has a `work` too, and nobody names E.
        let b = "use crate::c::C;\npub struct B;\nimpl B {\n    pub fn run<T: C>(t: T) {\n        t.work();\n        T::rest();\n    }\n}\n";
        let c = "pub trait C {\n    fn work(&self);\n    fn rest() {\n        crate::d::D\n    }\n}\n";
        let d = "pub struct D;\nimpl crate::c::C for D {\n    fn work(&self) {\n        crate::f::F\n    }\n}\n";
        let e = "pub struct E;\nimpl crate::c::C for E {\n    fn work(&self) {}\n}\n";
        let all = [LIB, ("a/src/b.rs", b), ("a/src/c.rs", c), ("a/src/d.rs", d), ("a/src/e.rs", e)];
        assert_eq!(
            files(&[&all[..], &[("a/src/f.rs", "pub struct F;\n")]].concat(), ""),
            ["b.rs", "c.rs", "d.rs", "f.rs"]
        );
    }

    #[test]
    fn a_type_whose_file_is_not_entered_has_functions_elsewhere() {
        let b = "use crate::c::C;\npub struct B(C);\nimpl B {\n    pub fn run(&self, c: &C) {\n        c.launch();\n    }\n}\n";
        let c = "pub struct C(crate::e::E);\nimpl C {\n    pub fn launch(&self) {\n        crate::e::k()\n    }\n}\n";
        let d = "impl crate::c::C {\n    pub fn launch(&self) {}\n}\n";
        let all = [LIB, ("a/src/b.rs", b), ("a/src/c.rs", c), ("a/src/d.rs", d), ("a/src/e.rs", "pub struct E;\n")];
        assert_eq!(files(&all, "a/src/c.rs"), ["b.rs", "d.rs"]);
        assert_eq!(files(&all, ""), ["b.rs", "c.rs", "d.rs", "e.rs"]);
    }

    #[test]
    fn what_is_not_there_is_said() {
        let tree = tree(&[MANIFEST, ("a/src/lib.rs", "mod b;\n"), ("a/src/b.rs", "pub struct B;\n")]);
        for entry in ["a::b::C", "a::b::B::run", "x::b", "a", "a::b"] {
            assert!(walk(&tree, entry, &|_| false).is_err(), "{entry}");
        }
    }
}
