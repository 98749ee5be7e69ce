//! Linear recurrences (IIR filters) on the CPU.
//!
//! ```text
//! a long line      each part's contribution from zero states: sums of its elements with precomputed weights;
//!                  then the states before each part, one after the other, by the power of the transition matrix;
//!                  then the parts are filtered from these states, one in each lane of a row
//! many lines       a line in each lane
//! otherwise        a serial loop
//! ```
//!
//! A thread reads a *share* of a long line, which is some parts for each lane, twice: the second time it is in the
//! cache. Within a part the results are those of the serial loop. A share waits only for the share before it
//! (`engine/chain.rs`). The same states are computed in the same order however many threads there are.
//!
//! **In place.** A share is stored after its states have been published. A helping worker has read it by then
//! (`engine/chain.rs`).
//!
//! **Weights.** The contribution of a part from zero states is a weighted sum of its elements, and the host computes
//! the weights once. So it is found at the speed of a dot product, while the part comes from memory. The states of
//! shares of 64 parts go through the chain of the scan.
//!
//! **Filtering** (`tile/filter.rs`). Each lane of a row filters a part. For orders 1 and 2, a square of N elements of
//! each of N lanes is transposed, filtered and transposed again in registers, while the next share is prefetched.
//! Weights and powers that are too small to matter are 0, because denormal numbers take a hundred times as long.
//!
//! **Other lines.** Shorter lines have a lane each (`tile/filter_rows.rs`), and a thread takes some groups of them at a
//! time. If lines are columns, a thread takes four rows of lanes at a time. Within a line the results are those of the
//! serial loop.

mod parts;

use self::parts::Parts;
use super::engine::apart;
use super::engine::chain::{self, Chain, Step, Tickets};
use super::tile::filter::{Columns, Filter, Places, WIDE, lanes_of};
use super::tile::filter_rows::Rows;
use super::tile::lanes::ROW_BYTES;
use super::tile::remains::{Join, Own, Remains, States};
use super::tile::simd::Set;
use super::tile::store::{self, Ahead};
use std::sync::{Mutex, PoisonError};
use upsweep_core::call::Elements;
use upsweep_core::call::recurrence::{Call, ComputesOn, MOST_ORDER, System};
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::operator::Element;
use upsweep_core::shape::Shape;
use upsweep_plan::recurrence::{CpuRecurrencePlan, PART};

/// Bytes of the lines that a thread takes at a time.
const TASK_BYTES: usize = 64 << 10;

pub fn run<C: ComputesOn<I>, I: Element>(call: Call<'_, '_, '_, C, I>) -> Result<()> {
    let Call { system, shape, reverse, input, output, first, last } = call;
    let (output, _) = output.on_host("output")?;
    let input = match &input {
        Elements::Given(view) => view.on_host("input")?.as_ptr(),
        Elements::OfOutput => output.cast_const(),
    };
    let first = first.map(|view| view.on_host("initial states")).transpose()?;
    let last = last.map(|view| view.into_host("final states")).transpose()?;
    if [shape.outer, shape.len, shape.inner].contains(&0) {
        // The number of empty lines may be huge. The states of each line, if any, do not change.
        match (first, last) {
            (Some(first), Some(last)) => last.copy_from_slice(first),
            (None, Some(last)) => last.fill(C::ZERO),
            (_, None) => {}
        }
        return Ok(());
    }
    let in_place = input.addr() == output.addr();
    let plan = CpuRecurrencePlan::new(shape, size_of::<C>().max(size_of::<I>()), lanes_of::<C>(), in_place);
    let memory = Memory { input, output, last: last.map_or(std::ptr::null_mut(), <[C]>::as_mut_ptr) };
    let filtering = Filtering { system: &system, shape, reverse, memory, first, plan, set: Set::widest() };
    if plan.long {
        let parts = Parts::of(&system, filtering.plan.share(), reverse);
        if parts.are_finite() {
            return (0..shape.outer).try_for_each(|line| filtering.long_line(line, &parts));
        }
    }
    filtering.lines();
    Ok(())
}

/// Input and output of a call. In place they are the same memory, so neither is a slice here.
struct Memory<C, I> {
    input: *const I,
    output: *mut I,
    /// Output of the final states, or null.
    last: *mut C,
}

// SAFETY: the pointers are those of a call, which borrows the input shared and the others exclusively for as long as it
// runs. Each result and each state is written by one thread.
unsafe impl<C: Send, I: Sync + Send> Sync for Memory<C, I> {}

struct Filtering<'a, C, I> {
    system: &'a System<C>,
    shape: Shape,
    reverse: bool,
    memory: Memory<C, I>,
    first: Option<&'a [C]>,
    plan: CpuRecurrencePlan,
    set: Set,
}

impl<C: ComputesOn<I>, I: Element> Filtering<'_, C, I> {
    /// Returns the index in memory of logical element `i` of a line, and the stride to the next element.
    fn place(&self, line: usize, i: usize) -> (usize, isize) {
        let Shape { len, inner, .. } = self.shape;
        let k = if self.reverse { len - 1 - i } else { i };
        let at = (line / inner * len + k) * inner + line % inner;
        (at, if self.reverse { -(inner as isize) } else { inner as isize })
    }

    /// Returns the lowest index in memory of the logical elements `begin .. end` of a line.
    fn lowest(&self, line: usize, begin: usize, end: usize) -> usize {
        self.place(line, if self.reverse { end - 1 } else { begin }).0
    }

    fn state_at(&self, line: usize, j: usize) -> usize {
        let inner = self.shape.inner;
        (line / inner * self.system.states + j) * inner + line % inner
    }

    fn first_states(&self, line: usize) -> States<C> {
        let mut states = [C::ZERO; MOST_ORDER];
        if let Some(first) = self.first {
            for (j, z) in states.iter_mut().enumerate().take(self.system.states) {
                *z = first.get(self.state_at(line, j)).copied().unwrap_or(C::ZERO);
            }
        }
        states
    }

    fn keep_states(&self, line: usize, states: &[C]) {
        if self.memory.last.is_null() {
            return;
        }
        for (j, &z) in states.iter().enumerate().take(self.system.states) {
            // SAFETY: the output has `system.states` states for each line, and only this thread has the line.
            unsafe { self.memory.last.add(self.state_at(line, j)).write(z) };
        }
    }

    /// Filters the elements from `from` to the end of a line in a serial loop, and stores the final states.
    fn go_on(&self, line: usize, from: usize, states: &mut States<C>) {
        if from < self.shape.len {
            let (at, step) = self.place(line, from);
            let states = &mut states[..self.system.order];
            for i in 0..(self.shape.len - from) as isize {
                let at = at.wrapping_add_signed(i * step);
                // SAFETY: the element is in the line, and only this thread has the line.
                unsafe {
                    let y = self.system.step(states, C::number_of(self.memory.input.add(at).read()));
                    self.memory.output.add(at).write(y.result().canonical());
                }
            }
        }
        self.keep_states(line, states);
    }

    /// Filters all lines, one in each lane.
    fn lines(&self) {
        let (lanes, Shape { outer, inner, .. }) = (self.plan.lanes, self.shape);
        if inner == 1 {
            return self.contiguous_lines();
        }
        // The first lines of a row (the lines of one outer index) form wide groups, the next ones narrow groups, and
        // the last ones go through the serial loop.
        let width = WIDE * lanes;
        let wide = inner / width;
        let narrow = (inner - wide * width) / lanes;
        let groups = wide + narrow;
        let each = |task: usize| {
            let (at, task) = (task / (groups + 1) * inner, task % (groups + 1));
            if task < wide {
                self.side_by_side(at + task * width, width);
            } else if task < groups {
                self.side_by_side(at + wide * width + (task - wide) * lanes, lanes);
            } else {
                let first = wide * width + narrow * lanes;
                (at + first..at + inner).for_each(|line| self.go_on(line, 0, &mut self.first_states(line)));
            }
        };
        apart::run(outer * (groups + 1), self.plan.threads > 1, &each);
    }

    /// Filters contiguous lines. Those that do not fill a row of lanes go through the serial loop.
    fn contiguous_lines(&self) {
        let (system, reverse, lanes, Shape { outer, len, .. }) =
            (self.system, self.reverse, self.plan.lanes, self.shape);
        let groups = outer / lanes;
        let together = (TASK_BYTES / (lanes * len * size_of::<I>()).max(1)).clamp(1, groups.max(1));
        let tasks = groups.div_ceil(together);
        apart::run(tasks, self.plan.threads > 1, &|task| {
            let (line, groups) = (task * together * lanes, together.min(groups - task * together));
            let Memory { input, output, last } = self.memory;
            let first = self.first.map_or(std::ptr::null(), |first| first[line * system.states..].as_ptr());
            let last = if last.is_null() { last } else { last.wrapping_add(line * system.states) };
            // SAFETY: the lines and their states are in memory, and only this thread has them. The processor has the
            // instructions of every `Set`.
            unsafe {
                let (input, output) = (input.add(line * len), output.add(line * len));
                self.set.compiled()(Rows { system, len, groups, reverse, input, output, first, last });
            }
        });
        (groups * lanes..outer).for_each(|line| self.go_on(line, 0, &mut self.first_states(line)));
    }

    /// Filters `lines` interleaved lines from line `line` on: one in each lane of a row, or of [`WIDE`] rows.
    fn side_by_side(&self, line: usize, lines: usize) {
        let (steps, system) = (self.shape.len, self.system);
        let mut states = vec![C::ZERO; MOST_ORDER * lines];
        for lane in 0..lines {
            let own = self.first_states(line + lane);
            states.iter_mut().skip(lane).step_by(lines).zip(own).for_each(|(to, from)| *to = from);
        }
        let (at, step) = self.place(line, 0);
        let Memory { input, output, .. } = self.memory;
        // SAFETY: the lines are in memory, and only this thread has them. The processor has the instructions of every
        // `Set`.
        unsafe {
            let (input, output, states) = (input.add(at), output.add(at), &mut states);
            self.set.compiled()(Columns { system, lines, steps, states, input, output, step });
        }
        for lane in 0..lines {
            let mut own = [C::ZERO; MOST_ORDER];
            own.iter_mut().zip(states.iter().skip(lane).step_by(lines)).for_each(|(to, from)| *to = *from);
            self.keep_states(line + lane, &own);
        }
    }

    /// Runs a [`Filter`] of this system.
    ///
    /// # Safety
    /// As [`Filter`]: the elements and results are in memory, and only this thread uses the results.
    unsafe fn filter(
        &self,
        steps: usize,
        states: &mut [C],
        (input, places): (*const I, Places),
        (output, results): (*mut I, Places),
        ahead: &mut Ahead,
    ) {
        let work = Filter { system: self.system, steps, states, input, places, output, results, ahead };
        // SAFETY: the processor has the instructions of every `Set`, and the caller meets the conditions of `Filter`.
        unsafe { self.set.compiled()(work) };
    }

    /// Filters a long line in shares: a share is what a thread takes at once, some parts of `PART` elements for each
    /// lane of a vector.
    fn long_line(&self, line: usize, parts: &Parts<C>) -> Result<()> {
        let (len, block, share) = (self.shape.len, self.plan.lanes * PART, self.plan.share());
        // The rest after the last whole block goes through the serial loop.
        let whole = len - len % block;
        let count = whole.div_ceil(share);
        let range = |ticket: usize| (ticket * share, whole.min((ticket + 1) * share));
        let threads = self.plan.threads.min(count).max(1);
        let buffers = (0..threads).map(|_| Buffer::<C, I>::new(share)).collect::<Result<Vec<_>>>()?;
        let buffers = Mutex::new(buffers);
        let buffers = || buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let combine = |before: States<C>, own: States<C>| self.join(&parts.share, before, Own::Read(&[own]));
        let step_of = |ticket: usize, states: &mut Vec<States<C>>| {
            self.read(parts, line, range(ticket), states);
            let own = self.join(&parts.part, [C::ZERO; MOST_ORDER], Own::Read(states));
            if ticket == 0 {
                Step::Sets(combine(parts.in_basis(&self.first_states(line)), own))
            } else if self.system.feedback {
                Step::Adds(own)
            } else {
                Step::Sets(own)
            }
        };
        let step = |ticket: usize| step_of(ticket, &mut Vec::new());
        let (tickets, states) = (Tickets::new(count), chain::States::new(count)?);
        let chain = Chain { tickets, states, step: &step, combine: &combine };
        chain.tickets.run(threads, &|ticket, next| {
            // There is a buffer for each thread.
            let Some(mut buffer) = buffers().pop() else { return Ok(()) };
            let step = step_of(ticket, &mut buffer.states);
            // States that do not depend on earlier shares are published before waiting.
            let mut published = match step {
                Step::Sets(state) => chain.states.publish(ticket, state),
                Step::Adds(_) => true,
            };
            let before = match ticket.checked_sub(1) {
                Some(last) => chain.wait(last)?,
                None => parts.in_basis(&self.first_states(line)),
            };
            if let Step::Adds(own) = step {
                published = chain.states.publish(ticket, combine(before, own));
            }
            if !published && self.memory.input.addr() == self.memory.output.addr() {
                // Another worker, which helps with this share, may still be reading it.
                chain.states.wait(ticket, &chain.tickets)?;
            }
            let behind = self.join(&parts.part, before, Own::Replaced(&mut buffer.states));
            buffer.write(self, parts, line, range(ticket), next.map(range));
            buffer.store(self, line, range(ticket));
            if ticket + 1 == count {
                // The last share may be shorter than the share that the power is for, so the states come from its
                // parts.
                self.go_on(line, whole, &mut parts.back(&behind));
            }
            buffers().push(buffer);
            Ok(())
        });
        Ok(())
    }

    /// Computes, for each part (`PART` elements) of the share `begin .. end` of the line, the state after that part if
    /// the state before it were zero, in the transformed basis.
    fn read(&self, parts: &Parts<C>, line: usize, (begin, end): (usize, usize), states: &mut Vec<States<C>>) {
        let (system, order) = (self.system, self.system.order);
        states.clear();
        states.resize((end - begin) / PART, [C::ZERO; MOST_ORDER]);
        if system.feedback {
            let (at, step) = self.place(line, begin);
            let lowest = if step < 0 { at + 1 - PART } else { at };
            // SAFETY: the share is in the line.
            let input = unsafe { self.memory.input.add(lowest) };
            let work = Remains { order, weights: &parts.weights, input, stride: PART as isize * step, states };
            // SAFETY: the processor has the instructions of every `Set`, and blocks have a multiple of four parts.
            unsafe { self.set.compiled()(work) };
            return;
        }
        // Without feedback only the last elements of a part contribute.
        for (part, states) in states.iter_mut().enumerate() {
            let end = begin + (part + 1) * PART;
            let (at, step) = self.place(line, end - order);
            for i in 0..order as isize {
                // SAFETY: the element is in the part.
                let x = unsafe { self.memory.input.add(at).offset(i * step).read() };
                system.step(&mut states[..order], C::number_of(x));
            }
        }
    }

    /// Joins the parts of a share or two shares, by the power of the transition matrix: see [`Join`].
    fn join(&self, power: &[[States<C>; 2]], before: States<C>, states: Own<'_, C>) -> States<C> {
        let work = Join { order: self.system.order, power, before, states };
        // SAFETY: the processor has the instructions of every `Set`.
        unsafe { self.set.compiled()(work) }
    }
}

/// Scratch memory of a thread for a share, the range of a line that the thread takes at once.
struct Buffer<C, I> {
    /// For each part of the share, the state after it from a zero state, replaced later by the state before it. In the
    /// transformed basis.
    states: Vec<States<C>>,
    /// Results in memory order, from the first aligned cache line on, so that no row of results crosses a line.
    results: Vec<I>,
}

impl<C: ComputesOn<I>, I: Element> Buffer<C, I> {
    fn new(share: usize) -> Result<Self> {
        let states = memory::room(share / PART)?;
        Ok(Self { states, results: memory::room(share + ROW_BYTES / size_of::<I>())? })
    }

    fn results(&mut self) -> *mut I {
        let results = self.results.as_mut_ptr();
        results.wrapping_add(results.align_offset(ROW_BYTES))
    }

    /// Filters a share (the range `begin .. end` of the line, which a thread takes at once) into the buffer of results,
    /// each of its parts (`PART` elements) from the state before that part, and prefetches `next`, this thread's next
    /// share.
    fn write(
        &mut self,
        filtering: &Filtering<'_, C, I>,
        parts: &Parts<C>,
        line: usize,
        (begin, end): (usize, usize),
        next: Option<(usize, usize)>,
    ) {
        let (lanes, order) = (filtering.plan.lanes, filtering.system.order);
        let mut states = vec![C::ZERO; MOST_ORDER * lanes];
        let lowest = |at: usize| if filtering.reverse { end - begin - 1 - at } else { at };
        let mut ahead = next.map_or(Ahead::NOTHING, |(begin, end)| {
            let first = filtering.memory.input.wrapping_add(filtering.lowest(line, begin, end));
            Ahead::lines(first.cast(), (end - begin) * size_of::<I>())
        });
        let results = self.results();
        let mut first = 0;
        for before in self.states.chunks(lanes) {
            for (lane, before) in before.iter().enumerate() {
                let own = parts.back(before);
                states.iter_mut().skip(lane).step_by(lanes).zip(own).take(order).for_each(|(to, from)| *to = from);
            }
            let (at, step) = filtering.place(line, begin + first);
            let places = Places { stride: PART as isize * step, step };
            // SAFETY: the block is in the line, a part is a whole number of squares, and `results` has room for all.
            unsafe {
                let input = filtering.memory.input.add(at);
                let output = results.add(lowest(first));
                filtering.filter(PART, &mut states, (input, places), (output, places), &mut ahead);
            }
            first += lanes * PART;
        }
    }

    /// Copies the results of the share `begin .. end` of the line from the buffer to the output.
    fn store(&mut self, filtering: &Filtering<'_, C, I>, line: usize, (begin, end): (usize, usize)) {
        let (from, len) = (self.results().cast_const(), end - begin);
        // SAFETY: the share is in the line, all its results are in the buffer, and nobody else reads or writes this
        // part of the output.
        unsafe {
            let output = filtering.memory.output.add(filtering.lowest(line, begin, end));
            store::copy(filtering.set, from, output, len, filtering.plan.non_temporal);
        }
        if filtering.plan.non_temporal {
            store::fence();
        }
    }
}
