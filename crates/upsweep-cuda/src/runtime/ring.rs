//! Ring of memory through which an array in host memory passes a device, chunk by chunk: copies up, kernels and copies
//! down of neighbouring chunks overlap.
//!
//! ```text
//! stream up       copy chunk k to input[k % SLOTS]          when the kernels of chunk k - SLOTS are done
//! device's stream kernels of chunk k                        when it is there, and chunk k - SLOTS has been copied down
//! stream down     copy chunk k from output[k % SLOTS]       when its kernels are done
//! ```
//!
//! Pinned (page-locked) memory is copied by the GPU itself. Pageable memory goes through pinned slots: the threads of the
//! rayon pool copy a chunk to a slot before it goes up, and from a slot when it has come down. They copy chunk k up
//! while earlier chunks are on their way, and then chunk k - LATE down.
//!
//! The host's memory is borrowed for the call alone, so the call waits for all copies, also after an error.

use super::context::{Context, PlainStream};
use super::driver::Doing;
use cudarc::driver::sys::{self, CUdeviceptr, CUmemorytype, CUpointer_attribute};
use cudarc::driver::{CudaEvent, CudaStream, result};
use rayon::prelude::*;
use std::ptr::NonNull;
use std::sync::Arc;
use upsweep_core::error::Result;

/// Number of chunks that are under way at once.
pub(super) const SLOTS: usize = 4;
/// Number of chunks after which a chunk is copied from its slot to pageable memory.
pub(super) const LATE: usize = SLOTS - 1;
/// Largest number of bytes of a chunk, of its elements or of its results. Up to some 8 MiB a copy takes longer by its
/// beginning and its end.
const CHUNK_BYTES: usize = 32 << 20;
/// Smallest number of bytes of a chunk. An array of few chunks has smaller ones, so that its copies overlap.
const LEAST_BYTES: usize = 1 << 20;
const LEAST_CHUNKS: usize = 16;
/// Room in a slot after a chunk's results: for one result more.
const ROOM: usize = 256;
/// Largest number of bytes of a chunk that goes through pinned memory: the slots stay in a large cache. 2^30 f32 on 16
/// cores of an H200's host, 2026-11-29, ms: 330 with 4 MiB, 204 with 8, 156 with 12, 150 with 16, 201 with 24, 222 with 32.
pub(super) const STAGED_BYTES: usize = 16 << 20;
/// Bytes that a thread copies between pageable and pinned memory at a time.
const PIECE_BYTES: usize = 256 << 10;

pub(super) const DOING: &str = "streaming an array through the device";

/// Array in host memory: its address, and the bytes of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostArray {
    pub(crate) address: *mut u8,
    pub(crate) size: usize,
}

/// Neighbouring elements of an array, and the addresses of their copy and of their results on the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    pub(crate) first: usize,
    pub(crate) len: usize,
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// Memory and streams of a flow. A device keeps one from call to call.
pub(super) struct Ring {
    pub(super) context: Arc<Context>,
    /// Stream of the kernels.
    pub(super) stream: Arc<CudaStream>,
    pub(super) up: Arc<CudaStream>,
    pub(super) down: Arc<CudaStream>,
    pub(super) slots: Vec<Slot>,
}

/// Memory of a chunk: on the device, once a flow has needed it, and in pinned memory, once an array was pageable.
pub(super) struct Slot {
    /// Addresses of the chunk's elements and of its results.
    device: Option<[CUdeviceptr; 2]>,
    pub(super) pinned: [Option<NonNull<u8>>; 2],
    pub(super) uploaded: CudaEvent,
    computed: CudaEvent,
    pub(super) downloaded: CudaEvent,
}

// SAFETY: the pinned memory is used by the call that has taken the ring, and by nobody else.
unsafe impl Send for Slot {}

impl Ring {
    /// Makes the ring of a device with this context and stream.
    pub(super) fn new(context: &Arc<Context>, stream: &Arc<CudaStream>) -> Result<Self> {
        let new_stream = || PlainStream::new().map(|plain| plain.shared(&context.cuda));
        let (up, down) = (new_stream()?, new_stream()?);
        let mut ring = Self { context: context.clone(), stream: stream.clone(), up, down, slots: Vec::new() };
        let event = || context.cuda.new_event(None).doing(DOING);
        for _ in 0..SLOTS {
            let (uploaded, computed, downloaded) = (event()?, event()?, event()?);
            ring.slots.push(Slot { device: None, pinned: [None; 2], uploaded, computed, downloaded });
        }
        Ok(ring)
    }

    /// Returns the bytes that the ring has of the device's memory.
    pub(super) fn device_bytes(&self) -> usize {
        self.slots.iter().filter(|slot| slot.device.is_some()).count() * 2 * (CHUNK_BYTES + ROOM)
    }

    /// Returns the addresses of the slots' memory on the device, which is allocated if there is none yet.
    fn on_device(&mut self) -> Result<[[CUdeviceptr; 2]; SLOTS]> {
        let Self { context, stream, slots, .. } = self;
        let mut addresses = [[0; 2]; SLOTS];
        for (addresses, slot) in addresses.iter_mut().zip(slots) {
            let room = || context.allocate(CHUNK_BYTES + ROOM, stream.cu_stream());
            *addresses = match slot.device {
                Some(device) => device,
                None => *slot.device.insert([room()?, room()?]),
            };
        }
        stream.synchronize().doing(DOING)?;
        Ok(addresses)
    }

    /// Allocates the slots' pinned memory, if they have none yet: for the way up, and for the way down, if arrays are
    /// `staged`.
    pub(super) fn pin(&mut self, staged: [bool; 2]) -> Result<()> {
        for slot in &mut self.slots {
            for (pinned, _) in slot.pinned.iter_mut().zip(staged).filter(|(_, staged)| *staged) {
                if pinned.is_none() {
                    // SAFETY: the memory is uninitialised, and only read where a copy has written it.
                    let memory = unsafe { result::malloc_host(CHUNK_BYTES + ROOM, 0) }.doing(DOING)?;
                    *pinned = NonNull::new(memory.cast());
                }
            }
        }
        Ok(())
    }

    /// Waits for all copies, and returns the first error.
    pub(super) fn wait(&self) -> Result<()> {
        let [up, down] = [&self.up, &self.down].map(|stream| stream.synchronize().doing(DOING));
        up.and(down)
    }

    /// Moves the chunks, as `Cuda::flow` does, but for the last copies' ends.
    ///
    /// # Safety
    /// The conditions of that function hold until the streams have been [waited for](Self::wait).
    pub(super) unsafe fn flow(
        &mut self,
        [input, output]: [HostArray; 2],
        (n, extra, unit): (usize, usize, usize),
        compute: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        let size = input.size.max(output.size).max(1);
        let staged = [(input, n), (output, n + extra)].map(|(array, len)| !is_pinned(array, len));
        let most = if staged.contains(&true) { STAGED_BYTES } else { CHUNK_BYTES };
        let bytes = (n.saturating_mul(size) / LEAST_CHUNKS).clamp(LEAST_BYTES, most);
        let chunk = (bytes / size / unit * unit).max(unit.min(CHUNK_BYTES / size));
        let chunks = n.div_ceil(chunk).max(1);
        let on_device = self.on_device()?;
        self.pin(staged)?;
        let Self { stream, up, down, slots, .. } = &*self;
        let results = |k: usize| chunk.min(n - k * chunk) + if k + 1 == chunks { extra } else { 0 };
        // Copies chunk `up` to its slot, and chunk `down` from its slot to the output, as far as their memory is pageable.
        let stage = |up: Option<usize>, down: Option<usize>| -> Result<()> {
            let (mut to_slot, mut from_slot) = (Copies::NOTHING, Copies::NOTHING);
            if let Some(k) = up
                && let Some(pinned) = slots[k % SLOTS].pinned[0].filter(|_| staged[0])
            {
                if k >= SLOTS {
                    slots[k % SLOTS].uploaded.synchronize().doing(DOING)?;
                }
                let from = input.address.wrapping_add(k * chunk * input.size);
                to_slot = Copies { to: pinned.as_ptr(), from, bytes: chunk.min(n - k * chunk) * input.size };
            }
            if let Some(k) = down
                && let Some(pinned) = slots[k % SLOTS].pinned[1].filter(|_| staged[1])
            {
                slots[k % SLOTS].downloaded.synchronize().doing(DOING)?;
                let to = output.address.wrapping_add(k * chunk * output.size);
                from_slot = Copies { to, from: pinned.as_ptr(), bytes: results(k) * output.size };
            }
            // SAFETY: the GPU's copies of both slots are over, and the chunks are in the arrays.
            unsafe { copy(&to_slot, &from_slot) };
            Ok(())
        };
        for k in 0..chunks {
            let slot = &slots[k % SLOTS];
            let [to_read, to_write] = on_device[k % SLOTS];
            let (first, len, again) = (k * chunk, chunk.min(n - k * chunk), k >= SLOTS);
            stage(Some(k), k.checked_sub(LATE))?;
            let place = |array: HostArray, i: usize| {
                let own = array.address.wrapping_add(first * array.size);
                slot.pinned[i].filter(|_| staged[i]).map_or(own, NonNull::as_ptr)
            };
            if again {
                up.wait(&slot.computed).doing(DOING)?;
                stream.wait(&slot.downloaded).doing(DOING)?;
            }
            if len > 0 {
                // SAFETY: the slot has room for the chunk, whose memory lives until the stream has been waited for.
                unsafe { sys::cuMemcpyHtoDAsync_v2(to_read, place(input, 0).cast(), len * input.size, up.cu_stream()) }
                    .result()
                    .doing(DOING)?;
            }
            slot.uploaded.record(up).doing(DOING)?;
            stream.wait(&slot.uploaded).doing(DOING)?;
            compute(Chunk { first, len, input: to_read, output: to_write })?;
            slot.computed.record(stream).doing(DOING)?;
            down.wait(&slot.computed).doing(DOING)?;
            let to = place(output, 1);
            if results(k) > 0 {
                // SAFETY: there is room for the results, and nobody uses it until the stream has been waited for.
                unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), to_write, results(k) * output.size, down.cu_stream()) }
                    .result()
                    .doing(DOING)?;
            }
            slot.downloaded.record(down).doing(DOING)?;
        }
        (chunks.saturating_sub(LATE)..chunks).try_for_each(|k| stage(None, Some(k)))
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // Without the context there is nothing to free.
        if self.context.bind().is_err() {
            return;
        }
        let _waited = (self.wait(), self.stream.synchronize());
        for slot in &self.slots {
            for address in slot.device.into_iter().flatten() {
                let _freed = self.context.free(address, self.stream.cu_stream());
            }
            for pinned in slot.pinned.iter().flatten() {
                // SAFETY: the memory was allocated so, and its copies are over.
                let _freed = unsafe { result::free_host(pinned.as_ptr().cast()) };
            }
        }
    }
}

/// Whether an array of `len` elements is in pinned memory, by its first and its last byte.
pub(super) fn is_pinned(array: HostArray, len: usize) -> bool {
    let bytes = len * array.size;
    let is_pinned = |at: usize| {
        // Of pageable memory CUDA knows nothing: then the number stays 0.
        let mut kind = 0u32;
        let mut attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        let (mut to, address) = ((&raw mut kind).cast(), array.address.wrapping_add(at) as CUdeviceptr);
        // SAFETY: the attribute is a memory type, of 32 bits, and any address may be asked for.
        let asked = unsafe { sys::cuPointerGetAttributes(1, &raw mut attribute, &raw mut to, address) };
        asked.result().is_ok() && kind == CUmemorytype::CU_MEMORYTYPE_HOST as u32
    };
    bytes == 0 || (is_pinned(0) && is_pinned(bytes - 1))
}

/// Copy of some bytes, which threads make in pieces.
pub(super) struct Copies {
    pub(super) to: *mut u8,
    pub(super) from: *const u8,
    pub(super) bytes: usize,
}
// SAFETY: each piece is copied by one thread.
unsafe impl Sync for Copies {}

impl Copies {
    pub(super) const NOTHING: Self = Self { to: std::ptr::null_mut(), from: std::ptr::null(), bytes: 0 };

    fn pieces(&self) -> usize {
        self.bytes.div_ceil(PIECE_BYTES)
    }

    /// # Safety
    /// Piece `i` of both ranges is valid, and this thread alone uses it.
    unsafe fn piece(&self, i: usize, copy: unsafe fn(*mut u8, *const u8, usize)) {
        let at = i * PIECE_BYTES;
        // SAFETY: the piece is in both ranges.
        unsafe { copy(self.to.add(at), self.from.add(at), PIECE_BYTES.min(self.bytes - at)) };
    }
}

/// Makes two copies by the threads of the rayon pool: one to a slot, from which the GPU reads it soon, and one from a
/// slot, past the cache.
///
/// # Safety
/// The ranges are valid, do not overlap, and nobody else uses them meanwhile.
pub(super) unsafe fn copy(to_slot: &Copies, from_slot: &Copies) {
    let first = to_slot.pieces();
    (0..first + from_slot.pieces()).into_par_iter().for_each(|i| {
        // SAFETY: the ranges are valid, and this thread alone copies the piece.
        unsafe {
            match i.checked_sub(first) {
                None => to_slot.piece(i, |to, from, bytes| to.copy_from_nonoverlapping(from, bytes)),
                Some(i) => from_slot.piece(i, copy_past_the_cache),
            }
        }
    });
}

/// Copies bytes with stores that do not read what they replace.
///
/// # Safety
/// The ranges are valid and do not overlap.
unsafe fn copy_past_the_cache(to: *mut u8, from: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has SSE2. The ranges are valid, and stores are aligned.
    unsafe {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
        const VECTOR: usize = size_of::<__m128i>();
        let lead = to.align_offset(VECTOR).min(bytes);
        to.copy_from_nonoverlapping(from, lead);
        let whole = (bytes - lead) / VECTOR * VECTOR;
        for at in (lead..lead + whole).step_by(VECTOR) {
            _mm_stream_si128(to.add(at).cast(), _mm_loadu_si128(from.add(at).cast()));
        }
        _mm_sfence();
        let rest = lead + whole;
        to.add(rest).copy_from_nonoverlapping(from.add(rest), bytes - rest);
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the ranges are valid and do not overlap.
    unsafe {
        to.copy_from_nonoverlapping(from, bytes);
    }
}
