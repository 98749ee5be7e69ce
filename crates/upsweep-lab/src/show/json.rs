//! Run as JSON, for the player in a page.

use super::recording::Recording;
use super::{place_of, svg};
use crate::machine::{Counts, Event, Fault, Place, Space};
use serde_json::{Value, json};

/// Returns the run as JSON for the player, in which nothing can end the script element that has it.
pub(super) fn script(recording: &Recording) -> String {
    // The sign `<` occurs only in JSON's strings, where it may be written as an escape.
    run(recording).to_string().replace('<', "\\u003c")
}

/// Returns the run as JSON for the player, the script that shows a run step by step.
pub(crate) fn run(recording: &Recording) -> Value {
    let arrays = recording.run.arrays.iter().map(|array| {
        json!({
            "name": array.name,
            "offset": array.offset,
            "status": array.space == Space::Status,
            "place": place_of(array),
            "block": array.block,
            "since": array.since,
            "until": array.until,
            "initial": array.initial,
        })
    });
    let steps = recording.run.steps.iter().map(|step| {
        json!({
            "kernel": step.kernel,
            "label": step.label,
            "block": step.block,
            "threads": step.counts.threads,
            "counts": counts(&step.counts),
            "divergent": step.divergent,
            "after": [step.after.operations, step.after.cycles],
            "events": step.events.iter().map(event).collect::<Vec<_>>(),
        })
    });
    json!({
        "arrays": arrays.collect::<Vec<_>>(),
        "steps": steps.collect::<Vec<_>>(),
        "fault": recording.fault.as_ref().map(fault),
        "warp": recording.shape.warp,
        "tile": recording.tile(),
        "banks": recording.shape.banks.number(),
        "identity": recording.identity,
        "column": svg::column_width_of(recording),
    })
}

/// Text of a fault, and the word at which it is.
fn fault(fault: &Fault) -> Value {
    let at = fault.at();
    json!({ "text": fault.to_string(), "array": at.map(|at| at.array), "index": at.map(|at| at.index) })
}

/// Actions of a thread in a step: its index, the words that it read and wrote, its number of operations, the threads
/// whose registers it read, and its own registers.
fn event(event: &Event) -> Value {
    let places = |places: &[Place]| places.iter().map(place).collect::<Vec<_>>();
    json!([event.thread, places(&event.reads), places(&event.writes), event.operations, event.shuffles, event.kept])
}

/// Access to a word: the array, the index, the value, the conflict degree, and the number of the warp's access.
fn place(place: &Place) -> Value {
    json!([place.array, place.index, place.value, place.degree, place.together])
}

/// Returns the counts in the order of [`NAMES`].
pub(super) fn counts(counts: &Counts) -> [u64; 12] {
    [
        counts.active_threads,
        counts.operations,
        counts.shared_reads,
        counts.shared_writes,
        counts.global_reads,
        counts.global_writes,
        counts.shuffles,
        counts.barriers,
        counts.divergent_branches,
        counts.conflicts,
        counts.worst_degree,
        counts.cycles,
    ]
}

/// Names of the counts that the player shows, in the order of [`counts`].
pub(super) const NAMES: [&str; 12] = [
    "active threads",
    "operations",
    "reads of shared memory",
    "writes to shared memory",
    "reads of global memory",
    "writes to global memory",
    "shuffles",
    "barriers",
    "divergent branches",
    "bank conflicts",
    "worst degree",
    "cycles of shared memory",
];

/// Index, in [`NAMES`], of the worst conflict degree, which is not summed over the steps.
pub(super) const WORST: usize = 10;
