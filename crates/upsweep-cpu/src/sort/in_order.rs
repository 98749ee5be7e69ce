//! Arrays that are sorted already, or in reverse order: the test, the copy and the reversal.

use super::values::{BLOCK, Block, Blocks, Moved, Sort, blocks};
use crate::engine::apart::{fork, part_of};
use std::sync::atomic::{AtomicBool, Ordering};
use upsweep_core::key::KeyBits;

/// Number of keys whose order is tested before other threads start, as most unsorted arrays fail at once.
const FEW: usize = 64;

/// Order of the keys in the input.
pub(super) enum Found {
    InOrder,
    /// Strictly descending: each key sorts before the key to its left, so no keys are equal.
    Reversed,
    Unsorted,
}

impl Sort {
    /// Returns the order of the keys in the input. Stops early at a key that is in neither order.
    pub(super) fn look<B: KeyBits>(&self) -> Found {
        if self.all::<B>(false) {
            Found::InOrder
        } else if self.all::<B>(true) {
            Found::Reversed
        } else {
            Found::Unsorted
        }
    }

    /// Whether the keys of the input ascend, with equal keys allowed; with `descends`, whether they descend strictly.
    fn all<B: KeyBits>(&self, descends: bool) -> bool {
        let below = self.below::<B>();
        let wrong = |numbers: &[B]| {
            let after = numbers.get(1..).unwrap_or_default();
            let pairs = numbers.iter().zip(after).map(|(before, own)| (before.above(below), own.above(below)));
            if descends {
                pairs.fold(0, |any, (before, own)| any | u32::from(before <= own)) > 0
            } else {
                pairs.fold(0, |any, (before, own)| any | u32::from(before > own)) > 0
            }
        };
        let mut room = Block::new(B::default());
        // Most unsorted keys fail at once.
        if wrong(self.numbers::<B, ()>(None, 0..self.len.min(FEW), &mut room, false)) {
            return false;
        }
        let (threads, failed) = (self.threads(), AtomicBool::new(false));
        fork(threads, &|part| {
            let mut room = Block::new(B::default());
            let share = part_of(self.len, threads, part);
            let mut begin = share.start;
            while begin + 1 < share.end.saturating_add(1).min(self.len) && !failed.load(Ordering::Relaxed) {
                // Blocks overlap by one key: the last key of a block is the first of the next block or of the next
                // thread's share.
                let end = self.len.min(share.end + 1).min(begin + BLOCK);
                if wrong(self.numbers::<B, ()>(None, begin..end, &mut room, false)) {
                    failed.store(true, Ordering::Relaxed);
                }
                begin = end - 1;
            }
        });
        !failed.into_inner()
    }

    /// Copies all elements to a separate output, in reverse order if `reversed`.
    pub(super) fn copy<B: KeyBits, V: Moved>(&self, reversed: bool) {
        let threads = self.threads();
        fork(threads, &|part| {
            let mut room = Blocks::<B, V>::new();
            for places in blocks(part_of(self.len, threads, part)) {
                // SAFETY: input and output have `self.len` elements and are disjoint, and threads write disjoint
                // results.
                unsafe {
                    let from = room.load(self, places.start, places.len());
                    if reversed {
                        room.reverse(places.len());
                    }
                    let to = if reversed { self.len - places.end } else { places.start };
                    self.store(to, from, places.len(), false);
                }
            }
        });
    }

    /// Reverses the elements in place.
    pub(super) fn reverse<B: KeyBits, V: Moved>(&self) {
        let threads = self.threads();
        fork(threads, &|part| {
            let (mut room, mut other) = (Blocks::<B, V>::new(), Blocks::<B, V>::new());
            for places in blocks(part_of(self.len / 2, threads, part)) {
                let (len, mirror) = (places.len(), self.len - places.end);
                // SAFETY: the indices `places` and their mirror images are below the length and disjoint, and no other
                // thread has them.
                unsafe {
                    let (first, last) = (room.load(self, places.start, len), other.load(self, mirror, len));
                    room.reverse(len);
                    other.reverse(len);
                    self.store(mirror, first, len, false);
                    self.store(places.start, last, len, false);
                }
            }
        });
    }
}
