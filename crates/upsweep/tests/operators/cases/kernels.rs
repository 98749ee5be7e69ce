//! CUDA kernels of the cases.

use super::entries::Entries;

/// Returns a CUDA program whose kernels are all [`Entries`].
pub(crate) fn program() -> String {
    let Entries { source, text, .. } = Entries::all(kernel);
    format!("{}\n{}\n{text}", include_str!("../../../../upsweep-cuda/kernels/arith.cuh"), source.text())
}

fn kernel(name: &str, input: &str, output: &str, value: &str) -> String {
    format!(
        "extern \"C\" __global__ void {name}(const {input} *in, {output} *out, u64 n) {{\n  \
         const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;\n  \
         if (i >= n) return;\n  {output} result = {value};\n  out[i] = canonical(result);\n  \
         if (eq(result, result) && arith::ne(result, result)) out[0] = result;\n}}"
    )
}
