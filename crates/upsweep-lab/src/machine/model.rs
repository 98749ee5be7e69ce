//! Machine: its memory, its run so far, and its first fault.

use super::counts::Span;
use super::fault::Fault;
use super::memory::{Array, Flags, Memory, Space, Word};
use super::pending::Pending;
use super::run::{ArrayInfo, Run};
use super::shape::Shape;
use crate::operator::Operator;

/// GPU model that runs kernels on the host, and records their actions.
#[derive(Debug)]
pub struct Machine<T> {
    pub(super) operator: Operator<T>,
    pub(super) shape: Shape,
    pub(super) memory: Memory<T>,
    pub(super) pending: Pending<T>,
    pub(super) run: Run,
    /// Longest chain of dependent steps up to the end of the last launch.
    pub(super) clock: Span,
    /// First fault, and the number of steps before the step that has it.
    pub(super) fault: Option<(usize, Fault)>,
    /// Whether the run records the events of each step and the initial contents of the arrays.
    pub(super) records: bool,
}

impl<T: Word> Machine<T> {
    /// Machine with empty memory.
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

    /// Records the initial contents of each array, and for each step the words that threads read and wrote, for
    /// pictures. It takes memory in proportion to these accesses.
    #[must_use]
    pub fn recording(mut self) -> Self {
        self.records = true;
        self
    }

    /// Returns the operator that the machine combines elements with.
    #[must_use]
    pub fn operator(&self) -> Operator<T> {
        self.operator
    }

    /// Returns the sizes of the machine.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Allocates an array in global memory that holds `words`.
    pub fn array(&mut self, name: &'static str, words: &[T]) -> Array {
        self.values_at(name, Space::Global, 0, words.iter().copied().map(Some).collect(), None)
    }

    /// Allocates an array of `len` unwritten words in global memory.
    pub fn empty(&mut self, name: &'static str, len: usize) -> Array {
        self.values_at(name, Space::Global, 0, vec![None; len], None)
    }

    /// Allocates an array of `len` words by which blocks communicate: accesses to them are ordered, and race with none.
    pub fn status(&mut self, name: &'static str, len: usize) -> Array {
        self.values_at(name, Space::Status, 0, vec![None; len], None)
    }

    /// Allocates an array of flags in global memory.
    pub fn flags(&mut self, name: &'static str, flags: &[u32]) -> Flags {
        self.flags_at(name, Space::Global, 0, flags.iter().copied().map(Some).collect(), None)
    }

    /// Allocates an array of flags, all 0, by which blocks communicate.
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

    /// Returns the contents of an array; unwritten words, as after a fault, are the identity.
    #[must_use]
    pub fn read(&self, array: Array) -> Vec<T> {
        self.memory.words(array).iter().map(|word| word.unwrap_or(self.operator.identity)).collect()
    }

    /// Ends the run and returns it.
    ///
    /// # Errors
    /// The first [`Fault`] of the run.
    pub fn finish(self) -> Result<Run, Fault> {
        match self.fault {
            Some((_, fault)) => Err(fault),
            None => Ok(self.run),
        }
    }

    /// Ends the run and returns it up to the first fault, whose step is the last one.
    #[must_use]
    pub fn stop(mut self) -> (Run, Option<Fault>) {
        if let Some((before, _)) = self.fault {
            self.run.end_after(before + 1);
        }
        (self.run, self.fault.map(|(_, fault)| fault))
    }
}
