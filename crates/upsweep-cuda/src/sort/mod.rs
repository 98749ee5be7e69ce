//! Sort on a CUDA device: a stable radix sort by digits of eight bits.
//!
//! | keys | how | kernels |
//! |---|---|---|
//! | as many as a block holds | one block, in shared memory | `local.cuh` |
//! | up to 65,536 of four bytes | a cluster of 16 blocks, which write to each other's shared memory | `cluster.cuh` |
//! | one or two bytes, no values | counted, and filled in | `sort/counting.cuh` |
//! | more | by the highest bits into buckets, which blocks or warps sort | `split.cuh`, `pass.cuh` or `scatter.cuh` |
//! | where buckets are too large or too many | passes from the lowest digit on (onesweep) | `count.cuh`, `pass.cuh` |
//!
//! All launches are enqueued, and the device decides how the sort goes. A launch that has nothing to do returns at
//! once. So the host waits for nothing.
//!
//! **A pass** (`pass.cuh`). Tiles are as large as shared memory allows: each run of keys that ends inside a sector of
//! 32 bytes costs the L2 cache more than its bytes. Between the slots of two digits one slot is padding, because digits
//! with equally many keys would otherwise begin in the same few banks. Some warps rank the keys of a tile and put them,
//! and their values, into slots (room for one key each, in shared memory). Other warps look back, one thread for each
//! digit, and drain the slots of the tile before. Between passes keys lie in memory as unsigned numbers in sorted
//! order: the first pass encodes them and the last one decodes them (`sort/radix.cuh`).
//!
//! **From the highest bits.** `split.cuh` counts the keys by the highest 8 to 16 bits in which the keys of a sample
//! differ. If the sample has few distinct keys, these are counted and filled in. Otherwise one pass by all of these
//! bits, or two by half of them each, leave buckets; a block sorts a bucket, or a warp if buckets are small. The second
//! pass is a separate pass of each bucket of the first: its tiles look back to the begin of the bucket. If equal keys
//! are indistinguishable, the tiles of these passes reserve their places by atomic additions to cursors, in any order.
//! Keys without values that fit in the L2 cache go through a single pass by up to 11 bits, whose tiles wait for no
//! other tile (`scatter.cuh`): the order inside a bucket does not matter, as the bucket is sorted anyway.
//!
//! **Skewed keys.** Buckets are cut by octaves (`sort/octaves.cuh`) if a single digit would distinguish them, the sort
//! is not in place, and the sample says that some buckets would be far too large. Keys as frequent as their reciprocal
//! are an example. A bucket of a single number may have any size. The launch that would be the first pass counts these
//! buckets, so `split.cuh` needs no code for them; the launch after it fills them (`sort/octave_pass.cuh`).
//!
//! **Buckets that are too large.** In long arrays larger blocks sort them, from a list. If a bucket is too large for
//! those as well, as with few distinct keys that have values, the sort goes by passes from the lowest digit on. One
//! kernel (`count.cuh`) counts all digits. Its last block writes which launch sorts by which digit, and from where
//! to where; a digit that does not vary is left out. More keys than 65,536 buckets have room for go by these passes,
//! too, unless they are few distinct ones.
//!
//! **In a block** (`local.cuh`). Keys alone are counted by finer buckets of about one key each
//! (`sort/fine.cuh`) and scattered by these. Then a thread sorts each piece of 16 keys in its registers, and
//! merges the halves of neighbouring pieces. Keys with values, and keys of 16 bytes, go by two digits. If they differ
//! in more bits, or come in order, they go by finer buckets and a comparison of neighbours instead. Few distinct keys,
//! and runs of equal ones, go by digits.
//!
//! **Keys in order** are copied. Keys without values in reverse order are stored the other way round.
//!
//! **Overlap.** The blocks of a launch start as those of the launch before end (`Grid::behind` in
//! `runtime/grid.rs`, programmatic dependent launch); so do those of a top-k. A kernel itself waits until the
//! kernel before it has ended. In a capture the launches run one after the other.
//!
//! **Segments and lines** are sorted each by itself. The lanes of a warp sort up to 256 keys through a network, and
//! with more keys a lane up to 1,024, or 512 beside values (`short.cuh`). A block sorts up to 16,384. Longer
//! segments go by passes that they share, with counts and tiles of their own (`segments.cuh`). The first kernel
//! puts segments on lists by length.
//!
//! **Host memory.** A `streamed` device sorts an array in host memory by runs, and then by buckets (`streamed.rs`).
//!
//! **Values** of 1, 2, 4 or 8 bytes go through the passes. Others are fetched once in the end, from the positions that
//! their sorted keys had (`values.cuh`).
//!
//! **Memory.** The call allocates room for as many keys and values, and 1 KiB of status words a tile. The meaning of
//! the status words changes from pass to pass, so they are cleared once.
//!
//! **racecheck.** compute-sanitizer's racecheck reports races between the warps of a pass, because it does not model
//! `barrier.arrive`. It also reports two warps that hand over a single slot by arrive and wait, and does not if both
//! wait. The emulator models `barrier.arrive` and finds no race.

pub(super) mod cluster;
pub(super) mod cuts;
pub(super) mod kernels;
mod launch;
pub(super) mod lines;
pub(super) mod segments;
pub(super) mod split;
mod streamed;

use self::kernels::{Buffers, MOVE, SortKey, SortValuesParams, moving_source};
use self::launch::{launch, types_of};
use super::Cuda;
use super::borrow::Lender;
use super::runtime::Grid;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use upsweep_core::buffer::View;
use upsweep_core::call::Unsorted;
use upsweep_core::call::sort::Cut;
use upsweep_core::error::Result;
use upsweep_core::inputs::Lend;
use upsweep_core::key::Key;
use upsweep_core::operator::Element;
use upsweep_core::outputs::{LendMut, Target};
use upsweep_core::segments::Offset;
use upsweep_core::shape::Shape;
use upsweep_plan::sort::SortPlan;
use upsweep_plan::sort::types::{Indices, SortTypes};

/// Sorts keys into `output`, or in place. `cut` cuts the array into lines or segments, each of which is sorted by
/// itself.
pub fn keys<K: Key, I: Offset>(
    cuda: &Cuda,
    input: &Unsorted<'_, K>,
    output: &mut Target<'_, K>,
    descending: bool,
    cut: &Cut<'_, I>,
) -> Result<()> {
    if streamed::takes(cuda, output) {
        return streamed::keys(cuda, input, output, descending, cut);
    }
    let len = output.len();
    let mut lender = Lender::new(cuda);
    let keys_out = lender.lend_mut("output", output)?;
    let keys = lend(&mut lender, "input", input, keys_out)?;
    let in_place = keys == keys_out;
    let at = lend_cut(&mut lender, cut)?;
    lender.check(in_place)?;
    let (reader, _loans) = lender.into_loans();
    let call = Call { len, types: types_of::<K>(descending, 0), in_place, align: 1, parts: parts(cut, at, reader) };
    call.run(cuda, Buffers { keys, keys_out, ..Buffers::default() })
}

/// Sorts values by their keys. `cut` cuts the array into lines or segments, each of which is sorted by itself.
pub fn pairs<K: Key, V: Element, I: Offset>(
    cuda: &Cuda,
    (keys, values): (&Unsorted<'_, K>, &Unsorted<'_, V>),
    (keys_out, values_out): (&mut Target<'_, K>, &mut Target<'_, V>),
    descending: bool,
    cut: &Cut<'_, I>,
) -> Result<()> {
    if streamed::takes(cuda, keys_out) {
        return Err(streamed::refused());
    }
    let len = keys_out.len();
    let mut lender = Lender::new(cuda);
    let keys_out = lender.lend_mut("output keys", keys_out)?;
    let values_out = lender.lend_mut("output values", values_out)?;
    let keys = lend(&mut lender, "keys", keys, keys_out)?;
    let values = lend(&mut lender, "values", values, values_out)?;
    let in_place = keys == keys_out;
    let at = lend_cut(&mut lender, cut)?;
    lender.check(in_place)?;
    let (reader, _loans) = lender.into_loans();
    let types = types_of::<K>(descending, size_of::<V>());
    let call = Call { len, types, in_place, align: align_of::<V>(), parts: parts(cut, at, reader) };
    call.run(cuda, Buffers { keys, keys_out, values, values_out })
}

/// Sorts the positions of keys by the keys. `cut` cuts the array into lines or segments, each of which is sorted by
/// itself.
pub fn indices<K: Key, I: Element, O: Offset>(
    cuda: &Cuda,
    keys: &View<'_, K>,
    output: &mut Target<'_, I>,
    descending: bool,
    cut: &Cut<'_, O>,
) -> Result<()> {
    if streamed::takes(cuda, output) {
        return Err(streamed::refused());
    }
    let len = keys.len();
    let mut lender = Lender::new(cuda);
    let values_out = lender.lend_mut("output", output)?;
    let keys = lender.lend("input", keys)?;
    let at = lend_cut(&mut lender, cut)?;
    lender.check(false)?;
    let (reader, _loans) = lender.into_loans();
    let types = SortTypes { indices: Indices::InSegment, keys_out: false, ..types_of::<K>(descending, size_of::<I>()) };
    let call = Call { len, types, in_place: false, align: align_of::<I>(), parts: parts(cut, at, reader) };
    call.run(cuda, Buffers { keys, values_out, ..Buffers::default() })
}

/// Borrows an input, and returns its address. If the sort is in place, the address is the output's.
fn lend<'a, T: Element>(
    lender: &mut Lender<'a>,
    what: &'static str,
    input: &'a Unsorted<'_, T>,
    output: u64,
) -> Result<u64> {
    match input {
        Unsorted::Buffer(view) => lender.lend(what, view),
        Unsorted::OfOutput => Ok(output),
    }
}

/// Borrows the offsets, if there are any, and returns their address, else 0.
fn lend_cut<'a, I: Offset>(lender: &mut Lender<'a>, cut: &'a Cut<'_, I>) -> Result<u64> {
    if let Cut::Offsets(offsets) = cut { lender.lend("offsets", offsets) } else { Ok(0) }
}

/// Returns the parts of the array that are sorted separately. `offsets` is the address of the offsets, if `cut` has
/// some; `reader` is the stream whose next wait reports wrong offsets.
fn parts<I: Offset>(cut: &Cut<'_, I>, offsets: u64, reader: Option<Arc<CudaStream>>) -> Parts {
    match cut {
        Cut::Whole => Parts::Whole,
        Cut::Lines(shape) => Parts::Lines(*shape),
        Cut::Offsets(view) => {
            let segments = view.len().saturating_sub(1);
            Parts::Segments(segments::Cut::Offsets(offsets, segments, (size_of::<I>(), I::SIGNED), reader))
        }
    }
}

/// Parts of the array, each of which is sorted separately: the whole array, lines, or segments.
#[derive(Clone)]
enum Parts {
    Whole,
    Lines(Shape),
    Segments(segments::Cut),
}

/// Sort to be done, without the addresses of its buffers.
#[derive(Clone)]
struct Call {
    len: usize,
    types: SortTypes,
    in_place: bool,
    /// Alignment of a value in bytes.
    align: usize,
    parts: Parts,
}

impl Call {
    fn run(&self, cuda: &Cuda, buffers: Buffers) -> Result<()> {
        match self.parts {
            Parts::Lines(shape) if shape.inner == 1 || shape.len <= 1 => {
                let rows = segments::Cut::Rows(shape.lines(), shape.len);
                Self { parts: Parts::Segments(rows), ..self.clone() }.of_rows(cuda, buffers)
            }
            Parts::Lines(shape) => self.of_lines(cuda, shape, buffers),
            Parts::Whole | Parts::Segments(_) => self.of_rows(cuda, buffers),
        }
    }

    fn of_rows(&self, cuda: &Cuda, buffers: Buffers) -> Result<()> {
        if [0, 1, 2, 4, 8].contains(&self.types.value) {
            self.with_passed_values(cuda, self.types, buffers)
        } else {
            self.by_positions(cuda, buffers)
        }
    }

    /// Sorts keys without values, or with values of a size that the passes can move with the keys.
    fn with_passed_values(&self, cuda: &Cuda, types: SortTypes, buffers: Buffers) -> Result<()> {
        match &self.parts {
            Parts::Segments(segments::Cut::Rows(1, _)) | Parts::Whole | Parts::Lines(_) => {
                launch(cuda, self.len, types, self.in_place, buffers)
            }
            Parts::Segments(cut) => segments::sort(cuda, self.len, types, self.in_place, buffers, cut),
        }
    }

    /// Sorts interleaved lines: transposes them to rows in scratch memory, sorts these, and transposes the results
    /// back.
    fn of_lines(&self, cuda: &Cuda, shape: Shape, buffers: Buffers) -> Result<()> {
        if self.len == 0 {
            return Ok(());
        }
        let SortTypes { key, value, indices, keys_out, .. } = self.types;
        let (key_layout, value_layout) = ((key, key), (value, self.align));
        let bytes = (self.len * key).next_multiple_of(256);
        let scratch = cuda.scratch::<u8>(bytes + self.len * value)?;
        let (keys, values) = (scratch.address(), scratch.address() + bytes as u64);
        let has_values = value > 0 && indices == Indices::None;
        lines::to_rows(cuda, shape, key_layout, buffers.keys, keys)?;
        if has_values {
            lines::to_rows(cuda, shape, value_layout, buffers.values, values)?;
        }
        let rows = Parts::Segments(segments::Cut::Rows(shape.lines(), shape.len));
        let in_rows = Buffers { keys, keys_out: if keys_out { keys } else { 0 }, values, values_out: values };
        Self { parts: rows, in_place: keys_out, ..self.clone() }.of_rows(cuda, in_rows)?;
        if keys_out {
            lines::to_lines(cuda, shape, key_layout, keys, buffers.keys_out)?;
        }
        if value > 0 {
            lines::to_lines(cuda, shape, value_layout, values, buffers.values_out)?;
        }
        Ok(())
    }

    /// Sorts values of any size: first positions by keys, then a gather of the values.
    fn by_positions(&self, cuda: &Cuda, buffers: Buffers) -> Result<()> {
        let Self { len, in_place, align, .. } = *self;
        let bytes = self.types.value;
        let position = if u32::try_from(len).is_ok() { 4 } else { 8 };
        let types = SortTypes { value: position, indices: Indices::InArray, ..self.types };
        let positions = cuda.scratch::<u8>(len * position)?;
        let by_keys = Buffers { values: 0, values_out: positions.address(), ..buffers };
        self.with_passed_values(cuda, types, by_keys)?;
        let unit = align.min(16);
        let plan = SortPlan::new(len, types, in_place, cuda.compute_capability(), cuda.multiprocessors() as usize);
        let units = bytes / unit;
        let key = SortKey::new(MOVE, plan.moving_constants(unit, units));
        let kernel = cuda.kernel(key, || Ok(moving_source(&plan, unit, units)))?;
        let threads = SortPlan::moving_threads();
        let blocks = (len * units).div_ceil(threads).min(16 * cuda.multiprocessors() as usize) as u32;
        let to_places = |values, output, positions| {
            let params = SortValuesParams { values, output, positions, n: len as u64 };
            // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep
            // the buffers good until the kernel is enqueued in the stream's order.
            unsafe { cuda.launch(&kernel, Grid::new(blocks, threads as u32, 0), &params) }
        };
        if len == 0 {
            return Ok(());
        }
        if !in_place {
            return to_places(buffers.values, buffers.values_out, positions.address());
        }
        let values = cuda.scratch::<u8>(len * bytes)?;
        to_places(buffers.values, values.address(), positions.address())?;
        to_places(values.address(), buffers.values_out, 0)
    }
}
