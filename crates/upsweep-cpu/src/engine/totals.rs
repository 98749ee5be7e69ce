//! Reductions of whole arrays, and of lines along the last axis.
//!
//! Blocks of float sums and products are subtrees ([`lanes`](upsweep_core::lanes)), so that their cut changes no bits.

use super::chain::{States, Tickets};
use super::results::Results;
use crate::tile::pairwise::Pairwise;
use crate::tile::reduce::Reducer;
use crate::tile::run::Run;
use crate::tile::simd::Set;
use crate::tile::store::Ahead;
use std::ops::Range;
use upsweep_core::error::Result;
use upsweep_core::steps::Steps;
use upsweep_plan::cpu::Blocks;

/// Reduces each line of `line` elements to one result.
///
/// # Safety
/// The memory is valid and used by nothing else; `line` is not 0 and divides the memory's length; `blocks` divides
/// lines of `line` elements of this memory; there is a result for each line.
#[inline(always)]
pub(crate) unsafe fn reduce<S: Steps>(job: &Results<S>, line: usize, blocks: &Blocks) -> Result<()> {
    let reducer = Reducer::of_subtrees(Set::widest(), &job.steps, &job.memory);
    if line == job.memory.len && blocks.count() == 1 {
        // For a short array, the division into blocks would take as long as the reduction.
        Tickets::in_order(1, |_| {
            // SAFETY: the line is the whole memory, and only this thread stores its result.
            unsafe { job.store(0, reducer.reduce(Run { start: 0, len: line, origin: 0 }, Ahead::NOTHING)) };
        });
        return Ok(());
    }
    // SAFETY: the memory is valid and consists of whole lines, and there is a result for each line.
    unsafe { reduce_blocks(job, reducer, line, blocks) }
}

/// Reduces the blocks: each to the results of its lines, or, if a line has several blocks, to a part of its line's
/// result.
///
/// # Safety
/// The conditions of [`reduce`] hold.
unsafe fn reduce_blocks<S: Steps>(
    job: &Results<S>,
    reducer: Reducer<'_, S>,
    line: usize,
    blocks: &Blocks,
) -> Result<()> {
    let (count, per_line) = (blocks.count(), blocks.per_line());
    if per_line == 1 {
        // Each block consists of whole lines.
        let lines = |index: usize| {
            let Range { start, end } = blocks.range(index);
            for (result, start) in (start / line..).zip((start..end).step_by(line)) {
                // SAFETY: the line is in memory and has a result, by the conditions of `reduce`. Only this thread
                // stores it.
                unsafe { job.store(result, reducer.reduce(Run { start, len: line, origin: start }, Ahead::NOTHING)) };
            }
        };
        if job.threads <= 1 {
            Tickets::in_order(count, lines);
        } else {
            Tickets::new(count).run(job.threads, &|index, _| {
                lines(index);
                Ok(())
            });
        }
        return Ok(());
    }
    let run = |index| {
        let Range { start, end } = blocks.range(index);
        Run { start, len: end - start, origin: start - start % line }
    };
    let mut parts = Pairwise::<_>::new();
    let take = |index: usize, total: Option<S::Acc>| {
        if let Some(total) = total {
            parts.push(total, |a, b| job.steps.combine(a, b));
        }
        if (index + 1).is_multiple_of(per_line) {
            // SAFETY: there is a result for each line, and only this thread stores.
            unsafe { job.store(index / per_line, parts.total(|a, b| job.steps.combine(a, b))) };
            parts = Pairwise::new();
        }
    };
    // SAFETY: the blocks are in memory, by the conditions of `reduce`.
    unsafe { each(job, reducer, count, run, take) }
}

/// Reduces `count` runs, and calls `take` with the number and the total of each, in order.
///
/// # Safety
/// The runs are in the memory of the job, and nothing writes its input.
#[inline(always)]
pub(super) unsafe fn each<S: Steps>(
    job: &Results<S>,
    reducer: Reducer<'_, S>,
    count: usize,
    run: impl Fn(usize) -> Run + Sync,
    mut take: impl FnMut(usize, Option<S::Acc>),
) -> Result<()> {
    if job.threads <= 1 {
        // A short array, which one thread reduces, needs no prefetch: it is in a cache, or will be.
        // SAFETY: the run is in memory.
        Tickets::in_order(count, |index| take(index, unsafe { reducer.reduce(run(index), Ahead::NOTHING) }));
        return Ok(());
    }
    let states = States::new(count)?;
    Tickets::new(count).run(job.threads, &|index, next| {
        let this = run(index);
        let ahead =
            Ahead::of_reduction(&job.memory, this.start..this.start + this.len, next.map(|next| run(next).start));
        // SAFETY: the run is in memory.
        states.publish(index, unsafe { reducer.reduce(this, ahead) });
        Ok(())
    });
    (0..count).for_each(|index| take(index, states.get(index).flatten()));
    Ok(())
}
