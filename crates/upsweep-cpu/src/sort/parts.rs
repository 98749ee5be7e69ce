//! Segmented sort: the whole array, lines or segments, each sorted by itself.
//!
//! Long segments are sorted one after the other, by all threads. Of the others each thread has its share.

use super::cached::Room;
use super::short::Waiting;
use super::values::{Memory, Moved, Sort};
use crate::engine::apart::{forked, part_of};
use crate::tile::store::fence;
use std::ops::Range;
use upsweep_core::error::Result;
use upsweep_core::key::KeyBits;
use upsweep_core::shape::Shape;

/// Number of shares (equal pieces of an array) for each thread, so that none has all the long segments.
const SHARES: usize = 8;

/// Parts of an array, each of which is sorted by itself: the whole array, lines or segments.
#[derive(Clone, Copy)]
pub(super) enum Parts<'a> {
    Whole,
    Lines(Shape),
    /// Number of segments, and `start`: segment `i` is the elements `start(i) .. start(i + 1)`.
    Segments(usize, &'a (dyn Fn(usize) -> usize + Sync)),
}

/// Sorts each of `parts` by itself.
pub(super) fn run<B: KeyBits, V: Moved>(sort: &Sort, parts: Parts<'_>) -> Result<()> {
    match parts {
        Parts::Whole => sort.run(&mut Room::<B, V>::new()),
        Parts::Lines(Shape { len, inner: 1, .. }) => {
            let rows = sort.len.checked_div(len).unwrap_or(0);
            segments::<B, V>(sort, rows, &|row| row * len)
        }
        Parts::Lines(shape) => lines::<B, V>(sort, shape),
        Parts::Segments(number, start) => segments::<B, V>(sort, number, start),
    }
}

/// Sorts `number` parts. Part `i` is the elements `start(i) .. start(i + 1)`.
fn segments<B, V>(sort: &Sort, number: usize, start: &(dyn Fn(usize) -> usize + Sync)) -> Result<()>
where
    B: KeyBits,
    V: Moved,
{
    let is_long = |range: &Range<usize>| sort.of(range.clone()).threads() > 1;
    let range_of = |part: usize| start(part)..start(part + 1);
    let threads = sort.threads();
    // Shares are equal pieces of the array. A part belongs to the share in which it begins.
    let shares = threads * SHARES;
    let first_part_from = |element: usize| {
        let (mut low, mut high) = (0, number);
        while low < high {
            let middle = low.midpoint(high);
            (low, high) = if start(middle) < element { (middle + 1, high) } else { (low, middle) };
        }
        low
    };
    let parts_of = |share: usize| {
        let elements = part_of(sort.len, shares, share);
        let end = if share + 1 == shares { number } else { first_part_from(elements.end) };
        first_part_from(elements.start)..end
    };
    let of_parts = |parts: Range<usize>| {
        let (mut long, mut room, mut waiting) = (Vec::new(), Room::<B, V>::new(), Waiting::<B>::new(sort));
        for range in parts.map(range_of).filter(|range| !range.is_empty()) {
            let is_short = waiting.takes(range.len());
            if !is_short || waiting.is_full() {
                waiting.sort::<V>(sort, |range| sort.of(range).run(&mut room))?;
            }
            if is_short {
                waiting.add(&range);
            } else if is_long(&range) {
                long.push(range);
            } else {
                sort.of(range).run(&mut room)?;
            }
        }
        waiting.sort::<V>(sort, |range| sort.of(range).run(&mut room))?;
        fence();
        Ok(long)
    };
    let long: Vec<_> = if threads == 1 {
        vec![of_parts(0..number)?]
    } else {
        forked(shares, &|share| of_parts(parts_of(share))).into_iter().collect::<Result<_>>()?
    };
    long.into_iter().flatten().try_for_each(|range| sort.of(range).run(&mut Room::<B, V>::new()))
}

/// Sorts interleaved lines. Each is gathered into scratch memory, sorted there, and scattered back.
fn lines<B: KeyBits, V: Moved>(sort: &Sort, shape: Shape) -> Result<()> {
    let threads = sort.threads();
    let results = forked(threads, &|thread| {
        let [mut keys, mut keys_out, mut values, mut values_out] = [const { Memory::<u8>::none() }; 4];
        let (key_bytes, value_bytes) =
            (shape.len.saturating_mul(sort.key_bytes), shape.len.saturating_mul(sort.value_bytes));
        let (keys, keys_out) = (keys.of(key_bytes)?, keys_out.of(key_bytes)?);
        let (values, values_out) = (values.of(value_bytes)?, values_out.of(value_bytes)?);
        let of_line = Sort {
            len: shape.len,
            keys: keys.cast_const(),
            keys_out: if sort.keys_out.is_null() { sort.keys_out } else { keys_out },
            values: if sort.values.is_null() { sort.values } else { values.cast_const() },
            values_out,
            ..*sort
        };
        let mut room = Room::<B, V>::new();
        for line in part_of(shape.lines(), threads, thread) {
            let first = line / shape.inner * shape.len * shape.inner + line % shape.inner;
            // SAFETY: the elements of a line are in the buffers, and no other line has them. The scratch memory has
            // room for a line, and is written before it is read.
            unsafe {
                copy(sort.keys, (first, shape.inner), keys, (0, 1), shape.len, sort.key_bytes);
                if !sort.values.is_null() {
                    copy(sort.values, (first, shape.inner), values, (0, 1), shape.len, sort.value_bytes);
                }
                of_line.run(&mut room)?;
                if !sort.keys_out.is_null() {
                    copy(keys_out, (0, 1), sort.keys_out, (first, shape.inner), shape.len, sort.key_bytes);
                }
                copy(values_out, (0, 1), sort.values_out, (first, shape.inner), shape.len, sort.value_bytes);
            }
        }
        Ok(())
    });
    results.into_iter().collect()
}

/// Copies `len` elements of `bytes` bytes, strided: `(first, step)` is the index of the first element in `from` and the
/// stride, and `(first_to, step_to)` the same in `to`.
///
/// # Safety
/// The elements are in both memories, which are disjoint.
unsafe fn copy(
    from: *const u8,
    (first, step): (usize, usize),
    to: *mut u8,
    (first_to, step_to): (usize, usize),
    len: usize,
    bytes: usize,
) {
    macro_rules! copy {
        ($t:ty) => {
            for i in 0..len {
                // SAFETY: by the conditions of `copy` both memories have these elements.
                unsafe {
                    let element = from.cast::<$t>().add(first + i * step).read_unaligned();
                    to.cast::<$t>().add(first_to + i * step_to).write_unaligned(element);
                }
            }
        };
    }
    match bytes {
        0 => {}
        1 => copy!(u8),
        2 => copy!(u16),
        4 => copy!(u32),
        8 => copy!(u64),
        16 => copy!(u128),
        _ => {
            for i in 0..len {
                // SAFETY: by the conditions of `copy` both memories have these elements, and they are disjoint.
                unsafe {
                    let from = from.add((first + i * step) * bytes);
                    to.add((first_to + i * step_to) * bytes).copy_from_nonoverlapping(from, bytes);
                }
            }
        }
    }
}

impl Sort {
    /// Returns the arguments to sort the elements `range` of this sort's array by themselves.
    pub(super) fn of(&self, range: Range<usize>) -> Self {
        let at = range.start;
        // SAFETY: the part lies in the buffers of this sort.
        unsafe {
            Self {
                len: range.len(),
                keys: self.keys.add(at * self.key_bytes),
                keys_out: if self.keys_out.is_null() { self.keys_out } else { self.keys_out.add(at * self.key_bytes) },
                values: if self.values.is_null() { self.values } else { self.values.add(at * self.value_bytes) },
                values_out: self.values_out.add(at * self.value_bytes),
                ..*self
            }
        }
    }
}
