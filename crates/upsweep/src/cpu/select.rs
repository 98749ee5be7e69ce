//! Select on the CPU: blocks are compacted while they come from memory, into a buffer in the cache, and stored from there as
//! soon as it is known where to.
//!
//! ```text
//! each worker:
//!     while (ticket = next.fetch_add(1)) < count
//!         kept = compact(block[ticket], buffer)     reads the block
//!         publish(ticket, kept)
//!         for each block of this worker of which is known how many those before it keep:
//!             copy(buffer, output + before)         past the cache
//! ```
//!
//! See `engine/places.rs`.
//!
//! **In place.** A result lies at or before its element. A block is published only when it has been read, and stored when all
//! blocks before it are published: so nothing is overwritten that is yet to be read. What would be stored over itself is not
//! stored, because the block after it may be looking at the last of it.

use super::engine::chain::{Broken, Tickets};
use super::engine::places::Places;
use super::tile::compress::{CHUNK, compress, compress_each};
use super::tile::lanes::{Lanes, Work};
use super::tile::simd::Set;
use super::tile::store::{self, Ahead, StreamingCopy};
use crate::choosing::{Choose, Choosing, Marks, Others, Stretch, Yields};
use crate::error::{Error, Result};
use crate::job::Elements;
use crate::operator::Element;
use crate::plan::select::CpuSelectPlan;
use std::collections::VecDeque;
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
    let (output, room) = output.as_ref().map_or(Ok((std::ptr::null_mut(), 0)), |target| target.on_host("output"))?;
    let (others, others_room) = match others {
        Others::Dropped => (std::ptr::null_mut(), 0),
        Others::Apart(target) => target.on_host("second output")?,
        // Both ends of an output as long as the input.
        Others::Behind => (output.wrapping_add(known), room.saturating_sub(known)),
    };
    let input = match input {
        Elements::Given(view) => view.on_host("input")?.as_ptr(),
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
        memory: Memory { input, output, len },
        room,
        others: Memory { input, output: others, len },
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

/// Where the elements are read and the results written; in place it is the same memory, so neither is a slice here.
struct Memory<I, O> {
    input: *const I,
    output: *mut O,
    len: usize,
}

// SAFETY: the pointers are those of a call, which borrows the input shared and the output exclusively for as long as it runs; each
// result is written by one thread.
unsafe impl<I: Sync, O: Send> Sync for Memory<I, O> {}

impl<I, O> Memory<I, O> {
    fn in_place(&self) -> bool {
        self.input.addr() == self.output.addr()
    }
}

/// The blocks of a worker that may wait until it is known where they go.
const MOST_WAITING: usize = 3;

/// What a worker has between its tickets.
struct Worker<O> {
    free: Vec<Buffer<O>>,
    /// Blocks with the number of elements that they keep, and these.
    waiting: VecDeque<(usize, usize, Buffer<O>)>,
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
        let (tickets, places) = (Tickets::new(count), Places::new(count)?);
        // All buffers are made here, where a lack of memory is an error.
        let worker = || {
            let free = (0..=MOST_WAITING).map(|_| self.buffer(room)).collect::<Result<Vec<_>>>()?;
            Ok(Worker { free, waiting: VecDeque::with_capacity(MOST_WAITING + 1) })
        };
        let workers = Mutex::new((0..plan.threads).map(|_| worker()).collect::<Result<Vec<_>>>()?);
        let workers = || workers.lock().unwrap_or_else(PoisonError::into_inner);
        // Stores what can be stored of a worker's blocks, or the oldest as soon as it can be.
        let flush = |worker: &mut Worker<O>, wait: bool, next: usize| {
            let mut wait = wait;
            while let Some((ticket, kept, _)) = worker.waiting.front() {
                let (ticket, kept) = (*ticket, *kept);
                let Some(before) = places.get(ticket) else {
                    if !wait {
                        break;
                    }
                    if tickets.are_broken() {
                        return Err(Broken);
                    }
                    std::thread::yield_now();
                    continue;
                };
                wait = false;
                if let Some((_, _, buffer)) = worker.waiting.pop_front() {
                    let range = range(ticket);
                    self.store(before, kept, range.clone(), &buffer, next.max(range.end));
                    worker.free.push(buffer);
                }
            }
            store::fence();
            Ok(())
        };
        tickets.run(plan.threads, &|ticket, next| {
            // There are as many as threads.
            let Some(mut worker) = workers().pop() else { return Ok(()) };
            if let Some(mut buffer) = worker.free.pop() {
                let kept = self.compact(range(ticket), &mut buffer);
                places.publish(ticket, kept);
                worker.waiting.push_back((ticket, kept, buffer));
            }
            let next = next.map_or(0, |next| next * block);
            let wait = worker.free.is_empty();
            flush(&mut worker, wait, next)?;
            workers().push(worker);
            Ok(())
        });
        // Every place is known now.
        for worker in workers().iter_mut() {
            let _never_broken = flush(worker, false, 0);
        }
        Ok(places.total())
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
                buffer.kept.as_ptr(),
                before,
                kept.min(self.room.saturating_sub(before)),
                &range,
                next,
            );
        }
        if self.wants_others {
            let before = range.start - before;
            let number = (len - kept).min(self.others_room.saturating_sub(before));
            self.store_run(&self.others, buffer.others.as_ptr(), before, number, &range, next);
        }
    }

    fn store_run(
        &self,
        memory: &Memory<I, O>,
        from: *const O,
        at: usize,
        number: usize,
        range: &Range<usize>,
        next: usize,
    ) {
        if number == 0 {
            return;
        }
        // SAFETY: the run is in the output, as the caller has made sure.
        let to = unsafe { memory.output.add(at) };
        if !self.non_temporal {
            // SAFETY: the buffer holds `number` values, and is no part of the output.
            unsafe { from.copy_to_nonoverlapping(to, number) };
            return;
        }
        // What the thread reads next is fetched meanwhile.
        let fetched = range.len().min(memory.len.saturating_sub(next));
        let ahead = Ahead::of(memory.input.wrapping_add(next).cast(), fetched * size_of::<I>());
        let (from, to, bytes) = (from.cast(), to.cast(), number * size_of::<O>());
        // SAFETY: the processor has the instructions of a `Set`; as above; fences follow.
        unsafe { self.set.compiled::<Streamed>()(Streamed { from, to, bytes, ahead }) };
    }
}

/// The elements that are marked before the first of them is compressed: what is marked by several narrow stores is read by one
/// wide load, which waits for them where it follows at once (half of the time, 2026-11-22).
const MARKED: usize = 16 * CHUNK;

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
        let mut keep = [0; MARKED];
        let mut start = range.start;
        while start < range.end {
            let len = (range.end - start).min(MARKED);
            // SAFETY: the elements are in the input, and nobody writes to them meanwhile.
            let own = unsafe { std::slice::from_raw_parts(memory.input.add(start), len) };
            // SAFETY: both are in the input. Nobody writes to the element before the block but with its own value, which is not
            // stored over itself; the one after it is of a block that is not published yet.
            let beside = |at: usize| unsafe { memory.input.add(at).read() };
            let before = (*neighbours && start > 0).then(|| beside(start - 1));
            let after = (*neighbours && start + len < memory.len).then(|| beside(start + len));
            if let Some(keep) = keep.get_mut(..len) {
                marks.mark(Stretch { start, own, before, after }, keep);
            }
            let (chunks, _) = keep.as_chunks::<CHUNK>();
            for (chunk, keep) in chunks.iter().enumerate().take(len.div_ceil(CHUNK)) {
                let (first, left) = (chunk * CHUNK, len - chunk * CHUNK);
                let all = if left < CHUNK { !(!0 << left) } else { !0 };
                // SAFETY: the processor has the instructions of `L`.
                let mask = unsafe { L::bits(keep) } & all;
                let others = !mask & all;
                // SAFETY: the buffers have room for the block and a chunk more; where a chunk is not whole, only values that exist
                // are read.
                unsafe {
                    if V::INDEX {
                        let index: [O; CHUNK] =
                            std::array::from_fn(|i| V::of(*own.get_unchecked(0), start + first + i));
                        to = compress::<L, O>(index.as_ptr(), mask, to);
                        if *wants_others {
                            others_to = compress::<L, O>(index.as_ptr(), others, others_to);
                        }
                        continue;
                    }
                    // Where results are no indices they are the elements.
                    let from = own.as_ptr().cast::<O>().add(first);
                    if left < CHUNK {
                        to = compress_each(from, mask, to);
                        others_to = compress_each(from, if *wants_others { others } else { 0 }, others_to);
                        continue;
                    }
                    to = compress::<L, O>(from, mask, to);
                    if *wants_others {
                        others_to = compress::<L, O>(from, others, others_to);
                    }
                }
            }
            start += len;
        }
        // SAFETY: both are in the buffer.
        unsafe { to.offset_from_unsigned(kept) }
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
