//! What a rule is and what it finds.

use crate::tree::Tree;
use std::fmt;

/// A rule of the text of all files.
pub(super) type Rule = fn(&Tree) -> Vec<Finding>;

/// A place that breaks a rule.
pub(super) struct Finding {
    pub(super) path: String,
    /// From 1; 0 is the file as a whole.
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

    /// Where `rule` finds something in a tree of these files.
    pub(in super::super) fn places(rule: Rule, files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let found = rule(&crate::tree::tests::tree(files));
        found.into_iter().map(|finding| (finding.path, finding.line)).collect()
    }

    /// What `rule` says of a tree of these files.
    pub(in super::super) fn words(rule: Rule, files: &[(&str, &str)]) -> Vec<String> {
        rule(&crate::tree::tests::tree(files)).iter().map(Finding::to_string).collect()
    }
}
