//! Plan of a job without running it: the plan that its launch would make.

use super::Cuda;
use super::features::{Heads, Layout, Layouts, Pass};
use super::job::layouts_of;
use super::reduce::Way;
use super::reduce::gathered;
use super::{columns, reduce, scan};
use upsweep_core::operator::Form;
use upsweep_core::segments::CpuSegments;
use upsweep_core::steps::JobSteps;
use upsweep_plan::Plan;
use upsweep_plan::columns::LinesPlan;
use upsweep_plan::cpu::{CpuJob, CpuKind};

/// Returns the plan of a job with the steps `S`. With `by_keys`, the job's segments are delimited by keys of the type
/// `K`.
pub fn plan_of<S: JobSteps, K>(cuda: &Cuda, job: CpuJob, by_keys: bool) -> Plan {
    plan(cuda, job, layouts_of::<S>(), by_keys.then(Layout::of::<K>), S::known().form)
}

/// Returns the plan of a job whose operator is a sum or one like it, and whose types are aligned to their size.
pub fn plan_of_sizes(cuda: &Cuda, job: CpuJob) -> Plan {
    let [input, acc, output] = job.bytes.map(|size| Layout { size, align: 1 << size.trailing_zeros().min(4) });
    plan(cuda, job, Layouts::of_buffers(input, acc, output), None, Form::Sum)
}

fn plan(cuda: &Cuda, job: CpuJob, layouts: Layouts, key: Option<Layout>, form: Form) -> Plan {
    let (shape, reduces) = (job.shape, job.kind == CpuKind::Reduction);
    let heads = match job.segments {
        CpuSegments::None => Heads::None,
        CpuSegments::Heads if key.is_some() => Heads::Keys,
        CpuSegments::Heads => Heads::Flags,
        CpuSegments::Offsets(_) => Heads::Offsets,
    };
    let columns = || Plan::Columns(LinesPlan { columns: columns::plan(layouts, Pass::Whole), shape, reduces });
    let in_one_pass = |by_segment| Plan::Scan(scan::plan_of(cuda, shape, heads, by_segment, layouts, key));
    if !reduces {
        return if scan::interleaves_as_one(shape, layouts) { in_one_pass(false) } else { columns() };
    }
    match reduce::way(shape, heads, layouts, form) {
        Way::ColumnTotals(plan) => Plan::ColumnTotals(plan),
        Way::RowTotals(plan) => Plan::RowTotals(plan),
        Way::Rows(plan) => Plan::Rows(plan),
        Way::Whole => Plan::Reduce(reduce::plan(shape.len, layouts, form)),
        Way::Columns => columns(),
        Way::Gathered => {
            let segments = if let CpuSegments::Offsets(segments) = job.segments { segments } else { 0 };
            Plan::Gathered(gathered::plan(shape.lines() * shape.len, segments, layouts, cuda.compute_capability()))
        }
        Way::Segments => in_one_pass(true),
    }
}
