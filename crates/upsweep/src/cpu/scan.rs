//! Scan on the CPU.

use crate::Result;
use crate::job::{Direction, Job};
use crate::operator::{Element, Function, Map, Operator};
use crate::segments::Segmentation;

pub(crate) fn run<I, O, Op, M, F, S>(job: Job<'_, I, M::Output, O, Op, M, F, S>, direction: Direction) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    let _ = (job.init.on_host()?, job.output.on_host()?, direction, &job.input, &job.segments);
    let _ = (job.operator, job.map, job.finish, job.shape);
    Ok(())
}
