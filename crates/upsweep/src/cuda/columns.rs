//! Scans and reductions of interleaved lines on a CUDA device; see `kernels/device/columns.cuh`.

use super::scan::{Extent, read_init};
use super::text::{self, Features, Heads};
use super::{Cuda, KernelKey, KernelSource};
use crate::job::{Direction, InitSource, Job, Source, Target};
use crate::operator::{Element, Function, Map, Operator};
use crate::segments::Segmentation;
use crate::{Error, Result};
use std::any::TypeId;
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

/// Threads a block: 8 warps along 32 lines.
const THREADS: u32 = 256;
/// Lines a block.
const LINES: usize = 32;

pub(super) fn scan<I, O, Op, M, F, S>(
    cuda: &Cuda,
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    direction: Direction,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    launch(cuda, job, direction, false)
}

pub(super) fn reduce<I, O, Op, M, F, S>(cuda: &Cuda, job: Job<'_, I, M::Output, O, Op, M, F, S>) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    launch(cuda, job, Direction { exclusive: false, reverse: false }, true)
}

fn launch<I, O, Op, M, F, S>(
    cuda: &Cuda,
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    direction: Direction,
    by_segment: bool,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    let Job { input, output, shape, init, operator, map, finish, .. } = job;
    let (lines, elements, outputs) = (shape.lines(), shape.lines() * shape.len, output.len());
    let Target::Cuda(mut output) = output else {
        return Err(Error::Place { what: "output", found: "host", expected: "CUDA" });
    };
    let (output, _output) = cuda.write("output", &mut output)?;
    let output_extent = Extent::new(output, outputs, size_of::<O>());
    let (input, _input) = match &input {
        Source::Buffer(view) => cuda.read("input", view)?,
        Source::Output => (output, Default::default()),
    };
    if input != output || size_of::<I>() != size_of::<O>() || by_segment {
        output_extent.must_not_meet(Extent::new(input, elements, size_of::<I>()))?;
    }
    let mut params = Params {
        input,
        output,
        lines: lines as u64,
        len: shape.len as u64,
        inner: shape.inner as u64,
        init_from: 0,
        init: MaybeUninit::zeroed(),
        first: MaybeUninit::zeroed(),
    };
    if let Some(identity) = operator.identity() {
        params.first.write(identity);
    }
    let _init = match &init {
        InitSource::None => None,
        InitSource::Value(value) => {
            params.init.write(*value);
            None
        }
        InitSource::Buffer(view) => Some(read_init(cuda, view, output_extent, &mut params.init_from)?),
    };
    if outputs == 0 {
        return Ok(());
    }
    let Direction { exclusive, reverse } = direction;
    let features = Features { heads: Heads::None, exclusive, reverse, has_init: !init.is_none(), by_segment };
    let data =
        text::data_bits::<(Op, M, F)>(|| text::prelude::<I, O, Op, M, F, S>(features, operator, map, finish, None));
    let options = features.bits() | data;
    let key = KernelKey { types: TypeId::of::<(I, O, Op, M, F)>(), family: "columns", options };
    let kernel = cuda.kernel(key, || source::<I, O, Op, M, F, S>(features, operator, map, finish))?;
    let blocks = lines.div_ceil(LINES);
    let grid = u32::try_from(blocks).ok().filter(|&grid| grid < 1 << 31);
    let grid = grid.ok_or(Error::Options {
        options: "axis",
        reason: "more than 2^36 interleaved lines: scan a part of the array at a time",
    })?;
    // SAFETY: `Params` has the kernel's layout (the kernel asserts its size), and the loans keep its pointers good for
    // the elements of the shape until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, grid, THREADS, 0, (&raw const params).cast()) }
}

/// The kernel's source.
pub(super) fn source<I, O, Op, M, F, S>(features: Features, operator: Op, map: M, finish: F) -> KernelSource
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    // As many elements of a line at once as fit in registers.
    let depth = (64 / size_of::<M::Output>()).clamp(1, 8);
    let mut prelude = text::prelude::<I, O, Op, M, F, S>(features, operator, map, finish, None);
    prelude += &format!("constexpr u32 THREADS = {THREADS}, DEPTH = {depth};\n");
    prelude += &text::host_sizes(size_of::<Params<M::Output>>(), size_of::<M::Output>());
    KernelSource { root: "device/columns.cuh", prelude, entry: "upsweep_columns" }
}
