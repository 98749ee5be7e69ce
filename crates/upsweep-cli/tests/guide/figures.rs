//! Test of figures against the records that they come from. A table with a column `row` has figures in each column
//! whose name is a library's, in back quotes. A figure is that library's in the row `algorithm,type,log2n` of the
//! record named last before the table. The unit stands after the name: `us`, `ms`, `GB/s`, or nothing for a share of a
//! copy's speed. A row that begins with a library has one figure, in the column `time, us`. In a table with a column
//! `record`, each row links to its record there.

use crate::{Chapter, chapters, code, file, read};

/// Figures of one row of a record by one library, which may have been measured several times.
fn figures(record: &str, lib: &str, row: &str, column: usize) -> Vec<f64> {
    let wanted = format!("{lib},{row},");
    let of = |line: &str| line.split(',').nth(column).unwrap().parse().unwrap();
    record.lines().filter(|line| line.starts_with(&wanted)).map(of).collect()
}

/// Whether a figure, as it is written, is one of `figures`, rounded.
fn is_one_of(written: &str, figures: &[f64], scale: f64) -> bool {
    let plain = written.replace(',', "");
    let digits = plain.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let places = 10f64.powi(digits as i32);
    let Ok(value) = plain.parse::<f64>() else { return false };
    figures.iter().any(|figure| (figure * scale * places - value * places).abs() < 0.5 + 1e-6)
}

/// Chapters of the guide, and the README, whose table of speeds has the same form.
fn chapters_and_readme() -> Vec<Chapter> {
    let mut pages = chapters();
    let readme = Chapter { path: "README.md".to_owned(), text: read("README.md") };
    assert!(readme.rows().iter().any(|(_, header, _)| header.iter().any(|name| name == "row")), "README has no speeds");
    pages.push(readme);
    pages
}

#[test]
fn figures_are_those_of_the_records() {
    let mut wrong = vec![];
    let mut seen = 0;
    for chapter in &chapters_and_readme() {
        let records: Vec<(usize, &str)> = chapter
            .lines()
            .iter()
            .flat_map(|&(number, _, line)| code(line).map(move |span| (number, span)))
            .filter(|(_, span)| span.starts_with("benches/record/") && span.ends_with(".csv"))
            .collect();
        for (line, header, row) in chapter.rows() {
            let Some(at) = header.iter().position(|name| name == "row") else { continue };
            let linked = header.iter().position(|name| name == "record").and_then(|at| row[at].split_once("]("));
            let linked = linked.and_then(|(_, target)| target.strip_suffix(')'));
            let named = || records.iter().rev().find(|(number, _)| *number < line).map(|(_, path)| *path);
            let path = linked.or_else(named).unwrap_or_else(|| panic!("{}:{line}: no record", chapter.path));
            let record = read(path);
            let key = code(&row[at]).next().unwrap_or_else(|| panic!("{}:{line}: no row", chapter.path));
            let (of_row, key) = key.split_once(',').filter(|_| key.matches(',').count() == 3).unwrap_or(("", key));
            let given = |name: &str| if of_row.is_empty() { name.starts_with('`') } else { name == "time, us" };
            for (name, cell) in header.iter().zip(&row).filter(|(name, cell)| given(name) && !cell.is_empty()) {
                let lib = code(name).next().unwrap_or(of_row);
                let (column, scale) = match name.rsplit(' ').next().unwrap() {
                    "us" => (4, 1.0),
                    "ms" => (4, 1e-3),
                    "GB/s" => (5, 1.0),
                    _ => (6, 1.0),
                };
                let found = figures(&record, lib, key, column);
                seen += 1;
                if !is_one_of(cell, &found, scale) {
                    wrong.push(format!("{}:{line}: {lib} of {key} is {cell}, in {path} {found:?}", chapter.path));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} figures differ\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen > 100, "only {seen} figures");
}

#[test]
fn records_that_are_named_exist() {
    for chapter in chapters() {
        for (line, _, text) in chapter.lines() {
            for span in code(text).filter(|span| span.starts_with("benches/") || span.starts_with("examples/")) {
                let path = span.split(' ').next().unwrap();
                assert!(file(path).exists(), "{}:{line}: {path}", chapter.path);
            }
        }
    }
}

#[test]
fn figures_are_rounded() {
    assert!(
        is_one_of("1,234", &[1234.4], 1.0) && is_one_of("0.95", &[0.9549], 1.0) && is_one_of("1.2", &[1234.4], 1e-3)
    );
    assert!(!is_one_of("1,235", &[1234.4], 1.0) && !is_one_of("0.96", &[0.9549], 1.0) && !is_one_of("x", &[1.0], 1.0));
}
