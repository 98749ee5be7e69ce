//! Thread, and its actions in a step.

use super::fault::{Access, Fault, Site};
use super::memory::{Array, Flags, Space, Stamp, Word};
use super::model::Machine;
use super::pending::Pending;
use super::run::{Event, Place};
use super::state::State;
use crate::operator::Operator;
use std::cmp::Ordering;
use std::mem;
use std::panic::Location;

/// Thread of a block, in a step of a kernel.
#[derive(Debug)]
pub struct Thread<'a, T> {
    machine: &'a mut Machine<T>,
    state: &'a mut State,
    pending: &'a mut Pending<T>,
    label: &'static str,
    /// Index of the thread in its block.
    pub index: usize,
    /// Index of its block.
    pub block: usize,
    warp: usize,
    lane: usize,
    /// Numbers of pending writes of words and of flags before the first ones of this thread.
    own: (usize, usize),
    /// Whether the thread has done something in the step.
    active: bool,
    /// Number of operations that the thread has done in the step.
    operations: u64,
    /// Numbers of the thread's reads and operations up to its last write in the step.
    sourced: (usize, u64),
}

impl<'a, T: Word> Thread<'a, T> {
    pub(super) fn new(
        machine: &'a mut Machine<T>,
        state: &'a mut State,
        pending: &'a mut Pending<T>,
        label: &'static str,
        index: usize,
    ) -> Self {
        let (block, own) = (state.index, (pending.values.len(), pending.flags.len()));
        let width = machine.shape.warp;
        let (warp, lane) = (index / width, index % width);
        Self {
            machine,
            state,
            pending,
            label,
            index,
            block,
            warp,
            lane,
            own,
            active: false,
            operations: 0,
            sourced: (0, 0),
        }
    }

    pub(super) fn end(self) {
        self.pending.warp.active += u64::from(self.active);
        self.pending.longest = self.pending.longest.max(self.operations);
        if self.machine.records && self.active {
            let event = mem::take(&mut self.pending.event);
            self.pending.events.push(Event { thread: self.index, ..event });
        }
    }

    /// Index of the thread in its warp.
    #[must_use]
    pub fn lane(&self) -> usize {
        self.lane
    }

    /// Index of the thread's warp.
    #[must_use]
    pub fn warp(&self) -> usize {
        self.warp
    }

    /// Returns the operator that the run combines elements with.
    #[must_use]
    pub fn operator(&self) -> Operator<T> {
        self.machine.operator
    }

    /// Returns a ⊕ b, and counts an operation.
    pub fn combine(&mut self, a: T, b: T) -> T {
        self.count_operation();
        (self.machine.operator.combine)(a, b)
    }

    /// Compares a with b, and counts an operation; incomparable values are equal.
    pub fn compare(&mut self, a: T, b: T) -> Ordering {
        self.count_operation();
        a.partial_cmp(&b).unwrap_or(Ordering::Equal)
    }

    /// Adds two numbers, such as counts, and counts an operation.
    pub fn add(&mut self, a: u32, b: u32) -> u32 {
        self.count_operation();
        a.wrapping_add(b)
    }

    fn count_operation(&mut self) {
        self.active = true;
        self.operations += 1;
        self.pending.counts.operations += 1;
        self.pending.event.operations += u64::from(self.machine.records);
    }

    /// Branch: returns `condition`, at which the threads of a warp may diverge.
    #[track_caller]
    pub fn branch(&mut self, condition: bool) -> bool {
        let lane = self.lane();
        self.pending.warp.branch(Location::caller(), lane, condition);
        condition
    }

    /// Returns the index i + i / banks: a word of padding follows each round of the banks.
    pub fn padded(&mut self, index: usize) -> usize {
        self.pending.warp.padded = true;
        index + index / self.machine.shape.banks.number()
    }

    /// Reads the register of thread `from`, of the same warp. `registers` are those of all threads of the block, as
    /// they were before the step.
    pub fn shuffle(&mut self, registers: &[T], from: usize) -> T {
        self.active = true;
        self.pending.counts.shuffles += 1;
        if self.machine.records {
            self.pending.event.shuffles.push(from);
        }
        match registers.get(from) {
            Some(&register) if from / self.machine.shape.warp == self.warp => register,
            _ => {
                let (kernel, step) = (self.state.kernel, self.label);
                self.fail(Fault::OtherWarp { kernel, step, block: self.block, thread: self.index, from });
                self.machine.operator.identity
            }
        }
    }

    /// Keeps `value` in the register `name`, for pictures, and returns it.
    pub fn keep<V: Word>(&mut self, name: &'static str, value: V) -> V {
        self.active = true;
        if self.machine.records {
            self.pending.event.kept.push((name, value.to_string()));
        }
        value
    }

    /// Reads the word `array[index]`.
    #[track_caller]
    pub fn read(&mut self, array: Array, index: usize) -> T {
        let own = self.pending.values[self.own.0..].iter().rev().find(|w| (w.0, w.1) == (array, index)).map(|w| w.2);
        let exists = self.note(Name::Value(array), index, false, Location::caller());
        let value = own.or_else(|| if exists { self.machine.memory.values[array.0].words[index] } else { None });
        let value = self.written(value, Name::Value(array), index).unwrap_or(self.machine.operator.identity);
        self.remember(Name::Value(array), index, false, value);
        value
    }

    /// Writes `array[index] = value`.
    #[track_caller]
    pub fn write(&mut self, array: Array, index: usize, value: T) {
        if self.note(Name::Value(array), index, true, Location::caller()) {
            self.remember(Name::Value(array), index, true, value);
            self.pending.values.push((array, index, value));
        }
    }

    /// Copies `to[at] = from[index]`.
    #[track_caller]
    pub fn copy(&mut self, from: Array, index: usize, to: Array, at: usize) {
        let value = self.read(from, index);
        self.write(to, at, value);
    }

    /// Reads the flag `flags[index]`.
    #[track_caller]
    pub fn read_flag(&mut self, flags: Flags, index: usize) -> u32 {
        let own = self.pending.flags[self.own.1..].iter().rev().find(|w| (w.0, w.1) == (flags, index)).map(|w| w.2);
        let exists = self.note(Name::Flag(flags), index, false, Location::caller());
        self.pending.since = self.pending.since.max(self.machine.memory.flags[flags.0].set_after(index));
        let value = own.or_else(|| if exists { self.machine.memory.flags[flags.0].words[index] } else { None });
        let value = self.written(value, Name::Flag(flags), index).unwrap_or(0);
        self.remember(Name::Flag(flags), index, false, value);
        value
    }

    /// Waits until the flag `flags[index]` is not 0, and returns it. One read is counted: the number of reads in vain
    /// is a matter of time. In the model the flag has to be set before, or the kernel would hang.
    #[track_caller]
    pub fn wait(&mut self, flags: Flags, index: usize) -> u32 {
        let flag = self.read_flag(flags, index);
        if flag == 0 {
            let by = Access { write: false, block: self.block, thread: self.index };
            self.fail(Fault::Stuck { at: self.site(Name::Flag(flags), index), by });
        }
        flag
    }

    /// Writes `flags[index] = value`.
    #[track_caller]
    pub fn write_flag(&mut self, flags: Flags, index: usize, value: u32) {
        if self.note(Name::Flag(flags), index, true, Location::caller()) {
            self.remember(Name::Flag(flags), index, true, value);
            self.pending.flags.push((flags, index, value));
        }
    }

    /// Counts an access to a word, and notes its faults. Returns whether the word exists.
    fn note(&mut self, name: Name, index: usize, write: bool, at: &Location<'_>) -> bool {
        let now = Stamp {
            launch: self.machine.memory.launch,
            block: self.block as u32,
            thread: self.index as u32,
            warp: self.warp as u32,
            barriers: self.state.barriers,
            step: self.state.steps,
        };
        let lane = self.lane();
        let memory = &mut self.machine.memory;
        let (space, offset, len, other) = match name {
            Name::Value(Array(id)) => memory.values[id].note(index, write, now),
            Name::Flag(Flags(id)) => memory.flags[id].note(index, write, now),
        };
        let by = now.access(write);
        if index >= len {
            self.fail(Fault::Outside { at: self.site(name, index), by, len });
            return false;
        }
        if let Some(first) = other {
            self.fail(Fault::Race { at: self.site(name, index), first, second: by });
        }
        self.active = true;
        let counts = &mut self.pending.counts;
        if space == Space::Shared {
            *(if write { &mut counts.shared_writes } else { &mut counts.shared_reads }) += 1;
            self.pending.warp.access(at, lane, write, offset + index, self.pending.accesses);
            self.pending.accesses += 1;
            if self.machine.records {
                let Pending { event, events, shared, .. } = &mut *self.pending;
                let place = if write { event.writes.len() } else { event.reads.len() };
                shared.push((events.len(), write, place));
            }
        } else {
            *(if write { &mut counts.global_writes } else { &mut counts.global_reads }) += 1;
            self.pending.transfers |= space == Space::Global;
            self.pending.warp.global(at, lane, write, index);
        }
        true
    }

    /// Returns the contents of a word; it is a fault if nothing has been written there.
    fn written<V>(&mut self, value: Option<V>, name: Name, index: usize) -> Option<V> {
        if value.is_none() {
            let by = Access { write: false, block: self.block, thread: self.index };
            self.fail(Fault::Unwritten { at: self.site(name, index), by });
        }
        value
    }

    fn site(&self, name: Name, index: usize) -> Site {
        let array = match name {
            Name::Value(Array(id)) => self.machine.memory.values[id].name,
            Name::Flag(Flags(id)) => self.machine.memory.flags[id].name,
        };
        Site { kernel: self.state.kernel, step: self.label, array, index }
    }

    fn fail(&mut self, fault: Fault) {
        let before = self.machine.run.steps.len();
        self.machine.fault.get_or_insert((before, fault));
    }

    fn remember(&mut self, name: Name, index: usize, write: bool, value: impl Word) {
        if !self.machine.records {
            return;
        }
        let array = match name {
            Name::Value(Array(id)) => self.machine.memory.values[id].listed,
            Name::Flag(Flags(id)) => self.machine.memory.flags[id].listed,
        };
        let place = Place { array, index, value: value.to_string(), degree: 0, together: 0 };
        if write {
            self.note_flows(&place.value);
            self.pending.event.writes.push(place);
        } else {
            self.pending.event.reads.push(place);
        }
    }

    /// Notes the reads from which the value of the write that follows has come.
    fn note_flows(&mut self, value: &str) {
        let reads = self.pending.event.reads.len();
        let (reads_before, operations_before) =
            std::mem::replace(&mut self.sourced, (reads, self.pending.event.operations));
        let (fresh, combined) = (reads_before < reads, operations_before < self.pending.event.operations);
        let sources = if fresh { reads_before..reads } else { 0..reads };
        let same = |read: &usize| self.pending.event.reads[*read].value == value;
        let copied = !combined && (!fresh || sources.clone().any(|read| same(&read)));
        let write = self.pending.event.writes.len();
        let flows: Vec<_> = sources.filter(|read| !copied || same(read)).map(|read| (read, write)).collect();
        self.pending.event.flows.extend(flows);
    }
}

/// Array in memory: of elements, or of flags.
#[derive(Clone, Copy)]
enum Name {
    Value(Array),
    Flag(Flags),
}
