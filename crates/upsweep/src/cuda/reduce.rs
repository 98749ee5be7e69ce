//! Reduce on CUDA.

use crate::job::Job;
use crate::operator::{Element, Function, Map, Operator};
use crate::segments::Segmentation;
use crate::{Result, ViewMut};

pub(crate) fn run<I, O, Op, M, F, S>(
    _cuda: &super::Cuda,
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    count: Option<ViewMut<'_, u64>>,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    let _ = (count, &job.input, &job.output, &job.init, &job.segments);
    let _ = (job.operator, job.map, job.finish, job.shape);
    Ok(())
}
