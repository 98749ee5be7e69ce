//! Workspace: the memory through which a kernel's blocks communicate.
//!
//! A workspace is a header, a region of 8-byte status words and a region of 16-byte status words. The regions never
//! share memory, so that no payload of one layout is ever read as a tag of the other.
//!
//! **Memory ordering.** The host writes a workspace once, when it allocates it: zeros, and epoch 1. From then on only
//! kernels write it. They tag their status words with the epoch (a number of the launch) that the header holds when
//! they start. A block draws tickets (numbers of the tiles that it computes) from a counter, and the one that draws the
//! last ticket advances the epoch. So a word that an earlier launch left behind is never taken for one of this launch.
//! That is sound because two launches with one workspace never overlap:
//! - Outside a capture there is one workspace a stream, and a stream runs its kernels one after the other.
//! - Within a capture there is one workspace for each stream that takes part in it. Kernels captured from one stream
//!   depend on each other in turn, and CUDA runs one launch of an executable graph after the other, on whatever
//!   streams it is launched. (Two executables made from one graph must not run at once, nor may a graph be a child of
//!   another one twice: they would share a workspace.)
//!
//! The epoch is in device memory because a replayed graph repeats the same arguments: the host could not advance it.
//!
//! A workspace grows by a new allocation. The old one is freed only together with the new one, because another thread
//! may be about to launch a kernel with it; as sizes double, there are few. A stream's workspaces are freed in stream
//! order once nothing uses the stream through upsweep. A capture's workspaces serve later captures
//! once CUDA reports that the graph and every executable made from it are gone.

use super::context::Context;
use super::driver::{Doing, OutsideCapture};
use super::pinned::Landing;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUstream};
use std::ops::Range;
use upsweep_core::error::{Error, Result};

/// Bytes of the header: `epoch, ticket, finished, fault code` (u32), `fault index` (u64), `fault value` (i64), `fault
/// bound` (u64).
const HEADER: usize = 256;
/// Position of the fault (an error in the data, which a kernel reports) in the header: its offset and its number of
/// bytes.
const FAULT: (u64, usize) = (12, 28);
/// Fault code that a kernel stores while it writes the index and the value of its fault.
const CLAIMED: u32 = u32::MAX;
/// Capacity of a stream's first workspace: 1 MiB of 8-byte words and 3 MiB of 16-byte words, the header included.
pub(super) const INITIAL: Capacity = Capacity { words8: 1 << 17, words16: (3 << 16) - HEADER / 16 };
/// Capacity of a capture's first workspace: 64 KiB. Each capture has its own, so it is small.
pub(super) const INITIAL_IN_CAPTURE: Capacity = Capacity { words8: 1 << 11, words16: (3 << 10) - HEADER / 16 };

/// Workspace, as a kernel receives it: `memory/layout.cuh` has the same struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Workspace {
    /// Address of the header in device memory.
    pub(crate) header: u64,
    /// Address of the 8-byte words in device memory, aligned to 256 bytes.
    pub(crate) words8: u64,
    /// Address of the 16-byte words in device memory, aligned to 256 bytes.
    pub(crate) words16: u64,
    /// Number of 8-byte words.
    pub(crate) capacity8: u32,
    /// Number of 16-byte words.
    pub(crate) capacity16: u32,
}

impl Workspace {
    /// Workspace of no memory, for a kernel that does not use one.
    pub(crate) const NONE: Self = Self { header: 0, words8: 0, words16: 0, capacity8: 0, capacity16: 0 };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) words8: usize,
    pub(super) words16: usize,
}

impl Capacity {
    pub(super) fn of(workspace: &Workspace) -> Self {
        Self { words8: workspace.capacity8 as usize, words16: workspace.capacity16 as usize }
    }

    pub(super) fn holds(self, needed: Self) -> bool {
        needed.words8 <= self.words8 && needed.words16 <= self.words16
    }

    /// Returns the capacity of a new workspace that satisfies `needed`: a region that is too small for it is at least
    /// doubled.
    pub(super) fn grown(self, needed: Self) -> Self {
        let grow = |have: usize, need: usize| {
            if need <= have {
                have
            } else {
                need.checked_next_power_of_two().unwrap_or(need).max(have.saturating_mul(2))
            }
        };
        Self { words8: grow(self.words8, needed.words8), words16: grow(self.words16, needed.words16) }
    }

    /// Returns the number of bytes of a workspace with these capacities, and the offset of its region of 16-byte words;
    /// none if there are too many words for 32-bit counts.
    fn layout(self) -> Option<Layout> {
        let (capacity8, capacity16) = (u32::try_from(self.words8).ok()?, u32::try_from(self.words16).ok()?);
        let start16 = self.words8.checked_mul(8)?.checked_next_multiple_of(HEADER)?.checked_add(HEADER)?;
        let bytes = self.words16.checked_mul(16)?.checked_add(start16)?;
        Some(Layout { start16, capacity8, capacity16, bytes })
    }
}

struct Layout {
    start16: usize,
    capacity8: u32,
    capacity16: u32,
    bytes: usize,
}

/// Creates a workspace, ready for use on any stream when this returns.
///
/// The workspace is allocated and cleared on the context's private stream, which is never captured and never long busy.
/// The caller's stream may be captured or busy. The host could then not wait for it, and no other stream could read the
/// fault of a workspace that does not exist yet in the caller's stream's order.
pub(super) fn create(context: &Context, capacity: Capacity) -> Result<Workspace> {
    let Some(Layout { start16, capacity8, capacity16, bytes }) = capacity.layout() else {
        return Err(Error::OutOfMemory { bytes: capacity.words8.saturating_add(capacity.words16).saturating_mul(16) });
    };
    let _outside = OutsideCapture::enter()?;
    let stream = context.private_stream()?.cu_stream();
    let header = context.allocate_private(bytes)?;
    let words8 = header + HEADER as u64;
    let workspace = Workspace { header, words8, words16: header + start16 as u64, capacity8, capacity16 };
    renew(context, workspace).inspect_err(|_| {
        // The memory is freed, and the caller gets the failure of the clearing, whether or not the memory can be freed.
        let _ = context.free(header, stream);
    })
}

/// Clears a workspace that no kernel uses any more, and sets its epoch to 1.
pub(super) fn renew(context: &Context, workspace: Workspace) -> Result<Workspace> {
    const DOING: &str = "clearing a workspace";
    let _outside = OutsideCapture::enter()?;
    let stream = context.private_stream()?.cu_stream();
    let end = workspace.words16 + 16 * u64::from(workspace.capacity16);
    // SAFETY: the workspace ends with its 16-byte words, and is used only after this.
    unsafe { result::memset_d8_async(workspace.header, 0, (end - workspace.header) as usize, stream) }.doing(DOING)?;
    // SAFETY: the workspace is used only after this; the epoch is the header's first word.
    unsafe { sys::cuMemsetD32Async(workspace.header, 1, 1, stream) }.result().doing(DOING)?;
    // SAFETY: the private stream lives as long as its context.
    unsafe { result::stream::synchronize(stream) }.doing(DOING)?;
    Ok(workspace)
}

/// Current workspace of a stream or of a capture, and the smaller workspaces that it replaced.
#[derive(Debug, Default)]
pub(super) struct Grown {
    pub(super) all: Vec<Workspace>,
    /// Whether a kernel that can report a fault uses one of the workspaces, and its fault may not have been read.
    pub(super) may_fault: bool,
}

impl Grown {
    pub(super) fn current(&self) -> Option<Workspace> {
        self.all.last().copied()
    }

    /// Enqueues copies of the faults that kernels may have reported in the workspaces to a landing (pinned host
    /// memory), in the order of `stream`. They can be read once the stream has been waited for. Faults for which the
    /// landing has no room are not copied.
    pub(super) fn ask(&self, landing: &mut Landing, stream: CUstream) -> Result<Vec<Asked>> {
        let mut asked = Vec::new();
        if self.may_fault {
            for workspace in &self.all {
                let address = workspace.header + FAULT.0;
                // SAFETY: the header has `FAULT.1` bytes from `address` on, where the fault lies.
                let landing = unsafe { landing.copy(address, FAULT.1, stream, READING) }?;
                asked.extend(landing.map(|at| Asked { address, at }));
            }
        }
        Ok(asked)
    }

    /// Returns the first fault that kernels have reported in the workspaces. Reads them in the order of `stream`, which
    /// it waits for.
    pub(super) fn read_fault(&self, stream: CUstream) -> Result<()> {
        if !self.may_fault {
            return Ok(());
        }
        self.all.iter().try_for_each(|workspace| read_fault(workspace, stream))
    }
}

const READING: &str = "reading whether a kernel reported a fault";

/// Fault of a workspace whose copy to a landing (pinned host memory) is enqueued.
pub(super) struct Asked {
    /// Address of the fault on the device.
    address: u64,
    at: Range<usize>,
}

impl Asked {
    /// Returns the copied fault, if there is one, and clears it on the device in the order of `stream`.
    ///
    /// # Safety
    /// The fault was copied to this landing, and the host has waited for the copy.
    pub(super) unsafe fn answer(self, landing: &Landing, stream: CUstream) -> Result<()> {
        // SAFETY: the fault is in this landing, and the host has waited for the copy, as `# Safety` requires.
        let landed = unsafe { landing.landed(self.at) };
        landed.first_chunk().map_or(Ok(()), |bytes| clear_fault(bytes, self.address, stream))
    }
}

/// Reads a workspace's fault in the order of `stream`, waits for it, and clears it if there is one.
fn read_fault(workspace: &Workspace, stream: CUstream) -> Result<()> {
    let mut bytes = [0u8; FAULT.1];
    let address = workspace.header + FAULT.0;
    // SAFETY: the header has `FAULT.1` bytes from `address` on, and `bytes` lives until the stream has been waited for.
    unsafe { result::memcpy_dtoh_async(&mut bytes, address, stream) }.doing(READING)?;
    // SAFETY: the stream `stream` exists.
    unsafe { result::stream::synchronize(stream) }.doing(READING)?;
    clear_fault(&bytes, address, stream)
}

/// Returns the fault that was read from `address`, if there is one, and clears it there.
fn clear_fault(bytes: &[u8; FAULT.1], address: u64, stream: CUstream) -> Result<()> {
    let Some(fault) = decode_fault(bytes) else { return Ok(()) };
    // SAFETY: the header of a workspace has `FAULT.1` bytes from `address` on.
    unsafe { result::memset_d8_async(address, 0, FAULT.1, stream) }.doing(READING)?;
    Err(fault)
}

/// Decodes a fault from the header's bytes, which begin with the fault code.
fn decode_fault(bytes: &[u8; FAULT.1]) -> Option<Error> {
    let (code, rest) = bytes.split_first_chunk::<4>()?;
    let (index, rest) = rest.split_first_chunk::<8>()?;
    let (value, rest) = rest.split_first_chunk::<8>()?;
    let (bound, _) = rest.split_first_chunk::<8>()?;
    let index = usize::try_from(u64::from_ne_bytes(*index)).unwrap_or(usize::MAX);
    let offset = i64::from_ne_bytes(*value);
    let value = usize::try_from(offset).unwrap_or(usize::MAX);
    match u32::from_ne_bytes(*code) {
        // `CLAIMED`: a kernel is about to write the fault, in a launch that this read is not ordered with.
        0 | CLAIMED => None,
        1 => {
            let rule = "does not ascend from 0 to the number of elements";
            Some(Error::Offsets { index, offset: offset.into(), rule })
        }
        2 => Some(Error::Capacity { what: "output", needed: index, capacity: value }),
        3 => Some(Error::Capacity { what: "second output", needed: index, capacity: value }),
        4 => Some(Error::Capacity { what: "counted input", needed: index, capacity: value }),
        5 => {
            let len = usize::try_from(u64::from_ne_bytes(*bound)).unwrap_or(usize::MAX);
            Some(Error::Index { at: index, index: offset.into(), len })
        }
        6 => Some(Error::Edges { index }),
        7 => Some(Error::List { len: index }),
        code => {
            let reason = format!("an unknown fault {code} at position {index}");
            Some(Error::Driver { doing: "running a kernel", reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_aligned_and_apart() {
        for words8 in [0, 1, 31, 32, 33, 1000, 1 << 17] {
            for words16 in [0, 1, 1000] {
                let Layout { start16, bytes, .. } = Capacity { words8, words16 }.layout().unwrap();
                assert_eq!(start16 % 256, 0);
                assert!(start16 >= HEADER + 8 * words8);
                assert_eq!(bytes, start16 + 16 * words16);
            }
        }
        assert_eq!(INITIAL.layout().unwrap().bytes, 4 << 20);
        assert_eq!(INITIAL_IN_CAPTURE.layout().unwrap().bytes, 64 << 10);
    }

    #[test]
    fn a_region_grows_to_at_least_twice_its_size() {
        let have = Capacity { words8: 100, words16: 100 };
        let grown = |words8, words16| have.grown(Capacity { words8, words16 });
        assert_eq!(grown(100, 0), have);
        assert_eq!(grown(101, 7), Capacity { words8: 200, words16: 100 });
        assert_eq!(grown(0, 1000), Capacity { words8: 100, words16: 1024 });
        assert!(grown(usize::MAX, usize::MAX).layout().is_none(), "too much is an error, not a small workspace");
    }

    #[test]
    fn a_fault_is_decoded() {
        let mut bytes = [0; FAULT.1];
        assert_eq!(decode_fault(&bytes), None);
        bytes[0] = 1;
        bytes[4..12].copy_from_slice(&5u64.to_ne_bytes());
        bytes[12..20].copy_from_slice(&(-3i64).to_ne_bytes());
        assert!(matches!(decode_fault(&bytes), Some(Error::Offsets { index: 5, offset: -3, .. })));
        bytes[0] = 5;
        bytes[20..].copy_from_slice(&7u64.to_ne_bytes());
        assert_eq!(decode_fault(&bytes), Some(Error::Index { at: 5, index: -3, len: 7 }));
        bytes[..4].copy_from_slice(&CLAIMED.to_ne_bytes());
        assert_eq!(decode_fault(&bytes), None);
        bytes[..4].copy_from_slice(&2u32.to_ne_bytes());
        bytes[12..20].copy_from_slice(&3i64.to_ne_bytes());
        assert_eq!(decode_fault(&bytes), Some(Error::Capacity { what: "output", needed: 5, capacity: 3 }));
        bytes[..4].copy_from_slice(&99u32.to_ne_bytes());
        assert!(matches!(decode_fault(&bytes), Some(Error::Driver { .. })));
    }

    /// Returns the fields of a struct in `memory/layout.cuh` with their offsets, and the struct's size. All have their
    /// natural alignment.
    fn layout(name: &str) -> (Vec<(&str, usize)>, usize) {
        let text = include_str!("../../kernels/memory/layout.cuh");
        let (_, body) = text.split_once(&format!("struct {name} {{\n")).unwrap();
        let (body, _) = body.split_once("\n};").unwrap();
        let (mut fields, mut end) = (Vec::new(), 0usize);
        for line in body.lines() {
            let (declaration, _comment) = line.split_once(';').unwrap();
            let (ty, field) = declaration.trim().split_once(' ').unwrap();
            let size = match ty {
                "u32" => 4,
                "u64" | "i64" => 8,
                pointer if pointer.ends_with('*') => 8,
                other => panic!("{other}: a type without a size here"),
            };
            let offset = end.next_multiple_of(size);
            fields.push((field, offset));
            end = offset + size;
        }
        (fields, end.next_multiple_of(8))
    }

    #[test]
    fn kernels_have_the_same_structs() {
        macro_rules! offsets {
            ($($field:ident),*) => { vec![$((stringify!($field), std::mem::offset_of!(Workspace, $field))),*] };
        }
        let host = offsets!(header, words8, words16, capacity8, capacity16);
        assert_eq!(layout("Workspace"), (host, size_of::<Workspace>()));
        // The epoch is the first field: `renew` writes it there. The fields of the fault are contiguous, so it is read
        // in one piece.
        let (header, size) = layout("WorkspaceHeader");
        let fault = FAULT.0 as usize;
        assert_eq!(header[0], ("epoch", 0));
        let parts =
            [("fault", fault), ("fault_index", fault + 4), ("fault_value", fault + 12), ("fault_bound", fault + 20)];
        assert_eq!(header[3..], parts);
        assert_eq!(FAULT.1, 28);
        assert!(size <= HEADER);
    }
}
