//! Reduction on a CUDA device: a whole array here (see `reduce.cuh`); lines and segments through the kernels of
//! [`rows`], [`scan`], [`gathered`] and `columns/mod.rs`.
//!
//! | reduction of | kernel |
//! |---|---|
//! | a whole array | `reduce.cuh`: parts, combined by the block of the last part; `lanes.cuh` for float sums and products |
//! | rows, by float sums and products | `row_totals.cuh`: a warp reduces a row or a part of one; `short_rows.cuh`: a thread |
//! | columns, by float sums and products | `column_totals.cuh`: a thread reduces a part of a column |
//! | few columns, by float sums and products | `narrow_columns.cuh`: a block reduces a part of all columns |
//! | many rows that are not short, by other operators | `rows.cuh`: a warp reduces a row and waits for no other |
//! | other rows, segments by offsets | `scan/segments.cuh`, see [`scan`] |
//! | segments by flags or keys | the single-pass scan, see [`scan`] |
//! | segments by offsets whose map reads by computed positions | `gathered.cuh`, see [`gathered`] |
//! | other interleaved lines | `columns/columns.cuh` |
//! | a whole array in parts | see `part.rs` |
//!
//! **Commutative operators.** A reduction by an operator that is known to commute strides along the array. Small
//! integers are combined several in a word (`kernels/word/lanes.cuh`). Extremes of f64 are those of integers in the
//! same order (`kernels/word/value.cuh`). None of this changes the bits of integers and of extremes. Float sums and
//! products of whole arrays, rows and columns have the trees of the CPU ([`lanes`](upsweep_core::lanes)); those of
//! segments have the same bits in every run.

pub(crate) mod column_totals;
pub mod gathered;
pub(crate) mod part;
pub(crate) mod row_totals;
pub mod rows;
mod whole;

pub use self::part::run_part;
pub(crate) use self::whole::{ReduceParams, kernel, plan};

use super::borrow::Extent;
use super::features::{Heads, Layouts};
use super::job::{CudaJob, write, write_one};
use super::open::open;
use super::scan::{self, Extra};
use super::{Cuda, columns};
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::{Direction, Job};
use upsweep_core::error::Result;
use upsweep_core::operator::Form;
use upsweep_core::outputs::Target;
use upsweep_core::segments::Segmentation;
use upsweep_core::shape::Shape;
use upsweep_core::steps::JobSteps;
use upsweep_plan::column_totals::ColumnTotalsPlan;
use upsweep_plan::row_totals::RowTotalsPlan;
use upsweep_plan::rows::RowsPlan;

/// Reduces the elements of `job`. `count` is the output for the number of segments, `keys` that for the first key of
/// each segment.
pub fn run<S: JobSteps, G: Segmentation>(
    cuda: &Cuda,
    mut job: Job<'_, '_, '_, S, G>,
    mut count: Option<ViewMut<'_, u64>>,
    mut keys: Option<Target<'_, G::Key>>,
) -> Result<()> {
    let (count, _count) = write_one(cuda, "count", &mut count)?;
    let asked = keys.is_some();
    let (keys, room, _keys) = write(cuda, "output of the keys", keys.as_mut())?;
    let first_keys = Extent::new::<G::Key>(keys, room);
    first_keys.must_not_meet(Extent::new::<u64>(count, usize::from(count != 0)))?;
    open(cuda, &mut job, false, &mut |job| {
        job.must_not_meet(first_keys)?;
        launch(cuda, job, count, asked.then_some((keys, room)))
    })
}

/// Launches the kernels that the job needs. `count` is the address for the number of segments, or 0. `keys` is the
/// address for the first key of each segment, and the number of keys that there is room for.
fn launch(cuda: &Cuda, job: &CudaJob<'_>, count: u64, keys: Option<(u64, usize)>) -> Result<()> {
    // If the number of segments does not depend on the data, the host stores it.
    let known = match job.heads {
        Heads::None | Heads::Rows | Heads::Lines | Heads::Offsets => Some(job.outputs as u64),
        Heads::Flags | Heads::Keys if job.shape.len == 0 => Some(0),
        Heads::Flags | Heads::Keys => None,
    };
    if let Some(known) = known.filter(|_| count != 0) {
        cuda.store_u64(count, known)?;
    }
    match way(job.shape, job.heads, job.functions.layouts, job.functions.known.form) {
        Way::ColumnTotals(plan) => column_totals::launch(cuda, job, &plan),
        Way::RowTotals(plan) => row_totals::launch(cuda, job, &plan),
        Way::Rows(plan) => rows::launch(cuda, job, &plan),
        Way::Whole => whole::launch(cuda, job, None),
        Way::Columns => columns::launch(cuda, job, Direction::default(), true),
        Way::Gathered => gathered::launch(cuda, job),
        Way::Segments => {
            let count = if known.is_some() { 0 } else { count };
            scan::launch(cuda, job, Direction::default(), Extra { by_segment: Some(count), keys, ..Extra::default() })
        }
    }
}

/// Way to reduce a job: the kernel, or the family of kernels, that does it.
pub(super) enum Way {
    Whole,
    Columns,
    ColumnTotals(ColumnTotalsPlan),
    RowTotals(RowTotalsPlan),
    Rows(RowsPlan),
    Gathered,
    Segments,
}

pub(super) fn way(shape: Shape, heads: Heads, layouts: Layouts, form: Form) -> Way {
    let undivided = heads == Heads::None;
    if undivided && shape.lines() == 1 {
        Way::Whole
    } else if let Some(plan) = column_totals::plan(shape, layouts).filter(|_| undivided) {
        Way::ColumnTotals(plan)
    } else if undivided && (shape.len == 0 || !scan::interleaves_as_one(shape, layouts)) {
        Way::Columns
    } else if let Some(plan) = row_totals::plan(shape, layouts).filter(|_| undivided) {
        Way::RowTotals(plan)
    } else if let Some(plan) = rows::plan(shape, layouts, form).filter(|_| undivided) {
        Way::Rows(plan)
    } else if heads == Heads::Offsets && layouts.apart {
        Way::Gathered
    } else {
        Way::Segments
    }
}
