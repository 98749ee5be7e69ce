//! A CUDA kernel for each case.

use super::{Check, Sample};
use std::fmt::Write;
use upsweep::operator::{Function, Operator, Source};

/// The kernels `case_0`, `case_1`, ... with the arguments input, output and how many outputs there are.
#[derive(Default)]
pub(crate) struct Kernels {
    source: Source,
    text: String,
    cases: usize,
}

impl Kernels {
    fn kernel(&mut self, input: &str, output: &str, value: &str) {
        let _infallible = writeln!(
            self.text,
            "extern \"C\" __global__ void case_{}(const {input} *in, {output} *out, u64 n) {{\n  \
             const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;\n  \
             if (i >= n) return;\n  {output} result = {value};\n  out[i] = canonical(result);\n  \
             if (eq(result, result) && arith::ne(result, result)) out[0] = result;\n}}",
            self.cases
        );
        self.cases += 1;
    }

    /// The whole program.
    pub(crate) fn program(&self) -> String {
        format!("{}\n{}\n{}", include_str!("../../kernels/arith.cuh"), self.source.text(), self.text)
    }
}

impl Check for Kernels {
    fn operator<T: Sample, O: Operator<T>>(&mut self, _: &str, operator: O) {
        let (ty, function) = (T::cuda_type(&mut self.source), operator.cuda_function(&mut self.source));
        self.kernel(&ty, &ty, &format!("{function}(in[2 * i], in[2 * i + 1])"));
    }
    fn function<I: Sample, R: Sample, F: Function<(I,), Output = R>>(&mut self, _: &str, function: F) {
        let (input, output) = (I::cuda_type(&mut self.source), R::cuda_type(&mut self.source));
        let function = function.cuda_function(&mut self.source);
        self.kernel(&input, &output, &format!("{function}(in[i])"));
    }
}
