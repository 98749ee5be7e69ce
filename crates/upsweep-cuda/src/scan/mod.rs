//! Scans on a CUDA device, and reductions by segment, in a single pass.
//!
//! | what | kernel |
//! |---|---|
//! | arrays and rows | `scan.cuh`, on the pipeline |
//! | arrays that one wave of blocks holds in shared memory, up to some 20 MB | `wave.cuh` |
//! | parts of an array that begin or end inside of a tile of float sums | `open.cuh`, see `part.rs` |
//! | reductions by rows and by offsets | `segments.cuh` |
//! | long reductions by keys of one buffer | `reduce/runs.cuh` |
//! | interleaved lines | `columns/mod.rs`; up to 16 lines of at most 32 bytes in all: a scan of arrays, see there |
//!
//! The plan (`upsweep-plan/src/scan.rs`) chooses by the number of elements, their types and the compute capability.
//!
//! **Waves.** Each block holds its neighbouring tiles in shared memory from the first load to the last store, and looks
//! back over all blocks before it in one step.
//!
//! **Float sums and products** have the bits of one tree on every device (`upsweep-core/src/tree.rs`). Both kernels then
//! have tiles of that tree, and the two passes of `kernels/tile/tree.cuh`. A block of a wave publishes the aggregate of
//! each tile instead of that of its part. In a portable scan each line along the last axis has a tree of its own: it begins
//! with a row, a group or a tile of the kernel, and what is left behind it is empty (`kernels/tile/places.cuh`,
//! `upsweep-plan/src/line_tiles.rs`). Lines of several tiles have a look-back each.
//!
//! **Segments.** The same kernels scan segments. Tiles and warps exchange the operator pair of segmented scan, a flag
//! and a value. Inside a warp there are values only, and one bit for each element that begins a segment
//! (`kernels/tile/heads.cuh`). The heads of rows are computed, and those of keys are found by comparing neighbours.
//! Heads by offsets are found by warps of their own, tiles ahead, in a pipeline, and by the block's compute warps in a
//! wave. The warps that look heads up also check a share of all offsets (`kernels/tile/offsets.cuh`).
//!
//! **Reductions by segment.** A reduction by rows or offsets reads each element once: the prefix of a tile changes at
//! most one result of each warp, and the look-back warp completes that result. A reduction by flags or keys does not
//! know the positions of its results until it has looked back. So it is the scan, which stores only the last result of
//! each segment and, by keys, the first key if it is requested (`kernels/tile/compact.cuh`).
//!
//! **Long reductions by keys of one buffer** are a relay (see [`select`](super::select)). For each head of a tile, its
//! key and the result of the run before it wait in the ring (room for results in shared memory). A tile publishes its
//! number of heads, and the combination of its elements from the last head on. So a storing warp knows the positions of
//! the tile's heads, and the combination of the run that is open before the tile.

mod launch;
pub(crate) mod part;
mod streamed;

pub(crate) use self::launch::ScanParams;
pub(super) use self::launch::{Extra, kernel, launch, plan_of};
use super::features::Layouts;
use super::job::CudaJob;
use super::open::open;
use super::{Cuda, columns};
use upsweep_core::call::carry::Carried;
use upsweep_core::call::{Direction, Job};
use upsweep_core::error::Result;
use upsweep_core::segments::Segmentation;
use upsweep_core::shape::Shape;
use upsweep_core::steps::JobSteps;

/// `MOST_INTERLEAVED`: largest number of interleaved lines that are scanned as one. The next constant is the largest
/// number of bytes of their elements at one position: larger ones leave room for few tiles in shared memory.
const MOST_INTERLEAVED: usize = 16;
const MOST_INTERLEAVED_BYTES: usize = 32;

pub fn run<S: JobSteps, G: Segmentation>(
    cuda: &Cuda,
    mut job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carried: Option<Carried<'_>>,
) -> Result<()> {
    if cuda.is_streamed() && carried.is_none() {
        return streamed::run(cuda, job, direction);
    }
    let Some(mut carried) = carried else {
        return open(cuda, &mut job, true, &mut |job| launch_lines(cuda, job, direction));
    };
    let (states, _loans) = part::States::borrow(cuda, &mut carried)?;
    open(cuda, &mut job, true, &mut |job| part::launch(cuda, job, direction, states))
}

/// Launches the kernel for the lines of the job's shape.
fn launch_lines(cuda: &Cuda, job: &CudaJob<'_>, direction: Direction) -> Result<()> {
    if interleaves_as_one(job.shape, job.functions.layouts) {
        launch(cuda, job, direction, Extra::default())
    } else {
        columns::launch(cuda, job, direction, false)
    }
}

/// Returns whether the single-pass kernels scan lines of this shape: contiguous lines, and few interleaved lines, whose
/// elements at one position of the axis are scanned as one array.
pub(super) fn interleaves_as_one(shape: Shape, layouts: Layouts) -> bool {
    let largest = layouts.input.size.max(layouts.acc.size).max(layouts.output.size);
    let few = shape.inner <= MOST_INTERLEAVED && shape.inner * largest <= MOST_INTERLEAVED_BYTES;
    shape.inner <= 1 || (few && layouts.plain())
}
