//! The plan of a job, without running it.

use crate::device::{Backend, Device};
use crate::plan::cpu::{CpuJob, CpuKind, CpuPlan, CpuSegments};
use crate::plan::{Plan, Shape};
use crate::segments::SegmentKind;
use crate::steps::Steps;

impl Device {
    /// What a scan or reduction of these sizes would do: as [`Scan::plan`](crate::Scan::plan), where only sizes are known.
    /// Elements of a size are taken to be aligned to it.
    #[must_use]
    pub fn plan(&self, job: CpuJob) -> Plan {
        match &self.0 {
            Backend::Cpu => Plan::Cpu(CpuPlan::new(job)),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => crate::cuda::plan_of_sizes(cuda, job),
        }
    }
}

/// The plan of a scan, or of a reduction, with these steps.
pub(crate) fn plan<S: Steps, K, I, E>(
    device: &Device,
    kind: CpuKind,
    shape: Shape,
    segments: &SegmentKind<'_, K, I, E>,
) -> Plan {
    let segments = match segments {
        SegmentKind::Whole => CpuSegments::None,
        SegmentKind::Offsets(offsets) => CpuSegments::Offsets(offsets.len().saturating_sub(1)),
        SegmentKind::HeadFlags(_) | SegmentKind::Keys(..) => CpuSegments::Heads,
    };
    let job = CpuJob { kind, shape, segments, bytes: S::BYTES, in_place: false };
    match &device.0 {
        Backend::Cpu => Plan::Cpu(CpuPlan::new(job)),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => crate::cuda::plan_of::<S>(cuda, job),
    }
}
