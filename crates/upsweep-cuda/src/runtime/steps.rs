//! Steps of a call on arrays in host memory, each of which takes a large part of the device's memory. Steps have buffers
//! in turn, so that copies and kernels of neighbouring steps overlap:
//!
//! ```text
//! stream up       copies of step k to buffer k % 3         when step k - 3 has been copied down
//! device's stream kernels of step k                        when they are there
//! stream down     copies of step k from its buffer         when its kernels are done
//! ```
//!
//! Pageable memory goes through the pinned slots of the ring, in pieces. Then the host copies the pieces of step k up
//! and those of step k - 2 down, while the device computes step k - 1.

use super::driver::Doing;
use super::ring::{Copies, LATE, Ring, SLOTS, STAGED_BYTES, copy};
use cudarc::driver::{CudaEvent, CudaStream, sys};
use std::ptr::NonNull;
use upsweep_core::error::Result;

/// Number of buffers that steps have in turn.
pub(crate) const BUFFERS: usize = 3;
const DOING: &str = "copying arrays through the device";

/// Neighbouring bytes in host memory, and the address of their copy on the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) host: *mut u8,
    pub(crate) device: u64,
    pub(crate) bytes: usize,
}

/// Steps of a call, and what is copied up before and down after each of them.
pub(crate) struct Steps<'a> {
    pub(crate) number: usize,
    pub(crate) up: &'a dyn Fn(usize) -> Vec<Move>,
    pub(crate) down: &'a dyn Fn(usize) -> Vec<Move>,
    /// Whether the host memory that is copied up is pageable, and that which is copied down.
    pub(crate) pageable: [bool; 2],
}

/// Events of the steps that have one of the buffers.
struct Turn {
    uploaded: CudaEvent,
    computed: CudaEvent,
    downloaded: CudaEvent,
}

impl Ring {
    /// Runs the steps, whose kernels `compute` enqueues. Copies to and from pinned memory may go on when this returns.
    ///
    /// # Safety
    /// Until the streams have been waited for: the host's memory is good for these copies, nobody else writes it, or
    /// reads what is copied down; and the device's memory, which nobody else uses, was allocated in the order of the
    /// device's stream. Steps with different buffers use different memory.
    pub(super) unsafe fn steps(
        &mut self,
        steps: &Steps<'_>,
        compute: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        self.pin(steps.pageable)?;
        let event = || self.context.cuda.new_event(None).doing(DOING);
        let turn = || Ok(Turn { uploaded: event()?, computed: event()?, downloaded: event()? });
        let turns = [turn()?, turn()?, turn()?];
        let Self { stream, up, down, .. } = &*self;
        // The device's memory is there when the stream comes here.
        turns[0].computed.record(stream).doing(DOING)?;
        up.wait(&turns[0].computed).doing(DOING)?;
        const LAG: usize = BUFFERS - 1;
        for k in 0..steps.number + LAG {
            let (now, then) = (&turns[k % BUFFERS], &turns[(k + BUFFERS - LAG) % BUFFERS]);
            let (starts, ends) = (k < steps.number, k >= LAG);
            let ups = if starts { (steps.up)(k) } else { Vec::new() };
            let downs = if ends { (steps.down)(k - LAG) } else { Vec::new() };
            if starts {
                up.wait(&now.downloaded).doing(DOING)?;
            }
            if ends {
                down.wait(&then.computed).doing(DOING)?;
            }
            // SAFETY: the conditions of this function hold until the streams have been waited for.
            unsafe { self.exchange(&ups, &downs, steps.pageable) }?;
            if ends {
                then.downloaded.record(down).doing(DOING)?;
            }
            if starts {
                now.uploaded.record(up).doing(DOING)?;
                stream.wait(&now.uploaded).doing(DOING)?;
                compute(k)?;
                now.computed.record(stream).doing(DOING)?;
            }
        }
        Ok(())
    }

    /// Enqueues copies up and down. Of pageable memory, those down are over when this returns, and those up have read
    /// the host's memory.
    ///
    /// # Safety
    /// The conditions of [`steps`](Self::steps).
    unsafe fn exchange(&self, ups: &[Move], downs: &[Move], pageable: [bool; 2]) -> Result<()> {
        let Self { up, down, slots, .. } = self;
        let [ups, downs] = [(ups, pageable[0]), (downs, pageable[1])].map(|(moves, staged)| pieces(moves, staged));
        let (mut staged_ups, mut staged_downs) = (0, 0);
        if pageable[0] {
            staged_ups = ups.len();
        } else {
            // SAFETY: the memory is pinned and good for the copies.
            ups.iter().try_for_each(|part| unsafe { copy_up(part, part.host, up) })?;
        }
        if pageable[1] {
            staged_downs = downs.len();
        } else {
            // SAFETY: likewise.
            downs.iter().try_for_each(|part| unsafe { copy_down(part, part.host, down) })?;
        }
        let slot = |k: usize, way: usize| {
            let slot = &slots[k % SLOTS];
            (slot, slot.pinned[way].map_or(std::ptr::null_mut(), NonNull::as_ptr))
        };
        let rounds = staged_ups.max(if staged_downs > 0 { staged_downs + LATE } else { 0 });
        for k in 0..rounds {
            if let Some(part) = downs.get(k).filter(|_| k < staged_downs) {
                let (slot, pinned) = slot(k, 1);
                // SAFETY: the slot's copy before was over LATE rounds later, which is before this one.
                unsafe { copy_down(part, pinned, down) }?;
                slot.downloaded.record(down).doing(DOING)?;
            }
            let (mut to_slot, mut from_slot) = (Copies::NOTHING, Copies::NOTHING);
            let rising = ups.get(k).filter(|_| k < staged_ups);
            if let Some(part) = rising {
                let (slot, pinned) = slot(k, 0);
                slot.uploaded.synchronize().doing(DOING)?;
                to_slot = Copies { to: pinned, from: part.host, bytes: part.bytes };
            }
            let late = k.checked_sub(LATE).filter(|&late| late < staged_downs);
            if let Some((late, part)) = late.and_then(|late| Some((late, downs.get(late)?))) {
                let (slot, pinned) = slot(late, 1);
                slot.downloaded.synchronize().doing(DOING)?;
                from_slot = Copies { to: part.host, from: pinned, bytes: part.bytes };
            }
            // SAFETY: the GPU's copies of both slots are over, and the pieces are good.
            unsafe { copy(&to_slot, &from_slot) };
            if let Some(part) = rising {
                let (slot, pinned) = slot(k, 0);
                // SAFETY: the slot keeps the piece until its event has been waited for.
                unsafe { copy_up(part, pinned, up) }?;
                slot.uploaded.record(up).doing(DOING)?;
            }
        }
        Ok(())
    }
}

/// Returns the moves, cut into pieces that fit a slot if they are staged.
fn pieces(moves: &[Move], staged: bool) -> Vec<Move> {
    let most = if staged { STAGED_BYTES } else { usize::MAX };
    let of_move = |all: &Move| {
        let Move { host, device, bytes } = *all;
        let piece = move |k: usize| {
            let at = k * most;
            Move { host: host.wrapping_add(at), device: device + at as u64, bytes: most.min(bytes - at) }
        };
        (0..bytes.div_ceil(most)).map(piece)
    };
    moves.iter().flat_map(of_move).collect()
}

/// # Safety
/// `from` is pinned, and both it and the device's memory are good for the bytes until the stream has been waited for.
unsafe fn copy_up(part: &Move, from: *const u8, stream: &CudaStream) -> Result<()> {
    // SAFETY: both are good, as `# Safety` requires.
    unsafe { sys::cuMemcpyHtoDAsync_v2(part.device, from.cast(), part.bytes, stream.cu_stream()) }.result().doing(DOING)
}

/// # Safety
/// As of [`copy_up`], for `to`.
unsafe fn copy_down(part: &Move, to: *mut u8, stream: &CudaStream) -> Result<()> {
    // SAFETY: both are good, as `# Safety` requires.
    unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), part.device, part.bytes, stream.cu_stream()) }.result().doing(DOING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_their_moves() {
        let host = std::ptr::without_provenance_mut::<u8>;
        for bytes in [0, 1, STAGED_BYTES - 1, STAGED_BYTES, STAGED_BYTES + 1, 3 * STAGED_BYTES] {
            let moves =
                [Move { host: host(64), device: 1 << 40, bytes }, Move { host: host(8), device: 512, bytes: 7 }];
            for staged in [false, true] {
                let pieces = pieces(&moves, staged);
                let mut at = 0;
                for piece in &pieces[..pieces.len() - 1] {
                    assert_eq!((piece.host.addr(), piece.device), (64 + at, (1 << 40) + at as u64));
                    assert!(piece.bytes > 0 && (!staged || piece.bytes <= STAGED_BYTES));
                    at += piece.bytes;
                }
                assert_eq!(at, bytes);
                assert_eq!((pieces[pieces.len() - 1].device, pieces[pieces.len() - 1].bytes), (512, 7));
            }
        }
    }
}
