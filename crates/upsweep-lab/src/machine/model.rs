//! The machine: its memory, its run so far, and what is wrong with it.

use super::counts::Span;
use super::fault::Fault;
use super::memory::{Array, Flags, Memory, Space, Word};
use super::pending::Pending;
use super::run::{ArrayInfo, Run};
use super::shape::Shape;
use crate::operator::Operator;

/// A GPU that runs kernels on the host, and writes down what they do.
#[derive(Debug)]
pub struct Machine<T> {
    pub(super) operator: Operator<T>,
    pub(super) shape: Shape,
    pub(super) memory: Memory<T>,
    pub(super) pending: Pending<T>,
    pub(super) run: Run,
    /// The longest chain up to the end of the last launch.
    pub(super) clock: Span,
    /// The first fault, and the number of steps before the one in which it was.
    pub(super) fault: Option<(usize, Fault)>,
    /// Whether each step keeps who did what and what memory held then.
    pub(super) records: bool,
}

impl<T: Word> Machine<T> {
    /// A machine with nothing in its memory.
    #[must_use]
    pub fn new(operator: Operator<T>, shape: impl Into<Shape>) -> Self {
        Self {
            operator,
            shape: shape.into(),
            memory: Memory::default(),
            pending: Pending::default(),
            run: Run::default(),
            clock: Span::default(),
            fault: None,
            records: false,
        }
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

    /// How large its parts are.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
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

    pub(super) fn values_at(
        &mut self,
        name: &'static str,
        space: Space,
        offset: usize,
        words: Vec<Option<T>>,
        block: Option<usize>,
    ) -> Array {
        self.list(name, (space, offset), block, &words);
        self.memory.new_values(name, space, offset, words)
    }

    pub(super) fn flags_at(
        &mut self,
        name: &'static str,
        space: Space,
        offset: usize,
        words: Vec<Option<u32>>,
        block: Option<usize>,
    ) -> Flags {
        self.list(name, (space, offset), block, &words);
        self.memory.new_flags(name, space, offset, words)
    }

    fn list<V: Word>(
        &mut self,
        name: &'static str,
        (space, offset): (Space, usize),
        block: Option<usize>,
        words: &[Option<V>],
    ) {
        if self.records {
            let initial = words.iter().map(|word| word.map(|word| word.to_string())).collect();
            let since = self.run.steps.len();
            self.run.arrays.push(ArrayInfo { name, space, offset, block, initial, since, until: None });
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
