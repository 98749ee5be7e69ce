//! Rules for the records of benches.

use super::finding::Finding;
use crate::report::{COLUMNS, HEADER_KEYS};
use crate::tree::Tree;

const RECORDS: &str = "benches/record/";

/// A record is `benches/record/MACHINE/DATE.csv`. It states the machine, date, versions and commit of the measurement,
/// and has a value in each column of each row.
pub(super) fn headers(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts(&[".csv"]).filter(|(path, _)| path.starts_with(RECORDS)) {
        for key in HEADER_KEYS {
            let prefix = format!("# {key}: ");
            if !text.lines().any(|line| line.strip_prefix(&prefix).is_some_and(|value| !value.trim().is_empty())) {
                findings.push(Finding::new(path, 0, format!("no line `{prefix}...`")));
            }
        }
        let mut rows = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        if rows.next().map(|(_, line)| line) != Some(COLUMNS) {
            findings.push(Finding::new(path, 0, format!("the first row must be `{COLUMNS}`")));
        }
        let columns = COLUMNS.split(',').count();
        for (index, line) in rows.filter(|(_, line)| line.split(',').count() != columns) {
            findings.push(Finding::new(path, index + 1, format!("{} columns, not {columns}", line.split(',').count())));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::places;
    use super::*;

    #[test]
    fn records_without_a_header_are_found() {
        let header: String = HEADER_KEYS.iter().map(|key| format!("# {key}: x\n")).collect();
        let good = format!("{header}{COLUMNS}\nupsweep,inclusive_sum,i32,10,1.0,8.2,0.9,\n");
        let path = "benches/record/h200/2026-11-21.csv";
        assert_eq!(places(headers, &[(path, &good)]), []);
        let no_date = good.replace("# date", "# day");
        assert_eq!(places(headers, &[(path, &no_date)]), [(path.to_owned(), 0)]);
        let short_row = good.replace(",0.9,", "");
        assert_eq!(places(headers, &[(path, &short_row)]), [(path.to_owned(), HEADER_KEYS.len() + 2)]);
        assert_eq!(places(headers, &[("data/rain.csv", "a,b\n")]), []);
    }
}
