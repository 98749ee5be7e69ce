//! Terminal output: the first and last values, and a summary line.

use crate::element::{Values, format};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Number of values that a terminal shows at the beginning of an array, and at its end.
const HEAD: usize = 10;
const TAIL: usize = 5;

/// Returns the indices of those among `len` values that are shown. `None` stands for those left out.
fn positions(len: usize) -> Vec<Option<usize>> {
    if len <= HEAD + TAIL + 1 {
        return (0..len).map(Some).collect();
    }
    (0..HEAD).map(Some).chain([None]).chain((len - TAIL..len).map(Some)).collect()
}

/// Formats those values of an array that are shown, for use after a command has overwritten the array.
pub(crate) fn sample(values: &Values) -> Vec<String> {
    positions(values.len()).into_iter().flatten().map(|k| readable(values, k)).collect()
}

/// Formats value number `index`. A value of f64 is rounded to be readable.
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

/// Names for the positions of values in an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a> {
    /// Word for a position, at the head of its column.
    pub(crate) name: &'a str,
    /// Number of the first position, from which an array of at most one axis counts.
    pub(crate) first: usize,
    /// Positions, counted from 0, of values that were left out of the array, ascending.
    pub(crate) left_out: &'a [usize],
    pub(crate) shape: &'a [usize],
}

/// Returns the position of value number `index` of an array before the values at the positions `left_out`, which are
/// ascending, were left out of it.
pub(crate) fn position_with(left_out: &[usize], index: usize) -> usize {
    let (mut before, mut end) = (0, left_out.len());
    while before < end {
        let middle = before.midpoint(end);
        if left_out[middle] <= index + middle { before = middle + 1 } else { end = middle }
    }
    index + before
}

impl Places<'_> {
    /// Returns the position of value number `index`: a number, or in an array of several axes an index along each.
    pub(crate) fn of(&self, index: usize) -> String {
        if self.shape.len() < 2 {
            return (self.first + position_with(self.left_out, index)).to_string();
        }
        let mut rest = index;
        let along = |&n: &usize| {
            let index = rest % n.max(1);
            rest /= n.max(1);
            index
        };
        let mut indices: Vec<usize> = self.shape.iter().rev().map(along).collect();
        indices.reverse();
        format!("{indices:?}")
    }
}

/// Prints the first and last results as a table, with their positions and the inputs at these.
pub(crate) fn table(
    out: &mut dyn Write,
    (input, input_name): (&[String], &str),
    (results, results_name): (&Values, &str),
    places: &Places<'_>,
) -> io::Result<()> {
    let shown = positions(results.len());
    let output = sample(results);
    let position_name = places.name;
    let place = |k: usize| places.of(k);
    let width =
        |texts: &mut dyn Iterator<Item = usize>, name: &str| texts.chain([name.chars().count()]).max().unwrap_or(0);
    let at = width(&mut shown.iter().flatten().map(|&k| place(k).len()), position_name);
    let inputs = width(&mut input.iter().map(String::len), input_name);
    let outputs = width(&mut output.iter().map(String::len), results_name);
    writeln!(out, "{position_name:>at$}  {input_name:>inputs$}  {results_name:>outputs$}")?;
    let mut pairs = input.iter().zip(&output);
    for position in shown {
        match (position, position.and_then(|_| pairs.next())) {
            (Some(k), Some((x, y))) => writeln!(out, "{:>at$}  {x:>inputs$}  {y:>outputs$}", place(k))?,
            _ => writeln!(out, "{:>at$}", "...")?,
        }
    }
    Ok(())
}

/// Content of the summary line of a command.
#[derive(Debug)]
pub(crate) struct Summary<'a> {
    pub(crate) len: usize,
    pub(crate) element: &'a str,
    /// Name of the computation, such as `inclusive sum scan`.
    pub(crate) what: String,
    pub(crate) device: &'a str,
    pub(crate) time: Duration,
    /// Number of bytes that the computation reads and writes.
    pub(crate) bytes: usize,
    /// Time at which the command started.
    pub(crate) begun: Instant,
}

impl std::fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { len, element, what, device, time, bytes, begun } = self;
        let values = if *len == 1 { "value" } else { "values" };
        write!(f, "{len} {values} of {element}: {what}, on {device}, in {}", duration(*time))?;
        let seconds = time.as_secs_f64();
        if *bytes > 0 && seconds > 0.0 {
            write!(f, ", {:.3} GB/s read and written", *bytes as f64 / seconds / 1e9)?;
        }
        write!(f, "; with all input and output in {}", duration(begun.elapsed()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_what_was_left_out() {
        for left_out in [&[][..], &[0], &[3], &[0, 1, 4, 5, 9], &[1, 2, 3]] {
            let kept: Vec<usize> = (0..20).filter(|position| !left_out.contains(position)).collect();
            let found: Vec<usize> = (0..kept.len()).map(|index| position_with(left_out, index)).collect();
            assert_eq!(found, kept, "{left_out:?}");
        }
    }

    #[test]
    fn places_of_several_axes_have_an_index_for_each() {
        let of = |shape: &[usize], first, index| Places { name: "", first, left_out: &[], shape }.of(index);
        assert_eq!(of(&[5], 0, 3), "3");
        assert_eq!(of(&[5], 2, 3), "5");
        assert_eq!(of(&[], 0, 0), "0");
        assert_eq!(of(&[1000, 1000], 0, 999_995), "[999, 995]");
        assert_eq!(of(&[2, 3, 4], 0, 23), "[1, 2, 3]");
        assert_eq!(of(&[2, 3, 4], 0, 4), "[0, 1, 0]");
    }
}
