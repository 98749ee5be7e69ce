//! Stream compaction (select and partition) on the CPU: blocks are compacted while they come from memory, into a buffer
//! in the cache, and stored from there as soon as their output offset is known: see `engine/places.rs`.
//!
//! **In place.** A result is at or before its element. A block is published only when it has been read, and stored when
//! all blocks before it are published: so no element is overwritten before it is read. A block whose results would
//! replace themselves is not stored, because the next block may be reading its last element.
//!
//! **Kernel of a block.** The compress instructions of the processor (`tile/compress.rs`) compact a block, with masks
//! for 64 elements at a time (`tile/masks.rs`). The buffer is stored by non-temporal stores. While a block is read, the
//! next window of eight pages is prefetched, a line of each page in turn (`tile/windows.rs`). Runs (`runs.rs`) are
//! selected in the same way, with the positions of their elements. Expansions (`expand.rs`) are counted in blocks
//! first, and then stored.

use super::engine::places::{self, Blocks};
use super::tile::compress::{CHUNK, compress, compress_each, compress_of};
use super::tile::lanes::{Lanes, Work};
use super::tile::masks::{Chunk, Chunks, Masks};
use super::tile::simd::Set;
use super::tile::store;
use std::marker::PhantomData;
use std::ops::Range;
use upsweep_core::call::select::{Among, Choose, Choosing, Marks, Others, UNREAD, Yields};
use upsweep_core::error::{Error, Result};
use upsweep_core::memory;
use upsweep_core::operator::Element;
use upsweep_plan::select::CpuSelectPlan;

/// Runs a selection and returns the number of selected elements. If rejected elements go after the selected ones in one
/// output, `known` is the number of selected elements, which has been counted before.
pub fn run<A, C, V, I, O>(call: Choosing<'_, C, I, O>, known: u64) -> Result<u64>
where
    I: Element,
    O: Element,
    C: Choose<I, A>,
    V: Yields<I, O>,
{
    let in_place = matches!(call.input, Among::OfOutput);
    let plan = CpuSelectPlan::new(call.len(), size_of::<I>().max(size_of::<O>()), in_place);
    run_within::<A, C, V, I, O>(&call, known as usize, plan).map(|kept| kept as u64)
}

/// [`run`] with a plan whose sizes tests change.
pub(super) fn run_within<A, C, V, I, O>(
    call: &Choosing<'_, C, I, O>,
    known: usize,
    plan: CpuSelectPlan,
) -> Result<usize>
where
    I: Element,
    O: Element,
    C: Choose<I, A>,
    V: Yields<I, O>,
{
    let Choosing { choice, input, length, output, others } = call;
    let (output, room) = output.as_ref().map_or(Ok((std::ptr::null_mut(), 0)), |target| target.on_host("output"))?;
    let (others, others_room, room) = match others {
        Others::Dropped => (std::ptr::null_mut(), 0, room),
        Others::Apart(target) => {
            let (others, others_room) = target.on_host("second output")?;
            (others, others_room, room)
        }
        // Partition within one output as long as the input. The predicate may select more elements than were counted.
        Others::Behind => (output.wrapping_add(known), room.saturating_sub(known), room.min(known)),
    };
    let input = match input {
        Among::Buffer(view) => view.on_host("input")?.as_ptr(),
        // In place, `I` and `O` are the same type.
        Among::OfOutput => output.cast_const().cast::<I>(),
        Among::Unread(_) if V::INDEX && C::NEIGHBOUR.is_none() => std::ptr::null(),
        Among::Unread(_) => return Err(UNREAD),
    };
    let len = match length {
        None => call.len(),
        Some(view) => {
            let needed = view.on_host("count of the input")?.first().map_or(0, |&number| number as usize);
            if needed > call.len() {
                return Err(Error::Capacity { what: "counted input", needed, capacity: call.len() });
            }
            needed
        }
    };
    let wants_others = !matches!(call.others, Others::Dropped);
    // If flags select indices, the elements are not read.
    let ahead = plan.ahead && !input.is_null() && (!V::INDEX || choice.flags().is_none());
    let selecting = Selecting::<_, V, I, O> {
        masks: Masks { marks: choice.marks()?, input, len, neighbours: C::NEIGHBOUR.is_some(), ahead },
        output,
        room,
        others,
        others_room,
        wants_others,
        non_temporal: plan.non_temporal,
        set: Set::widest(),
        yields: PhantomData,
    };
    let kept = places::run(&selecting, len, plan)?;
    let asked = call.output.is_some();
    match (kept > room, wants_others && len - kept > others_room) {
        (true, _) if asked => Err(Error::Capacity { what: "output", needed: kept, capacity: room }),
        (_, true) => Err(Error::Capacity { what: "second output", needed: len - kept, capacity: others_room }),
        _ => Ok(kept),
    }
}

/// Operands of a selection. `room` and `others_room` are the numbers of elements that the outputs have room for. In
/// place the input is the output.
struct Selecting<M, V, I, O> {
    masks: Masks<M, I>,
    /// Output, or null if only the number is wanted.
    output: *mut O,
    room: usize,
    others: *mut O,
    others_room: usize,
    wants_others: bool,
    non_temporal: bool,
    set: Set,
    yields: PhantomData<fn(V)>,
}

// SAFETY: the pointers are those of a call, which borrows the input shared and the outputs exclusively for as long as
// it runs. Each result is written by one thread.
unsafe impl<M: Sync, V, I: Sync, O: Send> Sync for Selecting<M, V, I, O> {}

/// Buffers for the selected and the rejected elements of a block.
struct Buffer<O> {
    kept: Vec<O>,
    others: Vec<O>,
}

/// Allocates room for `values` values and one more chunk, as vector stores may go past the end. Allocates none unless
/// `wanted`.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(super) fn room_of<T>(values: usize, wanted: bool) -> Result<Vec<T>> {
    memory::room(if wanted { values + CHUNK } else { 0 })
}

impl<M: Marks<I>, V: Yields<I, O>, I: Element, O: Element> Blocks for Selecting<M, V, I, O> {
    type Buffer = Buffer<O>;

    fn buffer(&self, elements: usize) -> Result<Buffer<O>> {
        let kept = room_of(elements, !self.output.is_null())?;
        Ok(Buffer { kept, others: room_of(elements, self.wants_others)? })
    }

    /// Compacts a block into a buffer.
    fn read(&self, range: Range<usize>, next: usize, buffer: &mut Buffer<O>) -> usize {
        let Selecting { masks, output, wants_others, .. } = self;
        let (stores, others) = (!output.is_null(), *wants_others);
        let (to, others_to) = (buffer.kept.as_mut_ptr(), buffer.others.as_mut_ptr());
        let packed = Packed::<V, O> { number: 0, stores, to, others, others_to, yields: PhantomData };
        let compact = self.set.compiled::<Compact<'_, M, V, I, O>>();
        // SAFETY: the processor has the instructions of every `Set`. The block is in the input, and nobody writes to it
        // before it is published, which this thread does later. The buffer has room for it.
        unsafe { compact(Compact { masks, range, next, packed }) }
    }

    fn store(&self, before: usize, kept: usize, range: Range<usize>, buffer: &mut Buffer<O>) {
        let len = range.len();
        let in_place = self.masks.input.addr() == self.output.addr();
        let in_its_place = in_place && before == range.start && kept == len;
        if !self.output.is_null() && !in_its_place {
            self.store_run(buffer.kept.as_ptr(), (self.output, self.room), before, kept);
        }
        if self.wants_others {
            self.store_run(buffer.others.as_ptr(), (self.others, self.others_room), range.start - before, len - kept);
        }
    }
}

impl<M, V, I, O> Selecting<M, V, I, O> {
    /// Copies `number` results `from` a buffer to an output, from its index `at` on, as far as the output has room.
    fn store_run(&self, from: *const O, (output, room): (*mut O, usize), at: usize, number: usize) {
        let number = number.min(room.saturating_sub(at));
        if number > 0 {
            // SAFETY: the buffer holds `number` values and does not overlap the output, which has room for them. Fences
            // follow.
            unsafe { store::copy(self.set, from, output.add(at), number, self.non_temporal) };
        }
    }
}

/// Kernel of [`Selecting::read`]: compacts a block into buffers, and returns the number of selected elements.
///
/// # Safety
/// The block is in the input, and nobody writes to it meanwhile. The buffers of `packed`, if it stores, have room for
/// the block and one more chunk.
struct Compact<'a, M, V, I, O> {
    masks: &'a Masks<M, I>,
    range: Range<usize>,
    next: usize,
    packed: Packed<V, O>,
}

impl<M: Marks<I>, V: Yields<I, O>, I: Element, O: Element> Work for Compact<'_, M, V, I, O> {
    type Result = usize;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> usize {
        // Moves the kernel's arguments from memory to registers.
        let Self { masks, range, next, mut packed } = self;
        // SAFETY: the processor has the instructions of `L`. The block is in the input, and nobody writes to it
        // meanwhile.
        unsafe { masks.each::<L>(range, next, &mut packed) };
        packed.number
    }
}

/// Results of a block so far, in buffers with room for the block and one more chunk.
struct Packed<V, O> {
    number: usize,
    /// Whether selected elements are stored.
    stores: bool,
    /// Address in the buffer for the next selected element.
    to: *mut O,
    /// Whether rejected elements are stored.
    others: bool,
    /// Address in the buffer for the next rejected element.
    others_to: *mut O,
    yields: PhantomData<fn(V)>,
}

impl<V: Yields<I, O>, I: Element, O: Element> Chunks<I> for Packed<V, O> {
    #[inline(always)]
    unsafe fn take<L: Lanes>(&mut self, chunk: Chunk<I>) {
        self.number += chunk.mask.count_ones() as usize;
        let kept = if self.stores { chunk.mask } else { 0 };
        let others = if self.others { !chunk.mask & chunk.all() } else { 0 };
        // SAFETY: the buffers have room for the block and one more chunk. If a chunk is not whole, only its own values
        // are read.
        unsafe {
            if V::INDEX {
                let index = |i| V::of(|| *chunk.from, chunk.at + i);
                if self.stores {
                    self.to = compress_of::<L, O>(index, kept, self.to);
                }
                if self.others {
                    self.others_to = compress_of::<L, O>(index, others, self.others_to);
                }
            } else if chunk.len == CHUNK {
                // Results that are not indices are the elements.
                if self.stores {
                    self.to = compress::<L, O>(chunk.from.cast(), kept, self.to);
                }
                if self.others {
                    self.others_to = compress::<L, O>(chunk.from.cast(), others, self.others_to);
                }
            } else {
                self.to = compress_each(chunk.from.cast(), kept, self.to);
                self.others_to = compress_each(chunk.from.cast(), others, self.others_to);
            }
        }
    }
}
