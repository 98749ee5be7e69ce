//! Views of runs of the laboratory's algorithms: text, pictures, and pages that play.
//!
//! All views take any recorded run. [`Recording::of`] makes one; [`text`] prints its steps, [`svg`] draws it, [`html`]
//! makes pages of it. [`plot`] draws counts over the number of elements. [`palette`] has the colours.
//!
//! ```
//! use upsweep_lab::algorithm::Input;
//! use upsweep_lab::machine::Banks;
//! use upsweep_lab::operator::Operator;
//! use upsweep_lab::show::{Recording, text};
//!
//! let algorithm = upsweep_lab::algorithms::by_name("blelloch").ok_or("no such algorithm")?;
//! let input = Input { values: &[3, 1, 7, 0], heads: &[false; 4] };
//! let recording = Recording::of(algorithm, Operator::<i64>::sum(), Banks::ThirtyTwo, &input)?;
//! assert!(text::render(&recording, text::Marks::Plain).contains("*3  *4"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod banks;
mod hints;
pub mod html;
pub(crate) mod json;
mod labels;
pub mod layout;
pub mod palette;
pub mod plot;
mod recording;
pub mod svg;
#[cfg(test)]
mod tests;
pub mod text;

pub use hints::{hints, small, telling};
pub use recording::Recording;

use crate::machine::{ArrayInfo, Counts, Space};

/// Largest number of elements of a run that is changed in its page: the picture of more is of no use, and slow.
pub const MOST_LIVE: usize = 512;

/// Classes of conflict degrees that are drawn alike: largest degree, name, class in the style sheet.
const DEGREES: [(u64, &str, &str); 5] = [
    (1, "no conflict", "d1"),
    (2, "2-way conflict", "d2"),
    (4, "3- or 4-way", "d4"),
    (8, "5- to 8-way", "d8"),
    (u64::MAX, "9-way or more", "d9"),
];

/// Index of a degree's class in [`DEGREES`].
fn degree_class(degree: u64) -> usize {
    DEGREES.iter().position(|&(most, ..)| degree <= most).unwrap_or(DEGREES.len() - 1)
}

/// Name of an array, and the number of its block if that is not block 0.
fn name_of(array: &ArrayInfo) -> String {
    match array.block {
        Some(block) if block > 0 => format!("{}@{block}", array.name),
        _ => array.name.to_owned(),
    }
}

/// Says in words in which memory space an array is.
fn place_of(array: &ArrayInfo) -> String {
    match (array.space, array.block) {
        (Space::Shared, Some(block)) => format!("shared memory of block {block}"),
        (Space::Shared, None) => "shared memory".to_owned(),
        (Space::Global, _) => "global memory".to_owned(),
        (Space::Status, _) => "global memory, atomic".to_owned(),
    }
}

/// Formats numbers as `0,4,6`.
pub(crate) fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Formats a count as `1 step`, `2 steps`.
fn count_of(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Describes the counts of a step in a few short phrases.
fn phrases(counts: &Counts) -> Vec<String> {
    let mut phrases =
        vec![format!("{} of {} active", counts.active_threads, count_of(counts.threads, "thread", "threads"))];
    if counts.operations > 0 {
        phrases.push(count_of(counts.operations, "operation", "operations"));
    }
    if counts.shuffles > 0 {
        phrases.push(count_of(counts.shuffles, "shuffle", "shuffles"));
    }
    if counts.cycles > 0 {
        phrases.push(count_of(counts.cycles, "cycle", "cycles"));
    }
    if counts.worst_degree > 1 {
        let repeats = count_of(counts.conflicts, "conflict", "conflicts");
        phrases.push(format!("{repeats} (worst {}-way)", counts.worst_degree));
    }
    phrases
}

/// Says which warps of a step diverged; [`None`] if none did.
fn divergence(warps: &[usize]) -> Option<String> {
    match warps {
        [] => None,
        [one] => Some(format!("warp {one} diverges")),
        [first, .., last] if last - first + 1 == warps.len() => Some(format!("warps {first} to {last} diverge")),
        some => Some(format!("{} warps diverge", some.len())),
    }
}
