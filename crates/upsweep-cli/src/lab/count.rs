//! The command `lab count`: what algorithms cost, as a table and as a plot.

use super::args::CountArgs;
use super::{refused, takes_standard_output, write};
use crate::failure::{Failure, Result};
use crate::output::Destination;
use upsweep_lab::algorithm::{Algorithm, Input, Setup};
use upsweep_lab::machine::Counts;
use upsweep_lab::operator::Operator;
use upsweep_lab::sample;
use upsweep_lab::show::plot::{self, Line, Panel};

/// The most elements of a run that is counted: it takes seconds.
const MOST_COUNTED: usize = 1 << 20;

/// What the table has of [`Counts`].
const COLUMNS: [(&str, fn(&Counts) -> u64); 6] = [
    ("operations", |counts| counts.operations),
    ("steps", |counts| counts.steps),
    ("barriers", |counts| counts.barriers),
    ("conflicts", |counts| counts.conflicts),
    ("cycles", |counts| counts.cycles),
    ("divergent warps", |counts| counts.divergent_warps),
];

struct Row {
    algorithm: &'static Algorithm,
    n: usize,
    counts: Counts,
}

/// `upsweep lab count`.
pub(super) fn run(args: &CountArgs) -> Result<()> {
    let outputs = Destination::several([("--csv", &args.csv), ("--svg", &args.svg)])?;
    let [csv, svg] = &outputs;
    let rows = rows(args)?;
    if let Some(csv) = csv {
        write(csv, &as_csv(&rows)?)?;
    }
    if let Some(svg) = svg {
        write(svg, &as_plot(&args.algorithms, &rows))?;
    }
    match takes_standard_output(&outputs) {
        true => Ok(()),
        false => crate::print_lines(&as_table(&rows)),
    }
}

fn rows(args: &CountArgs) -> Result<Vec<Row>> {
    let runs = || args.algorithms.iter().flat_map(|&algorithm| args.n.0.iter().map(move |&n| (algorithm, n)));
    // Before the long ones begin.
    for (algorithm, n) in runs() {
        algorithm.takes(n).map_err(|e| refused(algorithm, &e))?;
        if n > MOST_COUNTED {
            return Err(Failure::Input(format!("{n} elements: a run that is counted has {MOST_COUNTED} at most")));
        }
    }
    let count = |(algorithm, n): (&'static Algorithm, usize)| {
        let (values, heads) = (sample::values::<i64>(1, n), sample::heads(1, n));
        let setup = Setup { operator: Operator::<i64>::sum(), banks: args.machine.banks, records: false };
        let outcome = algorithm.run(setup, &Input { values: &values, heads: &heads });
        let outcome = outcome.map_err(|e| match refused(algorithm, &e) {
            Failure::Input(reason) => Failure::Input(format!("with {n} elements {reason}")),
            other => other,
        })?;
        Ok(Row { algorithm, n, counts: outcome.run.total() })
    };
    runs().map(count).collect()
}

/// The cells of the table, with its head.
fn cells(rows: &[Row]) -> Vec<Vec<String>> {
    let head = ["algorithm", "n"].into_iter().chain(COLUMNS.map(|(name, _)| name));
    let mut cells = vec![head.map(str::to_owned).collect()];
    cells.extend(rows.iter().map(|row| {
        let counts = COLUMNS.map(|(_, of)| of(&row.counts).to_string());
        [row.algorithm.name.to_owned(), row.n.to_string()].into_iter().chain(counts).collect()
    }));
    cells
}

fn as_table(rows: &[Row]) -> Vec<String> {
    let cells = cells(rows);
    let width = |column: usize| cells.iter().map(|row: &Vec<String>| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..cells[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let numbers = row.iter().zip(&widths).skip(1).map(|(cell, &width)| format!("  {cell:>width$}"));
        format!("{:<1$}{2}", row[0], widths[0], numbers.collect::<String>())
    };
    cells.iter().map(line).collect()
}

fn as_csv(rows: &[Row]) -> Result<String> {
    let failed = |e: csv::Error| Failure::Run(e.to_string());
    let mut out = csv::Writer::from_writer(Vec::new());
    for row in cells(rows) {
        out.write_record(row.iter().map(|cell| cell.replace(' ', "_"))).map_err(failed)?;
    }
    let bytes = out.into_inner().map_err(|e| Failure::Run(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| Failure::Run(e.to_string()))
}

fn as_plot(algorithms: &[&'static Algorithm], rows: &[Row]) -> String {
    let panel = |title: &str, of: fn(&Counts) -> u64| {
        let line = |algorithm: &&'static Algorithm| {
            let own = rows.iter().filter(|row| row.algorithm.name == algorithm.name);
            Line { name: algorithm.name.to_owned(), points: own.map(|row| (row.n, of(&row.counts))).collect() }
        };
        Panel { title: title.to_owned(), lines: algorithms.iter().map(line).collect() }
    };
    plot::render(&[
        panel("operations", |counts| counts.operations),
        panel("cycles of shared memory", |counts| counts.cycles),
    ])
}
