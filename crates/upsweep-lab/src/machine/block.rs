//! Block of threads on the machine.

use super::counts::Counts;
use super::memory::{Array, Flags, Space, Word};
use super::model::Machine;
use super::pending::Done;
use super::run::Step;
use super::shape::Shape;
use super::state::State;
use super::thread::Thread;
use crate::operator::Operator;
use std::mem;

/// Block of threads, as a kernel sees it.
#[derive(Debug)]
pub struct Block<'a, T> {
    machine: &'a mut Machine<T>,
    state: &'a mut State,
    /// Index of the block in its launch.
    pub index: usize,
    /// Number of threads of the block.
    pub threads: usize,
}

impl<'a, T: Word> Block<'a, T> {
    pub(super) fn new(machine: &'a mut Machine<T>, state: &'a mut State) -> Self {
        let (index, threads) = (state.index, state.threads);
        Self { machine, state, index, threads }
    }

    /// Returns the operator that the run combines elements with.
    #[must_use]
    pub fn operator(&self) -> Operator<T> {
        self.machine.operator
    }

    /// Returns the sizes of the machine.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.machine.shape
    }

    /// Allocates an array in shared memory, after the arrays before it. Its words are unwritten.
    pub fn shared(&mut self, name: &'static str, len: usize) -> Array {
        let offset = self.claim(len);
        let array = self.machine.values_at(name, Space::Shared, offset, vec![None; len], Some(self.index));
        self.state.arrays.push(array);
        array
    }

    /// Allocates an array of flags in shared memory, after the arrays before it; they are unwritten.
    pub fn shared_flags(&mut self, name: &'static str, len: usize) -> Flags {
        let offset = self.claim(len);
        self.machine.flags_at(name, Space::Shared, offset, vec![None; len], Some(self.index))
    }

    /// Returns the array in shared memory, the `number`th (from 0), that an earlier phase of the kernel allocated.
    #[must_use]
    pub fn shared_before(&self, number: usize) -> Array {
        self.state.arrays[number]
    }

    fn claim(&mut self, len: usize) -> usize {
        let offset = self.state.shared_words;
        self.state.shared_words += len;
        offset
    }

    /// Runs all threads in lockstep: reads see the contents of memory before the step, and the thread's own writes in
    /// it.
    pub fn step(&mut self, label: &'static str, mut body: impl FnMut(&mut Thread<'_, T>)) {
        self.take_step(label, &mut body);
    }

    /// Part of `step` that depends on no kernel's closure type, so that it is compiled once.
    fn take_step(&mut self, label: &'static str, body: &mut dyn FnMut(&mut Thread<'_, T>)) {
        let mut pending = mem::take(&mut self.machine.pending);
        pending.begin(self.state.clock);
        let mut divergent = Vec::new();
        let width = self.machine.shape.warp;
        for warp in 0..self.threads.div_ceil(width) {
            for index in warp * width..self.threads.min((warp + 1) * width) {
                let mut thread = Thread::new(self.machine, self.state, &mut pending, label, index);
                body(&mut thread);
                thread.end();
            }
            if pending.end_warp(self.machine.shape.banks, self.machine.records) {
                divergent.push(warp);
            }
        }
        let Done { counts, events, is_transfer, after } = pending.commit(&mut self.machine.memory);
        self.machine.pending = pending;
        let counts = Counts { threads: self.threads as u64, ..counts };
        self.state.steps += 1;
        self.state.clock = after;
        self.state.last_step = Some(self.machine.run.steps.len());
        let (kernel, block) = (self.state.kernel, self.index);
        self.machine.run.steps.push(Step { kernel, label, block, counts, divergent, events, is_transfer, after });
    }

    /// Barrier: all threads wait for each other.
    pub fn barrier(&mut self) {
        self.state.barriers += 1;
        // The barrier counts in this block's last step; the run's last step may be another block's.
        if let Some(step) = self.state.last_step {
            self.machine.run.steps[step].counts.barriers += 1;
        }
    }
}
