//! C++ code of every case.

use super::{Check, Sample};
use upsweep::operator::{Function, Operator, Source};

/// Entry points `case_0`, `case_1`, ... with the arguments input, output and the number of outputs.
pub(crate) struct Entries {
    /// Definitions that the entries use.
    pub(crate) source: Source,
    pub(crate) text: String,
    cases: usize,
    entry: Entry,
}

/// Text of an entry, from its name, the types of an input and of an output, and output `i`.
type Entry = fn(name: &str, input: &str, output: &str, value: &str) -> String;

impl Entries {
    /// Makes an entry for each case.
    pub(crate) fn all(entry: Entry) -> Self {
        let mut entries = Self { source: Source::new(), text: String::new(), cases: 0, entry };
        super::all(&mut entries);
        entries
    }

    fn add(&mut self, input: &str, output: &str, value: &str) {
        self.text += &(self.entry)(&format!("case_{}", self.cases), input, output, value);
        self.text.push('\n');
        self.cases += 1;
    }
}

impl Check for Entries {
    fn operator<T: Sample, O: Operator<T>>(&mut self, _: &str, operator: O) {
        let (ty, function) = (T::cuda_type(&mut self.source), operator.cuda_function(&mut self.source));
        self.add(&ty, &ty, &format!("{function}(in[2 * i], in[2 * i + 1])"));
    }
    fn function<I: Sample, R: Sample, F: Function<(I,), Output = R>>(&mut self, _: &str, function: F) {
        let (input, output) = (I::cuda_type(&mut self.source), R::cuda_type(&mut self.source));
        let function = function.cuda_function(&mut self.source);
        self.add(&input, &output, &format!("{function}(in[i])"));
    }
}
