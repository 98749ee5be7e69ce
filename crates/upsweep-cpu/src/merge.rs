//! Merge on the CPU: each thread merges an equal part of the results, found by a split of both inputs (merge path).

use super::engine::apart;
use super::tile::merge::{Half, merge, split};
use std::ops::Range;
use upsweep_core::call::merge::Merging;
use upsweep_core::error::Result;
use upsweep_core::operator::{Element, Function};
use upsweep_plan::cpu::PARALLEL_FROM_BYTES;

/// Merges two sorted arrays, with a value for each element if there are values.
pub fn run<T, V, F>(call: &Merging<'_, T, V>, less: F) -> Result<()>
where
    T: Element,
    V: Element,
    F: Function<(T, T), Output = bool>,
{
    let (a, b) = (call.inputs.0.on_host("first input")?, call.inputs.1.on_host("second input")?);
    let output = call.output.on_host("output")?.0;
    let values = match (&call.values, &call.values_output) {
        (Some((first, second)), Some(target)) => {
            let (first, second) = (first.on_host("first values")?, second.on_host("second values")?);
            Some((first, second, target.on_host("output values")?.0))
        }
        _ => None,
    };
    let none: &[V] = &[];
    let (values_a, values_b, values_output) = values.unwrap_or((none, none, std::ptr::null_mut()));
    let halves = (Half { keys: a, values: values_a }, Half { keys: b, values: values_b });
    // SAFETY: the outputs have room for both inputs, and are borrowed exclusively for as long as this runs.
    unsafe { in_parts(halves, (output, values_output), less) };
    Ok(())
}

/// Merges two halves, by several threads if they are large enough.
///
/// # Safety
/// The outputs have room for both halves, do not overlap them, and nobody else uses them meanwhile. The output of
/// values may be null if there are none.
pub(super) unsafe fn in_parts<T, V, F>(halves: (Half<'_, T, V>, Half<'_, T, V>), output: (*mut T, *mut V), less: F)
where
    T: Element,
    V: Element,
    F: Function<(T, T), Output = bool>,
{
    let (a, b) = (halves.0.keys, halves.1.keys);
    let len = a.len() + b.len();
    let before = |x: &T, y: &T| less.call((*x, *y));
    let parts = if len * size_of::<T>() < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads() };
    // Splits ascend even if the inputs are not sorted.
    let mut splits = vec![0];
    let mut last = (0, 0);
    for part in 1..=parts {
        let result = apart::part_of(len, parts, part).start;
        let most = last.1 + (result - last.0);
        let found = split(a, b, result, last.1, most, before);
        last = (result, found);
        splits.push(found);
    }
    let output = Outputs(output.0, output.1);
    let run = |part: usize| {
        let output = &output;
        let Range { start: begin, end } = apart::part_of(len, parts, part);
        let (from, to) = (splits.get(part).copied().unwrap_or(0), splits.get(part + 1).copied().unwrap_or(0));
        let own = (halves.0.part(from, to), halves.1.part(begin - from, end - to));
        let values = if output.1.is_null() { output.1 } else { output.1.wrapping_add(begin) };
        // SAFETY: the results of the parts are contiguous and disjoint in the outputs.
        unsafe { merge(own, (output.0.add(begin), values), before) };
    };
    apart::run(parts, true, &run);
}

/// Addresses of the outputs of a merge: elements and values.
struct Outputs<T, V>(*mut T, *mut V);

// SAFETY: the pointers are those of a call, which borrows the outputs exclusively for as long as it runs. Each result
// is written by one thread.
unsafe impl<T: Send, V: Send> Sync for Outputs<T, V> {}
