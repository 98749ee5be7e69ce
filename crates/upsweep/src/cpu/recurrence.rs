//! Linear recurrences on the CPU.
//!
//! ```text
//! a long line      parts of it side by side in the lanes of a row, from no states on;
//!                  then the states before each part, one after the other, by the power of the transition for a part;
//!                  then what these states make of the part's results is added, and the results stored
//! many lines       a line in each lane
//! all else         the loop
//! ```
//!
//! A thread goes over a *share* of a long line, which is some parts for each lane. It is read once; its results wait in the cache for
//! the states before it. A share waits for the one before it alone (`engine/chain.rs`), and the same states are computed in the same
//! order however many threads there are.
//!
//! **In place.** A share is stored when it has been read, and nobody reads another one's elements.

use super::engine::chain::{States, Tickets};
use super::tile::filter::{Correct, Filter, Finished, Places, Stored, Unfinished, lanes_of};
use super::tile::lanes::{Lanes, Work};
use super::tile::simd::Set;
use super::tile::store::{self, Ahead, StreamingCopy};
use crate::error::{Error, Result};
use crate::job::Elements;
use crate::linear::{Call, Coefficient, ComputesOn, MOST_ORDER, System, Transition};
use crate::operator::Element;
use crate::plan::Shape;
use crate::plan::recurrence::{CpuRecurrencePlan, PART, PARTS_A_LANE};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The states of a line, of which the first ones are used.
type Line<C> = [C; MOST_ORDER];

pub(crate) fn run<C: ComputesOn<I>, I: Element>(call: Call<'_, '_, '_, C, I>) -> Result<()> {
    let Call { system, shape, reverse, input, output, first, last } = call;
    let (output, _) = output.on_host("output")?;
    let input = match &input {
        Elements::Given(view) => view.on_host("input")?.as_ptr(),
        Elements::OfOutput => output.cast_const(),
    };
    let first = first.map(|view| view.on_host("initial states")).transpose()?;
    let last = last.map(|view| view.into_host("final states")).transpose()?;
    let in_place = input.addr() == output.addr();
    let plan = CpuRecurrencePlan::new(shape, size_of::<C>().max(size_of::<I>()), lanes_of::<C>(), in_place);
    let memory = Memory { input, output, last: last.map_or(std::ptr::null_mut(), <[C]>::as_mut_ptr) };
    let filtering = Filtering { system: &system, shape, reverse, memory, first, plan, set: Set::widest() };
    if plan.long {
        let parts = Parts::of(&system);
        if parts.are_finite() {
            return (0..shape.outer).try_for_each(|line| filtering.long_line(line, &parts));
        }
    }
    filtering.lines();
    Ok(())
}

/// Where elements are read and results written; in place it is the same memory, so neither is a slice here.
struct Memory<C, I> {
    input: *const I,
    output: *mut I,
    /// Null, or where the final states go.
    last: *mut C,
}

// SAFETY: the pointers are those of a call, which borrows the input shared and the others exclusively for as long as it runs; each
// result and each state is written by one thread.
unsafe impl<C: Send, I: Sync + Send> Sync for Memory<C, I> {}

/// What a part's first states make of its results, and of the states behind it: in their basis.
struct Parts<C> {
    responses: Vec<C>,
    /// The power of the transition, and what it lacks for having been rounded: the same error in each part would add up.
    power: [Vec<C>; 2],
    basis: Option<[Vec<C>; 2]>,
}

impl<C: Coefficient> Parts<C> {
    fn of(system: &System<C>) -> Self {
        let transition = Transition::of(system);
        let (responses, power) = (transition.responses(PART), transition.power(PART));
        Self { responses, power, basis: transition.basis }
    }

    /// States in their basis.
    fn in_basis(&self, states: &Line<C>) -> Line<C> {
        self.basis.as_ref().map_or(*states, |[into, _]| product(into, states))
    }

    /// And back.
    fn back(&self, states: &Line<C>) -> Line<C> {
        self.basis.as_ref().map_or(*states, |[_, back]| product(back, states))
    }

    /// Whether an unstable recurrence does not leave the numbers' range within a part.
    fn are_finite(&self) -> bool {
        self.responses.iter().chain(self.power.iter().flatten()).all(|x| x.finite())
    }

    /// The states behind a part, of which `own` are what its elements leave of no states.
    fn behind(&self, system: &System<C>, before: &Line<C>, own: &Line<C>) -> Line<C> {
        let mut states = self.in_basis(own);
        // A part is longer than what is remembered without feedback.
        if system.feedback {
            let [power, lacks] = self.power.each_ref().map(|matrix| matrix.chunks_exact(system.order));
            for ((to, power), lacks) in states.iter_mut().zip(power).zip(lacks) {
                let of = |row: &[C], sum: C| row.iter().zip(before).fold(sum, |sum, (a, z)| sum.plus(a.times(*z)));
                *to = of(power, of(lacks, *to));
            }
        }
        states
    }
}

/// The product of a matrix, whose order is that of its square, and states.
fn product<C: Coefficient>(matrix: &[C], states: &Line<C>) -> Line<C> {
    let mut product = [C::ZERO; MOST_ORDER];
    for (to, row) in product.iter_mut().zip(matrix.chunks_exact(matrix.len().isqrt().max(1))) {
        *to = row.iter().zip(states).fold(C::ZERO, |sum, (a, z)| sum.plus(a.times(*z)));
    }
    product
}

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
    /// Logical element `i` of a line in memory, and the distance to the next one.
    fn place(&self, line: usize, i: usize) -> (usize, isize) {
        let Shape { len, inner, .. } = self.shape;
        let k = if self.reverse { len - 1 - i } else { i };
        let at = (line / inner * len + k) * inner + line % inner;
        (at, if self.reverse { -(inner as isize) } else { inner as isize })
    }

    fn state_at(&self, line: usize, j: usize) -> usize {
        let inner = self.shape.inner;
        (line / inner * self.system.states + j) * inner + line % inner
    }

    fn first_states(&self, line: usize) -> Line<C> {
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
            // SAFETY: there are as many states for each line, and this thread alone has the line.
            unsafe { self.memory.last.add(self.state_at(line, j)).write(z) };
        }
    }

    /// The loop: elements `from` to the last of a line.
    fn go_on(&self, line: usize, from: usize, states: &mut Line<C>) {
        if from < self.shape.len {
            let (at, step) = self.place(line, from);
            let states = &mut states[..self.system.order];
            for i in 0..(self.shape.len - from) as isize {
                let at = at.wrapping_add_signed(i * step);
                // SAFETY: the element is in the line, and this thread alone has the line.
                unsafe {
                    let y = self.system.step(states, C::number_of(self.memory.input.add(at).read()));
                    self.memory.output.add(at).write(Finished::<I>::of(y));
                }
            }
        }
        self.keep_states(line, states);
    }

    /// All lines, as many as there are lanes side by side.
    fn lines(&self) {
        let (lanes, Shape { outer, inner, .. }) = (self.plan.lanes, self.shape);
        // Neighbours are lines of one outer index, or if lines lie one after the other, of neighbouring ones.
        let (rows, row) = if inner == 1 { (1, outer) } else { (outer, inner) };
        let groups = row / lanes;
        let each = |task: usize| {
            let (at, task) = (task / (groups + 1) * row, task % (groups + 1));
            if task < groups {
                self.side_by_side(at + task * lanes);
            } else {
                (at + groups * lanes..at + row).for_each(|line| self.go_on(line, 0, &mut self.first_states(line)));
            }
        };
        let tasks = rows * (groups + 1);
        if self.plan.threads > 1 {
            (0..tasks).into_par_iter().for_each(each);
        } else {
            (0..tasks).for_each(each);
        }
    }

    /// As many lines as there are lanes, from `line` on.
    fn side_by_side(&self, line: usize) {
        let (lanes, len) = (self.plan.lanes, self.shape.len);
        let mut states = vec![C::ZERO; MOST_ORDER * lanes];
        for lane in 0..lanes {
            let own = self.first_states(line + lane);
            states.iter_mut().skip(lane).step_by(lanes).zip(own).for_each(|(to, from)| *to = from);
        }
        // Lines that lie one after the other go in squares.
        let steps = if self.shape.inner == 1 { len - len % lanes } else { len };
        if steps > 0 {
            let (at, step) = self.place(line, 0);
            let places = Places { stride: if self.shape.inner == 1 { len as isize } else { 1 }, step };
            let Memory { input, output, .. } = self.memory;
            // SAFETY: the lines are in memory, and this thread alone has them.
            unsafe { self.filter::<Finished<I>>(steps, &mut states, input.add(at), places, output.add(at), places) };
        }
        for lane in 0..lanes {
            let mut own = [C::ZERO; MOST_ORDER];
            own.iter_mut().zip(states.iter().skip(lane).step_by(lanes)).for_each(|(to, from)| *to = *from);
            self.go_on(line + lane, steps, &mut own);
        }
    }

    /// # Safety
    /// As [`Filter`].
    unsafe fn filter<S: Stored<C>>(
        &self,
        steps: usize,
        states: &mut [C],
        input: *const I,
        places: Places,
        output: *mut S::Value,
        results: Places,
    ) {
        let work = Filter::<'_, C, I, S> { system: self.system, steps, states, input, places, output, results };
        // SAFETY: the processor has the instructions of a `Set`; the caller's promise.
        unsafe { self.set.compiled()(work) };
    }

    /// A line that is cut into parts.
    fn long_line(&self, line: usize, parts: &Parts<C>) -> Result<()> {
        let (len, block) = (self.shape.len, self.plan.lanes * PART);
        let share = PARTS_A_LANE * block;
        // What is not a whole block is gone through by the loop.
        let whole = len - len % block;
        let count = whole.div_ceil(share);
        let (tickets, states) = (Tickets::new(count), States::new(count)?);
        let threads = self.plan.threads.min(count).max(1);
        let buffers = (0..threads).map(|_| Buffer::new(share)).collect::<Result<Vec<_>>>()?;
        let buffers = Mutex::new(buffers);
        let buffers = || buffers.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.run(threads, &|ticket, next| {
            // There are as many as threads.
            let Some(mut buffer) = buffers().pop() else { return Ok(()) };
            let (begin, end) = (ticket * share, whole.min((ticket + 1) * share));
            buffer.read(self, line, begin, end - begin);
            let first = || parts.in_basis(&self.first_states(line));
            let before = if ticket == 0 { first() } else { states.wait(ticket - 1, &tickets)? };
            states.publish(ticket, buffer.join(self, parts, before, end - begin));
            buffer.store(self, parts, line, (begin, end), next.map_or(0, |next| next * share));
            buffers().push(buffer);
            Ok(())
        });
        let last = count.checked_sub(1).and_then(|last| states.get(last));
        let mut last = last.map_or_else(|| self.first_states(line), |states| parts.back(&states));
        self.go_on(line, whole, &mut last);
        Ok(())
    }
}

/// What a thread has of a share.
struct Buffer<C, I> {
    /// The results from no states on.
    unfinished: Vec<C>,
    /// The results, as they lie in memory.
    results: Vec<I>,
    /// What each block's parts leave of no states: state `j` of a lane at `j * lanes + lane`.
    ends: [Vec<C>; PARTS_A_LANE],
    /// The states before each part.
    before: Vec<Line<C>>,
}

impl<C: ComputesOn<I>, I: Element> Buffer<C, I> {
    fn new(share: usize) -> Result<Self> {
        let (mut unfinished, mut results) = (Vec::new(), Vec::new());
        let bytes = share * size_of::<C>();
        unfinished.try_reserve_exact(share).map_err(|_| Error::OutOfMemory { bytes })?;
        results.try_reserve_exact(share).map_err(|_| Error::OutOfMemory { bytes })?;
        unfinished.resize(share, C::ZERO);
        let ends = std::array::from_fn(|_| vec![C::ZERO; MOST_ORDER * lanes_of::<C>()]);
        Ok(Self { unfinished, results, ends, before: Vec::with_capacity(share / PART) })
    }

    /// Reads a share, in blocks of a part for each lane.
    fn read(&mut self, filtering: &Filtering<'_, C, I>, line: usize, begin: usize, len: usize) {
        let block = filtering.plan.lanes * PART;
        for ((first, ends), results) in
            (0..len).step_by(block).zip(&mut self.ends).zip(self.unfinished.chunks_exact_mut(block))
        {
            ends.fill(C::ZERO);
            let (at, step) = filtering.place(line, begin + first);
            let places = Places { stride: PART as isize * step, step };
            let to = Places { stride: PART as isize, step: 1 };
            // SAFETY: the block is in the line; a part is some squares, and the results have room for all.
            unsafe {
                let input = filtering.memory.input.add(at);
                filtering.filter::<Unfinished>(PART, ends, input, places, results.as_mut_ptr(), to);
            }
        }
    }

    /// Finds the states before each part, and returns those behind the last.
    fn join(&mut self, filtering: &Filtering<'_, C, I>, parts: &Parts<C>, before: Line<C>, len: usize) -> Line<C> {
        let lanes = filtering.plan.lanes;
        self.before.clear();
        let mut states = before;
        for part in 0..len / PART {
            self.before.push(states);
            let (block, lane) = (part / lanes, part % lanes);
            let ends = self.ends.get(block).map_or(&[][..], |ends| ends);
            let mut own = [C::ZERO; MOST_ORDER];
            own.iter_mut().zip(ends.iter().skip(lane).step_by(lanes)).for_each(|(to, from)| *to = *from);
            states = parts.behind(filtering.system, &states, &own);
        }
        states
    }

    /// Completes the results of a share and stores them; this thread goes on with the share that begins at `next`, if it is not 0.
    fn store(
        &mut self,
        filtering: &Filtering<'_, C, I>,
        parts: &Parts<C>,
        line: usize,
        (begin, end): (usize, usize),
        next: usize,
    ) {
        let (len, reverse, system) = (end - begin, filtering.reverse, filtering.system);
        let to = self.results.as_mut_ptr();
        for (part, (results, states)) in self.unfinished.chunks_exact_mut(PART).zip(&self.before).enumerate() {
            let first = part * PART;
            let (at, step) = if reverse { (len - 1 - first, -1) } else { (first, 1) };
            // SAFETY: there is room for the share.
            let output = unsafe { to.add(at) };
            let states = &states[..system.order];
            let work = Correct { system, responses: &parts.responses, states, results, output, step };
            // SAFETY: the processor has the instructions of a `Set`; the part's results have a place each.
            unsafe { filtering.set.compiled()(work) };
        }
        let lowest = |begin: usize, end: usize| filtering.place(line, if reverse { end - 1 } else { begin }).0;
        let bytes = len * size_of::<I>();
        // SAFETY: the share is in the line, all its results are in the buffer, and nobody else reads or writes this part of the
        // output.
        unsafe {
            let output = filtering.memory.output.add(lowest(begin, end));
            if filtering.plan.non_temporal {
                let ahead = if next == 0 {
                    Ahead::NOTHING
                } else {
                    let end = (next + len).min(filtering.shape.len);
                    Ahead::of(filtering.memory.input.wrapping_add(lowest(next, end)).cast(), bytes)
                };
                filtering.set.compiled()(Streamed { from: to.cast(), to: output.cast(), bytes, ahead });
                store::fence();
            } else {
                output.copy_from_nonoverlapping(to, len);
            }
        }
    }
}

/// A copy past the cache, which ends before a fence.
struct Streamed {
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    ahead: Ahead,
}

impl Work for Streamed {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { from, to, bytes, ahead } = self;
        // SAFETY: the caller's promise.
        unsafe { StreamingCopy::<L>::new(from, to, bytes, ahead) }.finish(false);
    }
}
