//! Select on the CPU: blocks are compacted while they come from memory, into a buffer in the cache, and stored from there as
//! soon as it is known where to.
//!
//! ```text
//! each worker:
//!     while (ticket = next.fetch_add(1)) < count
//!         kept = compact(block[ticket], buffer)     reads the block
//!         before = wait(ticket - 1)                 how many are kept of all blocks before
//!         publish(ticket, before + kept)
//!         copy(buffer, output + before)             past the cache
//! ```
//!
//! **In place.** A result lies at or before its element. A block is published only when it has been read, and stored when all
//! blocks before it are published: so nothing is overwritten that is yet to be read. What would be stored over itself is not
//! stored, because the block after it may be looking at the last of it.

use super::engine::chain::{States, Tickets};
use super::tile::compress::{CHUNK, compress, compress_each};
use super::tile::lanes::{Lanes, Work};
use super::tile::run::Memory;
use super::tile::simd::Set;
use super::tile::store::{self, Ahead, StreamingCopy};
use crate::choosing::{Choose, Choosing, Marks, Others, Stretch, Yields};
use crate::error::{Error, Result};
use crate::job::Elements;
use crate::operator::Element;
use crate::plan::select::CpuSelectPlan;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Runs the call and returns how many elements are kept; `known` is that number where the others go behind them.
pub(crate) fn run<C, V, I, O>(call: Choosing<'_, C, I, O>, known: u64) -> Result<u64>
where
    I: Element,
    O: Element,
    C: Choose<I>,
    V: Yields<I, O>,
{
    let in_place = matches!(call.input, Elements::OfOutput);
    let plan = CpuSelectPlan::new(call.len, size_of::<I>().max(size_of::<O>()), in_place);
    run_within::<C, V, I, O>(&call, known as usize, plan).map(|kept| kept as u64)
}

/// [`run`] with the sizes that tests change.
pub(super) fn run_within<C, V, I, O>(call: &Choosing<'_, C, I, O>, known: usize, plan: CpuSelectPlan) -> Result<usize>
where
    I: Element,
    O: Element,
    C: Choose<I>,
    V: Yields<I, O>,
{
    let Choosing { choice, input, len, length, output, others } = call;
    let (output, room) = output.as_ref().map_or(Ok((std::ptr::null_mut(), 0)), |target| target.on_host())?;
    let (others, others_room) = match others {
        Others::Dropped => (std::ptr::null_mut(), 0),
        Others::Apart(target) => target.on_host()?,
        // Both ends of an output as long as the input.
        Others::Behind => (output.wrapping_add(known), room.saturating_sub(known)),
    };
    let input = match input {
        Elements::Buffer(view) => view.on_host("input")?.as_ptr(),
        // In place, `I` and `O` are the same type.
        Elements::OfOutput => output.cast_const().cast::<I>(),
    };
    let len = match length {
        None => *len,
        Some(view) => {
            let needed = view.on_host("count of the input")?.first().map_or(0, |&number| number as usize);
            if needed > *len {
                return Err(Error::Capacity { what: "counted input", needed, capacity: *len });
            }
            needed
        }
    };
    let wants_others = !matches!(call.others, Others::Dropped);
    let selecting = Selecting::<_, V, I, O> {
        marks: choice.marks()?,
        memory: Memory { input, output, len, reverse: false },
        room,
        others: Memory { input, output: others, len, reverse: false },
        others_room,
        wants_others,
        neighbours: C::NEIGHBOUR.is_some(),
        non_temporal: plan.non_temporal,
        set: Set::widest(),
        yields: PhantomData,
    };
    let kept = selecting.run(plan)?;
    let asked = call.output.is_some();
    match (kept > room, wants_others && len - kept > others_room) {
        (true, _) if asked => Err(Error::Capacity { what: "output", needed: kept, capacity: room }),
        (_, true) => Err(Error::Capacity { what: "second output", needed: len - kept, capacity: others_room }),
        _ => Ok(kept),
    }
}

/// A call with its memory.
struct Selecting<M, V, I, O> {
    marks: M,
    /// The output is null where only the number is asked for.
    memory: Memory<I, O>,
    room: usize,
    others: Memory<I, O>,
    others_room: usize,
    wants_others: bool,
    neighbours: bool,
    non_temporal: bool,
    set: Set,
    yields: PhantomData<fn(V)>,
}

/// Room for what is kept of a block, and for its others.
struct Buffer<O> {
    kept: Vec<O>,
    others: Vec<O>,
}

impl<M: Marks<I>, V: Yields<I, O>, I: Element, O: Element> Selecting<M, V, I, O> {
    fn run(&self, plan: CpuSelectPlan) -> Result<usize> {
        let (len, block) = (self.memory.len, plan.block);
        let range = |ticket: usize| ticket * block..((ticket + 1) * block).min(len);
        let count = len.div_ceil(block);
        let room = block.min(len);
        if plan.threads <= 1 {
            let mut buffer = self.buffer(room)?;
            let mut before = 0;
            Tickets::in_order(count, |ticket| {
                let range = range(ticket);
                let kept = self.compact(range.clone(), &mut buffer);
                self.store(before, kept, range.clone(), &buffer, range.end);
                before += kept;
            });
            store::fence();
            return Ok(before);
        }
        let (tickets, states) = (Tickets::new(count), States::<usize>::new(count)?);
        // One for each worker; all are made here, where a lack of memory is an error.
        let buffers = (0..plan.threads).map(|_| self.buffer(room)).collect::<Result<Vec<_>>>()?;
        let buffers = Mutex::new(buffers);
        let free = || buffers.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.run(plan.threads, &|ticket, next| {
            // There are as many as workers.
            let Some(mut buffer) = free().pop() else { return Ok(()) };
            let range = range(ticket);
            let kept = self.compact(range.clone(), &mut buffer);
            let before = if ticket == 0 { 0 } else { states.wait(ticket - 1, &tickets)? };
            states.publish(ticket, before + kept);
            let next = next.map_or(range.end, |next| next * block);
            self.store(before, kept, range, &buffer, next);
            store::fence();
            free().push(buffer);
            Ok(())
        });
        Ok(count.checked_sub(1).and_then(|last| states.get(last)).unwrap_or(0))
    }

    /// A buffer for so many results. Vectors may be written behind them.
    fn buffer(&self, room: usize) -> Result<Buffer<O>> {
        let memory = |wanted: bool| {
            let mut memory = Vec::new();
            let room = if wanted { room + CHUNK } else { 0 };
            let bytes = room.saturating_mul(size_of::<O>());
            memory.try_reserve_exact(room).map_err(|_| Error::OutOfMemory { bytes })?;
            Ok(memory)
        };
        Ok(Buffer { kept: memory(true)?, others: memory(self.wants_others)? })
    }

    /// Compacts a block into a buffer, and returns how many of its elements are kept.
    fn compact(&self, range: Range<usize>, buffer: &mut Buffer<O>) -> usize {
        let (kept, others) = (buffer.kept.as_mut_ptr(), buffer.others.as_mut_ptr());
        let compact = self.set.compiled::<Compact<'_, M, V, I, O>>();
        // SAFETY: the processor has the instructions of a `Set`; the block is in the input, and nobody writes to it before it is
        // published, which this thread does later; the buffer has room for it.
        unsafe { compact(Compact { selecting: self, range, kept, others }) }
    }

    /// Stores what is kept of a block, which is `range`, behind `before` others; `next` is where this thread goes on.
    fn store(&self, before: usize, kept: usize, range: Range<usize>, buffer: &Buffer<O>, next: usize) {
        let len = range.len();
        let in_its_place = self.memory.in_place() && before == range.start && kept == len;
        if !self.memory.output.is_null() && !in_its_place {
            self.store_run(
                &self.memory,
                &buffer.kept,
                before,
                kept.min(self.room.saturating_sub(before)),
                &range,
                next,
            );
        }
        if self.wants_others {
            let before = range.start - before;
            let number = (len - kept).min(self.others_room.saturating_sub(before));
            self.store_run(&self.others, &buffer.others, before, number, &range, next);
        }
    }

    fn store_run(
        &self,
        memory: &Memory<I, O>,
        buffer: &Vec<O>,
        at: usize,
        number: usize,
        range: &Range<usize>,
        next: usize,
    ) {
        if number == 0 {
            return;
        }
        let from = buffer.as_ptr();
        // SAFETY: the run is in the output, as the caller has made sure.
        let to = unsafe { memory.output.add(at) };
        if !self.non_temporal {
            // SAFETY: the buffer holds `number` values, and is no part of the output.
            unsafe { from.copy_to_nonoverlapping(to, number) };
            return;
        }
        // What the thread reads next is fetched meanwhile.
        let distance = (next - range.start).saturating_mul(size_of::<I>()) as isize;
        let distance = if next < memory.len { distance } else { 0 };
        let ahead = Ahead::of_tile(memory, range.start, range.len().min(memory.len.saturating_sub(next)), distance);
        let (from, to, bytes) = (from.cast(), to.cast(), number * size_of::<O>());
        // SAFETY: the processor has the instructions of a `Set`; as above; fences follow.
        unsafe { self.set.compiled::<Streamed>()(Streamed { from, to, bytes, ahead }) };
    }
}

/// The kernel of [`Selecting::compact`].
struct Compact<'a, M, V, I, O> {
    selecting: &'a Selecting<M, V, I, O>,
    range: Range<usize>,
    kept: *mut O,
    others: *mut O,
}

impl<M: Marks<I>, V: Yields<I, O>, I: Element, O: Element> Work for Compact<'_, M, V, I, O> {
    type Result = usize;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> usize {
        let Self { selecting, range, kept, others } = self;
        let Selecting { marks, memory, wants_others, neighbours, .. } = selecting;
        let (mut to, mut others_to) = (kept, others);
        let mut start = range.start;
        while start < range.end {
            let len = (range.end - start).min(CHUNK);
            // SAFETY: the chunk is in the input, and nobody writes to it meanwhile.
            let own = unsafe { std::slice::from_raw_parts(memory.input.add(start), len) };
            // SAFETY: both are in the input. Nobody writes to the element before the block but with its own value, which is not
            // stored over itself; the one after it is of a block that is not published yet.
            let beside = |at: usize| unsafe { memory.input.add(at).read() };
            let before = (*neighbours && start > 0).then(|| beside(start - 1));
            let after = (*neighbours && start + len < memory.len).then(|| beside(start + len));
            let mut keep = [0; CHUNK];
            if len == CHUNK {
                marks.mark(Stretch { start, own, before, after }, &mut keep);
            } else if let Some(keep) = keep.get_mut(..len) {
                marks.mark(Stretch { start, own, before, after }, keep);
            }
            // SAFETY: the processor has the instructions of `L`.
            let mask = unsafe { L::bits(&keep) };
            let others = if *wants_others { !mask & (!0 >> (CHUNK - len)) } else { 0 };
            // SAFETY: the buffers have room for the block and a chunk more.
            unsafe {
                if V::INDEX {
                    let index: [O; CHUNK] = std::array::from_fn(|i| V::of(*own.get_unchecked(0), start + i));
                    to = compress::<L, O>(index.as_ptr(), mask, to);
                    others_to = compress_others::<L, O>(*wants_others, index.as_ptr(), others, others_to);
                } else {
                    // Where results are no indices they are the elements.
                    let from = own.as_ptr().cast::<O>();
                    if len == CHUNK {
                        to = compress::<L, O>(from, mask, to);
                        others_to = compress_others::<L, O>(*wants_others, from, others, others_to);
                    } else {
                        to = compress_each(from, mask, to);
                        others_to = compress_each(from, others, others_to);
                    }
                }
            }
            start += len;
        }
        // SAFETY: both are in the buffer.
        unsafe { to.offset_from_unsigned(kept) }
    }
}

/// [`compress`] where it is wanted.
///
/// # Safety
/// As [`compress`], where it is wanted.
#[inline(always)]
unsafe fn compress_others<L: Lanes, O: Element>(wanted: bool, from: *const O, mask: u64, to: *mut O) -> *mut O {
    // SAFETY: the caller's promise.
    if wanted { unsafe { compress::<L, O>(from, mask, to) } } else { to }
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
