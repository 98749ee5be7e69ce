//! Lists of exceptions: text files with one `what: reason` a line.

use super::finding::Finding;
use crate::tree::Tree;

/// Entry of a list of exceptions: `what: reason` on one line.
pub(super) struct Entry<'a> {
    /// Number of the entry's line, counted from 1.
    pub(super) line: usize,
    pub(super) what: &'a str,
}

/// Entries of the list of exceptions at `path`, without its comments. An entry without a reason is a finding.
pub(super) fn entries<'a>(tree: &'a Tree, path: &'static str, findings: &mut Vec<Finding>) -> Vec<Entry<'a>> {
    let text = tree.0.get(path).and_then(|text| text.as_deref()).unwrap_or_default();
    let lines = text.lines().enumerate().filter(|(_, entry)| !entry.is_empty() && !entry.starts_with('#'));
    lines
        .map(|(index, entry)| {
            let (what, reason) = entry.split_once(':').unwrap_or((entry, ""));
            if reason.trim().is_empty() {
                findings.push(Finding::new(path, index + 1, "no reason: write `what: reason`"));
            }
            Entry { line: index + 1, what: what.trim() }
        })
        .collect()
}
