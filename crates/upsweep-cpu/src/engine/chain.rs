//! Chained scan over blocks: tickets in order, and a state published for each ticket.
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
//! wait(ticket):                              with decoupled fallback
//!     spin for some microseconds until state[ticket] is ready
//!     claim(ticket), or go on spinning
//!     state[ticket] = wait(ticket - 1) ⊕ reduce(block[ticket])
//! ```
//!
//! Sources: the chained scan of Yan, Long and Zhang, "StreamScan: Fast Scan Algorithms for GPUs without Global Barrier
//! Synchronization", 2013, which waits for the predecessor alone; and Smith, Levien and Owens, "Decoupled Fallback: A
//! Portable Single-Pass GPU Scan", 2025, in which waiting workers do the work of a predecessor that the scheduler has
//! preempted. On a machine with other work, one preempted worker would otherwise hold up all others for milliseconds.
//! Two things differ: a block fills a part of a core's cache instead of its registers, and there is no look-back over
//! aggregates. With tens of threads and microseconds a block, the predecessor has almost always published its state.
//!
//! **Progress.** A worker waits for lower tickets only, or for the worker that helps with its own. The lowest
//! unpublished ticket waits for nobody, and a worker that runs holds it or has claimed it, so it is published however
//! many threads there are.
//!
//! **Panics.** An operator may panic. Its worker then marks the tickets as broken while it unwinds, other workers leave
//! as soon as they see the mark, and rayon passes the panic on to the caller.
//!
//! # Memory ordering
//! - A slot goes from `EMPTY` to `CLAIMED` once, by a compare-exchange, and then to `READY`. Only the worker that
//!   claimed it writes the state, and then sets `READY` with `Release`. Readers see `READY` with `Acquire` and then
//!   read the state. All possible publishers write the same bits.
//! - In place, the holder of a ticket overwrites its block. It does so only after its slot is `READY`, and a helper
//!   reads the block only between `CLAIMED` and `READY`, so the same pair orders these reads before the holder's
//!   writes.
//! - Tickets are `Relaxed`: they only have to be distinct, and nothing is read on the strength of a ticket's value.
//! - `broken` is `Relaxed`: it is a hint to give up, after which no state is read.
//! - The caller sees the workers' stores to the output because rayon's scope joins the workers. Non-temporal stores are
//!   not ordered by that join, so each block ends with `store::fence`.

use super::apart::fork;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use upsweep_core::memory;

/// Signal that another worker has panicked.
pub(crate) struct Broken;

/// Tickets `0 .. count`: numbers of the units of work of a call, such as blocks. Each goes to one worker, which does
/// that work.
pub(crate) struct Tickets {
    next: AtomicUsize,
    broken: AtomicBool,
    count: usize,
}

impl Tickets {
    pub(crate) fn new(count: usize) -> Self {
        Self { next: AtomicUsize::new(0), broken: AtomicBool::new(false), count }
    }

    /// Gives all tickets to `threads` workers of the current rayon pool. The calling thread is one of them. The
    /// arguments of `process` are the ticket, and the ticket that its worker will process next, if any.
    pub(crate) fn run(&self, threads: usize, process: &(dyn Fn(usize, Option<usize>) -> Result<(), Broken> + Sync)) {
        self.run_numbered(threads, &|_, ticket, following| process(ticket, following));
    }

    /// `run` with the worker's number as the first argument of `process`.
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
        fork(threads.min(self.count), &worker);
    }

    /// Gives all tickets to the calling thread, in order.
    #[inline(always)]
    pub(crate) fn in_order(count: usize, mut process: impl FnMut(usize)) {
        #[cfg(test)]
        ran::count(count, 1);
        // No `for_each`: if it is not inlined, the captures of `process` go through memory.
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

/// Guard that marks the tickets as broken when it is dropped, which happens only during unwinding.
struct BreakOnUnwind<'a>(&'a AtomicBool);

impl Drop for BreakOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// States of the tickets: the state of a ticket is the one after its block. Each is published once.
pub(crate) struct States<S>(Vec<Slot<S>>);

/// Slot of a state. It has a cache line of its own, because other workers poll it.
#[repr(align(64))]
struct Slot<S> {
    /// Stage of the state: [`EMPTY`], [`CLAIMED`] or [`READY`].
    stage: AtomicU8,
    state: UnsafeCell<MaybeUninit<S>>,
}

const EMPTY: u8 = 0;
/// Stage of a slot whose worker is about to publish.
const CLAIMED: u8 = 1;
const READY: u8 = 2;

// SAFETY: a state is written by the one worker that claimed its slot, before the slot is ready. Other workers read it
// only after they have seen that it is ready: see "Memory ordering".
unsafe impl<S: Send + Sync> Sync for States<S> {}

impl<S: Copy> States<S> {
    /// Makes empty slots for `count` tickets.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
    pub(crate) fn new(count: usize) -> upsweep_core::error::Result<Self> {
        let slot = |_| Slot { stage: AtomicU8::new(EMPTY), state: UnsafeCell::new(MaybeUninit::uninit()) };
        Ok(Self(memory::collected(count, (0..count).map(slot))?))
    }

    /// Publishes the state of `ticket`, unless another worker has claimed it. Returns whether this call published it.
    pub(crate) fn publish(&self, ticket: usize, state: S) -> bool {
        let claimed = self.claim(ticket);
        if claimed {
            // SAFETY: this call has claimed the ticket.
            unsafe { self.fill(ticket, state) };
        }
        claimed
    }

    /// Claims `ticket`. Returns whether this call is the first to claim it.
    fn claim(&self, ticket: usize) -> bool {
        let stage = &self.0[ticket].stage;
        stage.compare_exchange(EMPTY, CLAIMED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Writes the state of `ticket` to its slot, and marks the slot as ready.
    ///
    /// # Safety
    /// The caller has claimed `ticket`, and fills it once.
    unsafe fn fill(&self, ticket: usize, state: S) {
        let slot = &self.0[ticket];
        // SAFETY: nobody else writes this state, as the caller has claimed it, and nobody reads it before it is ready.
        unsafe { (*slot.state.get()).write(state) };
        slot.stage.store(READY, Ordering::Release);
    }

    /// Returns the state of `ticket`, if it is published.
    pub(crate) fn get(&self, ticket: usize) -> Option<S> {
        let slot = &self.0[ticket];
        // SAFETY: a ready state has been written, and is never written again.
        (slot.stage.load(Ordering::Acquire) == READY).then(|| unsafe { (*slot.state.get()).assume_init() })
    }

    /// Waits until the state of `ticket` is published, and returns it.
    pub(crate) fn wait(&self, ticket: usize, tickets: &Tickets) -> Result<S, Broken> {
        loop {
            if let Some(state) = self.spin(ticket, tickets)? {
                return Ok(state);
            }
            std::thread::yield_now();
        }
    }

    /// Returns the state of `ticket`, if it is published within some microseconds.
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

/// Effect of a ticket's block on the running state: how the ticket's state follows from that of the ticket before.
#[derive(Clone, Copy)]
pub(crate) enum Step<S, A = S> {
    /// The ticket's state is this value, whatever the state before.
    Sets(S),
    /// The ticket's state is the state before, combined with this on its right.
    Adds(A),
}

/// Chain in which the state of each ticket follows from the state before and the ticket's step. Any worker can compute
/// any step.
pub(crate) struct Chain<'a, S, A = S> {
    pub(crate) tickets: Tickets,
    pub(crate) states: States<S>,
    /// Function that computes the step of a ticket: the effect of its block on the state before. The step of
    /// ticket 0 is `Sets`.
    pub(crate) step: &'a (dyn Fn(usize) -> Step<S, A> + Sync),
    pub(crate) combine: &'a (dyn Fn(S, A) -> S + Sync),
}

impl<S: Copy, A> Chain<'_, S, A> {
    /// Waits for the state after `ticket`, and returns it. If that takes long, this computes and publishes the missing
    /// states.
    pub(crate) fn wait(&self, ticket: usize) -> Result<S, Broken> {
        // Steps (effects of a block on the state) of the tickets claimed here, which are consecutive.
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
                    // SAFETY: `first` has been claimed above.
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
            // SAFETY: this call has claimed all tickets from `first + 1` to `ticket`, and fills each once.
            unsafe { self.states.fill(ticket - back, state) };
        }
        Ok(state)
    }
}

/// Record of the tickets and threads of the last call on this thread, for the tests of the plan.
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
