//! Turns: threads take tickets in order, and each does a part of its work when all earlier tickets have done theirs.
//!
//! A turn waits for no task of the pool: the thread could take up another ticket meanwhile, which would wait for the turn
//! below it on the same stack. So what a turn computes is shorter than what the library shares among threads, 2 MiB.

use crate::failure::{Failure, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Tickets from 0 on, and the state that goes from turn to turn.
pub(super) struct Turns<S> {
    count: usize,
    next: AtomicUsize,
    inner: Mutex<Inner<S>>,
    moved: Condvar,
}

struct Inner<S> {
    /// Ticket whose turn it is.
    turn: usize,
    /// Failure of the lowest ticket that failed. Lower ones go on, so that it does not depend on the speed of threads
    /// which failure of several is told.
    failure: Option<(usize, Failure)>,
    state: S,
}

impl<S: Send> Turns<S> {
    pub(super) fn new(count: usize, state: S) -> Self {
        let inner = Inner { turn: 0, failure: None, state };
        Self { count, next: AtomicUsize::new(0), inner: Mutex::new(inner), moved: Condvar::new() }
    }

    /// Gives the tickets to as many threads of the pool as there are `rooms`, the calling one among them. `work` does one
    /// ticket. Returns the state after all turns.
    pub(super) fn run<R: Send>(
        self,
        rooms: &mut [R],
        work: impl Fn(&Self, usize, &mut R) -> Result<()> + Sync,
    ) -> Result<S> {
        let (turns, work) = (&self, &work);
        let all = |room: &mut R| {
            while let Some(ticket) = turns.take() {
                if let Err(failure) = work(turns, ticket, room) {
                    turns.fail(ticket, failure);
                }
            }
        };
        rayon::in_place_scope(|scope| {
            if let Some((own, others)) = rooms.split_first_mut() {
                for room in others {
                    scope.spawn(move |_| all(room));
                }
                all(own);
            }
        });
        let Inner { failure, state, .. } = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(state), |(_, failure)| Err(failure))
    }

    /// Lets `act` work on the state when it is the turn of `ticket`. Returns `None` if an earlier ticket has failed.
    pub(super) fn in_turn<T>(&self, ticket: usize, act: impl FnOnce(&mut S) -> Result<T>) -> Result<Option<T>> {
        let mut inner = self.lock();
        while inner.turn < ticket && !inner.failed_before(ticket) {
            inner = self.moved.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        if inner.failed_before(ticket) {
            return Ok(None);
        }
        let done = act(&mut inner.state)?;
        inner.turn += 1;
        drop(inner);
        self.moved.notify_all();
        Ok(Some(done))
    }

    /// Lets `act` work on the state at once, whosever turn it is.
    pub(super) fn at_once<T>(&self, act: impl FnOnce(&mut S) -> T) -> T {
        act(&mut self.lock().state)
    }

    fn take(&self) -> Option<usize> {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        (ticket < self.count && !self.lock().failed_before(ticket)).then_some(ticket)
    }

    fn fail(&self, ticket: usize, failure: Failure) {
        let mut inner = self.lock();
        if !inner.failed_before(ticket) {
            inner.failure = Some((ticket, failure));
        }
        drop(inner);
        self.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Inner<S> {
    fn failed_before(&self, ticket: usize) -> bool {
        self.failure.as_ref().is_some_and(|&(failed, _)| failed <= ticket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(ticket: usize) -> Failure {
        Failure::Run(ticket.to_string())
    }

    #[test]
    fn turns_come_in_order() {
        let turns = Turns::new(1000, Vec::new());
        let order = turns.run(&mut [0u8; 4], |turns, ticket, _| {
            turns.in_turn(ticket, |order: &mut Vec<usize>| {
                order.push(ticket);
                Ok(())
            })?;
            Ok(())
        });
        assert_eq!(order.ok(), Some((0..1000).collect()));
    }

    /// The lowest ticket's failure is told, though others fail earlier and outside of their turn.
    #[test]
    fn the_first_failure_is_told() {
        for _ in 0..200 {
            let turns = Turns::new(100, 0);
            let failed = turns.run(&mut [0u8; 4], |turns, ticket, _| {
                if ticket > 5 {
                    return Err(failure(ticket));
                }
                turns.in_turn(ticket, |_| if ticket == 5 { Err(failure(ticket)) } else { Ok(()) })?;
                Ok(())
            });
            assert!(matches!(failed, Err(Failure::Run(said)) if said == "5"));
        }
    }
}
