//! `cargo xtask bench --report`: a record as a table and a plot, written beside it as `DATE.md` and `DATE.svg`.
//! `--beside`: upsweep's times in a record beside those of another library.

#[path = "../../benches/src/format.rs"]
mod format;

pub(crate) use format::{COLUMNS, HEADER_KEYS};

use crate::command::Outcome;
use crate::svg;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Largest number of elements whose calls take microseconds, as the exponent of a power of two. Up to it the table
/// shows times, for longer arrays the share of a copy's speed.
const SMALL: u32 = 20;

/// Row of a record that counts in the report.
pub(crate) struct Row {
    pub(crate) lib: String,
    algo: String,
    ty: String,
    pub(crate) log2n: u32,
    micros: f64,
    pub(crate) share: Option<f64>,
}

pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome {
    let path = match args {
        [] => newest(&root.join("benches/record"))?,
        [path] => PathBuf::from(path),
        _ => return Err("--report takes one record".into()),
    };
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows = parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let (table, plot) = (path.with_extension("md"), path.with_extension("svg"));
    let plot_name = plot.file_name().unwrap_or_default().to_string_lossy().into_owned();
    std::fs::write(&table, render(&text, &rows, &plot_name)?)?;
    std::fs::write(&plot, svg::render(&panels(&rows)))?;
    println!("{}\n{}", table.display(), plot.display());
    Ok(())
}

/// Prints the times of upsweep in a record beside those of the library `lib`.
pub(crate) fn beside(lib: &str, record: &str) -> Outcome {
    let text = std::fs::read_to_string(record).map_err(|error| format!("{record}: {error}"))?;
    let rows = parse(&text).map_err(|error| format!("{record}: {error}"))?;
    print!("{}", compare(&rows, lib)?);
    Ok(())
}

/// Table of the work that both libraries did, with a line that says how often upsweep is slower. If a record has
/// several rows of the same work, the last one counts.
fn compare(rows: &[Row], lib: &str) -> Outcome<String> {
    let of = |lib: &str| -> BTreeMap<(&str, &str, u32), f64> {
        let rows = rows.iter().filter(|row| row.lib == lib);
        rows.map(|row| ((row.algo.as_str(), row.ty.as_str(), row.log2n), row.micros)).collect()
    };
    let (ours, theirs) = (of("upsweep"), of(lib));
    let mut out = format!(
        "| work | type | elements | upsweep, us | {lib}, us | {lib} / upsweep | |\n|---|---|---|---|---|---|---|\n"
    );
    let (mut both, mut slower) = (0, 0);
    for ((algo, ty, log2n), ours) in ours {
        let Some(theirs) = theirs.get(&(algo, ty, log2n)) else { continue };
        let is_slower = ours > *theirs;
        both += 1;
        slower += u32::from(is_slower);
        let word = if is_slower { "slower" } else { "" };
        writeln!(out, "| {algo} | {ty} | 2^{log2n} | {ours:.1} | {theirs:.1} | {:.2} | {word} |", theirs / ours)?;
    }
    writeln!(out, "\nupsweep is slower than {lib} in {slower} of {both}")?;
    if both == 0 { Err(format!("the record has no work of both upsweep and {lib}").into()) } else { Ok(out) }
}

/// Path of the record with the latest date in its name. Records with longer names are left out: they have some work
/// alone.
fn newest(records: &Path) -> Outcome<PathBuf> {
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let all = files(records).iter().flat_map(|folder| files(folder)).collect::<Vec<_>>();
    let is_whole = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() == "2026-11-21.csv".len());
    let csv =
        all.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "csv") && is_whole(path));
    csv.max_by_key(|path| path.file_name().map(ToOwned::to_owned)).ok_or("there is no record yet".into())
}

pub(crate) fn parse(text: &str) -> Outcome<Vec<Row>> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    if lines.next() != Some(COLUMNS) {
        return Err(format!("the first row must be {COLUMNS}").into());
    }
    lines
        .map(|line| {
            let [lib, algo, ty, log2n, micros, _gbps, share, _enqueue] = line.split(',').collect::<Vec<_>>()[..] else {
                return Err(format!("not a row of {COLUMNS}: {line}").into());
            };
            let share = if share.is_empty() { None } else { Some(share.parse()?) };
            let (lib, algo, ty) = (lib.to_owned(), algo.to_owned(), ty.to_owned());
            Ok(Row { lib, algo, ty, log2n: log2n.parse()?, micros: micros.parse()?, share })
        })
        .collect()
}

/// Renders the report as Markdown: a table for each algorithm, with a line for each type and library and a column for
/// each size.
fn render(text: &str, rows: &[Row], plot: &str) -> Outcome<String> {
    let mut out = String::from("# Measured\n\n");
    for line in text.lines().filter_map(|line| line.strip_prefix("# ")) {
        writeln!(out, "- {line}")?;
    }
    writeln!(out, "\nTo 2^{SMALL} elements: microseconds a call. Above: the share of the speed of a copy.\n")?;
    writeln!(out, "![Share of the speed of a copy over the number of elements]({plot})")?;
    for algo in in_order(rows.iter().filter(|row| row.lib != "copy").map(|row| row.algo.as_str())) {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.algo == algo).collect();
        let sizes: BTreeSet<u32> = rows.iter().map(|row| row.log2n).collect();
        writeln!(out, "\n## {}\n", algo.replace('_', " "))?;
        write!(out, "| type | library |")?;
        sizes.iter().try_for_each(|size| write!(out, " 2^{size} |"))?;
        writeln!(out, "\n|---|---|{}", "---|".repeat(sizes.len()))?;
        for ty in in_order(rows.iter().map(|row| row.ty.as_str())) {
            for lib in in_order(rows.iter().filter(|row| row.ty == ty).map(|row| row.lib.as_str())) {
                write!(out, "| {ty} | {lib} |")?;
                for &size in &sizes {
                    let row = rows.iter().find(|row| row.ty == ty && row.lib == lib && row.log2n == size);
                    write!(out, " {} |", row.map_or_else(String::new, |row| value(row)))?;
                }
                writeln!(out)?;
            }
        }
    }
    Ok(out)
}

fn value(row: &Row) -> String {
    match row.share {
        Some(share) if row.log2n > SMALL => format!("{share:.2}"),
        _ => format!("{:.3} us", row.micros),
    }
}

/// Distinct names, in the order of their first occurrence.
fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// Panels of the plot: the inclusive sum and maximum of each type, with the points of each library.
fn panels(rows: &[Row]) -> Vec<svg::Panel> {
    let mut panels = Vec::new();
    for algo in ["inclusive_sum", "inclusive_max"] {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.algo == algo && row.share.is_some()).collect();
        for ty in in_order(rows.iter().map(|row| row.ty.as_str())) {
            let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.ty == ty && row.lib != "copy").collect();
            let line = |lib: &str| {
                let points = rows.iter().filter(|row| row.lib == lib);
                (lib.to_owned(), points.filter_map(|row| Some((row.log2n, row.share?))).collect())
            };
            let lines = in_order(rows.iter().map(|row| row.lib.as_str())).into_iter().map(line).collect();
            panels.push(svg::Panel { title: format!("{}, {ty}", algo.replace('_', " ")), lines });
        }
    }
    panels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> String {
        format!(
            "# machine: M\n{COLUMNS}\ncopy,inclusive_sum,i32,28,500,4294,1,\n\
             upsweep,inclusive_sum,i32,10,4.5,1.8,0.8,\nupsweep,inclusive_sum,i32,28,520,4129,0.961,2.5\n\
             cub,inclusive_sum,i32,28,700,3067,0.714,\nupsweep,reduce_sum,i32,28,250,4295,,\n"
        )
    }

    #[test]
    fn table_has_a_line_a_library() {
        let text = record();
        let table = render(&text, &parse(&text).unwrap(), "p.svg").unwrap();
        assert!(table.contains("- machine: M\n"), "{table}");
        assert!(table.contains("| type | library | 2^10 | 2^28 |\n|---|---|---|---|\n"), "{table}");
        assert!(table.contains("| i32 | upsweep | 4.500 us | 0.96 |\n| i32 | cub |  | 0.71 |\n"), "{table}");
        assert!(table.contains("## reduce sum"), "{table}");
    }

    #[test]
    fn plot_has_a_line_a_library() {
        let plot = svg::render(&panels(&parse(&record()).unwrap()));
        assert_eq!(plot.matches("<polyline").count(), 2, "{plot}");
        assert!(plot.contains("inclusive sum, i32") && plot.contains("prefers-color-scheme:dark"), "{plot}");
        for text in ["elements", "share of a copy's speed", "upsweep", "cub"] {
            assert_eq!(plot.matches(&format!(">{text}</text>")).count(), 1, "{text}: {plot}");
        }
    }

    #[test]
    fn times_stand_beside_those_of_another() {
        let text = record() + "cub,reduce_sum,i32,28,240,1,,\n";
        let rows = parse(&text).unwrap();
        let table = compare(&rows, "cub").unwrap();
        assert!(table.contains("\n| inclusive_sum | i32 | 2^28 | 520.0 | 700.0 | 1.35 |  |\n"), "{table}");
        assert!(table.contains("\n| reduce_sum | i32 | 2^28 | 250.0 | 240.0 | 0.96 | slower |\n"), "{table}");
        assert!(table.ends_with("slower than cub in 1 of 2\n"), "{table}");
        assert!(compare(&rows, "thrust").is_err());
    }

    #[test]
    fn broken_records_are_errors() {
        assert!(parse("a,b\n").is_err());
        assert!(parse(&format!("{COLUMNS}\nupsweep,inclusive_sum,i32\n")).is_err());
        assert!(parse(&format!("{COLUMNS}\nupsweep,inclusive_sum,i32,ten,1,1,1,\n")).is_err());
    }
}
