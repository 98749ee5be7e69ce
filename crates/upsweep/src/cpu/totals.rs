//! Reductions of whole arrays and of lines along the last axis.

use super::blocks::Blocks;
use super::chain::{States, Tickets};
use super::lanes::Lanes;
use super::pairwise::Pairwise;
use super::results::Results;
use super::run::Run;
use super::simd::{Work, dispatch};
use super::tile;
use crate::error::Result;
use crate::steps::Steps;
use std::ops::Range;

/// Reduces each line of `line` elements, one result a line.
///
/// # Safety
/// The memory is valid and used by nothing else; `line` is not 0 and divides its length; there is a result for each
/// line.
#[inline(always)]
pub(super) unsafe fn reduce<S: Steps>(job: &Results<S>, line: usize) -> Result<()> {
    if line == job.memory.len && line <= job.tuning.block {
        // A short array takes no longer than the cut into blocks.
        // SAFETY: the line is the memory, and there is a result for it, which only this thread stores.
        unsafe {
            let value = tile::reduce(&job.steps, &job.memory, Run { start: 0, len: line, origin: 0 });
            job.store(0, value);
        }
        return Ok(());
    }
    // SAFETY: the caller's promise.
    unsafe { reduce_blocks(job, line) }
}

/// # Safety
/// As [`reduce`].
unsafe fn reduce_blocks<S: Steps>(job: &Results<S>, line: usize) -> Result<()> {
    let (len, tuning) = (job.memory.len, job.tuning);
    let blocks = Blocks::new(len, line, tuning.block);
    let count = blocks.count();
    let threads = tuning.threads(len).min(count);
    if line <= tuning.block {
        // Each block is some whole lines.
        let lines = |index| dispatch(WholeLines { job, line, range: blocks.range(index) });
        if threads <= 1 {
            (0..count).for_each(lines);
        } else {
            Tickets::new(count).run(threads, |index, _| {
                lines(index);
                Ok(())
            });
        }
        return Ok(());
    }
    let per_line = blocks.per_line();
    let part = |index| {
        let Range { start, end } = blocks.range(index);
        let run = Run { start, len: end - start, origin: start - start % line };
        // SAFETY: the block is in memory: see `reduce`.
        unsafe { tile::reduce(&job.steps, &job.memory, run) }
    };
    let finish = |partial: &dyn Fn(usize) -> Option<S::Acc>| {
        for line in 0..len / line {
            let mut parts = Pairwise::<_>::new();
            for part in (line * per_line..(line + 1) * per_line).filter_map(partial) {
                parts.push(part, |a, b| job.steps.combine(a, b));
            }
            // SAFETY: there is a result for each line, and this thread alone stores.
            unsafe { job.store(line, parts.total(|a, b| job.steps.combine(a, b))) };
        }
    };
    if threads <= 1 {
        finish(&part);
        return Ok(());
    }
    let parts = States::new(count)?;
    Tickets::new(count).run(threads, |index, _| {
        parts.publish(index, part(index));
        Ok(())
    });
    finish(&|index| parts.get(index).flatten());
    Ok(())
}

/// Some lines.
struct WholeLines<'a, S: Steps> {
    job: &'a Results<S>,
    line: usize,
    range: Range<usize>,
}

impl<S: Steps> Work for WholeLines<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { job, line, range } = self;
        let first = range.start / line;
        for i in 0..range.len() / line {
            let start = range.start + i * line;
            // SAFETY: the line is in memory, and there is a result for it, which only this thread stores: see `reduce`.
            unsafe {
                let value = tile::reduce(&job.steps, &job.memory, Run { start, len: line, origin: start });
                job.store(first + i, value);
            }
        }
    }
}
