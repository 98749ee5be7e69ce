//! Rule for commands that documents give to type.

use super::finding::Finding;
use crate::tree::Tree;

/// Every `--example NAME` of a command is an example of the package that the command names: without a package, cargo
/// looks only in the default members of the workspace.
pub(super) fn examples(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts(&[".md", ".rs"]) {
        for (index, line) in text.lines().enumerate() {
            if path.ends_with(".rs") && !line.trim_start().starts_with("//") {
                continue;
            }
            for (at, flag) in line.match_indices(" --example ") {
                let command = line[..at].rsplit('`').next().unwrap_or_default();
                let name = line[at + flag.len()..].split(|c: char| !c.is_alphanumeric() && c != '_').next();
                // A word without small letters stands for any name.
                let Some(name) = name.filter(|name| name.contains(char::is_lowercase)) else { continue };
                let package = command.split_once(" -p ").and_then(|(_, rest)| rest.split(' ').next());
                let declared = package.is_some_and(|package| {
                    let manifest = tree.0.get(&format!("crates/{package}/Cargo.toml")).and_then(Option::as_deref);
                    manifest.is_some_and(|text| text.contains(&format!("name = \"{name}\"")))
                });
                if command.contains("cargo") && !declared {
                    let message = format!("no package that the command names by -p has the example {name}");
                    findings.push(Finding::new(path, index + 1, message));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::places;
    use super::*;

    #[test]
    fn examples_that_a_command_does_not_find_are_found() {
        let manifest = "[[example]]\nname = \"01_first\"\n";
        let text = "`cargo run -p a --example 01_first`\n`cargo run --example 01_first`\n`cargo run -p b --example 01_first`\n\
                    `cargo run -p a --example 02_second -- x`\n`cargo run -p a --example NAME`\nno command --example 03_third\n";
        let code = "//! `cargo run --example 01_first`\nlet text = \"`cargo run --example 01_first`\";\n";
        let files =
            [("crates/a/Cargo.toml", manifest), ("crates/b/Cargo.toml", ""), ("README.md", text), ("a.rs", code)];
        let expected = [("README.md", 2), ("README.md", 3), ("README.md", 4), ("a.rs", 1)];
        let expected = expected.map(|(path, line)| (path.to_owned(), line));
        assert_eq!(places(examples, &files), expected);
    }
}
