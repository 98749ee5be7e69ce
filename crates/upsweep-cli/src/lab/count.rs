//! Command `lab count`: costs of algorithms, as a table and as a plot.

use super::args::CountArgs;
use super::report::{refused, takes_standard_output, write};
use crate::failure::{Failure, Result};
use crate::output::Destination;
use crate::print::print_lines;
use upsweep_lab::algorithm::{Algorithm, Input, Setup};
use upsweep_lab::machine::{Counts, Span};
use upsweep_lab::operator::Operator;
use upsweep_lab::sample;
use upsweep_lab::show::plot::{self, Line, Panel, Scale};

/// Maximum number of elements of a run whose costs are counted. Such a run takes seconds.
const MOST_COUNTED: usize = 1 << 20;

/// Costs of a run on the machine model.
struct Costs {
    /// Costs of the whole run; `inner` has the same without loads and stores.
    total: Counts,
    inner: Counts,
    /// Operations and cycles on the longest chain of dependent steps.
    span: Span,
}

/// Columns of the table: their names, and the number of each in the costs of a run.
const COLUMNS: [(&str, fn(&Costs) -> u64); 10] = [
    ("work", |costs| costs.total.operations),
    ("depth", |costs| costs.span.operations),
    ("barriers", |costs| costs.total.barriers),
    ("divergent", |costs| costs.inner.divergent_branches),
    ("conflicts", |costs| costs.inner.conflicts),
    ("cycles", |costs| costs.inner.cycles),
    ("critical cycles", |costs| costs.span.cycles),
    ("all divergent", |costs| costs.total.divergent_branches),
    ("all conflicts", |costs| costs.total.conflicts),
    ("all cycles", |costs| costs.total.cycles),
];

/// Lines that explain the columns, under the table.
const LEGEND: [&str; 4] = [
    "work: operations; depth: those on the longest chain, as blocks run at the same time",
    "divergent: branches at which a warp goes both ways; conflicts: accesses repeated for a bank",
    "cycles: of shared memory; critical cycles: those on the longest chain",
    "all: with those of loads and stores, which the other columns leave out",
];

struct Row {
    algorithm: &'static Algorithm,
    n: usize,
    costs: Costs,
}

/// Runs `upsweep lab count`.
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
        false => print_lines(&as_table(&rows)),
    }
}

fn rows(args: &CountArgs) -> Result<Vec<Row>> {
    let runs = || args.algorithms.iter().flat_map(|&algorithm| args.n.0.iter().map(move |&n| (algorithm, n)));
    // The numbers of elements of all runs are checked before the long runs begin.
    for (algorithm, n) in runs() {
        algorithm.takes_on(args.machine.shape(), n).map_err(|e| refused(algorithm, &e))?;
        if n > MOST_COUNTED {
            return Err(Failure::Input(format!("{n} elements: a run that is counted has {MOST_COUNTED} at most")));
        }
    }
    let count = |(algorithm, n): (&'static Algorithm, usize)| {
        let (values, heads) = (sample::values::<i64>(1, n), sample::heads(1, n));
        let setup = Setup { operator: Operator::<i64>::sum(), shape: args.machine.shape(), records: false };
        let outcome = algorithm.run(setup, &Input { values: &values, heads: &heads });
        let outcome = outcome.map_err(|e| match refused(algorithm, &e) {
            Failure::Input(reason) => Failure::Input(format!("with {n} elements {reason}")),
            other => other,
        })?;
        let run = outcome.run;
        Ok(Row { algorithm, n, costs: Costs { total: run.total(), inner: run.inner(), span: run.span() } })
    };
    runs().map(count).collect()
}

/// Returns the rows of the table as cells, the first row with the names of the columns.
fn cells(rows: &[Row]) -> Vec<Vec<String>> {
    let head = ["algorithm", "n"].into_iter().chain(COLUMNS.map(|(name, _)| name));
    let mut cells = vec![head.map(str::to_owned).collect()];
    cells.extend(rows.iter().map(|row| {
        let counts = COLUMNS.map(|(_, of)| of(&row.costs).to_string());
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
    let legend = std::iter::once("").chain(LEGEND).map(str::to_owned);
    cells.iter().map(line).chain(legend).collect()
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
    let panel = |title: &str, unit: &'static str, of: fn(&Costs) -> u64| {
        let line = |algorithm: &&'static Algorithm| {
            let own = rows.iter().filter(|row| row.algorithm.name == algorithm.name);
            Line { name: algorithm.name.to_owned(), points: own.map(|row| (row.n, of(&row.costs) as f64)).collect() }
        };
        Panel { title: title.to_owned(), unit, scale: Scale::Logarithmic, lines: algorithms.iter().map(line).collect() }
    };
    plot::render(&[
        panel("Work", "operations", |costs| costs.total.operations),
        panel("Depth", "operations one after the other", |costs| costs.span.operations),
        panel("Cycles of shared memory", "cycles one after the other", |costs| costs.span.cycles),
    ])
}
