//! Scans of arrays in host memory: parts of the array pass the device in chunks of whole spans of the tree, so that each
//! part begins where a tile does. See `runtime/flow.rs` for the copies.

use super::super::borrow::Few;
use super::super::features::{Heads, Layout};
use super::super::job::{Begin, CudaJob, Functions, Value, buffer_functions, text_of};
use super::super::runtime::HostArray;
use super::super::{Cuda, Loan};
use super::part::{self, States};
use cudarc::driver::DevicePtr;
use upsweep_core::call::carry::words;
use upsweep_core::call::{Direction, Elements, Job, NOT_IN_PLACE};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::{Faults, Read};
use upsweep_core::operator::Source;
use upsweep_core::outputs::Write;
use upsweep_core::segments::{Kind, Segmentation};
use upsweep_core::shape::Shape;
use upsweep_core::steps::{Held, In, JobSteps, Out};
use upsweep_core::tree::{GROUPS, ROWS, TILES};

/// Number of elements whose multiples are the ends of parts, for operators without a tree: parts are aligned in memory.
const UNIT: usize = 1 << 10;

/// Scans a job whose elements and results are in host memory, and waits for it.
pub(super) fn run<S: JobSteps, G: Segmentation>(
    cuda: &Cuda,
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
) -> Result<()> {
    let refused = |reason| Err(Error::Options { options: "a scan of host memory by a GPU", reason });
    if !S::In::PLAIN || !S::Out::PLAIN {
        return refused("it reads one buffer and writes one: upload the others, or scan on the CPU");
    }
    if G::KIND != Kind::Whole || job.shape.lines() > 1 || job.shape.inner > 1 {
        return refused("it has one line: upload an array of several lines or segments, or scan on the CPU");
    }
    if direction.reverse {
        return refused("it goes forward: upload the array, or scan on the CPU");
    }
    let buffers = buffer_functions(&job).ok_or(NOT_IN_PLACE)?;
    let Job { input, output, shape, init, segments, steps } = job;
    let faults = Faults::default();
    let to = S::Out::start(&S::Out::place(&output, "output", &faults)?).cast::<u8>();
    let from = match &input {
        Elements::Given(given) => S::In::address(&S::In::place(given, "input", &faults)?, 0).0.cast_mut(),
        Elements::OfOutput => to,
    };
    let arrays =
        [HostArray { address: from, size: size_of::<In<S>>() }, HostArray { address: to, size: size_of::<Out<S>>() }];
    let init = init.on_host()?.map(|value| Value::of(steps.given(value)));
    let first = steps.identity().map_or(Value::NONE, Value::of);
    let nothing = Begin::nothing(Layout::of::<S::Acc>());
    let begin = Begin { has_init: init.is_some(), init: init.unwrap_or(Value::NONE), first, ..nothing };
    let same = segments.same();
    let text = |source: &mut Source| text_of::<S, G>(source, &steps, same.as_ref(), &buffers);
    let mut held = Held::nothing();
    held.add_all::<S, G>(&steps, same.as_ref())?;
    let mut job = CudaJob {
        functions: Functions::of::<S, G>(&text, &held),
        shape,
        input: 0,
        output: 0,
        outputs: shape.len,
        output_stream: cuda.stream().clone(),
        begin,
        heads: Heads::None,
        head_source: 0,
        head_items: 0,
        extents: [Few::new(), Few::new()],
        _loans: Few::<Loan<'_>>::new(),
    };
    let words = words::<S, G>();
    let memory = cuda.allocate::<u64>(4 * words)?;
    let (address, _ordered) = memory.device_ptr(cuda.stream());
    let states = [address, address + 16 * words as u64];
    let unit = if S::TREE { TILES * GROUPS * ROWS * job.functions.layouts.row } else { UNIT };
    let (n, mut parts) = (shape.len, 0);
    // SAFETY: the job borrows the input, and the output for itself alone, for this call. The builder has checked that the
    // output has a result for each element, and one more with a total.
    unsafe {
        cuda.flow(arrays, (n, usize::from(direction.total), unit), &mut |chunk| {
            (job.input, job.output, job.shape) = (chunk.input, chunk.output, Shape::line(chunk.len));
            let direction = Direction { total: direction.total && chunk.first + chunk.len == n, ..direction };
            let [before, after] = if parts % 2 == 0 { states } else { [states[1], states[0]] };
            parts += 1;
            part::launch(cuda, &job, direction, States::new(chunk.first as u64, before, after, words))
        })
    }
}
