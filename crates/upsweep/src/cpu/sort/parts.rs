//! Sorts of parts of an array, each by itself: long ones one after the other, on all threads; of the others each thread has its share.

use super::array::{Sort, Values, in_parts, part_of, uninitialised};
use crate::cpu::engine::segment_heads::check_offsets;
use crate::error::Result;
use crate::key::Key;
use crate::plan::Shape;
use crate::plan::cpu::PARALLEL_FROM_BYTES;
use crate::segments::Offset;
use crate::sorting::Cut;
use std::ops::Range;

/// Shares of an array for each thread, so that none has all the long segments.
const SHARES: usize = 8;

/// Sorts each part by itself.
pub(super) fn run<K: Key, V: Copy + Send + Sync, I: Offset>(sort: &Sort<K, V>, cut: &Cut<'_, I>) -> Result<()> {
    match cut {
        Cut::Whole => sort.run(),
        Cut::Lines(Shape { len, inner: 1, .. }) => {
            let rows = if *len == 0 { 0 } else { sort.len / len };
            ranges(sort, rows, |row| row * len)
        }
        Cut::Lines(shape) => lines(sort, *shape),
        Cut::Offsets(offsets) => {
            let offsets = offsets.on_host("offsets")?;
            check_offsets(offsets, sort.len)?;
            let start = |segment: usize| offsets.get(segment).and_then(|offset| offset.to_usize()).unwrap_or(0);
            ranges(sort, offsets.len().saturating_sub(1), start)
        }
    }
}

/// Sorts the `number` parts of which part `i` is the elements `start(i) .. start(i + 1)`.
fn ranges<K, V, S>(sort: &Sort<K, V>, number: usize, start: S) -> Result<()>
where
    K: Key,
    V: Copy + Send + Sync,
    S: Fn(usize) -> usize + Sync,
{
    let is_long =
        |range: &Range<usize>| range.len().saturating_mul(size_of::<K>() + size_of::<V>()) >= PARALLEL_FROM_BYTES;
    let range_of = |part: usize| start(part)..start(part + 1);
    let threads = if is_long(&(0..sort.len)) { rayon::current_num_threads() } else { 1 };
    if threads == 1 {
        return (0..number).try_for_each(|part| sort.of(range_of(part)).run());
    }
    // Shares have about as many elements each: those of the parts that begin there.
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
    let of_share = |share: usize| {
        let mut long = Vec::new();
        for range in parts_of(share).map(range_of) {
            if is_long(&range) {
                long.push(range);
            } else {
                sort.of(range).run()?;
            }
        }
        Ok(long)
    };
    let long: Vec<_> = in_parts(shares, of_share).into_iter().collect::<Result<_>>()?;
    long.into_iter().flatten().try_for_each(|range| sort.of(range).run())
}

/// Sorts interleaved lines, each by way of memory of its own.
fn lines<K: Key, V: Copy + Send + Sync>(sort: &Sort<K, V>, shape: Shape) -> Result<()> {
    let bytes = sort.len.saturating_mul(size_of::<K>() + size_of::<V>());
    let threads = if bytes >= PARALLEL_FROM_BYTES { rayon::current_num_threads() } else { 1 };
    let results = in_parts(threads, |thread| {
        let (mut keys, mut keys_out) = (uninitialised::<K>(shape.len)?, uninitialised::<K>(shape.len)?);
        let (mut values, mut values_out) = (uninitialised::<V>(shape.len)?, uninitialised::<V>(shape.len)?);
        let (keys, keys_out) = (keys.as_mut_ptr(), keys_out.as_mut_ptr());
        let (values, values_out) = (values.as_mut_ptr(), values_out.as_mut_ptr());
        for line in part_of(shape.lines(), threads, thread) {
            let place = |k: usize| (line / shape.inner * shape.len + k) * shape.inner + line % shape.inner;
            let of_line = Sort {
                descending: sort.descending,
                len: shape.len,
                keys,
                keys_out: sort.keys_out.is_some().then_some(keys_out),
                values: match sort.values {
                    Values::At(_) => Values::At(values.cast_const()),
                    Values::Positions(at) => Values::Positions(at),
                },
                values_out,
            };
            // SAFETY: the places of a line are in the buffers, and no other line has them; the memory has room for a line, which is
            // written before it is read.
            unsafe {
                for k in 0..shape.len {
                    keys.add(k).write(sort.keys.add(place(k)).read());
                    if let Values::At(from) = sort.values {
                        values.add(k).write(from.add(place(k)).read());
                    }
                }
                of_line.run()?;
                for k in 0..shape.len {
                    if let Some(to) = sort.keys_out {
                        to.add(place(k)).write(keys_out.add(k).read());
                    }
                    sort.values_out.add(place(k)).write(values_out.add(k).read());
                }
            }
        }
        Ok(())
    });
    results.into_iter().collect()
}

impl<K: Key, V: Copy + Send + Sync> Sort<K, V> {
    /// The sort of a part of the elements.
    fn of(&self, range: Range<usize>) -> Self {
        let at = range.start;
        // SAFETY: the part lies in the buffers.
        unsafe {
            Self {
                descending: self.descending,
                len: range.len(),
                keys: self.keys.add(at),
                keys_out: self.keys_out.map(|out| out.add(at)),
                values: match self.values {
                    Values::At(values) => Values::At(values.add(at)),
                    Values::Positions(position) => Values::Positions(position),
                },
                values_out: self.values_out.add(at),
            }
        }
    }
}
