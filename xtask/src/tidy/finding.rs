//! Rules, and their findings.

use crate::tree::Tree;
use std::fmt;

/// Rule: a function from the text of all files to its findings.
pub(super) type Rule = fn(&Tree) -> Vec<Finding>;

/// Finding: a place that breaks a rule.
pub(super) struct Finding {
    pub(super) path: String,
    /// Line of the place, counted from 1; 0 if it is the file as a whole.
    pub(super) line: usize,
    pub(super) message: String,
}

impl Finding {
    pub(super) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Paths and lines of the findings of `rule` in a tree of the files `files`.
    pub(in super::super) fn places(rule: Rule, files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let found = rule(&crate::tree::tests::tree(files));
        found.into_iter().map(|finding| (finding.path, finding.line)).collect()
    }

    /// Findings of `rule` in a tree of the files `files`, as text.
    pub(in super::super) fn words(rule: Rule, files: &[(&str, &str)]) -> Vec<String> {
        rule(&crate::tree::tests::tree(files)).iter().map(Finding::to_string).collect()
    }
}
