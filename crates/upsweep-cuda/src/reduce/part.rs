//! Reduction of a part of an array, after the parts that earlier calls have reduced.
//!
//! ```text
//! operators without a tree    reduce.cuh       from the total before the part, to the total after it
//! float sums and products     reduce.cuh       for each largest subtree that the part has: its total
//!                             subtrees.cuh     the elements before and after the subtrees, and all totals
//! ```

use super::super::code::Kernel;
use super::super::features::Features;
use super::super::job::{CudaJob, Functions};
use super::super::open::open;
use super::super::params::{Params, params};
use super::super::runtime::Grid;
use super::super::{Cuda, Workspace};
use super::whole::{Piece, launch};
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::Job;
use upsweep_core::call::carry::Carried;
use upsweep_core::error::{Error, Result};
use upsweep_core::lanes::ROWS;
use upsweep_core::segments::Whole;
use upsweep_core::steps::JobSteps;
use upsweep_plan::reduce::{PART_THREADS, part_constants};

params! {
    /// Parameters of the kernel that joins the totals of subtrees.
    struct PartParams {
        input: "const In*",
        output: "Out*",
        /// Number of elements of the part.
        n: "u64",
        /// Number of elements before the part, in all parts.
        position: "u64",
        /// Number of whole chunks whose totals are in `totals`: the totals of the largest subtrees.
        chunks: "u64",
        totals: "const Acc*",
        /// Null, or the address of the state before the part; the address that the state after it is stored at.
        before: "const Acc*",
        after: "Acc*",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

/// Reduces the elements of a job after those that `carried` has the state of, to the total of all.
pub fn run_part<S: JobSteps>(cuda: &Cuda, mut job: Job<'_, '_, '_, S, Whole>, carried: Carried<'_>) -> Result<()> {
    let Carried { position, before, mut after } = carried;
    let (before, _before) = cuda.read("carry", &before)?;
    let ViewMut::Cuda(after) = &mut after else {
        return Err(Error::Place { what: "carry", found: "host", expected: "CUDA" });
    };
    // The second half is room for the totals of subtrees.
    let words = after.len() / 2;
    let (after, _after) = cuda.write("carry", after)?;
    let before = if position > 0 { before } else { 0 };
    open(cuda, &mut job, false, &mut |job| {
        if job.functions.layouts.lanes == 0 {
            return launch(cuda, job, Some(Piece { position, before, after, ..Piece::whole(job.shape.len) }));
        }
        launch_tree(cuda, job, position, [before, after, after + 8 * words as u64])
    })
}

/// Returns the number of elements before the end of the open chunk, and the lengths of the largest subtrees that follow in a
/// part of `n` elements after `position`, in chunks.
fn subtrees(position: u64, n: usize, chunk: usize) -> (usize, impl Iterator<Item = usize>) {
    let head = (position.next_multiple_of(chunk as u64) - position).min(n as u64) as usize;
    let (mut next, mut left) = (position.div_ceil(chunk as u64), (n - head) / chunk);
    let subtree = move || {
        let level = left.checked_ilog2()?.min(next.trailing_zeros());
        (next, left) = (next + (1 << level), left - (1 << level));
        Some(1 << level)
    };
    (head, std::iter::from_fn(subtree))
}

/// Launches the kernels of a part of a float sum or product.
fn launch_tree(cuda: &Cuda, job: &CudaJob<'_>, position: u64, [before, after, totals]: [u64; 3]) -> Result<()> {
    let (functions, n) = (&job.functions, job.shape.len);
    let (chunk, size) = (ROWS * functions.layouts.lanes, functions.layouts.acc.size as u64);
    let (head, subtrees) = subtrees(position, n, chunk);
    let (mut first, mut to) = (head, totals);
    for chunks in subtrees {
        let len = chunks * chunk;
        launch(cuda, job, Some(Piece { first, len, position, before: 0, after: to, total: false }))?;
        (first, to) = (first + len, to + size);
    }
    let features = Features { has_init: job.begin.has_init, ..Features::PLAIN };
    let kernel = kernel(features, functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<PartParams>())?;
    let workspace = if functions.may_fault {
        cuda.mark_may_fault(&job.output_stream)?;
        cuda.workspace(0, 0)?
    } else {
        Workspace::NONE
    };
    let fixed = PartParams {
        input: job.input,
        output: job.output,
        n: n as u64,
        position,
        chunks: ((first - head) / chunk) as u64,
        totals,
        before,
        after,
        init_from: job.begin.init_from,
        workspace,
    };
    let params = Params::new(fixed, &job.begin, 1, &functions.held.values);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // the part's elements and one result until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(1, PART_THREADS as u32, 0), &params) }
}

/// Returns the kernel that joins the totals of subtrees.
pub(crate) fn kernel<'a>(features: Features, functions: &'a Functions<'a>) -> Kernel<'a> {
    let constants = part_constants(functions.layouts.lanes);
    Kernel { functions, kernel: ("reduce/subtrees.cuh", "upsweep_reduce_part"), features, constants }
}

#[cfg(test)]
mod tests {
    use super::subtrees;

    /// Every part is its head, aligned subtrees and less than a chunk; subtrees grow and then shrink.
    #[test]
    fn parts_are_aligned_subtrees() {
        for position in [0, 1, 7, 8, 9, 64, 100, 1000, (1 << 40) - 3] {
            for n in [0, 1, 7, 8, 9, 63, 64, 65, 1000, 4096, 100_000] {
                let (head, of_part) = subtrees(position, n, 8);
                let mut at = position + head as u64;
                assert!(head == n || at.is_multiple_of(8), "{position} {n}");
                for chunks in of_part {
                    let len = 8 * chunks as u64;
                    assert!(chunks.is_power_of_two() && at.is_multiple_of(len), "{position} {n}: {chunks} at {at}");
                    at += len;
                }
                assert!(at <= position + n as u64 && position + n as u64 - at < 8, "{position} {n}: {at}");
            }
        }
        assert_eq!(subtrees(8, 8 * ((1 << 17) - 2), 8).1.count(), 16 + 16);
    }
}
