//! Totals of an array that is reduced in parts, each of which goes on where the one before ended.
//!
//! ```text
//! state       the chains v of the open chunk's lanes; for each k, the total t[k] of 2^k chunks
//!
//! up to the end of the open chunk, one element after the other
//!     v[lane] = v[lane] ⊕ x, and at the chunk's end add(fold of v, 0)
//! while there are whole chunks, number c the next
//!     add(total of the largest subtree that begins with chunk c, k)       several blocks at once, by threads
//! the rest, one element after the other
//!
//! add(total, k)       as a binary counter counts: while bit k of c is set, total = t[k] ⊕ total and k = k + 1;
//!                     t[k] = total
//! total of all        the fold of v, then t[k] ⊕ total for each set bit k, the lowest first
//! ```
//!
//! So a total in parts is the tree of one call ([`lanes`](upsweep_core::lanes)): what is missing at its end is left out.
//! Where the operator has no tree, the state is one value, which is combined with each part's total.

use super::results::Results;
use super::totals::each;
use crate::tile::pairwise::Pairwise;
use crate::tile::reduce::Reducer;
use crate::tile::run::{Run, load};
use crate::tile::simd::Set;
use std::ops::Range;
use upsweep_core::call::carry::{self, SUBTREES};
use upsweep_core::error::Result;
use upsweep_core::lanes::{MOST_LANES, ROWS};
use upsweep_core::operator::Element;
use upsweep_core::steps::{In, Steps};
use upsweep_plan::cpu::Blocks;

/// Bytes of a block of chunks that a thread reduces in one turn.
const BLOCK_BYTES: usize = 256 << 10;

/// Part of an array after `position` elements.
pub(crate) struct Part<'a, S: Steps> {
    pub(crate) job: &'a Results<S>,
    pub(crate) position: usize,
    /// State before the part, and then after it. It has as many words as the call's states.
    pub(crate) state: &'a mut [u64],
}

impl<S: Steps> Part<'_, S> {
    /// Reduces the part, and stores the total of all elements so far.
    ///
    /// # Safety
    /// The memory of the job is valid and used by nothing else, and there is one result. The state is one of a reduction by
    /// these steps after `position` elements. `blocks` divides the memory.
    pub(crate) unsafe fn reduce(mut self, blocks: &Blocks) -> Result<()> {
        // SAFETY: the conditions of this function hold.
        let total = unsafe { if S::TREE { self.chunks()? } else { self.plain(blocks)? } };
        // SAFETY: there is one result, which only this thread stores.
        unsafe { self.job.store(0, total) };
        Ok(())
    }

    /// Returns the total of all elements so far, of an operator without a tree.
    ///
    /// # Safety
    /// The conditions of [`reduce`](Self::reduce) hold.
    unsafe fn plain(&mut self, blocks: &Blocks) -> Result<Option<S::Acc>> {
        let (job, position) = (self.job, self.position);
        let before = (position > 0).then(|| self.value(0)).flatten();
        let (reducer, mut parts) = (Reducer::new(Set::widest(), &job.steps, &job.memory), Pairwise::<_>::new());
        let take = |_, part: Option<S::Acc>| {
            if let Some(part) = part {
                parts.push(part, |a, b| job.steps.combine(a, b));
            }
        };
        let count = if job.memory.len > 0 { blocks.count() } else { 0 };
        let run = |index| {
            let Range { start, end } = blocks.range(index);
            Run { start, len: end - start, origin: origin(position) }
        };
        // SAFETY: the blocks are in memory, whose input nothing writes.
        unsafe { each(job, reducer, count, run, take)? };
        let total = job.steps.join(before, parts.total(|a, b| job.steps.combine(a, b)));
        if let Some(total) = total {
            self.put(0, total);
        }
        Ok(total)
    }

    /// Returns the total of all elements so far, of an operator with the tree.
    ///
    /// # Safety
    /// The conditions of [`reduce`](Self::reduce) hold.
    unsafe fn chunks(&mut self) -> Result<Option<S::Acc>> {
        let (job, position, len) = (self.job, self.position, self.job.memory.len);
        let lanes = job.steps.lanes();
        let chunk = ROWS * lanes;
        let block = (BLOCK_BYTES / (chunk * size_of::<In<S>>().max(1))).max(1).ilog2();
        let reducer = Reducer::of_subtrees(Set::widest(), &job.steps, &job.memory);
        // SAFETY: the elements of all runs are in memory, whose input nothing writes.
        unsafe {
            let mut done = (position.next_multiple_of(chunk) - position).min(len);
            self.one_by_one(0..done);
            let (mut next, mut left) = ((position + done) / chunk, (len - done) / chunk);
            while left > 0 {
                let level = next.trailing_zeros().min(left.ilog2()).min(block);
                let count = if level == block { left >> level } else { 1 };
                let (from, size) = (done, chunk << level);
                let run = |index| Run { start: from + index * size, len: size, origin: origin(position) };
                let (first, this) = (next, &mut *self);
                let take = |index: usize, total: Option<S::Acc>| {
                    if let Some(total) = total {
                        this.add(first + (index << level), level, total);
                    }
                };
                each(job, reducer, count, run, take)?;
                (next, left, done) = (next + (count << level), left - (count << level), done + count * size);
            }
            self.one_by_one(done..len);
        }
        let end = position + len;
        let mut total = self.fold((end % chunk).min(lanes));
        for level in (0..SUBTREES).filter(|&level| (end / chunk) >> level & 1 == 1) {
            total = job.steps.join(self.value(lanes + level), total);
        }
        Ok(total)
    }

    /// Adds elements to the chains of the open chunk's lanes, and ends the chunk.
    ///
    /// # Safety
    /// The elements are in memory, whose input nothing writes, and no further than the end of the chunk.
    unsafe fn one_by_one(&mut self, elements: Range<usize>) {
        let (job, lanes) = (self.job, self.job.steps.lanes());
        let chunk = ROWS * lanes;
        for k in elements {
            let at = self.position + k;
            // SAFETY: the element is in memory, whose input nothing writes.
            let x = unsafe { load(&job.steps, &job.memory, k, origin(self.position)) };
            let before = (at % chunk >= lanes).then(|| self.value(at % lanes)).flatten();
            self.put(at % lanes, before.map_or(x, |before| job.steps.combine(before, x)));
            if (at + 1).is_multiple_of(chunk)
                && let Some(total) = self.fold(lanes)
            {
                self.add(at / chunk, 0, total);
            }
        }
    }

    /// Returns the fold of the first `count` lanes of the open chunk. The others have the neutral value.
    fn fold(&self, count: usize) -> Option<S::Acc> {
        let (steps, mut values) = (&self.job.steps, [self.job.steps.tree().1; MOST_LANES]);
        for (lane, value) in values[..count].iter_mut().enumerate() {
            *value = self.value(lane)?;
        }
        let mut half = steps.lanes() / 2;
        while half > 0 {
            for i in 0..half {
                values[i] = steps.combine(values[i], values[i + half]);
            }
            half /= 2;
        }
        (count > 0).then_some(values[0])
    }

    /// Adds the `total` of 2^`level` chunks from number `chunk` on.
    fn add(&mut self, chunk: usize, mut level: u32, mut total: S::Acc) {
        let lanes = self.job.steps.lanes();
        while chunk >> level & 1 == 1 {
            total = self.job.steps.join(self.value(lanes + level as usize), Some(total)).unwrap_or(total);
            level += 1;
        }
        self.put(lanes + level as usize, total);
    }

    /// Returns a value of the state, which has it.
    fn value(&self, index: usize) -> Option<S::Acc> {
        // SAFETY: the words are those of a state by these steps, which has a value there.
        unsafe { carry::read(self.state, index * size_of::<S::Acc>()) }
    }

    fn put(&mut self, index: usize, value: S::Acc) {
        carry::write(self.state, index * size_of::<S::Acc>(), value.canonical());
    }
}

/// Returns the origin from which the elements of a part after `position` elements have their positions in the array.
fn origin(position: usize) -> usize {
    0usize.wrapping_sub(position)
}
