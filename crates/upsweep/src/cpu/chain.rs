//! Tickets in order, and a state handed from each ticket to the next.
//!
//! ```text
//! each worker:                               reduce-then-scan of one block a ticket
//!     ticket = next.fetch_add(1)
//!     while ticket < count
//!         aggregate = reduce(block[ticket])          brings the block into this core's cache
//!         following = next.fetch_add(1)
//!         prefix = wait(ticket - 1)                  spins; the block's prefix
//!         publish(ticket, prefix ⊕ aggregate)        the next block's prefix
//!         scan(block[ticket], prefix)                reads the cache, stores around it, fetches block[following]
//!         ticket = following
//! ```
//!
//! Source: the chained scan of Yan, Long and Zhang, "StreamScan: Fast Scan Algorithms for GPUs without Global Barrier
//! Synchronization", 2013, which waits for the predecessor alone. What differs: a block is a part of a core's cache
//! instead of its registers, and the look-back of Merrill and Garland's decoupled scan is left out, because with tens
//! of threads and microseconds a block the predecessor has almost always published already.
//!
//! **Progress.** A worker waits only for lower tickets. The lowest unfinished ticket waits for nobody, and a worker
//! that runs holds it (a worker takes a ticket only when it runs, and finishes its tickets in order), so it is
//! finished however many threads there are.
//!
//! **Panics.** An operator may panic. Its worker then marks the chain as broken while it unwinds, the others leave as
//! soon as they see the mark, and rayon passes the panic on to the caller.
//!
//! # Memory ordering
//! - `publish` writes the state and then sets its flag with `Release`; `wait` sees the flag with `Acquire` and then
//!   reads the state. The flag is the only way to the state, and no other memory passes between workers.
//! - Tickets are `Relaxed`: they only have to be distinct, and nothing is read on the strength of a ticket's value.
//! - `broken` is `Relaxed`: it is a hint to give up, after which no state is read.
//! - What the workers store in the output is seen by the caller because rayon's scope joins them. Non-temporal stores
//!   are not ordered by that join, so each block ends with `store::fence`.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Another worker has panicked.
pub(super) struct Broken;

/// Tickets `0 .. count`, each of which one worker gets.
pub(super) struct Tickets {
    next: AtomicUsize,
    broken: AtomicBool,
    count: usize,
}

impl Tickets {
    pub(super) fn new(count: usize) -> Self {
        Self { next: AtomicUsize::new(0), broken: AtomicBool::new(false), count }
    }

    /// Gives all tickets to `threads` workers of the current rayon pool, of which the calling thread is one.
    /// `process(ticket, following)` is also told which ticket its worker will process next, if any.
    pub(super) fn run(
        &self,
        threads: usize,
        process: impl Fn(usize, Option<usize>) -> Result<(), Broken> + Sync,
    ) {
        let worker = || {
            let guard = BreakOnUnwind(&self.broken);
            let mut next = self.take();
            while let Some(ticket) = next {
                next = self.take();
                if self.broken.load(Ordering::Relaxed) || process(ticket, next).is_err() {
                    break;
                }
            }
            std::mem::forget(guard);
        };
        rayon::in_place_scope(|scope| {
            for _ in 1..threads.min(self.count) {
                scope.spawn(|_| worker());
            }
            worker();
        });
    }

    fn take(&self) -> Option<usize> {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        (ticket < self.count).then_some(ticket)
    }
}

/// Marks the tickets as broken when it is dropped, which only unwinding does.
struct BreakOnUnwind<'a>(&'a AtomicBool);

impl Drop for BreakOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One state a ticket, each published once.
pub(super) struct States<S>(Vec<Slot<S>>);

/// A slot has a cache line of its own, because others poll it.
#[repr(align(64))]
struct Slot<S> {
    ready: AtomicBool,
    state: UnsafeCell<MaybeUninit<S>>,
}

// SAFETY: a state is written by the one worker that publishes it, before its flag is set, and read only after the flag
// has been seen: see "Memory ordering".
unsafe impl<S: Send + Sync> Sync for States<S> {}

impl<S: Copy> States<S> {
    /// The states of `count` tickets.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn new(count: usize) -> crate::Result<Self> {
        let mut slots = Vec::new();
        let bytes = count.saturating_mul(size_of::<Slot<S>>());
        slots.try_reserve_exact(count).map_err(|_| crate::Error::OutOfMemory { bytes })?;
        slots.extend((0..count).map(|_| Slot {
            ready: AtomicBool::new(false),
            state: UnsafeCell::new(MaybeUninit::uninit()),
        }));
        Ok(Self(slots))
    }

    /// Hands `state` on to whoever waits for `ticket`.
    ///
    /// # Safety
    /// Only the worker that holds `ticket` publishes it, and once.
    pub(super) unsafe fn publish(&self, ticket: usize, state: S) {
        let slot = &self.0[ticket];
        // SAFETY: no other worker writes this state (the caller's promise), and none reads it before the flag is set.
        unsafe { (*slot.state.get()).write(state) };
        slot.ready.store(true, Ordering::Release);
    }

    /// The state of `ticket`, if it is published.
    pub(super) fn get(&self, ticket: usize) -> Option<S> {
        let slot = &self.0[ticket];
        // SAFETY: where the flag is seen set, the state was written before, and is never written again.
        slot.ready.load(Ordering::Acquire).then(|| unsafe { (*slot.state.get()).assume_init() })
    }

    /// The state of `ticket`, as soon as it is published.
    pub(super) fn wait(&self, ticket: usize, tickets: &Tickets) -> Result<S, Broken> {
        const SPINS: u32 = 512;
        let mut spins = 0;
        loop {
            if let Some(state) = self.get(ticket) {
                return Ok(state);
            }
            if tickets.broken.load(Ordering::Relaxed) {
                return Err(Broken);
            }
            if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}
