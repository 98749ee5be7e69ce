//! Run-length encoding on the CPU: blocks are read once, as those of a selection, and their runs are stored as soon as
//! the number of earlier runs is known.
//!
//! A run ends at the start of the next one. So a block stores the lengths of the runs that end in it: all but its last
//! run, and the last run of an earlier block.

use super::engine::places::{self, Blocks};
use super::select::room_of;
use super::tile::compress::{CHUNK, compress, compress_each, compress_of};
use super::tile::lanes::{Lanes, Work};
use super::tile::masks::{Chunk, Chunks, Masks};
use super::tile::simd::Set;
use super::tile::store;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use upsweep_core::call::select::{Among, Choose, Choosing, Indices, Marks, Yields};
use upsweep_core::error::{Error, Result};
use upsweep_core::memory;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;
use upsweep_plan::select::CpuSelectPlan;

/// Runs a run-length encoding and returns the number of runs.
pub fn run<C, I, N>(call: &Choosing<'_, C, I, I>, numbers: Option<&Target<'_, N>>, lengths: bool) -> Result<usize>
where
    I: Element,
    N: Element,
    C: Choose<I>,
    Indices: Yields<I, N>,
{
    // Within a block, the starts of runs are numbers of 4 bytes.
    let plan = CpuSelectPlan::new(call.len(), size_of::<I>().max(size_of::<N>()).max(size_of::<u32>()), false);
    run_within(call, numbers, lengths, plan)
}

/// [`run`] with a plan whose sizes tests change.
pub(super) fn run_within<C, I, N>(
    call: &Choosing<'_, C, I, I>,
    numbers: Option<&Target<'_, N>>,
    lengths: bool,
    plan: CpuSelectPlan,
) -> Result<usize>
where
    I: Element,
    N: Element,
    C: Choose<I>,
    Indices: Yields<I, N>,
{
    let nowhere = (std::ptr::null_mut(), 0);
    let (values, room) = call.output.as_ref().map_or(Ok(nowhere), |target| target.on_host("output"))?;
    let (numbers, _) = numbers.map_or(Ok((std::ptr::null_mut(), 0)), |target| target.on_host("second output"))?;
    let Among::Buffer(view) = &call.input else { return Err(upsweep_core::call::NOT_IN_PLACE) };
    let input = view.on_host("input")?;
    let len = match &call.length {
        None => input.len(),
        Some(view) => view.on_host("count of the input")?.first().map_or(0, |&number| number as usize),
    };
    let Some(input) = input.get(..len) else {
        return Err(Error::Capacity { what: "counted input", needed: len, capacity: input.len() });
    };
    let blocks = if values.is_null() { 0 } else { len.div_ceil(plan.block) };
    let last = memory::collected(blocks, (0..blocks).map(|_| AtomicUsize::new(NONE)))?;
    let masks = Masks {
        marks: call.choice.marks()?,
        input: input.as_ptr(),
        len,
        neighbours: C::NEIGHBOUR.is_some(),
        ahead: plan.ahead,
    };
    let (set, block) = (Set::widest(), plan.block);
    let finding = Finding { masks, block, last, values, numbers, room, lengths, non_temporal: plan.non_temporal, set };
    let runs = places::run(&finding, len, plan)?;
    if let (Some(&value), true) = (input.first(), lengths && (1..=room).contains(&runs)) {
        let length = len - finding.last_before(blocks);
        // SAFETY: `runs` is at most `room`, and all blocks are done.
        unsafe { finding.numbers.add(runs - 1).write(<Indices as Yields<I, N>>::of(|| value, length)) };
    }
    if call.output.is_some() && runs > room {
        return Err(Error::Capacity { what: "output", needed: runs, capacity: room });
    }
    Ok(runs)
}

/// Value that marks a block in which no run begins.
const NONE: usize = usize::MAX;

/// Operands of a run-length encoding. Each output has room for `room` results. Both are null if only the number is
/// wanted.
struct Finding<M, I, N> {
    masks: Masks<M, I>,
    /// Number of elements in a block.
    block: usize,
    /// For each block, the index at which its last run begins, written before the block is published. A worker that
    /// knows a block's output offset sees the entries of all earlier blocks, so `Relaxed` is enough.
    last: Vec<AtomicUsize>,
    values: *mut I,
    numbers: *mut N,
    room: usize,
    lengths: bool,
    non_temporal: bool,
    set: Set,
}

// SAFETY: the pointers are those of a call, which borrows the input shared and the outputs exclusively for as long as
// it runs. Each result is written by one thread.
unsafe impl<M: Sync, I: Sync + Send, N: Send> Sync for Finding<M, I, N> {}

impl<M, I, N> Finding<M, I, N> {
    /// Returns the start of the last run in the first `blocks` blocks. All calls together visit each block once: blocks
    /// without a run do not call, and a search stops at a block with a run.
    fn last_before(&self, blocks: usize) -> usize {
        let before = self.last.get(..blocks).unwrap_or_default();
        before.iter().rev().map(|last| last.load(Ordering::Relaxed)).find(|&last| last != NONE).unwrap_or(0)
    }

    /// Copies the results `from` a buffer to an output, from its index `at` on, as far as the output has room.
    fn store_run<T>(&self, from: &[T], output: *mut T, at: usize) {
        let number = from.len().min(self.room.saturating_sub(at));
        if number > 0 {
            // SAFETY: the output has room for `number` results, and does not overlap the buffer. Fences follow.
            unsafe { store::copy(self.set, from.as_ptr(), output.add(at), number, self.non_temporal) };
        }
    }
}

/// Buffer for the runs that begin in a block.
struct Buffer<I, N> {
    values: Vec<I>,
    /// Index of the first element of each run, relative to the start of the block.
    places: Vec<u32>,
    numbers: Vec<N>,
}

impl<M: Marks<I>, I: Element, N: Element> Blocks for Finding<M, I, N>
where
    Indices: Yields<I, N>,
{
    type Buffer = Buffer<I, N>;

    fn buffer(&self, elements: usize) -> Result<Buffer<I, N>> {
        let stores = !self.values.is_null();
        let (values, places) = (room_of(elements, stores)?, room_of(elements, stores)?);
        Ok(Buffer { values, places, numbers: room_of(elements, stores)? })
    }

    fn read(&self, range: Range<usize>, next: usize, buffer: &mut Buffer<I, N>) -> usize {
        let Buffer { values, places, numbers } = buffer;
        let (values, places) = (values.as_mut_ptr(), places.as_mut_ptr());
        let heads = Heads { number: 0, stores: !self.values.is_null(), start: range.start, values, places };
        let find = self.set.compiled::<Find<'_, M, I, N>>();
        let (ticket, numbers) = (range.start / self.block, numbers.as_mut_ptr());
        // SAFETY: the processor has the instructions of every `Set`. The block is in the input, which nobody writes to,
        // and the buffer has room for it.
        let (number, last) = unsafe { find(Find { finding: self, range, next, heads, numbers }) };
        if let Some(of_block) = self.last.get(ticket).filter(|_| number > 0) {
            of_block.store(last, Ordering::Relaxed);
        }
        number
    }

    fn store(&self, before: usize, number: usize, range: Range<usize>, buffer: &mut Buffer<I, N>) {
        if number == 0 || self.values.is_null() {
            return;
        }
        // SAFETY: the buffer holds `number` values, starts and numbers, and `number` is not 0.
        let (values, numbers, first, value) = unsafe {
            let values = std::slice::from_raw_parts(buffer.values.as_ptr(), number);
            let numbers = std::slice::from_raw_parts_mut(buffer.numbers.as_mut_ptr(), number);
            (values, numbers, range.start + buffer.places.as_ptr().read() as usize, *values.as_ptr())
        };
        self.store_run(values, self.values, before);
        if !self.lengths {
            self.store_run(numbers, self.numbers, before);
        } else if let Some(at) = before.checked_sub(1) {
            // The first length is that of the last run before the block.
            let length = first - self.last_before(range.start / self.block);
            numbers[0] = <Indices as Yields<I, N>>::of(|| value, length);
            self.store_run(numbers, self.numbers, at);
        } else {
            self.store_run(&numbers[1..], self.numbers, 0);
        }
    }
}

/// Kernel of [`Finding::read`]. Returns the number of runs that begin in a block, and the start of the last one.
///
/// # Safety
/// The block is in the input of `finding`, and nobody writes to it meanwhile. If `heads` stores, its buffers have room
/// for the block and one more chunk, and `numbers` has room for the block.
struct Find<'a, M, I, N> {
    finding: &'a Finding<M, I, N>,
    range: Range<usize>,
    next: usize,
    heads: Heads<I>,
    numbers: *mut N,
}

impl<M: Marks<I>, I: Element, N: Element> Work for Find<'_, M, I, N>
where
    Indices: Yields<I, N>,
{
    type Result = (usize, usize);

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> (usize, usize) {
        // Moves the kernel's arguments from memory to registers.
        let Self { finding, range, next, mut heads, numbers } = self;
        let (start, places) = (range.start, heads.places.cast_const());
        // SAFETY: the processor has the instructions of `L`. The block is in the input, and nobody writes to it
        // meanwhile.
        unsafe { finding.masks.each::<L>(range, next, &mut heads) };
        let number = heads.number;
        if number == 0 || !heads.stores {
            return (number, 0);
        }
        // SAFETY: the starts of `number` runs have been written, and `numbers` has room for as many. An index does not
        // depend on the value.
        unsafe {
            let value = *finding.masks.input;
            // The first length is known later, and replaced.
            numbers.write(<Indices as Yields<I, N>>::of(|| value, start + *places as usize));
            for i in 1..number {
                let place = *places.add(i) as usize;
                let number = if finding.lengths { place - *places.add(i - 1) as usize } else { start + place };
                numbers.add(i).write(<Indices as Yields<I, N>>::of(|| value, number));
            }
            (number, start + *places.add(number - 1) as usize)
        }
    }
}

/// Runs that begin in the part of a block that has been read.
struct Heads<I> {
    number: usize,
    stores: bool,
    /// Index of the block's first element.
    start: usize,
    /// Address in the buffer for the next value.
    values: *mut I,
    /// Address in the buffer for the start of the next run.
    places: *mut u32,
}

impl<I: Element> Chunks<I> for Heads<I> {
    #[inline(always)]
    unsafe fn take<L: Lanes>(&mut self, chunk: Chunk<I>) {
        self.number += chunk.mask.count_ones() as usize;
        if !self.stores {
            return;
        }
        let first = (chunk.at - self.start) as u32;
        // SAFETY: the buffers have room for the block and one more chunk. If a chunk is not whole, only its own values
        // are read.
        unsafe {
            self.places = compress_of::<L, u32>(|i| first + i as u32, chunk.mask, self.places);
            self.values = if chunk.len == CHUNK {
                compress::<L, I>(chunk.from, chunk.mask, self.values)
            } else {
                compress_each(chunk.from, chunk.mask, self.values)
            };
        }
    }
}
