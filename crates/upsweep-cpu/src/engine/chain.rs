//! Tickets in order, and a state handed from each ticket to the next.
//!
//! ```text
//! each worker:                               reduce-then-scan of one block a ticket
//!     while (ticket = next.fetch_add(1)) < count
//!         step = reduce(block[ticket])               reads the block into this core's cache
//!         prefix = wait(ticket - 1)                  the block's prefix
//!         publish(ticket, prefix ⊕ step)             the next block's prefix
//!         scan(block[ticket], prefix)                reads the cache, stores past it, fetches the block
//!                                                    of its next ticket
//!
//! wait(ticket):
//!     spin for some microseconds until state[ticket] is ready
//!     claim(ticket), or go on spinning
//!     state[ticket] = wait(ticket - 1) ⊕ reduce(block[ticket])
//! ```
//!
//! Sources: the chained scan of Yan, Long and Zhang, "StreamScan: Fast Scan Algorithms for GPUs without Global Barrier
//! Synchronization", 2013, which waits for the predecessor alone; and Smith, Levien and Owens, "Decoupled Fallback: A
//! Portable Single-Pass GPU Scan", 2025, where those who wait do the work of a predecessor that the scheduler has put
//! aside: on a machine with other work, one such worker would otherwise hold up all others for milliseconds. What
//! differs: a block is a part of a core's cache instead of its registers, and there is no look-back over aggregates,
//! because with tens of threads and microseconds a block the predecessor has almost always published its state.
//!
//! **Progress.** A worker waits for lower tickets only, or for the one that helps with its own. The lowest unpublished
//! ticket waits for nobody, and a worker that runs holds it or has claimed it, so it is published however many threads
//! there are.
//!
//! **Panics.** An operator may panic. Its worker then marks the tickets as broken while it unwinds, the others leave as
//! soon as they see the mark, and rayon passes the panic on to the caller.
//!
//! # Memory ordering
//! - A slot goes from `EMPTY` to `CLAIMED` once, by a compare-exchange, and then to `READY`. Only who claimed it writes
//!   the state, and then sets `READY` with `Release`; readers see `READY` with `Acquire` and then read the state. Who
//!   publishes makes no difference: the state is the same bits.
//! - In place, the holder of a ticket overwrites its block. It does so only after its slot is `READY`, and a helper reads
//!   the block only between `CLAIMED` and `READY`, so the same pair orders these reads before the holder's writes.
//! - Tickets are `Relaxed`: they only have to be distinct, and nothing is read on the strength of a ticket's value.
//! - `broken` is `Relaxed`: it is a hint to give up, after which no state is read.
//! - What the workers store in the output is seen by the caller because rayon's scope joins them. Non-temporal stores
//!   are not ordered by that join, so each block ends with `store::fence`.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use upsweep_core::memory;

/// Another worker has panicked.
pub(crate) struct Broken;

/// Tickets `0 .. count`, each of which one worker gets.
pub(crate) struct Tickets {
    next: AtomicUsize,
    broken: AtomicBool,
    count: usize,
}

impl Tickets {
    pub(crate) fn new(count: usize) -> Self {
        Self { next: AtomicUsize::new(0), broken: AtomicBool::new(false), count }
    }

    /// Gives all tickets to `threads` workers of the current rayon pool, of which the calling thread is one.
    /// `process(ticket, following)` is also told which ticket its worker will process next, if any.
    pub(crate) fn run(&self, threads: usize, process: &(dyn Fn(usize, Option<usize>) -> Result<(), Broken> + Sync)) {
        self.run_numbered(threads, &|_, ticket, following| process(ticket, following));
    }

    /// The same; `process` is also told which of the workers it is, first of all.
    pub(crate) fn run_numbered(
        &self,
        threads: usize,
        process: &(dyn Fn(usize, usize, Option<usize>) -> Result<(), Broken> + Sync),
    ) {
        #[cfg(test)]
        ran::count(self.count, threads);
        let worker = |number: usize| {
            let guard = BreakOnUnwind(&self.broken);
            let mut next = self.take();
            while let Some(ticket) = next {
                next = self.take();
                if self.broken.load(Ordering::Relaxed) || process(number, ticket, next).is_err() {
                    break;
                }
            }
            std::mem::forget(guard);
        };
        rayon::in_place_scope(|scope| {
            let worker = &worker;
            for number in 1..threads.min(self.count) {
                scope.spawn(move |_| worker(number));
            }
            worker(0);
        });
    }

    /// Gives all tickets to the calling thread, in order.
    #[inline(always)]
    pub(crate) fn in_order(count: usize, mut process: impl FnMut(usize)) {
        #[cfg(test)]
        ran::count(count, 1);
        // No `for_each`: where that is not inlined, what `process` captures goes through memory.
        for ticket in 0..count {
            process(ticket);
        }
    }

    /// Whether a worker has panicked.
    pub(crate) fn are_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
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
pub(crate) struct States<S>(Vec<Slot<S>>);

/// A slot has a cache line of its own, because others poll it.
#[repr(align(64))]
struct Slot<S> {
    /// [`EMPTY`], [`CLAIMED`] or [`READY`].
    stage: AtomicU8,
    state: UnsafeCell<MaybeUninit<S>>,
}

const EMPTY: u8 = 0;
/// Somebody is about to publish.
const CLAIMED: u8 = 1;
const READY: u8 = 2;

// SAFETY: a state is written by the one worker that claimed its slot, before the slot is ready, and read only after that
// has been seen: see "Memory ordering".
unsafe impl<S: Send + Sync> Sync for States<S> {}

impl<S: Copy> States<S> {
    /// The states of `count` tickets.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
    pub(crate) fn new(count: usize) -> upsweep_core::error::Result<Self> {
        let slot = |_| Slot { stage: AtomicU8::new(EMPTY), state: UnsafeCell::new(MaybeUninit::uninit()) };
        Ok(Self(memory::collected(count, (0..count).map(slot))?))
    }

    /// Makes the state of `ticket` known, unless somebody else does; returns whether it was this call.
    pub(crate) fn publish(&self, ticket: usize, state: S) -> bool {
        let claimed = self.claim(ticket);
        if claimed {
            // SAFETY: this call has claimed it.
            unsafe { self.fill(ticket, state) };
        }
        claimed
    }

    /// Whether this call, of all that ever claim `ticket`, is the first.
    fn claim(&self, ticket: usize) -> bool {
        let stage = &self.0[ticket].stage;
        stage.compare_exchange(EMPTY, CLAIMED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Writes a state.
    ///
    /// # Safety
    /// The caller has claimed `ticket`, and fills it once.
    unsafe fn fill(&self, ticket: usize, state: S) {
        let slot = &self.0[ticket];
        // SAFETY: nobody else writes this state, as the caller has claimed it, and none reads it before it is ready.
        unsafe { (*slot.state.get()).write(state) };
        slot.stage.store(READY, Ordering::Release);
    }

    /// The state of `ticket`, if it is published.
    pub(crate) fn get(&self, ticket: usize) -> Option<S> {
        let slot = &self.0[ticket];
        // SAFETY: where it is seen ready, the state was written before, and is never written again.
        (slot.stage.load(Ordering::Acquire) == READY).then(|| unsafe { (*slot.state.get()).assume_init() })
    }

    /// The state of `ticket`, as soon as it is published.
    pub(crate) fn wait(&self, ticket: usize, tickets: &Tickets) -> Result<S, Broken> {
        loop {
            if let Some(state) = self.spin(ticket, tickets)? {
                return Ok(state);
            }
            std::thread::yield_now();
        }
    }

    /// The state of `ticket`, if it is published within some microseconds.
    fn spin(&self, ticket: usize, tickets: &Tickets) -> Result<Option<S>, Broken> {
        const SPINS: u32 = 1024;
        for _ in 0..SPINS {
            if let Some(state) = self.get(ticket) {
                return Ok(Some(state));
            }
            if tickets.broken.load(Ordering::Relaxed) {
                return Err(Broken);
            }
            std::hint::spin_loop();
        }
        Ok(None)
    }
}

/// What a ticket makes of the state before it.
#[derive(Clone, Copy)]
pub(crate) enum Step<S> {
    /// Replaces it.
    Sets(S),
    /// Combines it, from the left, with this.
    Adds(S),
}

/// States whose steps anyone can compute.
pub(crate) struct Chain<'a, S> {
    pub(crate) tickets: Tickets,
    pub(crate) states: States<S>,
    /// The step of a ticket. Ticket 0 sets.
    pub(crate) step: &'a (dyn Fn(usize) -> Step<S> + Sync),
    pub(crate) combine: &'a (dyn Fn(S, S) -> S + Sync),
}

impl<S: Copy> Chain<'_, S> {
    /// The state after `ticket`, as soon as it is known. When that takes long, this computes and publishes what is
    /// missing.
    pub(crate) fn wait(&self, ticket: usize) -> Result<S, Broken> {
        // The tickets claimed here, which are neighbours, with their steps.
        let mut claimed = Vec::new();
        let mut first = ticket;
        let mut state = loop {
            if let Some(state) = self.states.spin(first, &self.tickets)? {
                break state;
            }
            if !self.states.claim(first) {
                std::thread::yield_now();
                continue;
            }
            match (self.step)(first) {
                Step::Sets(state) => {
                    // SAFETY: it has been claimed here.
                    unsafe { self.states.fill(first, state) };
                    break state;
                }
                Step::Adds(step) => {
                    claimed.push(step);
                    first -= 1;
                }
            }
        };
        for (back, step) in claimed.into_iter().enumerate().rev() {
            state = (self.combine)(state, step);
            // SAFETY: it has been claimed here.
            unsafe { self.states.fill(ticket - back, state) };
        }
        Ok(state)
    }
}

/// The tickets and the threads of the last call on this thread, for the tests of the plan.
#[cfg(test)]
pub(crate) mod ran {
    use std::cell::Cell;

    thread_local! {
        pub(crate) static LAST: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    pub(crate) fn count(tickets: usize, threads: usize) {
        LAST.set((tickets, threads));
    }
}
