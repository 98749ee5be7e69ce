//! Batches of short neighbouring parts (lines or segments), which one sorting network sorts in the lanes of vectors.

use super::values::{Columns, Memory, Moved, Sort, fetch_ahead};
use crate::tile::network::{MOST, Network, lanes};
use crate::tile::simd::Set;
use crate::tile::store::copy;
use std::ops::Range;
use upsweep_core::error::Result;
use upsweep_core::key::KeyBits;

/// Largest number of elements in a part without vector instructions: squares are then transposed lane by lane.
const MOST_PORTABLE: usize = 32;
/// Least number of elements in a full batch. Further parts are added until the lanes of a network are full.
const TOGETHER: usize = 512;
/// Least part (1 / N) of a sorting network's room, the length of the longest part in each lane, that elements must
/// fill: with fewer elements the parts are sorted one by one.
const SPARSE: usize = 4;

/// Batch of neighbouring parts (lines or segments) that wait to be sorted.
pub(super) struct Waiting<B> {
    /// Index of the first element of each part, and end of the last part.
    begins: Vec<usize>,
    longest: usize,
    /// Largest number of elements in a part of a batch; 0 if this sort has no batches.
    most: usize,
    memory: [Memory<B>; 2],
}

impl<B: KeyBits> Waiting<B> {
    pub(super) fn new(sort: &Sort) -> Self {
        let most = if Set::widest().is_portable() { MOST_PORTABLE } else { MOST };
        let all_alike = sort.value_bytes == 0 && size_of::<B>() <= 8;
        let most = if all_alike { sort.limits.network.min(most) } else { 0 };
        Self { begins: Vec::new(), longest: 0, most, memory: [const { Memory::none() }; 2] }
    }

    /// Whether a part of `len` elements is short enough to be added to a batch. `len` is not 0.
    pub(super) fn takes(&self, len: usize) -> bool {
        len <= self.most
    }

    /// Whether the batch must be sorted before another part is added.
    pub(super) fn is_full(&self) -> bool {
        let [first, .., end] = *self.begins.as_slice() else { return false };
        end - first >= TOGETHER && (self.begins.len() - 1).is_multiple_of(lanes::<B>())
    }

    /// Adds `part`, the next one, to the batch.
    pub(super) fn add(&mut self, part: &Range<usize>) {
        if self.begins.is_empty() {
            self.begins.push(part.start);
        }
        self.begins.push(part.end);
        self.longest = self.longest.max(part.len());
    }

    /// Sorts and empties the batch, by `one_by_one` if the parts do not fill a network. Results of a large sort are
    /// stored past the cache: nobody reads them before this thread has called [`fence`](crate::tile::store::fence).
    pub(super) fn sort<V: Moved>(
        &mut self,
        sort: &Sort,
        mut one_by_one: impl FnMut(Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let [first, .., end] = *self.begins.as_slice() else { return Ok(()) };
        let parts = self.begins.len() - 1;
        if (end - first) * SPARSE < self.longest * parts.next_multiple_of(lanes::<B>()) {
            self.begins.windows(2).try_for_each(|part| one_by_one(part[0]..part[1]))?;
        } else {
            self.begins.iter_mut().for_each(|begin| *begin -= first);
            self.by_network::<V>(sort, first, end - first)?;
        }
        self.begins.clear();
        self.longest = 0;
        Ok(())
    }

    /// Sorts the parts of the batch by a sorting network. The starts of the parts are relative to element `first`, and
    /// `len` is the number of elements of all parts.
    fn by_network<V: Moved>(&mut self, sort: &Sort, first: usize, len: usize) -> Result<()> {
        let (set, [own, sorted]) = (Set::widest(), &mut self.memory);
        let room = TOGETHER + (MOST + 1) * lanes::<B>();
        let (own, sorted) = (own.of(room)?, sorted.of(room)?);
        let streams = !sort.is_in_place() && sort.streams::<B, V>(sort.len);
        // SAFETY: the parts are this thread's. The memory has room for them and one more row. The processor has the
        // instructions of every `Set`.
        unsafe {
            fetch_ahead(sort.keys, first..first + len, sort.key_bytes);
            let numbers = sort.plain_numbers::<B>(first, len).unwrap_or_else(|| {
                let own = std::slice::from_raw_parts_mut(own, len);
                sort.load_numbers(first, own, true);
                own
            });
            set.compiled()(Network { numbers, sorted, begins: &self.begins });
            if let Some(zeros) = sort.zeros::<B>() {
                order_zeros(numbers, std::slice::from_raw_parts_mut(sorted, len), &self.begins, zeros);
            }
            match sort.output_has_room::<B>() {
                Some(to) => {
                    sort.restore(std::slice::from_raw_parts_mut(sorted, len));
                    copy(set, sorted, to.add(first), len, streams);
                }
                None => {
                    let from = Columns { keys: sorted, values: std::ptr::dangling_mut::<V>() };
                    sort.store(first, from, len, streams);
                }
            }
        }
        Ok(())
    }
}

/// Restores the input order of the zeros of each part in `sorted`, if `numbers` has zeros of both signs. The numbers of
/// these are `zeros`.
fn order_zeros<B: KeyBits>(numbers: &[B], sorted: &mut [B], begins: &[usize], zeros: [B; 2]) {
    let has = |zero: B| numbers.iter().fold(false, |any, &number| any | (number == zero));
    if !zeros.into_iter().all(has) {
        return;
    }
    for part in begins.windows(2) {
        let [begin, end] = *part else { continue };
        let (Some(numbers), Some(sorted)) = (numbers.get(begin..end), sorted.get_mut(begin..end)) else { continue };
        let first = sorted.partition_point(|&number| number < zeros[0]);
        let places = sorted.iter_mut().skip(first);
        places.zip(numbers.iter().filter(|number| zeros.contains(number))).for_each(|(to, &zero)| *to = zero);
    }
}
