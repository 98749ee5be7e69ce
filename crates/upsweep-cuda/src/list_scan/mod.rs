//! Scans along a linked list on a CUDA device: see `list_scan/list_scan.cuh`.
//!
//! The list is cut into pieces at elements that a hash chooses from all positions (list ranking). Threads follow the
//! pieces for their totals. The pieces form a list a sixteenth as long, which is treated in the same way, until one
//! block can rank the pieces by pointer jumping. Then threads follow the pieces again and store results. An input that
//! is not a list is detected by pieces that are met twice, and by the number of elements passed.

use super::Cuda;
use super::borrow::Extent;
use super::code::Kernel;
use super::features::{Features, Pass};
use super::job::{Begin, CudaJob, Functions};
use super::open::open;
use super::params::{Params, params};
use super::runtime::Grid;
use upsweep_core::buffer::View;
use upsweep_core::call::Job;
use upsweep_core::error::Result;
use upsweep_core::segments::Whole;
use upsweep_core::steps::{JobSteps, Out};
use upsweep_plan::list_scan::{RANKED, THREADS, constants, lists};

params! {
    /// Parameters of the kernels that follow a linked list, and rank its pieces.
    struct ListScanParams {
        input: "const In*",
        output: "Out*",
        next: "const u32*",
        /// `n`: number of elements of the list of this launch. `first`: index of its first element.
        n: "u64",
        first: "u64",
        pieces: "u64",
        /// Number of elements of the caller's list, which a fault reports. The list of this launch may be one of
        /// pieces.
        elements: "u64",
        /// For each piece: the combination of its elements (`totals`), the index of the piece after it (`behind`), its
        /// exclusive prefix (`before`), and its state (`known`): whether a piece comes before it, and whether it has a
        /// prefix.
        totals: "Acc*",
        behind: "u32*",
        before: "const Acc*",
        known: "u32*",
        /// Null, or addresses for the exclusive prefix and the state of each element: a launch stores them if the
        /// elements are pieces of another list.
        before_below: "Acc*",
        known_below: "u32*",
        /// Address of two counters: the number of elements that threads have passed, and the number of blocks that are
        /// done.
        seen: "u32*",
        workspace: "Workspace",
    }
}

/// Step of a scan along a linked list: the kernel of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Follows the elements of each piece, and stores their total. `of_pieces`: the elements are themselves pieces of a
    /// list.
    Totals {
        of_pieces: bool,
    },
    Rank,
    /// Follows the elements of each piece again, and stores their results. `of_pieces`: the elements are themselves
    /// pieces.
    Results {
        of_pieces: bool,
    },
}

/// Returns the kernel of a step of a scan, which is `exclusive` or inclusive.
pub(super) fn kernel<'a>(step: Step, exclusive: bool, functions: &'a Functions<'a>) -> Kernel<'a> {
    let plain = Features { exclusive, ..Features::PLAIN };
    let (pass, stores, of_pieces) = match step {
        Step::Totals { of_pieces: false } => (Pass::ToSums, false, false),
        Step::Totals { of_pieces: true } | Step::Rank => (Pass::OfSums, false, true),
        Step::Results { of_pieces: true } => (Pass::OfSums, true, true),
        Step::Results { of_pieces: false } => (Pass::Whole, true, false),
    };
    let constants = constants(stores, of_pieces, step == Step::Rank);
    let features = Features { pass, ..plain };
    Kernel { functions, kernel: ("list_scan/list_scan.cuh", "upsweep_along"), features, constants }
}

/// Scans the elements of `job` in the order of the list `next`, as `ScanAlong::run` does. The list begins at index
/// `first`; it is not empty, and as long as the input and the output.
pub fn run<S: JobSteps>(
    cuda: &Cuda,
    mut job: Job<'_, '_, '_, S, Whole>,
    next: &View<'_, u32>,
    first: usize,
    exclusive: bool,
) -> Result<()> {
    let (next_at, _next) = cuda.read("list", next)?;
    let list = Extent::new::<u32>(next_at, next.len());
    open(cuda, &mut job, false, &mut |job| {
        if job.functions.layouts.plain_output {
            Extent::new::<Out<S>>(job.output, job.outputs).must_not_meet(list)?;
        }
        launch(cuda, job, next_at, first, exclusive)
    })
}

fn launch(cuda: &Cuda, job: &CudaJob<'_>, next: u64, first: usize, exclusive: bool) -> Result<()> {
    let lists = lists(job.shape.len);
    let acc = job.functions.layouts.acc.size;
    // For each list of pieces, `values` has the totals and exclusive prefixes, and `numbers` the successors and states.
    let values = lists[1..].iter().map(|&n| cuda.scratch::<u8>(2 * n * acc)).collect::<Result<Vec<_>>>()?;
    let numbers = lists[1..].iter().map(|&n| cuda.scratch::<u32>(2 * n)?.zeroed()).collect::<Result<Vec<_>>>()?;
    let seen = cuda.scratch::<u32>(2)?.zeroed()?;
    let pieces = |k: usize| {
        let (n, values, numbers) = (lists[k], values[k - 1].address(), numbers[k - 1].address());
        Pieces {
            totals: values,
            before: values + (n * acc) as u64,
            behind: numbers,
            known: numbers + (n * size_of::<u32>()) as u64,
        }
    };
    cuda.mark_may_fault(&job.output_stream)?;
    let workspace = cuda.workspace(0, 0)?;
    let along = |k: usize| {
        let above = pieces(k + 1);
        let fixed = ListScanParams {
            input: job.input,
            output: job.output,
            next,
            n: lists[k] as u64,
            first: first as u64,
            pieces: lists[k + 1] as u64,
            elements: lists[0] as u64,
            totals: above.totals,
            behind: above.behind,
            before: above.before,
            known: above.known,
            before_below: 0,
            known_below: 0,
            seen: seen.address(),
            workspace,
        };
        if k == 0 {
            return fixed;
        }
        let these = pieces(k);
        let (input, next) = (these.totals, these.behind);
        ListScanParams { input, next, first: 0, before_below: these.before, known_below: these.known, ..fixed }
    };
    let last = lists.len() - 1;
    let enqueue = |step, fixed| enqueue(cuda, job, step, exclusive, fixed);
    for k in 0..last {
        enqueue(Step::Totals { of_pieces: k > 0 }, along(k))?;
    }
    let few = pieces(last);
    enqueue(Step::Rank, ListScanParams { before_below: few.before, known_below: few.known, ..along(last - 1) })?;
    for k in (0..last).rev() {
        enqueue(Step::Results { of_pieces: k > 0 }, along(k))?;
    }
    Ok(())
}

/// Device addresses of four arrays with one element for each piece of a list (a stretch that one thread follows): its
/// total, its exclusive prefix, its successor, its state. `ListScanParams` has fields of the same names.
struct Pieces {
    totals: u64,
    before: u64,
    behind: u64,
    known: u64,
}

fn enqueue(cuda: &Cuda, job: &CudaJob<'_>, step: Step, exclusive: bool, fixed: ListScanParams) -> Result<()> {
    let kernel = kernel(step, exclusive, &job.functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<ListScanParams>())?;
    let (grid, threads) = if step == Step::Rank {
        (1, RANKED as u32)
    } else {
        // A thread follows one piece after another, so there are at most as many blocks as the device runs at once.
        let resident = loaded.blocks_per_multiprocessor(THREADS as u32, 0)?.max(1) * cuda.multiprocessors();
        ((fixed.pieces as u32).div_ceil(THREADS as u32).min(resident), THREADS as u32)
    };
    let begin = match step {
        Step::Results { of_pieces: false } => &job.begin,
        _ => &Begin::nothing(job.functions.layouts.acc),
    };
    let params = Params::new(fixed, begin, 1, &job.functions.held.values);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it). The loans keep the buffers good for the
    // list's elements and results, and the scratch has room for the numbers of all pieces, until the kernel is enqueued
    // in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(grid, threads, 0), &params) }
}
