//! What a person sees on a terminal: the first and last values, and a line that sums up.

use crate::element::{Values, format};
use std::io::{self, Write};
use std::time::Duration;

/// The values at each end that a terminal shows.
const HEAD: usize = 10;
const TAIL: usize = 5;

/// The positions that are shown of `len` values; `None` stands for those between.
fn positions(len: usize) -> Vec<Option<usize>> {
    if len <= HEAD + TAIL + 1 {
        return (0..len).map(Some).collect();
    }
    (0..HEAD).map(Some).chain([None]).chain((len - TAIL..len).map(Some)).collect()
}

/// The shown values of an array as text, taken before they are overwritten.
pub(crate) fn sample(values: &Values) -> Vec<String> {
    positions(values.len()).into_iter().flatten().map(|k| readable(values, k)).collect()
}

/// Value `index`, a float rounded to what a person reads.
fn readable(values: &Values, index: usize) -> String {
    let rounded = |x: f64| {
        let digits = if x == 0.0 || !x.is_finite() { 0.0 } else { x.abs().log10().floor() };
        if (-5.0..10.0).contains(&digits) {
            let text = format!("{x:.*}", (9.0 - digits).clamp(0.0, 12.0) as usize);
            let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            text.to_owned()
        } else {
            format!("{x:.9e}")
        }
    };
    match values {
        Values::F64(x) => x.get(index).map_or_else(String::new, |&x| rounded(x)),
        _ => {
            let mut text = Vec::new();
            format(values, index, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        }
    }
}

/// Prints the first and last results beside the inputs they come from. Rows are numbered from 1, the positions of an
/// array from 0.
pub(crate) fn table(
    out: &mut dyn Write,
    (input, input_name): (&[String], &str),
    (results, results_name): (&Values, &str),
    (position_name, first): (&str, usize),
) -> io::Result<()> {
    let shown = positions(results.len());
    let output = sample(results);
    let place = |k: usize| (k + first).to_string();
    let width =
        |texts: &mut dyn Iterator<Item = usize>, name: &str| texts.chain([name.chars().count()]).max().unwrap_or(0);
    let places = width(&mut shown.iter().flatten().map(|&k| place(k).len()), position_name);
    let inputs = width(&mut input.iter().map(String::len), input_name);
    let outputs = width(&mut output.iter().map(String::len), results_name);
    writeln!(out, "{position_name:>places$}  {input_name:>inputs$}  {results_name:>outputs$}")?;
    let mut pairs = input.iter().zip(&output);
    for position in shown {
        match (position, position.and_then(|_| pairs.next())) {
            (Some(k), Some((x, y))) => writeln!(out, "{:>places$}  {x:>inputs$}  {y:>outputs$}", place(k))?,
            _ => writeln!(out, "{:>places$}", "...")?,
        }
    }
    Ok(())
}

/// What a summary says.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    pub(crate) len: usize,
    pub(crate) element: &'a str,
    /// What was computed, in words.
    pub(crate) what: String,
    pub(crate) device: &'a str,
    pub(crate) time: Duration,
    /// The bytes read and written by the computation.
    pub(crate) bytes: usize,
}

impl std::fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { len, element, what, device, time, bytes } = self;
        let values = if *len == 1 { "value" } else { "values" };
        write!(f, "{len} {values} of {element}: {what}, on {device}, in {}", duration(*time))?;
        let seconds = time.as_secs_f64();
        if *bytes > 0 && seconds > 0.0 {
            write!(f, ", {:.3} GB/s read and written", *bytes as f64 / seconds / 1e9)?;
        }
        Ok(())
    }
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1e-3 {
        format!("{:.1} µs", seconds * 1e6)
    } else if seconds < 1.0 {
        format!("{:.2} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}
