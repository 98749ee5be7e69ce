//! Comparison of every case, computed in Rust and elsewhere, to the bit.

use super::{Check, Sample, samples};
use std::ffi::c_void;
use upsweep::operator::{Function, Operator};

/// Target that runs a program of all cases: see [`Entries`](super::entries::Entries).
pub(crate) trait Elsewhere {
    /// Name of the target, for messages: `"in C++"`.
    fn place(&self) -> &'static str;
    /// Runs the entry `case_{case}`.
    ///
    /// # Safety
    /// The memory holds `count` inputs of that entry's type, and has room for `count` results of its type.
    unsafe fn run(&mut self, case: usize, inputs: Memory<*const c_void>, results: Memory<*mut c_void>, count: usize);
}

/// Memory of values of any type.
#[derive(Clone, Copy)]
pub(crate) struct Memory<P> {
    pub(crate) start: P,
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "only copies to a device ask for it"))]
    pub(crate) bytes: usize,
}

/// Compares every case on `inputs` random inputs.
///
/// # Panics
/// With the first difference of each case that has one.
pub(crate) fn all(elsewhere: &mut dyn Elsewhere, inputs: usize) {
    let mut compare = Compare { elsewhere, inputs, case: 0, failures: Vec::new() };
    super::all(&mut compare);
    let Compare { case, failures, .. } = compare;
    assert!(failures.is_empty(), "{} of {case}:\n{}", failures.len(), failures.join("\n"));
}

struct Compare<'a> {
    elsewhere: &'a mut dyn Elsewhere,
    inputs: usize,
    case: usize,
    failures: Vec<String>,
}

impl Compare<'_> {
    fn run<I: Sample, R: Sample>(&mut self, name: &str, inputs: &[I], expected: &dyn Fn(usize) -> R) {
        let mut results = vec![expected(0); self.inputs];
        let given = Memory { start: inputs.as_ptr().cast(), bytes: size_of_val(inputs) };
        let taken = Memory { start: results.as_mut_ptr().cast(), bytes: size_of_val(&results[..]) };
        // SAFETY: the entries are of the same cases in the same order, so these are its inputs and results; the C++
        // text asserts that the types have the same layout.
        unsafe { self.elsewhere.run(self.case, given, taken, self.inputs) };
        self.case += 1;
        let per = inputs.len() / self.inputs;
        for (i, result) in results.iter().enumerate() {
            let expected = expected(i).canonical();
            if !expected.identical(result) {
                let (given, place) = (&inputs[per * i..per * (i + 1)], self.elsewhere.place());
                self.failures.push(format!("{name}{given:?} = {expected:?} in Rust, {result:?} {place}"));
                return;
            }
        }
    }
}

impl Check for Compare<'_> {
    fn operator<T: Sample, O: Operator<T>>(&mut self, name: &str, operator: O) {
        let inputs: Vec<T> = samples(self.case as u64, 2 * self.inputs);
        self.run(name, &inputs, &|i| operator.combine(inputs[2 * i], inputs[2 * i + 1]));
    }
    fn function<I: Sample, R: Sample, F: Function<(I,), Output = R>>(&mut self, name: &str, function: F) {
        let inputs: Vec<I> = samples(self.case as u64, self.inputs);
        self.run(name, &inputs, &|i| function.call((inputs[i],)));
    }
}
