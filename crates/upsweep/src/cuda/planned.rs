//! The plan of a job, as its launch would make it.

use super::Cuda;
use super::features::Pass;
use super::job::{heads_of, layouts_of};
use super::reduce::Way;
use super::{columns, reduce, scan};
use crate::plan::columns::LinesPlan;
use crate::plan::{Plan, Shape};
use crate::segments::SegmentKind;
use crate::steps::Steps;

/// The plan of a scan, or of a reduction, with the steps `S`.
pub(crate) fn plan_of<S: Steps, K, I, E>(
    cuda: &Cuda,
    reduces: bool,
    shape: Shape,
    segments: &SegmentKind<'_, K, I, E>,
) -> Plan {
    let (heads, layouts) = (heads_of(segments), layouts_of::<S>());
    let columns = || Plan::Columns(LinesPlan { columns: columns::plan(layouts, Pass::Whole), shape, reduces });
    let in_one_pass = |by_segment| Plan::Scan(scan::plan_of(cuda, shape, heads, by_segment, layouts));
    if !reduces {
        return if scan::interleaves_as_one(shape, layouts) { in_one_pass(false) } else { columns() };
    }
    match reduce::way(shape, heads, layouts) {
        Way::Whole => Plan::Reduce(reduce::plan(shape.len, layouts)),
        Way::Columns => columns(),
        Way::Segments => in_one_pass(true),
    }
}
