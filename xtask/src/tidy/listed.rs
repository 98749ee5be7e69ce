//! Lists of exceptions: text files with one `what: reason` a line.

use super::finding::Finding;
use crate::tree::Tree;

/// Line of a list.
pub(super) struct Entry<'a> {
    /// Line number, from 1.
    pub(super) line: usize,
    pub(super) what: &'a str,
}

/// Lines of the list at `path`, without comments. A line without a reason is a finding.
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
