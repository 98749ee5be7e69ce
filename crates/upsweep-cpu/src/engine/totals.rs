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
    let (len, count, per_line) = (job.memory.len, blocks.count(), blocks.per_line());
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
    let part = |index, next: Option<usize>| {
        let Range { start, end } = blocks.range(index);
        // A short array, which one thread reduces, needs no prefetch: it is in a cache, or will be.
        let ahead = if job.threads > 1 {
            Ahead::of_reduction(&job.memory, start..end, next.map(|next| blocks.range(next).start))
        } else {
            Ahead::NOTHING
        };
        // SAFETY: the block is in memory, by the conditions of `reduce`.
        unsafe { reducer.reduce(Run { start, len: end - start, origin: start - start % line }, ahead) }
    };
    let combine = |a, b| job.steps.combine(a, b);
    if job.threads <= 1 {
        let mut parts = Pairwise::<_>::new();
        Tickets::in_order(count, |index| {
            if let Some(part) = part(index, None) {
                parts.push(part, combine);
            }
            if (index + 1).is_multiple_of(per_line) {
                // SAFETY: there is a result for each line, and only this thread stores.
                unsafe { job.store(index / per_line, total(&job.steps, &parts)) };
                parts = Pairwise::new();
            }
        });
        return Ok(());
    }
    let states = States::new(count)?;
    Tickets::new(count).run(job.threads, &|index, next| {
        states.publish(index, part(index, next));
        Ok(())
    });
    for line in 0..len / line {
        let mut parts = Pairwise::<_>::new();
        for part in (line * per_line..(line + 1) * per_line).filter_map(|index| states.get(index).flatten()) {
            parts.push(part, combine);
        }
        // SAFETY: there is a result for each line, and only this thread stores.
        unsafe { job.store(line, total(&job.steps, &parts)) };
    }
    Ok(())
}

/// Combines the parts of a line.
#[inline(always)]
fn total<S: Steps>(steps: &S, parts: &Pairwise<S::Acc>) -> Option<S::Acc> {
    if const { S::TREE } {
        parts.tree(|a, b| b.map_or(a, |b| steps.combine(a, b)))
    } else {
        parts.total(|a, b| steps.combine(a, b))
    }
}
