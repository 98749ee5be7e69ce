//! Run: its steps, the counts of each, and, if it was recorded, the events of its threads.

use super::counts::{Counts, Span};
use super::memory::Space;

/// Array that a kernel of a recorded run used.
#[derive(Clone, Debug)]
pub struct ArrayInfo {
    /// Name of the array in the kernel.
    pub name: &'static str,
    /// Memory space of the array.
    pub space: Space,
    /// Number of words before the array in its block's shared memory.
    pub offset: usize,
    /// Block whose shared memory the array is in.
    pub block: Option<usize>,
    /// Contents of the array's words when it was allocated; [`None`]: unwritten.
    pub initial: Vec<Option<String>>,
    /// Number of steps before the array was allocated.
    pub since: usize,
    /// Number of steps after which the array was freed; [`None`] if it stayed to the end.
    pub until: Option<usize>,
}

impl ArrayInfo {
    /// Whether the array is allocated after the first `steps` steps.
    #[must_use]
    pub fn lives_after(&self, steps: usize) -> bool {
        self.since <= steps && self.until.is_none_or(|until| steps <= until)
    }
}

/// Access of a thread to a word of an array, in a recorded step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the array in [`Run::arrays`].
    pub array: usize,
    /// Index of the word.
    pub index: usize,
    /// Value that was read or written.
    pub value: String,
    /// Conflict degree: the number of threads of the same access of the warp, or half-warp, with different words of the
    /// same bank; 1 is no conflict, 0 stands for global memory.
    pub degree: u64,
    /// Number of the warp's, or half-warp's, access to shared memory: accesses of a step with the same number are one.
    pub together: usize,
}

/// Actions of one thread in a step.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// Index of the thread in its block.
    pub thread: usize,
    /// Words that the thread read.
    pub reads: Vec<Place>,
    /// Words that the thread wrote.
    pub writes: Vec<Place>,
    /// Number of times that the thread combined or compared values, or added counts.
    pub operations: u64,
    /// Indices of the threads whose registers the thread read.
    pub shuffles: Vec<usize>,
    /// Registers that the thread wrote and that outlast the step: name and value.
    pub kept: Vec<(&'static str, String)>,
    /// Data flow of each write that comes from words read in the same step: index in `reads`, index in `writes`. Its
    /// sources are the reads since the thread's last write, or if there are none all reads before. If the thread
    /// combined nothing in between, it copies, and only a read of the same value is a source.
    pub flows: Vec<(usize, usize)>,
}

/// Step: the actions of one block's threads in lockstep.
#[derive(Clone, Debug)]
pub struct Step {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Label of the step in the kernel.
    pub label: &'static str,
    /// Index of the block in its launch.
    pub block: usize,
    /// Counts of the step; a barrier counts in the step before it.
    pub counts: Counts,
    /// Indices of the warps whose threads diverged at a branch.
    pub divergent: Vec<usize>,
    /// Events of the threads; empty unless the machine [records](super::Machine::recording).
    pub events: Vec<Event>,
    /// Whether the step accesses global memory, other than status words, and combines nothing: a load or a store.
    pub is_transfer: bool,
    /// Longest chain of dependent steps up to the end of this one.
    pub after: Span,
}

/// Steps of a run, in the order in which the model took them.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Steps of all blocks.
    pub steps: Vec<Step>,
    /// Arrays; empty unless the machine [records](super::Machine::recording).
    pub arrays: Vec<ArrayInfo>,
}

impl Run {
    /// Sums the counts of all steps.
    #[must_use]
    pub fn total(&self) -> Counts {
        self.total_of(|_| true)
    }

    /// Sums the counts of the steps that `which` picks.
    #[must_use]
    pub fn total_of(&self, mut which: impl FnMut(&Step) -> bool) -> Counts {
        let mut total = Counts::default();
        for step in self.steps.iter().filter(|step| which(step)) {
            total += step.counts;
        }
        total
    }

    /// Sums the counts of all steps but loads and stores, which most texts leave out.
    #[must_use]
    pub fn inner(&self) -> Counts {
        self.total_of(|step| !step.is_transfer)
    }

    /// Returns the longest chain of dependent steps: the depth, and the cycles that no number of blocks can save.
    #[must_use]
    pub fn span(&self) -> Span {
        self.steps.iter().map(|step| step.after).fold(Span::default(), Span::max)
    }

    /// Marks the arrays in shared memory as freed after the last step so far.
    pub(super) fn end_shared(&mut self) {
        let steps = self.steps.len();
        for array in self.arrays.iter_mut().filter(|array| array.block.is_some()) {
            array.until.get_or_insert(steps);
        }
    }

    /// Drops all steps but the first `steps`, and arrays that were allocated later.
    pub(super) fn end_after(&mut self, steps: usize) {
        self.steps.truncate(steps);
        self.arrays.retain(|array| array.since < steps);
    }

    /// Returns the registers, after the first `steps` steps, of the block that took the last of them: each name, and
    /// the values of its threads. A register lasts as long as its kernel.
    #[must_use]
    pub fn registers_after(&self, steps: usize) -> Vec<(&'static str, Vec<Option<String>>)> {
        let mut registers: Vec<(&'static str, Vec<Option<String>>)> = Vec::new();
        let Some(last) = steps.checked_sub(1).and_then(|last| self.steps.get(last)) else { return registers };
        let before = self.steps[..steps].iter().rev().take_while(|step| step.kernel == last.kernel).count();
        let own = self.steps[steps - before..steps].iter().filter(|step| step.block == last.block);
        for (event, step) in own.flat_map(|step| step.events.iter().map(move |event| (event, step))) {
            for (name, value) in &event.kept {
                let place = registers.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                    registers.push((name, vec![None; step.counts.threads as usize]));
                    registers.len() - 1
                });
                if let Some(register) = registers[place].1.get_mut(event.thread) {
                    *register = Some(value.clone());
                }
            }
        }
        registers
    }

    /// Returns the contents of the arrays after the first `steps` steps.
    #[must_use]
    pub fn memory_after(&self, steps: usize) -> Vec<Vec<Option<String>>> {
        let mut memory: Vec<_> = self.arrays.iter().map(|array| array.initial.clone()).collect();
        for event in self.steps.iter().take(steps).flat_map(|step| &step.events) {
            for place in &event.writes {
                memory[place.array][place.index] = Some(place.value.clone());
            }
        }
        memory
    }
}
