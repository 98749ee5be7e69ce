//! Sort on the CPU: a radix sort of a whole array (`sort/array.rs`), or of its parts (`sort/parts.rs`).
//!
//! **Type erasure.** The sort knows keys by their size and order, and values by their size. So it is compiled in this
//! library and not with each caller; the same holds for a top-k. A key and its value are one number of 8 or 16 bytes.
//! The value is in the lower half, by which nothing is sorted. So four kinds of sorts are compiled. Values of more than
//! eight bytes are fetched by their positions in the end.
//!
//! **A large array** (`sort/array.rs`) is partitioned into ranges of about one size, by the highest bits that vary
//! (`sort/ranges.rs`). If a sample says that the keys are distributed unevenly over these bits, as floats are over
//! their exponents, ranges are narrower where there are more keys. If a few values have much of the array, each of them
//! is a range of its own (`sort/splitters.rs`). Each thread scatters the keys of its share through a write-combining
//! buffer of two cache lines for each range (`tile/digits.rs`), which is written as a whole.
//!
//! **In the cache.** One core sorts a part in its cache (`sort/cached.rs`) by the two highest digits, whatever the
//! length of the keys. These digits separate most keys, and an insertion sort places the others. Only if many keys are
//! equal in these bits, the part is sorted by all digits. Results are written from the cache by non-temporal stores,
//! except that keys alone stay where they are in the output. Parts that are too large are partitioned again.
//!
//! **Memory.** Keys alone are moved into the output at once. Pairs whose output is another buffer, and whose keys and
//! values are halves of a number, are moved to their ranges in the output as they are, and each range is sorted there
//! (`sort/halves.rs`): they need no scratch memory. Other scratch memory is in large pages
//! (`pages.rs` of upsweep-core), as the first touch of small ones takes a fifth of a sort.
//!
//! **Segments and lines** (`sort/parts.rs`). Each thread has its share of them. Long ones are sorted one after the
//! other, by all threads. Neighbouring ones of up to 256 keys without values (`sort/short.rs`) are sorted many at once,
//! one in each lane of vectors (`tile/network.rs`): by Batcher's network, between two transpositions.

mod array;
mod cached;
mod cut;
mod halves;
mod in_order;
mod parts;
mod ranges;
mod short;
mod splitters;
mod values;
mod zeros;

use self::parts::Parts;
use self::values::{Memory, Sort};
use super::engine::apart::{fork, part_of};
use upsweep_core::buffer::View;
use upsweep_core::call::Unsorted;
use upsweep_core::call::sort::Cut;
use upsweep_core::error::Result;
use upsweep_core::key::{Index, Key};
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;
use upsweep_core::segments::{Offset, check_offsets};
use upsweep_plan::cpu::SortLimits;

/// Sorts keys into `output` or in place, each part by itself.
pub fn keys<K: Key, I: Offset>(
    input: &Unsorted<'_, K>,
    output: &Target<'_, K>,
    descending: bool,
    cut: &Cut<'_, I>,
) -> Result<()> {
    let (keys, keys_out, len) = buffers("input", input, output)?;
    let nowhere = std::ptr::dangling_mut();
    run(&call::<K>(descending, len, (keys, keys_out), (std::ptr::null(), nowhere, 0)), cut)
}

/// Sorts pairs of keys and values by the keys, each part by itself.
pub fn pairs<K: Key, V: Element, I: Offset>(
    (keys, values): (&Unsorted<'_, K>, &Unsorted<'_, V>),
    (keys_out, values_out): (&Target<'_, K>, &Target<'_, V>),
    descending: bool,
    cut: &Cut<'_, I>,
) -> Result<()> {
    let (keys, keys_out, len) = buffers("keys", keys, keys_out)?;
    let (values, values_out, _) = buffers("values", values, values_out)?;
    let values = (values.cast(), values_out.cast(), size_of::<V>());
    run(&call::<K>(descending, len, (keys, keys_out), values), cut)
}

/// Sorts the positions of keys by the keys (argsort).
pub fn indices<K: Key, I: Index, O: Offset>(
    keys: &View<'_, K>,
    output: &Target<'_, I>,
    descending: bool,
    cut: &Cut<'_, O>,
) -> Result<()> {
    let (keys, (values_out, len)) = (keys.on_host("input")?.as_ptr(), output.on_host("output")?);
    let positions = (std::ptr::null(), values_out.cast(), size_of::<I>());
    run(&call::<K>(descending, len, (keys, std::ptr::null_mut()), positions), cut)
}

/// Returns the addresses of input and output, and the number of elements.
fn buffers<T: Element>(
    what: &'static str,
    input: &Unsorted<'_, T>,
    output: &Target<'_, T>,
) -> Result<(*const T, *mut T, usize)> {
    let (to, len) = output.on_host("output")?;
    let from = match input {
        Unsorted::Buffer(view) => view.on_host(what)?.as_ptr(),
        Unsorted::OfOutput => to.cast_const(),
    };
    Ok((from, to, len))
}

fn call<K: Key>(
    descending: bool,
    len: usize,
    (keys, keys_out): (*const K, *mut K),
    (values, values_out, value_bytes): (*const u8, *mut u8, usize),
) -> Sort {
    let (keys, keys_out, key_bytes, limits) = (keys.cast(), keys_out.cast(), size_of::<K>(), SortLimits::new());
    Sort { order: K::ORDER, descending, len, keys, keys_out, key_bytes, values, values_out, value_bytes, limits }
}

/// Sorts each part of `cut` by itself: the whole array, lines or segments.
fn run<I: Offset>(sort: &Sort, cut: &Cut<'_, I>) -> Result<()> {
    match cut {
        Cut::Whole => by_sizes(sort, Parts::Whole),
        Cut::Lines(shape) => by_sizes(sort, Parts::Lines(*shape)),
        Cut::Offsets(offsets) => {
            let offsets = offsets.on_host("offsets")?;
            check_offsets(offsets, sort.len)?;
            let start = |segment: usize| offsets.get(segment).and_then(|offset| offset.to_usize()).unwrap_or(0);
            by_sizes(sort, Parts::Segments(offsets.len().saturating_sub(1), &start))
        }
    }
}

/// Dispatches by sizes and not by types, so that the sort is compiled here and not with each caller. The numbers that
/// are sorted have the key in their upper half and the value in the lower. Values of keys of 16 bytes are moved in
/// memory of their own.
fn by_sizes(sort: &Sort, parts: Parts<'_>) -> Result<()> {
    match (sort.key_bytes, sort.value_bytes) {
        (_, 9..) => with_wide_values(sort, parts),
        (16, 1..) => parts::run::<u128, u64>(sort, parts),
        (16, 0) | (8, 1..) | (_, 5..) => parts::run::<u128, ()>(sort, parts),
        (8, 0) | (_, 1..) => parts::run::<u64, ()>(sort, parts),
        (_, 0) => parts::run::<u32, ()>(sort, parts),
    }
}

/// Sorts values of more than eight bytes: sorts positions by the keys, and then gathers the values.
fn with_wide_values(sort: &Sort, parts: Parts<'_>) -> Result<()> {
    let (len, bytes) = (sort.len, sort.value_bytes);
    let in_place = sort.values == sort.values_out.cast_const();
    let (mut positions, mut sorted, mut fetched) = (Memory::<u64>::none(), Memory::<u64>::none(), Memory::<u8>::none());
    let positions = positions.of(len)?;
    // A sort in place has its values in place, too.
    let sorted = if in_place { positions } else { sorted.of(len)? };
    // SAFETY: `positions` has room for `len` elements.
    (0..len).for_each(|i| unsafe { positions.add(i).write(i as u64) });
    let of_positions =
        Sort { values: positions.cast(), values_out: sorted.cast(), value_bytes: size_of::<u64>(), ..*sort };
    by_sizes(&of_positions, parts)?;
    let to = if in_place { fetched.of(len.saturating_mul(bytes))? } else { sort.values_out };
    let (threads, shared) = (sort.threads(), Addresses { from: sort.values, sorted, to });
    fork(threads, &|part| {
        for i in part_of(len, threads, part) {
            // SAFETY: positions are below the length, and each result is written by one thread.
            unsafe { shared.fetch(i, bytes) };
        }
    });
    if in_place {
        // SAFETY: `to` and the output have `len` values, and are disjoint.
        unsafe { sort.values_out.copy_from_nonoverlapping(to, len * bytes) };
    }
    Ok(())
}

/// Operands of the gather: values, sorted positions and destination.
struct Addresses {
    from: *const u8,
    sorted: *const u64,
    to: *mut u8,
}
// SAFETY: threads read the values and positions, and each writes results of its own.
unsafe impl Sync for Addresses {}

impl Addresses {
    /// Copies the value of `bytes` bytes at position `sorted[i]` of the input to index `i` of the output.
    ///
    /// # Safety
    /// `i` is less than the number of values, and nobody else writes result `i`.
    unsafe fn fetch(&self, i: usize, bytes: usize) {
        // SAFETY: `i` is a result that nobody else writes, and positions are below the number of values.
        unsafe {
            let from = self.from.add(self.sorted.add(i).read() as usize * bytes);
            self.to.add(i * bytes).copy_from_nonoverlapping(from, bytes);
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Sorts pairs with the given `limits`, as segments if there are offsets.
    pub fn sort_within<K: Key, V: Element>(
        limits: SortLimits,
        (keys, values): (&[K], &[V]),
        (keys_out, values_out): (&mut [K], &mut [V]),
        descending: bool,
        offsets: &[usize],
    ) -> Result<()> {
        let (keys, to) = ((keys.as_ptr(), keys_out.as_mut_ptr()), values_out.as_mut_ptr());
        let sort = call::<K>(descending, values.len(), keys, (values.as_ptr().cast(), to.cast(), size_of::<V>()));
        let start = |segment: usize| offsets[segment];
        let parts = if offsets.is_empty() { Parts::Whole } else { Parts::Segments(offsets.len() - 1, &start) };
        by_sizes(&Sort { limits, ..sort }, parts)
    }
}
