//! The plan of a job, without running it.

use crate::device::{Backend, Device};
use crate::plan::cpu::{CpuJob, CpuKind, CpuPlan, CpuSegments};
use crate::plan::{Plan, Shape};
use crate::segments::SegmentKind;
use crate::steps::Steps;

/// The plan of a scan, or of a reduction, with these steps.
pub(crate) fn plan<S: Steps, K, I, E>(
    device: &Device,
    kind: CpuKind,
    shape: Shape,
    segments: &SegmentKind<'_, K, I, E>,
) -> Plan {
    match &device.0 {
        Backend::Cpu => {
            let segments = match segments {
                SegmentKind::Whole => CpuSegments::None,
                SegmentKind::Offsets(offsets) => CpuSegments::Offsets(offsets.len().saturating_sub(1)),
                SegmentKind::HeadFlags(_) | SegmentKind::Keys(..) => CpuSegments::Heads,
            };
            Plan::Cpu(CpuPlan::new(CpuJob { kind, shape, segments, bytes: S::BYTES, in_place: false }))
        }
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => crate::cuda::plan_of::<S, _, _, _>(cuda, kind == CpuKind::Reduction, shape, segments),
    }
}
