//! What a run leaves: its steps, what was counted in each, and, where it was recorded, who did what.

use super::counts::{Counts, Span};
use super::memory::Space;

/// An array, as a recorded run knows it.
#[derive(Clone, Debug)]
pub struct ArrayInfo {
    /// Its name in the kernel.
    pub name: &'static str,
    /// Where it lies.
    pub space: Space,
    /// Words of its block's shared memory before it.
    pub offset: usize,
    /// The block whose shared memory it is in.
    pub block: Option<usize>,
    /// What its words held at first.
    pub initial: Vec<Option<String>>,
    /// The number of steps that came before it.
    pub since: usize,
    /// The number of steps after which it was gone; [`None`] if it stayed to the end.
    pub until: Option<usize>,
}

impl ArrayInfo {
    /// Whether it is there after the first `steps` steps.
    #[must_use]
    pub fn lives_after(&self, steps: usize) -> bool {
        self.since <= steps && self.until.is_none_or(|until| steps <= until)
    }
}

/// An access to a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The array: its place in [`Run::arrays`].
    pub array: usize,
    /// The word.
    pub index: usize,
    /// What was read or written.
    pub value: String,
    /// How many threads of the same access of the warp, or half-warp, had different words of the same bank; 1 is no
    /// conflict, 0 stands for global memory.
    pub degree: u64,
    /// The warp, or half-warp, accesses shared memory at once: the accesses of a step that have the same number here.
    pub together: usize,
}

/// What one thread did in a step.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// The thread in its block.
    pub thread: usize,
    /// The words that it read.
    pub reads: Vec<Place>,
    /// The words that it wrote.
    pub writes: Vec<Place>,
    /// How often it combined, compared or counted.
    pub operations: u64,
    /// The threads whose registers it read.
    pub shuffles: Vec<usize>,
    /// What it put into registers that outlast the step: name and value.
    pub kept: Vec<(&'static str, String)>,
    /// For each write that comes from words read in the same step: the place in `reads`, the place in `writes`. These are
    /// the reads since the thread's last write, or else all before; where it combined nothing in between, it copies, and
    /// only a read of the same value counts.
    pub flows: Vec<(usize, usize)>,
}

/// What the threads of one block did in lockstep.
#[derive(Clone, Debug)]
pub struct Step {
    /// The kernel.
    pub kernel: &'static str,
    /// The step's name in the kernel.
    pub label: &'static str,
    /// The block.
    pub block: usize,
    /// What was counted; a barrier counts in the step before it.
    pub counts: Counts,
    /// The warps whose threads went both ways at a branch.
    pub divergent: Vec<usize>,
    /// Who did what; empty unless the machine [records](super::Machine::recording).
    pub events: Vec<Event>,
    /// Whether it only moves words from or to global memory and combines nothing: a load or a store.
    pub is_transfer: bool,
    /// The longest chain up to its end.
    pub after: Span,
}

/// The steps of a run, in the order in which the model took them.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The steps.
    pub steps: Vec<Step>,
    /// The arrays; empty unless the machine [records](super::Machine::recording).
    pub arrays: Vec<ArrayInfo>,
}

impl Run {
    /// All that was counted.
    #[must_use]
    pub fn total(&self) -> Counts {
        self.total_of(|_| true)
    }

    /// What was counted in some of the steps.
    #[must_use]
    pub fn total_of(&self, mut which: impl FnMut(&Step) -> bool) -> Counts {
        let mut total = Counts::default();
        for step in self.steps.iter().filter(|step| which(step)) {
            total += step.counts;
        }
        total
    }

    /// What was counted but for loads and stores, which most texts leave out.
    #[must_use]
    pub fn inner(&self) -> Counts {
        self.total_of(|step| !step.is_transfer)
    }

    /// The longest chain: the depth, and the cycles that no number of blocks can save.
    #[must_use]
    pub fn span(&self) -> Span {
        self.steps.iter().map(|step| step.after).fold(Span::default(), Span::max)
    }

    /// Ends the life of shared memory.
    pub(super) fn end_shared(&mut self) {
        let steps = self.steps.len();
        for array in self.arrays.iter_mut().filter(|array| array.block.is_some()) {
            array.until.get_or_insert(steps);
        }
    }

    /// Forgets what came after the first `steps` steps.
    pub(super) fn end_after(&mut self, steps: usize) {
        self.steps.truncate(steps);
        self.arrays.retain(|array| array.since < steps);
    }

    /// The registers after the first `steps` steps of the block that took the last of them: each name, and what its threads
    /// hold. A register lasts as long as its kernel.
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

    /// What the arrays hold after the first `steps` steps.
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
