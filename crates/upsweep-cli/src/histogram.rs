//! Command `upsweep histogram`: counts by bin, as numbers, bars and a picture.

use crate::args::{Common, HistogramArgs};
use crate::carried::Carried;
use crate::chunks::{self, ArrayFile};
use crate::column::{self, Numbers};
use crate::device::{Chosen, Work};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::output::Destination;
use crate::plot::{self, Bar, Figure};
use crate::print::print;
use crate::progress::Progress;
use crate::run;
use crate::write::{self, OutputForm};
use std::io::{self, IsTerminal, Write};
use upsweep_dynamic::{Error, Histogram, Number, Op, Reduce};

/// Maximum number of bars on a terminal. If there are more bins, several share a bar.
const LINES: usize = 48;
/// Length of the longest bar, in characters.
const BAR: usize = 48;

/// Runs `upsweep histogram`.
pub(crate) fn histogram(args: &HistogramArgs) -> Result<()> {
    let outputs = Destination::several([("-o", &args.output), ("--svg", &args.svg)])?;
    let [output, svg] = &outputs;
    let named = output.as_ref().zip(args.output.as_ref());
    let form = named.map(|(destination, path)| run::form_of(destination, path)).transpose()?.flatten();
    let form = form.unwrap_or(OutputForm::Words);
    let standard_output = Destination::standard_output();
    let destination = output.as_ref().unwrap_or(&standard_output);
    form.check(Type::U64, destination.name())?;
    let others: Vec<&Destination> = [destination].into_iter().chain(svg).collect();
    let carried = Carried::named(&args.carries, &others)?;
    let before = carried.numbers(KIND)?;
    let device = Chosen::open(args.device, Work::Pass)?;
    let common = Common::of(&args.reading, args.device);
    run::explain_waiting(&common);
    let (name, mut counted) = match column::numbers(&common, device.on_host, destination.folder())? {
        Numbers::Many(file) => {
            let histogram = bins(args, file.element, || extremes_of_file(&file))?;
            let counts = chunks::histogram::counts(&file, &histogram, &|e| failed(args, &file.name, e))?;
            let counted = Counted { edges: histogram.edges_for(file.element), counts, values: file.len };
            (file.name, counted)
        }
        Numbers::Few(values, name) => {
            let histogram = bins(args, values.element(), || extremes(&device, &name, &values))?;
            let counts = histogram.run(&device.device, values.view()).map_err(|e| failed(args, &name, &e))?;
            let counted = Counted { edges: histogram.edges_for(values.element()), counts, values: values.len() };
            (name, counted)
        }
    };
    if let Some(numbers) = before {
        counted.add(&numbers).map_err(|reason| Failure::input("--carry-in", reason))?;
    }
    let after = if carried.is_handed_on() { counted.numbers() } else { Vec::new() };
    if let Some(svg) = svg {
        let title = format!("{} values of {name}", counted.counts.iter().sum::<u64>());
        plot::write_svg(&Figure::histogram(title, counted.as_bars()), svg)?;
    }
    if output.is_none() && io::stdout().is_terminal() {
        print(destination, |out| counted.bars(out))?;
        return carried.store_numbers(KIND, &after);
    }
    match form {
        OutputForm::Words => print(destination, |out| counted.table(out, b'\t', false)),
        OutputForm::Table { delimiter } => print(destination, |out| counted.table(out, delimiter, true)),
        OutputForm::Npy | OutputForm::Raw(_) => {
            let (values, progress) = (Values::from(counted.counts), Progress::new("writing", None));
            let shape = [values.len()];
            destination.write(|out| write::write(form, &values, &shape, (out, destination.name()), &progress))
        }
    }?;
    carried.store_numbers(KIND, &after)
}

/// Kind of the carry of a histogram.
const KIND: &str = "histogram";

/// Creates the histogram with the bins that the options ask for. `extremes` finds the least and the largest value.
fn bins(
    args: &HistogramArgs,
    element: Type,
    extremes: impl FnOnce() -> Result<Option<(f64, f64)>>,
) -> Result<Histogram> {
    if let Some(edges) = &args.edges {
        if edges.len() < 2 {
            return Err(Failure::Input(format!("--edges: {} of them: a bin has two", edges.len())));
        }
        return Ok(Histogram::edges(edges.clone()));
    }
    let in_parts = args.carries.carry_in.is_some() || args.carries.carry_out.is_some();
    let (low, high) = match args.range.as_deref() {
        Some(&[low, high]) => (low, high),
        // Type bool has no operator for the minimum, and all its values lie in the range from 0 to 1.
        _ if element == Type::Bool => (0.0, 1.0),
        _ if in_parts => {
            let reason = "each part has a least and a largest value of its own: give --range or --edges";
            return Err(Failure::Input(format!("the bins of parts are the same, and {reason}")));
        }
        // So does NumPy without values.
        _ => extremes()?.unwrap_or((0.0, 1.0)),
    };
    Ok(Histogram::even(low..=high, args.bins))
}

/// Returns the minimum and the maximum of the values, if there are any.
fn extremes(device: &Chosen, name: &str, values: &Values) -> Result<Option<(f64, f64)>> {
    if values.is_empty() {
        return Ok(None);
    }
    let of = |op| Reduce::new(op).run(&device.device, values.view()).map_err(|e| Failure::computing(name, &e));
    finite(name, [&of(Op::Min)?, &of(Op::Max)?])
}

/// Returns the minimum and the maximum of the values in a file, if there are any.
fn extremes_of_file(file: &ArrayFile) -> Result<Option<(f64, f64)>> {
    if file.len == 0 {
        return Ok(None);
    }
    let failed = |e: &Error| Failure::computing(&file.name, e);
    let [low, high] = chunks::histogram::totals(file, [Op::Min, Op::Max].map(Reduce::new), &failed)?;
    finite(&file.name, [&low, &high])
}

/// Returns the least and the largest value as `f64`, or fails if there is no finite range between them.
fn finite(name: &str, extremes: [&Values; 2]) -> Result<Option<(f64, f64)>> {
    let [low, high] =
        extremes.map(|values| match crate::element::with_values!(values, x => x.first().map(|&x| Number::from(x))) {
            Some(Number::Integer(n)) => n as f64,
            Some(Number::Float(x)) => x,
            None => f64::NAN,
        });
    if low.is_finite() && high.is_finite() {
        return Ok(Some((low, high)));
    }
    let what = if low.is_nan() { "NaN".to_owned() } else { format!("values from {low} to {high}") };
    Err(Failure::input(name, format!("has {what}, so its range is not finite: give --range LOW HIGH")))
}

/// Converts an error of the library into a failure that names the user's options.
fn failed(args: &HistogramArgs, name: &str, error: &Error) -> Failure {
    use upsweep::Error as E;
    match error {
        Error::Upsweep(E::Bins { bins, most }) => {
            let option = if args.edges.is_some() { "--edges" } else { "--bins" };
            Failure::Input(format!("{option}: {bins} bins: a histogram has 1 to {most}"))
        }
        Error::Upsweep(E::Edges { index }) => match &args.edges {
            Some(edges) => {
                let (before, edge) = (edges.get(index.wrapping_sub(1)), edges.get(*index));
                let [before, edge] = [before, edge].map(|edge| edge.copied().unwrap_or(f64::NAN));
                Failure::Input(format!("--edges: {edge} follows {before}: edges ascend"))
            }
            None => Failure::input(name, "the range is too narrow for so many bins of f16: give fewer --bins"),
        },
        Error::Upsweep(E::Range { .. }) => {
            let option = if args.range.is_some() { "--range" } else { name };
            Failure::Input(format!("{option}: {error}"))
        }
        _ => Failure::computing(name, error),
    }
}

/// Edges and counts of a histogram's bins.
struct Counted {
    edges: Vec<f64>,
    counts: Vec<u64>,
    /// Number of all values, including those in no bin.
    values: usize,
}

impl Counted {
    /// Numbers that are handed on: of bins, the edges, the counts, and the number of all values.
    fn numbers(&self) -> Vec<u64> {
        let edges = self.edges.iter().map(|edge| edge.to_bits());
        let begin = [self.counts.len() as u64].into_iter().chain(edges);
        begin.chain(self.counts.iter().copied()).chain([self.values as u64]).collect()
    }

    /// Adds what was counted before, as [`numbers`](Self::numbers) told it.
    fn add(&mut self, before: &[u64]) -> std::result::Result<(), &'static str> {
        let own = self.numbers();
        let begin = 1 + self.edges.len();
        if before.len() != own.len() || before.get(..begin) != own.get(..begin) {
            return Err("the values before were counted in other bins: give the same --range and --bins, or --edges");
        }
        let (counts, values) = (&before[begin..own.len() - 1], before[own.len() - 1]);
        let inside = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        let all = usize::try_from(values).ok().and_then(|values| self.values.checked_add(values));
        let (Some(all), true) = (all, inside.is_some_and(|inside| inside <= values)) else {
            return Err("has counts that no values have");
        };
        self.counts.iter_mut().zip(counts).for_each(|(count, more)| *count += more);
        self.values = all;
        Ok(())
    }

    /// Writes a line for each bin: its edges and its count.
    fn table(&self, out: &mut dyn Write, delimiter: u8, header: bool) -> io::Result<()> {
        let delimiter = char::from(delimiter);
        if header {
            writeln!(out, "low{delimiter}high{delimiter}count")?;
        }
        for (ends, count) in self.edges.windows(2).zip(&self.counts) {
            writeln!(out, "{:?}{delimiter}{:?}{delimiter}{count}", ends[0], ends[1])?;
        }
        Ok(())
    }

    /// Bars of a picture, as wide as the bins and as high as their counts.
    fn as_bars(&self) -> Vec<Bar> {
        let bar = |(ends, &count): (&[f64], &u64)| Bar { along: [ends[0], ends[1]], up: [0.0, count as f64] };
        self.edges.windows(2).zip(&self.counts).map(bar).collect()
    }

    /// Draws the counts as bars of characters, one for each bin or for several bins together.
    fn bars(&self, out: &mut dyn Write) -> io::Result<()> {
        let joined = self.counts.len().div_ceil(LINES).max(1);
        let lows: Vec<String> = self.edges.iter().step_by(joined).map(|edge| plot::number(*edge)).collect();
        let counts: Vec<u64> = self.counts.chunks(joined).map(|counts| counts.iter().sum()).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        let edge_width = lows.iter().map(String::len).max().unwrap_or(0);
        let count_width = most.to_string().len();
        for (low, &count) in lows.iter().zip(&counts) {
            writeln!(out, "{low:>edge_width$}  {count:>count_width$}  {}", bar(count, most).trim_end())?;
        }
        let last = self.edges.last().copied().unwrap_or(f64::NAN);
        writeln!(out, "{:>edge_width$}", plot::number(last))?;
        let inside: u64 = self.counts.iter().sum();
        let outside = self.values as u64 - inside;
        let (bins, each) = (self.counts.len(), if joined > 1 { format!(", {joined} a line") } else { String::new() });
        write!(out, "{inside} values in {bins} bins{each}")?;
        if outside > 0 { writeln!(out, ", {outside} in none") } else { writeln!(out) }
    }
}

/// Draws a bar for `count`, where the longest bar is for `most`. Its unit is an eighth of a character; a count that is
/// not 0 has one at least.
fn bar(count: u64, most: u64) -> String {
    let eighths = if most == 0 { 0 } else { (count as f64 / most as f64 * 8.0 * BAR as f64).round() as usize };
    let eighths = if count > 0 { eighths.max(1) } else { 0 };
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_counts() {
        assert_eq!(bar(0, 100), "");
        assert_eq!(bar(100, 100), "█".repeat(BAR));
        assert_eq!(bar(1, 1_000_000), "▏");
        assert_eq!(bar(50, 100), "█".repeat(BAR / 2));
        assert_eq!(bar(0, 0), "");
    }
}
