//! Merge sort by a comparison on the CPU: insertion sort of short runs, then merges of neighbouring runs.
//!
//! Memory safety does not depend on the comparison being an order: if it is none, the results are all elements in some
//! order.

use super::engine::apart;
use super::merge::in_parts;
use super::tile::merge::{Half, merge};
use upsweep_core::call::Unsorted;
use upsweep_core::call::merge::{Beside, Sorting};
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::operator::{Element, Function};
use upsweep_plan::cpu::PARALLEL_FROM_BYTES;

/// Number of elements of the first runs, which are sorted by insertion and then merged.
const INSERTED: usize = 24;
/// Bytes of a run that one thread sorts in a second-level cache.
const RUN_BYTES: usize = 512 << 10;

/// Sorts elements, with their values or positions if there are any.
pub fn run<T, V, F>(call: &Sorting<'_, T, V>, less: F) -> Result<()>
where
    T: Element,
    V: Element,
    F: Function<(T, T), Output = bool>,
{
    let len = call.len();
    let (mut keys, mut keys_scratch) = (memory::room::<T>(0)?, memory::room::<T>(len)?);
    let to = match &call.output {
        Some(output) => output.on_host("output")?.0,
        None => {
            keys = memory::room(len)?;
            keys.as_mut_ptr()
        }
    };
    if let Unsorted::Buffer(input) = &call.input {
        let input = input.on_host("input")?;
        // SAFETY: input and output have `len` elements, and a borrowed output does not overlap a borrowed input.
        unsafe { input.as_ptr().copy_to_nonoverlapping(to, len) };
    }
    let values_len = if matches!(call.beside, Beside::Nothing) { 0 } else { len };
    let mut values_scratch = memory::room::<V>(values_len)?;
    let values_to = match &call.values_output {
        Some(output) => output.on_host("output values")?.0,
        None => std::ptr::dangling_mut(),
    };
    match &call.beside {
        Beside::Values(Unsorted::Buffer(values)) => {
            let values = values.on_host("values")?;
            // SAFETY: the values and their output have `len` values, and a borrowed output does not overlap a borrowed
            // input.
            unsafe { values.as_ptr().copy_to_nonoverlapping(values_to, len) };
        }
        Beside::Positions(at) => {
            for i in 0..len {
                // SAFETY: the output has `len` elements.
                unsafe { values_to.add(i).write(at(i)) };
            }
        }
        Beside::Values(Unsorted::OfOutput) | Beside::Nothing => {}
    }
    let columns = Columns { keys: to, values: values_to, values_len };
    let scratch = Columns { keys: keys_scratch.as_mut_ptr(), values: values_scratch.as_mut_ptr(), values_len };
    // SAFETY: data and scratch memory have `len` elements, and `len` values if there are any, and nobody else uses
    // them.
    unsafe { sort(columns, scratch, len, less) };
    drop(keys);
    Ok(())
}

/// Elements and values in memory. There are no values if `values_len` is 0.
#[derive(Clone, Copy)]
struct Columns<T, V> {
    keys: *mut T,
    values: *mut V,
    values_len: usize,
}

// SAFETY: threads that share columns use disjoint parts.
unsafe impl<T: Send, V: Send> Send for Columns<T, V> {}
// SAFETY: threads that share columns use disjoint parts.
unsafe impl<T: Send, V: Send> Sync for Columns<T, V> {}

impl<T: Copy, V: Copy> Columns<T, V> {
    fn has_values(&self) -> bool {
        self.values_len > 0
    }

    /// Returns the columns of elements and of values without their first `begin` entries.
    ///
    /// # Safety
    /// There are at least `begin` elements.
    unsafe fn from(self, begin: usize) -> Self {
        // SAFETY: there are at least `begin` elements, and as many values as elements, or none.
        unsafe {
            let values = if self.has_values() { self.values.add(begin) } else { self.values };
            Self { keys: self.keys.add(begin), values, ..self }
        }
    }

    /// Borrows the elements `begin .. end`, with their values if there are any, as one of the two inputs of a merge.
    ///
    /// # Safety
    /// There are at least `end` elements, initialised, and nobody writes them for as long as the half lives.
    unsafe fn half<'a>(self, begin: usize, end: usize) -> Half<'a, T, V> {
        // SAFETY: there are at least `end` elements, initialised, which nobody writes meanwhile.
        unsafe {
            let values =
                if self.has_values() { std::slice::from_raw_parts(self.values.add(begin), end - begin) } else { &[] };
            Half { keys: std::slice::from_raw_parts(self.keys.add(begin), end - begin), values }
        }
    }

    /// Copies `len` elements to `to`.
    ///
    /// # Safety
    /// Both columns have `len` elements, and do not overlap.
    unsafe fn copy_to(self, to: Self, len: usize) {
        // SAFETY: both columns have `len` elements, and do not overlap.
        unsafe {
            self.keys.copy_to_nonoverlapping(to.keys, len);
            if self.has_values() {
                self.values.copy_to_nonoverlapping(to.values, len);
            }
        }
    }
}

/// Sorts `len` elements in `data`, with scratch memory of the same size.
///
/// # Safety
/// `data` and `scratch` have `len` elements, and do not overlap. The elements of `data` are initialised. Nobody else
/// uses either.
unsafe fn sort<T, V, F>(data: Columns<T, V>, scratch: Columns<T, V>, len: usize, less: F)
where
    T: Element,
    V: Element,
    F: Function<(T, T), Output = bool>,
{
    let before = |x: &T, y: &T| less.call((*x, *y));
    let run = (RUN_BYTES / size_of::<T>()).max(INSERTED);
    let sort_run = |i: usize| {
        let (begin, end) = (i * run, len.min((i + 1) * run));
        // SAFETY: runs are disjoint.
        unsafe { sort_run(data.from(begin), scratch.from(begin), end - begin, before) };
    };
    let runs = len.div_ceil(run);
    let parallel = len * size_of::<T>() >= PARALLEL_FROM_BYTES;
    apart::run(runs, parallel, &sort_run);
    let (mut from, mut to, mut width) = (data, scratch, run);
    while width < len {
        for begin in (0..len).step_by(2 * width) {
            let (middle, end) = (len.min(begin + width), len.min(begin + 2 * width));
            // SAFETY: `from` and `to` do not overlap, and each result is written once.
            unsafe {
                let output = to.from(begin);
                let values = if to.has_values() { output.values } else { std::ptr::null_mut() };
                in_parts((from.half(begin, middle), from.half(middle, end)), (output.keys, values), less);
            }
        }
        (from, to) = (to, from);
        width *= 2;
    }
    if !std::ptr::eq(from.keys, data.keys) {
        // SAFETY: `data` and `scratch` have `len` elements, and do not overlap.
        unsafe { from.copy_to(data, len) };
    }
}

/// Sorts `len` elements in `data` by one thread, with scratch memory of the same size.
///
/// # Safety
/// `data` and `scratch` have `len` elements, and do not overlap. The elements of `data` are initialised. Nobody else
/// uses either.
unsafe fn sort_run<T: Copy, V: Copy>(
    data: Columns<T, V>,
    scratch: Columns<T, V>,
    len: usize,
    before: impl Fn(&T, &T) -> bool + Copy,
) {
    for begin in (0..len).step_by(INSERTED) {
        // SAFETY: short runs are disjoint.
        unsafe { insert(data.from(begin), INSERTED.min(len - begin), before) };
    }
    let (mut from, mut to, mut width) = (data, scratch, INSERTED);
    while width < len {
        for begin in (0..len).step_by(2 * width) {
            let (middle, end) = (len.min(begin + width), len.min(begin + 2 * width));
            // SAFETY: `from` and `to` do not overlap, and both have `len` elements.
            unsafe {
                let output = to.from(begin);
                merge((from.half(begin, middle), from.half(middle, end)), (output.keys, output.values), before);
            }
        }
        (from, to) = (to, from);
        width *= 2;
    }
    if !std::ptr::eq(from.keys, data.keys) {
        // SAFETY: `data` and `scratch` have `len` elements, and do not overlap.
        unsafe { from.copy_to(data, len) };
    }
}

/// Sorts `len` elements, a short run, and their values by insertion.
///
/// # Safety
/// There are `len` elements, initialised, which nobody else uses.
unsafe fn insert<T: Copy, V: Copy>(data: Columns<T, V>, len: usize, before: impl Fn(&T, &T) -> bool) {
    for i in 1..len {
        // SAFETY: all indices are below `len`.
        unsafe {
            let key = *data.keys.add(i);
            let value = if data.has_values() { Some(*data.values.add(i)) } else { None };
            let mut at = i;
            while at > 0 && before(&key, &*data.keys.add(at - 1)) {
                *data.keys.add(at) = *data.keys.add(at - 1);
                if data.has_values() {
                    *data.values.add(at) = *data.values.add(at - 1);
                }
                at -= 1;
            }
            *data.keys.add(at) = key;
            if let Some(value) = value {
                *data.values.add(at) = value;
            }
        }
    }
}
