//! Every case, computed in Rust and elsewhere, to the bit.

use super::{Check, Sample, samples};
use upsweep::operator::{Function, Operator};

/// Where a program of all cases runs: see [`Entries`](super::entries::Entries).
pub(crate) trait Elsewhere {
    /// Where that is, for messages: `"in C++"`.
    const WHERE: &'static str;
    /// The results of the entry `case_{case}`.
    fn run<I: Sample, R: Sample>(&mut self, case: usize, inputs: &[I], results: &mut [R]);
}

/// Compares every case on as many random inputs.
///
/// # Panics
/// With the first difference of each case that has one.
pub(crate) fn all(elsewhere: impl Elsewhere, inputs: usize) {
    let mut compare = Compare { elsewhere, inputs, case: 0, failures: Vec::new() };
    super::all(&mut compare);
    let Compare { case, failures, .. } = compare;
    assert!(failures.is_empty(), "{} of {case}:\n{}", failures.len(), failures.join("\n"));
}

struct Compare<E> {
    elsewhere: E,
    inputs: usize,
    case: usize,
    failures: Vec<String>,
}

impl<E: Elsewhere> Compare<E> {
    fn run<I: Sample, R: Sample>(&mut self, name: &str, inputs: &[I], expected: &dyn Fn(usize) -> R) {
        let mut results = vec![expected(0); self.inputs];
        self.elsewhere.run(self.case, inputs, &mut results);
        self.case += 1;
        let per = inputs.len() / self.inputs;
        for (i, result) in results.iter().enumerate() {
            let expected = expected(i).canonical();
            if !expected.identical(result) {
                let given = &inputs[per * i..per * (i + 1)];
                self.failures.push(format!("{name}{given:?} = {expected:?} in Rust, {result:?} {}", E::WHERE));
                return;
            }
        }
    }
}

impl<E: Elsewhere> Check for Compare<E> {
    fn operator<T: Sample, O: Operator<T>>(&mut self, name: &str, operator: O) {
        let inputs: Vec<T> = samples(self.case as u64, 2 * self.inputs);
        self.run(name, &inputs, &|i| operator.combine(inputs[2 * i], inputs[2 * i + 1]));
    }
    fn function<I: Sample, R: Sample, F: Function<(I,), Output = R>>(&mut self, name: &str, function: F) {
        let inputs: Vec<I> = samples(self.case as u64, self.inputs);
        self.run(name, &inputs, &|i| function.call((inputs[i],)));
    }
}
