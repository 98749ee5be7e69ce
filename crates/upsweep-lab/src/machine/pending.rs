//! What a step has done that memory does not show yet.

use super::banks::Banks;
use super::counts::{Counts, Span};
use super::memory::{Array, Flags, Memory, Word};
use super::run::Event;
use super::warp::Warp;
use std::mem;

/// What a step has done so far, and memory does not show yet. It is used again for the next step, as its lists then need no
/// new memory.
#[derive(Debug)]
pub(super) struct Pending<T> {
    pub(super) counts: Counts,
    /// What the current warp does.
    pub(super) warp: Warp,
    /// The longest chain before the step.
    pub(super) since: Span,
    /// The most operations of a thread.
    pub(super) longest: u64,
    /// Whether words of plain global memory were accessed.
    pub(super) transfers: bool,
    /// Accesses to shared memory.
    pub(super) accesses: usize,
    pub(super) values: Vec<(Array, usize, T)>,
    pub(super) flags: Vec<(Flags, usize, u32)>,
    /// What the current thread does. This and what follows stays empty unless the machine records.
    pub(super) event: Event,
    pub(super) events: Vec<Event>,
    /// For each access to shared memory: the event, whether it is a write, its place there. Then the degrees come in.
    pub(super) shared: Vec<(usize, bool, usize)>,
    /// The access, its degree, and the first of those that are served with it.
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
    /// Begins a step, before which `clock` had passed.
    pub(super) fn begin(&mut self, clock: Span) {
        (self.since, self.longest, self.transfers, self.accesses) = (clock, 0, false, 0);
    }

    /// Ends a warp's part of the step; `records`: each access is told its degree. Returns whether the warp diverged.
    pub(super) fn end_warp(&mut self, banks: Banks, records: bool) -> bool {
        let Self { warp, counts, degrees, .. } = self;
        warp.finish(banks, counts, &mut |number, degree, together| {
            if records {
                degrees.push((number, degree, together));
            }
        })
    }

    /// Writes what was written, tells the events of their conflicts, and begins anew. Returns what the step did.
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

/// What a step did.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) counts: Counts,
    pub(super) events: Vec<Event>,
    pub(super) is_transfer: bool,
    pub(super) after: Span,
}
