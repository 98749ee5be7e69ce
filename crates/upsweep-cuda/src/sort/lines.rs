//! Transposition of strided lines to rows before a sort, and of rows to lines after it.

use super::kernels::SortKey;
use crate::Cuda;
use crate::compile::KernelSource;
use crate::params::params;
use crate::runtime::Grid;
use upsweep_core::error::Result;
use upsweep_core::shape::Shape;
use upsweep_plan::constants::Constants;
use upsweep_plan::sort::counting::lines_constants;

params! {
    alone
    /// Parameters of the kernel that transposes interleaved lines to contiguous rows, or rows to lines.
    struct SortLinesParams {
        input: "const void*",
        output: "void*",
        outer: "u64",
        len: "u64",
        inner: "u64",
    }
}

const LINES: &str = "upsweep_sort_lines";
/// Largest number of blocks for each multiprocessor. A block transposes one square of elements after another.
const BLOCKS_A_MULTIPROCESSOR: usize = 8;

/// Returns the source of the kernel that transposes lines to rows, or rows to lines.
pub(crate) fn source(constants: Constants) -> KernelSource {
    let prelude = constants.to_string() + &SortLinesParams::text();
    KernelSource { root: "sort/lines.cuh", prelude, entry: LINES }
}

/// Returns the C++ text of the parameters of this kernel.
#[cfg(test)]
pub(crate) fn params_text() -> String {
    SortLinesParams::text()
}

/// Transposes interleaved lines of the shape `shape` to rows. Elements have `size` bytes and are aligned to `align`
/// bytes.
pub(super) fn to_rows(cuda: &Cuda, shape: Shape, (size, align): (usize, usize), input: u64, output: u64) -> Result<()> {
    let unit = align.min(16);
    let (constants, side, threads) = lines_constants(unit, size / unit);
    let kernel = cuda.kernel(SortKey::new(LINES, constants), || Ok(source(constants)))?;
    let squares = shape.outer * shape.inner.div_ceil(side) * shape.len.div_ceil(side);
    let blocks = squares.min(BLOCKS_A_MULTIPROCESSOR * cuda.multiprocessors() as usize) as u32;
    let Shape { outer, len, inner } = shape;
    let params = SortLinesParams { input, output, outer: outer as u64, len: len as u64, inner: inner as u64 };
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and scratch keep both arrays
    // good until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, threads as u32, 0), &params) }
}

/// Transposes rows back to interleaved lines of the shape `shape`. `layout` is the size and the alignment of an element
/// in bytes.
pub(super) fn to_lines(cuda: &Cuda, shape: Shape, layout: (usize, usize), input: u64, output: u64) -> Result<()> {
    to_rows(cuda, Shape { len: shape.inner, inner: shape.len, ..shape }, layout, input, output)
}
