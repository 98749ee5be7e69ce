//! Effects of a step that memory does not show yet.

use super::banks::Banks;
use super::counts::{Counts, Span};
use super::memory::{Array, Flags, Memory, Word};
use super::run::Event;
use super::warp::Warp;
use std::mem;

/// Effects of a step so far, which memory does not show yet. It is used again for the next step, as its lists then need
/// no new memory.
#[derive(Debug)]
pub(super) struct Pending<T> {
    pub(super) counts: Counts,
    /// Actions that the threads of the current warp took in the step.
    pub(super) warp: Warp,
    /// Longest chain of steps that the step comes after.
    pub(super) since: Span,
    /// Largest number of operations of any thread in the step.
    pub(super) longest: u64,
    /// Whether the step accessed words of global memory that are not status words.
    pub(super) transfers: bool,
    /// Number of accesses to shared memory in the step.
    pub(super) accesses: usize,
    pub(super) values: Vec<(Array, usize, T)>,
    pub(super) flags: Vec<(Flags, usize, u32)>,
    /// Event of the current thread. This and the fields below stay empty unless the machine records.
    pub(super) event: Event,
    pub(super) events: Vec<Event>,
    /// For each access to shared memory: index of its event, whether it is a write, and its index in the event.
    pub(super) shared: Vec<(usize, bool, usize)>,
    /// Number of an access to shared memory, its conflict degree, and the number of the first access served with it.
    degrees: Vec<(usize, u64, usize)>,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self {
            counts: Counts::default(),
            warp: Warp::default(),
            since: Span::default(),
            longest: 0,
            transfers: false,
            accesses: 0,
            values: Vec::new(),
            flags: Vec::new(),
            event: Event::default(),
            events: Vec::new(),
            shared: Vec::new(),
            degrees: Vec::new(),
        }
    }
}

impl<T: Word> Pending<T> {
    /// Begins a step; `clock` is the longest chain of steps before it.
    pub(super) fn begin(&mut self, clock: Span) {
        (self.since, self.longest, self.transfers, self.accesses) = (clock, 0, false, 0);
    }

    /// Counts the current warp's actions; if it `records`, keeps the degree of each access. Whether the warp diverged.
    pub(super) fn end_warp(&mut self, banks: Banks, records: bool) -> bool {
        let Self { warp, counts, degrees, .. } = self;
        warp.finish(banks, counts, &mut |number, degree, together| {
            if records {
                degrees.push((number, degree, together));
            }
        })
    }

    /// Commits the writes to memory, puts the conflict degrees into the events, and clears all. Returns the outcome.
    pub(super) fn commit(&mut self, memory: &mut Memory<T>) -> Done {
        let is_transfer = self.transfers && self.counts.operations == 0;
        let Span { operations, cycles } = self.since;
        let cycles = if is_transfer { cycles } else { cycles + self.counts.cycles };
        let after = Span { operations: operations + self.longest, cycles };
        for (array, index, value) in self.values.drain(..) {
            memory.values[array.0].words[index] = Some(value);
        }
        for (flags, index, value) in self.flags.drain(..) {
            memory.flags[flags.0].set(index, value, after);
        }
        for (number, degree, together) in self.degrees.drain(..) {
            let (event, write, place) = self.shared[number];
            let event = &mut self.events[event];
            let places = if write { &mut event.writes } else { &mut event.reads };
            if let Some(place) = places.get_mut(place) {
                (place.degree, place.together) = (degree, together);
            }
        }
        self.shared.clear();
        Done { counts: mem::take(&mut self.counts), events: mem::take(&mut self.events), is_transfer, after }
    }
}

/// Outcome of a step: its counts, its events, and the longest chain up to its end.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) counts: Counts,
    pub(super) events: Vec<Event>,
    pub(super) is_transfer: bool,
    pub(super) after: Span,
}
