//! A block of threads on the machine.

use super::memory::{Array, Flags, Space};
use super::run::Step;
use super::tally::WarpTally;
use super::thread::Thread;
use super::{Counts, Machine, WARP, Word};
use crate::operator::Operator;
use std::mem;

/// What a block keeps between the phases of its kernel.
#[derive(Debug)]
pub(super) struct State {
    pub(super) kernel: &'static str,
    pub(super) index: usize,
    pub(super) threads: usize,
    pub(super) barriers: u32,
    pub(super) steps: u32,
    /// Where the block's last step is among the run's.
    last_step: Option<usize>,
    shared_words: usize,
    arrays: Vec<Array>,
    tally: WarpTally,
}

impl State {
    pub(super) fn new(kernel: &'static str, index: usize, threads: usize) -> Self {
        let tally = WarpTally::default();
        let arrays = Vec::new();
        Self { kernel, index, threads, barriers: 0, steps: 0, last_step: None, shared_words: 0, arrays, tally }
    }
}

/// A block of threads, from the kernel's point of view.
#[derive(Debug)]
pub struct Block<'a, T> {
    machine: &'a mut Machine<T>,
    state: &'a mut State,
    /// Which block it is.
    pub index: usize,
    /// How many threads it has.
    pub threads: usize,
}

impl<'a, T: Word> Block<'a, T> {
    pub(super) fn new(machine: &'a mut Machine<T>, state: &'a mut State) -> Self {
        let (index, threads) = (state.index, state.threads);
        Self { machine, state, index, threads }
    }

    /// What is combined.
    #[must_use]
    pub fn operator(&self) -> Operator<T> {
        self.machine.operator
    }

    /// An array in shared memory, behind those before it. Its words hold nothing yet.
    pub fn shared(&mut self, name: &'static str, len: usize) -> Array {
        let offset = self.claim(len);
        let array = self.machine.values_at(name, Space::Shared, offset, vec![None; len], Some(self.index));
        self.state.arrays.push(array);
        array
    }

    /// An array of flags in shared memory, behind the arrays before it.
    pub fn shared_flags(&mut self, name: &'static str, len: usize) -> Flags {
        let offset = self.claim(len);
        self.machine.flags_at(name, Space::Shared, offset, vec![None; len], Some(self.index))
    }

    /// The shared array that was the `number`th to be made, in an earlier phase.
    #[must_use]
    pub fn shared_before(&self, number: usize) -> Array {
        self.state.arrays[number]
    }

    fn claim(&mut self, len: usize) -> usize {
        let offset = self.state.shared_words;
        self.state.shared_words += len;
        offset
    }

    /// What all threads do next, in lockstep: reads see what memory held before the step, and what the thread itself wrote
    /// in it.
    pub fn step(&mut self, label: &'static str, mut body: impl FnMut(&mut Thread<'_, T>)) {
        let mut pending = mem::take(&mut self.machine.pending);
        let mut divergent = Vec::new();
        for warp in 0..self.threads.div_ceil(WARP) {
            for index in warp * WARP..self.threads.min((warp + 1) * WARP) {
                let mut thread = Thread::new(self.machine, self.state, &mut pending, label, index);
                body(&mut thread);
                thread.end();
            }
            let (machine, mut counts) = (&*self.machine, mem::take(&mut pending.counts));
            let diverged = self.state.tally.finish(machine.banks, &mut counts, |number, degree| {
                if machine.records {
                    pending.note_degree(number, degree);
                }
            });
            pending.counts = counts;
            if diverged {
                divergent.push(warp);
            }
        }
        let (counts, events) = pending.commit(self.machine);
        self.machine.pending = pending;
        let counts = Counts { steps: 1, threads: self.threads as u64, ..counts };
        self.state.steps += 1;
        self.state.last_step = Some(self.machine.run.steps.len());
        let (kernel, block) = (self.state.kernel, self.index);
        self.machine.run.steps.push(Step { kernel, label, block, counts, divergent, events });
    }

    /// All threads wait for each other.
    pub fn barrier(&mut self) {
        self.state.barriers += 1;
        // Not the run's last step: that may be another block's.
        if let Some(step) = self.state.last_step {
            self.machine.run.steps[step].counts.barriers += 1;
        }
    }
}

impl State {
    pub(super) fn tally(&mut self) -> &mut WarpTally {
        &mut self.tally
    }
}
