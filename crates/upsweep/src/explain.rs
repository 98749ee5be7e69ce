//! Plans of calls, without running them.

use crate::device::{Backend, Device};
use crate::options::Options;
use crate::reduce::Reduce;
use crate::scan::Scan;
use std::fmt;
use upsweep_core::error::Result;
use upsweep_core::halves::{InF32, sums_in_f32};
use upsweep_core::inputs::Read;
use upsweep_core::lanes::chunk_len;
use upsweep_core::operator::{Function, Map, Operator};
use upsweep_core::outputs::Write;
use upsweep_core::segments::CpuSegments;
use upsweep_core::segments::{SegmentKind, Segmentation};
use upsweep_core::steps::{JobSteps, Parts};
use upsweep_core::tree::tile_len;
use upsweep_plan::cpu::{CpuJob, CpuKind, CpuPlan};

pub use upsweep_plan::Question;

/// Plan of a call, in lines: [`Device::explain`] and [`Scan::plan`] return it, and `upsweep explain` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan(String);

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Device {
    /// Returns the plan of a call of the sizes in `question`. Elements are assumed to be aligned to their size, and
    /// operators to be sums of integers.
    ///
    /// ```
    /// use upsweep::{Device, Question};
    ///
    /// let plan = Device::cpu().explain(Question::Sort { len: 1 << 20, key: 4, value: 0 });
    /// assert!(plan.to_string().starts_with("radix sort"));
    /// ```
    #[must_use]
    pub fn explain(&self, question: Question) -> Plan {
        let (kind, shape, element, segments) = match question {
            Question::Scan { shape, element, segments } => (CpuKind::Scan, shape, element, segments),
            Question::Reduce { shape, element, segments } => (CpuKind::Reduction, shape, element, segments),
            other => {
                return Plan(match &self.0 {
                    Backend::Cpu => other.on_cpu(),
                    #[cfg(feature = "cuda")]
                    Backend::Cuda(cuda) => other.on_cuda(cuda.compute_capability(), cuda.multiprocessors() as usize),
                });
            }
        };
        let segments = segments.map_or(CpuSegments::None, CpuSegments::Offsets);
        let job = CpuJob { kind, shape, segments, bytes: [element; 3], tile: 1, in_place: false, pitch: None };
        Plan(match &self.0 {
            Backend::Cpu => CpuPlan::new(job).to_string(),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => upsweep_cuda::plan_of_sizes(cuda, job).to_string(),
        })
    }
}

impl<Op, M, F, G, V> Options<'_, Op, M, F, G, V> {
    /// Returns the plan of a scan, or of a reduction, of `len` elements with these options.
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
        let job = |tree, bytes| {
            let tile = if kind == CpuKind::Scan { tile_len(tree, bytes) } else { chunk_len(tree, bytes) };
            CpuJob { kind, shape, segments, bytes, tile, in_place: false, pitch: None }
        };
        Ok(if const { sums_in_f32::<M::Output, Op>() } {
            with_steps::<InF32<I, O, Op, M, F>, G::Key>(device, by_keys, job)
        } else {
            with_steps::<Parts<I, O, Op, M, F>, G::Key>(device, by_keys, job)
        })
    }
}

/// Returns the plan of the job whose elements have the sizes of the steps `S` (map, operator and finish). With
/// `by_keys`, keys of type `K` delimit its segments.
#[cfg_attr(
    not(feature = "cuda"),
    allow(unused_variables, clippy::extra_unused_type_parameters, reason = "the CPU plans without keys")
)]
fn with_steps<S: JobSteps, K>(device: &Device, by_keys: bool, job: impl FnOnce(bool, [usize; 3]) -> CpuJob) -> Plan {
    let job = job(S::TREE, S::BYTES);
    match &device.0 {
        Backend::Cpu => Plan(CpuPlan::new(job).to_string()),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => Plan(upsweep_cuda::plan_of::<S, K>(cuda, job, by_keys).to_string()),
    }
}

impl<Op, M, F, G, V> Scan<'_, Op, M, F, G, V> {
    /// Returns the plan of [`run`](Self::run) for `len` elements of `I` on `device`.
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
    /// Returns the plan of [`run`](Self::run) for `len` elements of `I` on `device`.
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
