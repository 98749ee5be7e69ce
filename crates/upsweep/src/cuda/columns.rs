//! Scans and reductions of interleaved lines on a CUDA device; see `kernels/device/columns.cuh`.

use super::prepare::{self, Buffers};
use super::text::{self, Features, Functions, Heads, JobOf, Types};
use super::{Cuda, KernelSource};
use crate::job::{Direction, Job};
use crate::plan::columns::ColumnsPlan;
use crate::{Error, Result};
use std::mem::MaybeUninit;

/// `Params` of `device/columns.cuh`.
#[repr(C)]
struct Params<T> {
    input: u64,
    output: u64,
    lines: u64,
    len: u64,
    inner: u64,
    init_from: u64,
    init: MaybeUninit<T>,
    first: MaybeUninit<T>,
}

/// Launches the kernel: a scan, or a reduction that stores one result a line.
pub(super) fn launch<J: Types>(cuda: &Cuda, job: JobOf<'_, J>, direction: Direction, reduces: bool) -> Result<()> {
    let Job { input, mut output, shape, init, operator, map, finish, .. } = job;
    let (lines, outputs) = (shape.lines(), output.len());
    let buffers = Buffers::borrow(cuda, &input, &mut output, lines * shape.len, reduces)?;
    let begin = buffers.begin(&init, &operator)?;
    if outputs == 0 {
        return Ok(());
    }
    let Direction { exclusive, reverse } = direction;
    let features = Features { heads: Heads::None, exclusive, reverse, has_init: !init.is_none(), by_segment: reduces };
    let functions = Functions::<J> { operator, map, finish, same: None };
    let plan = ColumnsPlan::new(size_of::<J::In>(), size_of::<J::Acc>(), size_of::<J::Out>());
    let vector = plan.vector(lines, cuda.multiprocessors() as usize, |vector| {
        let begins = |address: u64, size: usize| address.is_multiple_of(ColumnsPlan::alignment(size, vector));
        let aligned = begins(buffers.input, size_of::<J::In>()) && begins(buffers.output, size_of::<J::Out>());
        aligned && shape.inner.is_multiple_of(vector)
    });
    let source = || source(features, &plan, vector, &functions);
    let kernel = prepare::kernel(cuda, plan.family(vector), features, &functions, source)?;
    let grid = u32::try_from(ColumnsPlan::blocks(lines, vector)).ok().filter(|&grid| grid < 1 << 31);
    let grid = grid.ok_or(Error::Options {
        options: "axis",
        reason: "more than 2^36 interleaved lines: scan a part of the array at a time",
    })?;
    let params = Params {
        input: buffers.input,
        output: buffers.output,
        lines: lines as u64,
        len: shape.len as u64,
        inner: shape.inner as u64,
        init_from: begin.init_from,
        init: begin.init,
        first: begin.first,
    };
    // SAFETY: `Params` has the kernel's layout (the kernel asserts its size), and the loans keep its pointers good for
    // the elements of the shape until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, grid, plan.threads() as u32, 0, &params) }
}

/// The kernel's source, for lanes that have `vector` lines each.
pub(super) fn source<J: Types>(
    features: Features,
    plan: &ColumnsPlan,
    vector: usize,
    functions: &Functions<'_, J>,
) -> KernelSource {
    let mut prelude = functions.prelude(features);
    prelude += &plan.constants(vector);
    prelude += &text::host_sizes(size_of::<Params<J::Acc>>(), size_of::<J::Acc>());
    KernelSource { root: "device/columns.cuh", prelude, entry: "upsweep_columns" }
}
