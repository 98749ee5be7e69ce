//! Output offsets of blocks with an unknown number of results (stream compaction): a prefix sum of counts that arrive
//! in any order.
//!
//! ```text
//! each worker:
//!     while (ticket = next.fetch_add(1)) < count
//!         number = read(block[ticket], buffer)       reads the block, and prefetches the next one
//!         publish(ticket, number)
//!         for each waiting block of this worker whose exclusive prefix `before` is known:
//!             store(buffer, output + before)
//! ```
//!
//! A worker publishes the number of results of its block, and goes on to its next block. Each publisher extends the
//! prefix sum as far as numbers are known. So nobody waits for a worker that the scheduler has preempted, until too
//! many of its own blocks wait to be stored.
//!
//! # Memory ordering
//! Numbers go through the mutex. A block's place, which is its output offset, is written under it with `Release` and
//! read with `Acquire`. So a worker that knows the place of a block also knows that all blocks before it have been
//! read, which stores in place need.

use super::chain::{Broken, Tickets};
use crate::tile::store;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_plan::select::CpuSelectPlan;

/// Stream compaction of a call, block by block: reads a block into a buffer, and stores the buffered results.
pub(crate) trait Blocks: Sync {
    /// Buffer for a block's results.
    type Buffer: Send;

    /// Allocates a buffer for blocks of up to `elements` elements.
    ///
    /// # Errors
    /// [`OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
    fn buffer(&self, elements: usize) -> Result<Self::Buffer>;

    /// Reads a block into the buffer, and returns its number of results. `next` is the start of this thread's next
    /// block.
    fn read(&self, range: Range<usize>, next: usize, buffer: &mut Self::Buffer) -> usize;

    /// Stores the `number` results of a block from output offset `before` on.
    fn store(&self, before: usize, number: usize, range: Range<usize>, buffer: &mut Self::Buffer);
}

/// Largest number of blocks of a worker that wait for their offsets: as many as it reads while another worker is
/// preempted. With 3, a call took ten times as long as a copy while two other processes ran on the two cores
/// (2026-11-24).
const MOST_WAITING: usize = 64;

/// State of a worker between its tickets (numbers of the blocks that it takes). No other worker may store its blocks:
/// that worker could hold the ticket that they wait for, and would wait for itself.
struct Worker<B> {
    free: Vec<B>,
    /// Blocks that wait: ticket, number of results, and buffer with the results.
    waiting: VecDeque<(usize, usize, B)>,
}

/// Reads and stores the blocks of `len` elements, and returns the number of results.
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
    // A worker can go on with one buffer, so a lack of memory is an error only here.
    let worker = || Ok(Worker { free: vec![blocks.buffer(elements)?], waiting: VecDeque::new() });
    let mut workers = (0..plan.threads).map(|_| worker().map(Mutex::new)).collect::<Result<Vec<_>>>()?;
    // Stores the waiting blocks whose offsets are known. With `wait`, waits for the oldest.
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
    // Every offset is known now.
    for worker in &mut workers {
        let _never_broken = flush(worker.get_mut().unwrap_or_else(PoisonError::into_inner), false);
    }
    Ok(places.total())
}

/// Value that marks an unknown number of results or an unknown offset.
const UNKNOWN: usize = usize::MAX;

/// Numbers of results of the blocks, and their exclusive prefix sums: the output offsets of the blocks.
struct Places {
    known: Mutex<Known>,
    places: Vec<AtomicUsize>,
}

struct Known {
    numbers: Vec<usize>,
    /// First block whose number of results is not known.
    next: usize,
    /// Number of results of all blocks before `next`.
    sum: usize,
}

impl Places {
    /// Makes the table of `count` blocks. No number of results and no offset is known yet.
    ///
    /// # Errors
    /// [`OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
    fn new(count: usize) -> Result<Self> {
        let numbers = memory::filled(count, UNKNOWN)?;
        let places = memory::collected(count, (0..count).map(|_| AtomicUsize::new(UNKNOWN)))?;
        Ok(Self { known: Mutex::new(Known { numbers, next: 0, sum: 0 }), places })
    }

    /// Publishes that the block has `number` results. Called once for each block.
    fn publish(&self, block: usize, number: usize) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.numbers[block] = number;
        while let Some(&number) = known.numbers.get(known.next).filter(|&&number| number != UNKNOWN) {
            self.places[known.next].store(known.sum, Ordering::Release);
            known.next += 1;
            known.sum += number;
        }
    }

    /// Returns the number of results of all blocks before this one, if it is known.
    fn get(&self, block: usize) -> Option<usize> {
        Some(self.places[block].load(Ordering::Acquire)).filter(|&place| place != UNKNOWN)
    }

    /// Returns the number of results of all blocks, when all are published.
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
