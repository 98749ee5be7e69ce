//! Where the results of blocks go that keep an unknown number of them: a chain whose links come in any order.
//!
//! ```text
//! each worker:
//!     while (ticket = next.fetch_add(1)) < count
//!         number = read(block[ticket], buffer)       reads the block, and fetches the next one
//!         publish(ticket, number)
//!         for each block of this worker of which is known how many results those before it have:
//!             store(buffer, output + before)
//! ```
//!
//! A worker says how many results its block has, and goes on to its next block. Whoever says a number carries the chain on as far as
//! numbers are known; so nobody waits for a worker that the scheduler has put aside, unless it has too many blocks to store.
//!
//! # Memory ordering
//! Numbers go through the mutex. A place is written under it with `Release` and read with `Acquire`: who knows the place of a block
//! also sees that all blocks before it have been read, which is what storing in place needs.

use super::chain::{Broken, Tickets};
use crate::tile::store;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_plan::select::CpuSelectPlan;

/// What is done with blocks.
pub(crate) trait Blocks: Sync {
    /// Room for a block's results.
    type Buffer: Send;

    /// A buffer for blocks of up to so many elements.
    ///
    /// # Errors
    /// [`OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
    fn buffer(&self, elements: usize) -> Result<Self::Buffer>;

    /// Reads a block, and returns how many results are in the buffer then; `next` is where this thread goes on.
    fn read(&self, range: Range<usize>, next: usize, buffer: &mut Self::Buffer) -> usize;

    /// Stores a block's results, of which there are `number`, behind `before` others.
    fn store(&self, before: usize, number: usize, range: Range<usize>, buffer: &mut Self::Buffer);
}

/// The blocks of a worker that may wait until it is known where they go: as many as it reads while the scheduler gives another worker's
/// core to somebody else. With 3, a call took ten times as long as a copy where two other processes ran on the two cores (2026-11-24).
const MOST_WAITING: usize = 64;

/// What a worker has between its tickets. It is the worker's alone: another could hold the ticket that these blocks wait for, and wait
/// for itself.
struct Worker<B> {
    free: Vec<B>,
    /// Blocks with the number of their results, and these.
    waiting: VecDeque<(usize, usize, B)>,
}

/// Reads and stores the blocks of `len` elements, and returns how many results there are.
///
/// # Errors
/// [`OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
pub(crate) fn run<B: Blocks>(blocks: &B, len: usize, plan: CpuSelectPlan) -> Result<usize> {
    let block = plan.block;
    let range = |ticket: usize| ticket * block..((ticket + 1) * block).min(len);
    let (count, elements) = (len.div_ceil(block), block.min(len));
    if plan.threads <= 1 {
        let mut buffer = blocks.buffer(elements)?;
        let mut before = 0;
        Tickets::in_order(count, |ticket| {
            let range = range(ticket);
            let number = blocks.read(range.clone(), range.end, &mut buffer);
            blocks.store(before, number, range, &mut buffer);
            before += number;
        });
        store::fence();
        return Ok(before);
    }
    let (tickets, places) = (Tickets::new(count), Places::new(count)?);
    // One buffer is enough, so a lack of memory is an error here alone.
    let worker = || Ok(Worker { free: vec![blocks.buffer(elements)?], waiting: VecDeque::new() });
    let mut workers = (0..plan.threads).map(|_| worker().map(Mutex::new)).collect::<Result<Vec<_>>>()?;
    // Stores what can be stored of a worker's blocks, or the oldest as soon as it can be.
    let flush = |worker: &mut Worker<B::Buffer>, wait: bool| {
        let mut wait = wait;
        while let Some((ticket, number, _)) = worker.waiting.front() {
            let (ticket, number) = (*ticket, *number);
            let Some(before) = places.get(ticket) else {
                if !wait {
                    break;
                }
                if tickets.are_broken() {
                    return Err(Broken);
                }
                std::thread::yield_now();
                continue;
            };
            wait = false;
            if let Some((_, _, mut buffer)) = worker.waiting.pop_front() {
                blocks.store(before, number, range(ticket), &mut buffer);
                worker.free.push(buffer);
            }
        }
        store::fence();
        Ok(())
    };
    tickets.run_numbered(plan.threads, &|number, ticket, next| {
        let mut worker = workers[number].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut buffer) = worker.free.pop() {
            let number = blocks.read(range(ticket), next.unwrap_or(ticket) * block, &mut buffer);
            places.publish(ticket, number);
            worker.waiting.push_back((ticket, number, buffer));
        }
        flush(&mut worker, false)?;
        if worker.free.is_empty() && next.is_some() {
            let another = (worker.waiting.len() < MOST_WAITING).then(|| blocks.buffer(elements));
            match another {
                Some(Ok(buffer)) => worker.free.push(buffer),
                _ => flush(&mut worker, true)?,
            }
        }
        Ok(())
    });
    // Every place is known now.
    for worker in &mut workers {
        let _never_broken = flush(worker.get_mut().unwrap_or_else(PoisonError::into_inner), false);
    }
    Ok(places.total())
}

/// No number of results, and no place.
const UNKNOWN: usize = usize::MAX;

/// The blocks' numbers of results, and the sums of those before.
struct Places {
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
    /// [`OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
    fn new(count: usize) -> Result<Self> {
        let numbers = memory::filled(count, UNKNOWN)?;
        let places = memory::collected(count, (0..count).map(|_| AtomicUsize::new(UNKNOWN)))?;
        Ok(Self { known: Mutex::new(Known { numbers, next: 0, sum: 0 }), places })
    }

    /// Says that the block has `number` results, once.
    fn publish(&self, block: usize, number: usize) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.numbers[block] = number;
        while let Some(&number) = known.numbers.get(known.next).filter(|&&number| number != UNKNOWN) {
            self.places[known.next].store(known.sum, Ordering::Release);
            known.next += 1;
            known.sum += number;
        }
    }

    /// How many results the blocks before this one have, if all of them are known.
    fn get(&self, block: usize) -> Option<usize> {
        Some(self.places[block].load(Ordering::Acquire)).filter(|&place| place != UNKNOWN)
    }

    /// The results of all blocks, when all are published.
    fn total(&self) -> usize {
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
