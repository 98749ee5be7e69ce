//! The machine model: blocks of threads in warps, memory in banks, barriers, and everything counted.
//!
//! A kernel is Rust code that reads as its CUDA twin does. Between two barriers it takes [`Block::step`]s: a step is what
//! all threads of the block do in lockstep, warp by warp, and the model knows it access by access:
//!
//! ```
//! use upsweep_lab::machine::{Banks, Machine};
//! use upsweep_lab::operator::Operator;
//!
//! // Every thread adds its right neighbour's word to its own.
//! let mut machine = Machine::new(Operator::<i64>::sum(), Banks::ThirtyTwo);
//! let x = machine.array("x", &[3, 1, 7, 0, 4]);
//! machine.launch("neighbours", 1, 4, |block| {
//!     let sum = block.shared("sum", 5);
//!     block.step("load", |t| {
//!         t.copy(x, t.index, sum, t.index);
//!         if t.branch(t.index == 0) {
//!             t.copy(x, 4, sum, 4);
//!         }
//!     });
//!     block.barrier();
//!     block.step("add", |t| {
//!         let left = t.read(sum, t.index);
//!         let right = t.read(sum, t.index + 1);
//!         let both = t.combine(left, right);
//!         t.write(x, t.index, both);
//!     });
//! });
//! assert_eq!(machine.read(x), [4, 8, 7, 4, 4]);
//! let run = machine.finish()?;
//! assert_eq!(run.total().operations, 4);
//! # Ok::<(), upsweep_lab::machine::Fault>(())
//! ```
//!
//! What the model is strict about: a word that is read before it was written, a place outside an array, and a race, two
//! threads at one word, one of them writing, with nothing between that orders them. What orders two accesses: the thread
//! itself; a barrier, for threads of one block; a later step, for threads of one warp, because a warp runs in lockstep; the
//! end of a launch. Words in [status arrays](Machine::status) are the exception, as atomics are on a GPU. Two
//! more faults: a [shuffle](Thread::shuffle) from another warp, and a [wait](Thread::wait) for what nothing before sets.
//! The first fault of all is what [`Machine::finish`] returns.
//!
//! What it leaves out: time. Its cycles are the lecture's rule for shared memory (see [`Counts::cycles`]), which is why
//! they can be computed by hand and compared with what the lecture prints. Global memory costs nothing there.

mod block;
mod counts;
mod fault;
mod memory;
mod run;
mod tally;
mod thread;

pub use block::Block;
pub use counts::Counts;
pub use fault::{Access, Fault, Site};
pub use memory::{Array, Flags, Space, Word};
pub use run::{ArrayInfo, Event, Place, Run, Step};
pub use tally::Banks;
pub use thread::Thread;

use crate::operator::Operator;
use memory::Memory;
use thread::Pending;

/// Threads of a warp.
pub const WARP: usize = 32;

/// A GPU that runs kernels on the host, and writes down what they do.
#[derive(Debug)]
pub struct Machine<T> {
    operator: Operator<T>,
    banks: Banks,
    memory: Memory<T>,
    pending: Pending<T>,
    run: Run,
    /// The first fault, and the number of steps before the one in which it was.
    fault: Option<(usize, Fault)>,
    /// Whether each step keeps who did what and what memory held then.
    records: bool,
}

impl<T: Word> Machine<T> {
    /// A machine with nothing in its memory.
    #[must_use]
    pub fn new(operator: Operator<T>, banks: Banks) -> Self {
        let (memory, pending) = (Memory::default(), Pending::default());
        Self { operator, banks, memory, pending, run: Run::default(), fault: None, records: false }
    }

    /// Keeps for each step who read and wrote what, and what memory held after it: what pictures are made of. It takes
    /// memory in proportion to steps times words.
    #[must_use]
    pub fn recording(mut self) -> Self {
        self.records = true;
        self
    }

    /// What is combined.
    #[must_use]
    pub fn operator(&self) -> Operator<T> {
        self.operator
    }

    /// The banks of shared memory.
    #[must_use]
    pub fn banks(&self) -> Banks {
        self.banks
    }

    /// An array in global memory that holds `words`.
    pub fn array(&mut self, name: &'static str, words: &[T]) -> Array {
        self.values_at(name, Space::Global, 0, words.iter().copied().map(Some).collect(), None)
    }

    /// An array of `len` words in global memory that hold nothing yet.
    pub fn empty(&mut self, name: &'static str, len: usize) -> Array {
        self.values_at(name, Space::Global, 0, vec![None; len], None)
    }

    /// An array of `len` words through which blocks talk to each other: accesses to them are ordered, and race with none.
    pub fn status(&mut self, name: &'static str, len: usize) -> Array {
        self.values_at(name, Space::Status, 0, vec![None; len], None)
    }

    /// An array of flags in global memory.
    pub fn flags(&mut self, name: &'static str, flags: &[u32]) -> Flags {
        self.flags_at(name, Space::Global, 0, flags.iter().copied().map(Some).collect(), None)
    }

    /// An array of flags, all 0, through which blocks talk to each other.
    pub fn status_flags(&mut self, name: &'static str, len: usize) -> Flags {
        self.flags_at(name, Space::Status, 0, vec![Some(0); len], None)
    }

    fn values_at(
        &mut self,
        name: &'static str,
        space: Space,
        offset: usize,
        words: Vec<Option<T>>,
        block: Option<usize>,
    ) -> Array {
        self.list(name, space, block, &words);
        self.memory.new_values(name, space, offset, words)
    }

    fn flags_at(
        &mut self,
        name: &'static str,
        space: Space,
        offset: usize,
        words: Vec<Option<u32>>,
        block: Option<usize>,
    ) -> Flags {
        self.list(name, space, block, &words);
        self.memory.new_flags(name, space, offset, words)
    }

    fn list<V: Word>(&mut self, name: &'static str, space: Space, block: Option<usize>, words: &[Option<V>]) {
        if self.records {
            let initial = words.iter().map(|word| word.map(|word| word.to_string())).collect();
            self.run.arrays.push(ArrayInfo { name, space, block, initial, since: self.run.steps.len(), until: None });
        }
    }

    /// Runs a kernel, one block after the other.
    pub fn launch(
        &mut self,
        kernel: &'static str,
        blocks: usize,
        threads: usize,
        mut body: impl FnMut(&mut Block<'_, T>),
    ) {
        self.launch_waves(kernel, blocks, threads, 1, 1, |block, _| body(block));
    }

    /// Runs a kernel whose blocks talk to each other: `resident` of them at a time, each of which goes through phase 0, then
    /// each through phase 1, and so on. Whatever a block waits for must come from an earlier phase or an earlier block.
    pub fn launch_waves(
        &mut self,
        kernel: &'static str,
        blocks: usize,
        threads: usize,
        resident: usize,
        phases: usize,
        mut body: impl FnMut(&mut Block<'_, T>, usize),
    ) {
        self.memory.begin_launch();
        for first in (0..blocks).step_by(resident.max(1)) {
            let wave = first..blocks.min(first + resident.max(1));
            let mut states: Vec<_> = wave.map(|index| block::State::new(kernel, index, threads)).collect();
            for phase in 0..phases {
                for state in &mut states {
                    body(&mut Block::new(self, state), phase);
                }
            }
            self.memory.free_shared();
            self.run.end_shared();
        }
    }

    /// What an array holds; words that hold nothing, as after a fault, are the identity.
    #[must_use]
    pub fn read(&self, array: Array) -> Vec<T> {
        self.memory.words(array).iter().map(|word| word.unwrap_or(self.operator.identity)).collect()
    }

    /// All that was counted.
    ///
    /// # Errors
    /// The first [`Fault`] of the run.
    pub fn finish(self) -> Result<Run, Fault> {
        match self.fault {
            Some((_, fault)) => Err(fault),
            None => Ok(self.run),
        }
    }

    /// All that was counted up to the first fault; its step is the last one.
    #[must_use]
    pub fn stop(mut self) -> (Run, Option<Fault>) {
        if let Some((before, _)) = self.fault {
            self.run.end_after(before + 1);
        }
        (self.run, self.fault.map(|(_, fault)| fault))
    }
}
