//! Where the results of blocks go that keep an unknown number of them: a chain whose links come in any order.
//!
//! A worker says how many results its block has, and goes on to its next block. Whoever says a number carries the chain on as far as
//! numbers are known; so nobody waits for a worker that the scheduler has put aside, unless it has too many blocks to store.
//!
//! # Memory ordering
//! Numbers go through the mutex. A place is written under it with `Release` and read with `Acquire`: who knows the place of a block
//! also sees that all blocks before it have been read, which is what storing in place needs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// No number of results, and no place.
const UNKNOWN: usize = usize::MAX;

/// The blocks' numbers of results, and the sums of those before.
pub(in crate::cpu) struct Places {
    known: Mutex<Known>,
    places: Vec<AtomicUsize>,
}

struct Known {
    numbers: Vec<usize>,
    /// The first block whose number is not known, and the sum of those before it.
    next: usize,
    sum: usize,
}

impl Places {
    /// Those of `count` blocks.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(in crate::cpu) fn new(count: usize) -> crate::Result<Self> {
        let bytes = count.saturating_mul(2 * size_of::<usize>());
        let (mut numbers, mut places) = (Vec::new(), Vec::new());
        let reserved = numbers.try_reserve_exact(count).and_then(|()| places.try_reserve_exact(count));
        reserved.map_err(|_| crate::Error::OutOfMemory { bytes })?;
        numbers.resize(count, UNKNOWN);
        places.extend((0..count).map(|_| AtomicUsize::new(UNKNOWN)));
        Ok(Self { known: Mutex::new(Known { numbers, next: 0, sum: 0 }), places })
    }

    /// Says that the block has `number` results, once.
    pub(in crate::cpu) fn publish(&self, block: usize, number: usize) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.numbers[block] = number;
        while let Some(&number) = known.numbers.get(known.next).filter(|&&number| number != UNKNOWN) {
            self.places[known.next].store(known.sum, Ordering::Release);
            known.next += 1;
            known.sum += number;
        }
    }

    /// How many results the blocks before this one have, if all of them are known.
    pub(in crate::cpu) fn get(&self, block: usize) -> Option<usize> {
        Some(self.places[block].load(Ordering::Acquire)).filter(|&place| place != UNKNOWN)
    }

    /// The results of all blocks, when all are published.
    pub(in crate::cpu) fn total(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_any_order() {
        let places = Places::new(4).unwrap();
        assert_eq!(places.get(0), None);
        places.publish(2, 5);
        assert_eq!(places.get(2), None);
        places.publish(0, 3);
        assert_eq!((places.get(0), places.get(1), places.get(2)), (Some(0), None, None));
        places.publish(1, 0);
        assert_eq!((places.get(1), places.get(2), places.get(3)), (Some(3), Some(3), None));
        places.publish(3, 1);
        assert_eq!((places.get(3), places.total()), (Some(8), 9));
    }
}
