//! Sort of pairs within a separate output, for keys and values that are halves of a number.
//!
//! Numbers need no scratch memory here. Fresh memory costs as much as a pass, as the system has to map it first.
//!
//! ```text
//! each thread, for its share of the input:   scatter keys and values, unchanged, to their ranges in the outputs
//! thread by thread:                          sort the pairs of one range in the cache, as numbers, and store them back
//! parts too large for the cache:             sorts of their own, in place; parts of equal keys are in order
//! ```

use super::array::CUT_AGAIN;
use super::cached::Room;
use super::values::{BLOCK, Block, Moved, Sort, blocks, fetch_ahead};
use crate::engine::apart::{forked, part_of};
use crate::tile::digits::Lines;
use crate::tile::store::fence;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use upsweep_core::error::Result;
use upsweep_core::key::KeyBits;

impl Sort {
    /// Sorts pairs of keys and values within their output. Returns `None` if a key and a value are not the halves of a
    /// number, or the output is not aligned or is the input.
    pub(super) fn within_output<B: KeyBits, V: Moved>(&self, room: &mut Room<B, V>) -> Option<Result<()>> {
        let outputs = [self.keys_out.cast_const(), self.values_out.cast_const()];
        let apart = |bytes: usize| {
            let in_place = self.keys == outputs[0] || self.values == outputs[1];
            !in_place && outputs.iter().all(|output| output.addr().is_multiple_of(bytes))
        };
        match self.halves::<B>().filter(|&bytes| apart(bytes)) {
            Some(4) => Some(self.in_output::<B, V, u32>(room)),
            Some(8) => Some(self.in_output::<B, V, u64>(room)),
            _ => None,
        }
    }

    fn in_output<B: KeyBits, V: Moved, H: KeyBits>(&self, room: &mut Room<B, V>) -> Result<()> {
        let (len, threads) = (self.len, self.threads());
        let streams = self.streams::<B, V>(len);
        let Some(cut) = self.plan_cut::<B, V>(None, len, 0) else {
            self.copy::<B, V>(false);
            return Ok(());
        };
        let ranges = &cut.ranges;
        cut.each_share(threads, |part, places| {
            let mut lines = Lines::new((self.keys_out.cast::<H>(), self.values_out.cast::<H>()), places, streams);
            let (mut room, mut of) = (Block::new(B::default()), [0; BLOCK]);
            for places in blocks(part_of(len, threads, part)) {
                fetch_ahead(self.values, places.clone(), self.value_bytes);
                ranges.of(self.numbers::<B, V>(None, places.clone(), &mut room, false), &mut of);
                let of = of.get(..places.len()).unwrap_or_default();
                // SAFETY: the input has elements at `places`. `lines` writes the results of this thread's share in each
                // range, which are consecutive and no other thread's.
                unsafe {
                    lines.push(of, self.keys.cast::<H>().add(places.start), self.values.cast::<H>().add(places.start));
                }
            }
            lines.finish();
        });
        let again = |part: &Range<usize>| Self::bytes::<B, V>(part.len()) > CUT_AGAIN * self.limits.cached;
        let turn = AtomicUsize::new(0);
        let sorted = forked(threads, &|_| {
            let mut room = Room::<B, V>::new();
            loop {
                let range = turn.fetch_add(1, Ordering::Relaxed);
                if range >= ranges.number() {
                    fence();
                    return Ok(());
                }
                let part = cut.part(range);
                if ranges.only(range).is_none() && !part.is_empty() && !again(&part) {
                    room.sort(&self.part_of_output(part), streams)?;
                }
            }
        });
        sorted.into_iter().collect::<Result<()>>()?;
        for range in 0..ranges.number() {
            let part = cut.part(range);
            if ranges.only(range).is_none() && again(&part) {
                self.part_of_output(part).run(room)?;
            }
        }
        Ok(())
    }

    /// Returns the arguments to sort the results `part` in place in the output.
    fn part_of_output(&self, part: Range<usize>) -> Self {
        Self { keys: self.keys_out, values: self.values_out, ..*self }.of(part)
    }
}
