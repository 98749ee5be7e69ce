//! The plan of a job, without running it.

use crate::device::{Backend, Device};
use crate::error::Result;
use crate::halves::{InF32, sums_in_f32};
use crate::operator::{Element, Function, Map, Operator};
use crate::plan::cpu::{CpuJob, CpuKind, CpuPlan, CpuSegments};
use crate::plan::{Plan, Shape};
use crate::reduce::Reduce;
use crate::scan::Scan;
use crate::segments::{SegmentKind, Segmentation};
use crate::steps::{Parts, Steps};

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

impl<Op, M, F, G, V> Scan<'_, Op, M, F, G, V> {
    /// What [`run`](Self::run) would do with `len` elements of `I` on `device`.
    ///
    /// # Errors
    /// As [`run`](Self::run), where the options do not fit each other or the length.
    pub fn plan<I, O>(&self, device: &Device, len: usize) -> Result<Plan>
    where
        I: Element,
        O: Element,
        M: Map<I>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        G: Segmentation,
    {
        let shape = self.options.shape(len)?;
        let segments = self.options.segments.kind();
        segments.check(len, self.options.axis.is_some())?;
        Ok(if const { sums_in_f32::<M::Output, Op>() } {
            plan::<InF32<I, O, Op, M, F>, _, _, _>(device, CpuKind::Scan, shape, &segments)
        } else {
            plan::<Parts<I, O, Op, M, F>, _, _, _>(device, CpuKind::Scan, shape, &segments)
        })
    }
}

impl<Op, M, F, G, V> Reduce<'_, Op, M, F, G, V> {
    /// What [`run`](Self::run) would do with `len` elements of `I` on `device`.
    ///
    /// # Errors
    /// As [`run`](Self::run), where the options do not fit each other or the length.
    pub fn plan<I, O>(&self, device: &Device, len: usize) -> Result<Plan>
    where
        I: Element,
        O: Element,
        M: Map<I>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        G: Segmentation,
    {
        let shape = self.options.shape(len)?;
        let segments = self.options.segments.kind();
        segments.check(len, self.options.axis.is_some())?;
        Ok(if const { sums_in_f32::<M::Output, Op>() } {
            plan::<InF32<I, O, Op, M, F>, _, _, _>(device, CpuKind::Reduction, shape, &segments)
        } else {
            plan::<Parts<I, O, Op, M, F>, _, _, _>(device, CpuKind::Reduction, shape, &segments)
        })
    }
}
