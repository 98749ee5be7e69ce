//! The plan of a job, without running it.

use crate::device::{Backend, Device};
use crate::error::Result;
use crate::halves::{InF32, sums_in_f32};
use crate::inputs::Read;
use crate::operator::{Function, Map, Operator};
use crate::options::Options;
use crate::outputs::Write;
use crate::plan::Plan;
use crate::plan::cpu::{CpuJob, CpuKind, CpuPlan};
use crate::reduce::Reduce;
use crate::scan::Scan;
use crate::segments::{SegmentKind, Segmentation};
use crate::steps::{JobSteps, Parts};

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

impl<Op, M, F, G, V> Options<'_, Op, M, F, G, V> {
    /// The plan of a scan, or of a reduction, of `len` elements with these options.
    fn plan<I, O>(&self, device: &Device, kind: CpuKind, len: usize) -> Result<Plan>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O::Value>,
        G: Segmentation,
    {
        let shape = self.shape(len)?;
        let segments = self.segments.kind();
        let (by, by_keys) = (segments.untyped(), matches!(segments, SegmentKind::Keys(..)));
        by.check(len, self.axis.is_some())?;
        let segments = by.planned();
        let job = |bytes| CpuJob { kind, shape, segments, bytes, in_place: false };
        Ok(if const { sums_in_f32::<M::Output, Op>() } {
            with_steps::<InF32<I, O, Op, M, F>, G::Key>(device, by_keys, job)
        } else {
            with_steps::<Parts<I, O, Op, M, F>, G::Key>(device, by_keys, job)
        })
    }
}

/// The plan of the job of the steps' sizes, whose segments are told by keys `K`, if `by_keys`.
#[cfg_attr(
    not(feature = "cuda"),
    allow(unused_variables, clippy::extra_unused_type_parameters, reason = "the CPU plans without keys")
)]
fn with_steps<S: JobSteps, K>(device: &Device, by_keys: bool, job: impl FnOnce([usize; 3]) -> CpuJob) -> Plan {
    let job = job(S::BYTES);
    match &device.0 {
        Backend::Cpu => Plan::Cpu(CpuPlan::new(job)),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => crate::cuda::plan_of::<S, K>(cuda, job, by_keys),
    }
}

impl<Op, M, F, G, V> Scan<'_, Op, M, F, G, V> {
    /// What [`run`](Self::run) would do with `len` elements of `I` on `device`.
    ///
    /// # Errors
    /// As [`run`](Self::run), where the options do not fit each other or the length.
    pub fn plan<I, O>(&self, device: &Device, len: usize) -> Result<Plan>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O::Value>,
        G: Segmentation,
    {
        self.options.plan::<I, O>(device, CpuKind::Scan, len)
    }
}

impl<Op, M, F, G, V> Reduce<'_, Op, M, F, G, V> {
    /// What [`run`](Self::run) would do with `len` elements of `I` on `device`.
    ///
    /// # Errors
    /// As [`run`](Self::run), where the options do not fit each other or the length.
    pub fn plan<I, O>(&self, device: &Device, len: usize) -> Result<Plan>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O::Value>,
        G: Segmentation,
    {
        self.options.plan::<I, O>(device, CpuKind::Reduction, len)
    }
}
