//! Scans and reductions of interleaved lines on a CUDA device; see `kernels/device/columns.cuh`.

use super::prepare::{self, Begin, Buffers};
use super::text::{self, Features, Functions, JobOf, Types};
use super::{Cuda, KernelSource};
use crate::job::{Direction, Job};
use crate::operator::Same;
use crate::plan::Shape;
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
    chunk: u64,
    chunks: u64,
    before: u64,
    init_from: u64,
    init: MaybeUninit<T>,
    first: MaybeUninit<T>,
}

/// The job that reduces what `J` scans or reduces, and leaves the sums as they are.
type Sums<J> = (<J as Types>::In, <J as Types>::Acc, <J as Types>::Op, <J as Types>::Map, Same, <J as Types>::Segments);
/// The scan of such sums.
type Prefixes<J> = (<J as Types>::Acc, <J as Types>::Acc, <J as Types>::Op, Same, Same, <J as Types>::Segments);
/// The reduction of such sums to what `J` stores.
type Totals<J> =
    (<J as Types>::Acc, <J as Types>::Out, <J as Types>::Op, Same, <J as Types>::Finish, <J as Types>::Segments);

/// Scans interleaved lines, or reduces them and stores one result a line.
pub(super) fn launch<J: Types>(cuda: &Cuda, job: JobOf<'_, J>, direction: Direction, reduces: bool) -> Result<()> {
    let Job { input, mut output, shape, init, operator, map, finish, .. } = job;
    let outputs = output.len();
    let buffers = Buffers::borrow(cuda, &input, &mut output, shape.lines() * shape.len, reduces)?;
    let begin = buffers.begin(&init, &operator)?;
    if outputs == 0 {
        return Ok(());
    }
    let Direction { exclusive, reverse } = direction;
    let has_init = !init.is_none();
    let features = Features { exclusive, reverse, has_init, by_segment: reduces, ..Features::PLAIN };
    let functions = Functions::<J> { operator, map, finish, same: None };
    let whole = Pass { input: buffers.input, output: buffers.output, shape, chunk: shape.len, before: 0 };
    let chunk = plan_of::<J>().chunk(shape);
    if chunk == shape.len {
        return whole.enqueue(cuda, features, &functions, &begin);
    }

    // Few long lines: chunks of them are reduced, the sums scanned or reduced, and the chunks scanned.
    let sums_shape = Shape { len: shape.len.div_ceil(chunk), ..shape };
    let scratch = cuda.scratch::<J::Acc>(sums_shape.lines() * sums_shape.len)?;
    let sums = Pass { output: scratch.address(), chunk, ..whole };
    let plain = Features { by_segment: true, reverse, ..Features::PLAIN };
    let sum = Functions::<Sums<J>> { operator, map, finish: Same, same: None };
    sums.enqueue(cuda, plain, &sum, &Begin::nothing())?;

    let of_sums = Pass { input: scratch.address(), shape: sums_shape, chunk: sums_shape.len, ..whole };
    if reduces {
        let total = Functions::<Totals<J>> { operator, map: Same, finish, same: None };
        return of_sums.enqueue(cuda, features, &total, &begin);
    }
    let of_sums = Pass { output: scratch.address(), ..of_sums };
    let prefix = Functions::<Prefixes<J>> { operator, map: Same, finish: Same, same: None };
    of_sums.enqueue(cuda, Features::PLAIN, &prefix, &Begin::nothing())?;
    Pass { before: scratch.address(), chunk, ..whole }.enqueue(cuda, features, &functions, &begin)
}

fn plan_of<J: Types>() -> ColumnsPlan {
    ColumnsPlan::new(size_of::<J::In>(), size_of::<J::Acc>(), size_of::<J::Out>())
}

/// One launch of the kernel.
#[derive(Clone, Copy)]
struct Pass {
    input: u64,
    output: u64,
    shape: Shape,
    /// Elements a chunk: all of a line's where lines are not cut.
    chunk: usize,
    /// The address of what lies before each line's second chunk and those after it, or 0.
    before: u64,
}

impl Pass {
    /// Enqueues it. The caller's loans keep its addresses good.
    fn enqueue<J: Types>(
        self,
        cuda: &Cuda,
        features: Features,
        functions: &Functions<'_, J>,
        begin: &Begin<'_, J::Acc>,
    ) -> Result<()> {
        let Self { input, output, shape, chunk, before } = self;
        let chunks = shape.len.div_ceil(chunk.max(1)).max(1);
        let lines = shape.lines() * chunks;
        let plan = plan_of::<J>();
        let vector = plan.vector(lines, cuda.multiprocessors() as usize, |vector| {
            let begins = |address: u64, size: usize| address.is_multiple_of(ColumnsPlan::alignment(size, vector));
            let aligned = begins(input, size_of::<J::In>()) && begins(output, size_of::<J::Out>());
            aligned && shape.inner.is_multiple_of(vector)
        });
        let source = || source(features, &plan, vector, functions);
        let kernel = prepare::kernel(cuda, plan.family(vector), features, functions, source)?;
        let grid = u32::try_from(ColumnsPlan::blocks(lines, vector)).ok().filter(|&grid| grid < 1 << 31);
        let grid = grid.ok_or(Error::Options {
            options: "axis",
            reason: "more than 2^36 interleaved lines: scan a part of the array at a time",
        })?;
        let params = Params {
            input,
            output,
            lines: lines as u64,
            len: shape.len as u64,
            inner: shape.inner as u64,
            chunk: chunk as u64,
            chunks: chunks as u64,
            before,
            init_from: begin.init_from,
            init: begin.init,
            first: begin.first,
        };
        // SAFETY: `Params` has the kernel's layout (the kernel asserts its size), and the caller's loans keep its
        // pointers good for the elements of the shape until the kernel is enqueued in the stream's order.
        unsafe { cuda.launch(&kernel, grid, plan.threads() as u32, 0, &params) }
    }
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
