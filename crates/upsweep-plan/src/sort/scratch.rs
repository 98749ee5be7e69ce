//! Scratch memory of a sort, and its parts.

use super::SortPlan;
use super::types::{DIGITS, SEGMENT_BYTES, SortTypes, TILE_BYTES};

/// Sizes in bytes of the parts of a block of memory, each of which begins at a multiple of 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchParts<const N: usize>(pub [usize; N]);

impl<const N: usize> ScratchParts<N> {
    const ALIGN: usize = 256;

    /// Returns the number of bytes of all parts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|bytes| bytes.next_multiple_of(Self::ALIGN)).sum()
    }

    /// Returns the addresses of the parts in the block of memory at `address`.
    #[must_use]
    pub fn starts(&self, address: u64) -> [u64; N] {
        let mut next = address;
        self.0.map(|bytes| {
            let start = next;
            next += bytes.next_multiple_of(Self::ALIGN) as u64;
            start
        })
    }
}

impl SortPlan {
    /// Bytes of the header, through which a sort's kernels and blocks communicate; it has to be cleared.
    #[must_use]
    pub fn header_bytes(&self) -> usize {
        (self.types.key * DIGITS * 8 + 4 * self.launches() + 32 + 72 * self.launches()).next_multiple_of(8)
    }

    /// Number of counters of the highest bits (one for each value of the bits by which the sort begins), and one for
    /// their sum. The counters have to be cleared, as the header has.
    #[must_use]
    pub fn split_places(&self) -> usize {
        match self.split_bits() {
            0 => 0,
            bits => (1usize << bits).max(self.octave_buckets()) + 1,
        }
    }

    /// Number of cursors (next free positions of buckets) for keys that a pass stores in any order within their bucket:
    /// of the first pass, and of the buckets of a second one. There are none with values, which distinguish equal keys.
    #[must_use]
    pub fn cursors(&self) -> usize {
        let buckets = if self.split_bits() == 0 { 0 } else { 1 << self.split_bits() };
        if self.types.value == 0 { (DIGITS + buckets).max(self.octave_buckets()) } else { 0 }
    }

    /// Offset of the cursors in scratch memory: after the header and the counters of the highest bits.
    #[must_use]
    pub fn cursors_at(&self) -> usize {
        self.header_bytes() + 8 * self.split_places()
    }

    /// Offset in the header, in bytes, of the number of buckets on the list for larger blocks.
    #[must_use]
    pub fn listed_at(&self) -> usize {
        self.types.key * DIGITS * 8 + 4 * self.launches() + 16
    }

    /// Offset of the list of buckets for larger blocks in scratch memory, after the part that has to be cleared, if
    /// there is a list.
    #[must_use]
    pub fn large_list_at(&self) -> Option<usize> {
        self.lists_large().then_some(self.cleared_bytes().next_multiple_of(16))
    }

    /// Bytes of scratch memory that have to be cleared: the header, the counters of the highest bits, and the cursors.
    #[must_use]
    pub fn cleared_bytes(&self) -> usize {
        self.cursors_at() + self.cursors() * self.status
    }

    /// Number of status words: one for each digit of each tile.
    #[must_use]
    pub fn status_words(&self) -> usize {
        self.most_tiles() * DIGITS
    }

    /// Returns the parts of the scratch memory: the cleared part and the list for larger blocks, status words, tiles of
    /// buckets, keys, values, and sorted keys that are not an output.
    #[must_use]
    pub fn scratch_parts(&self) -> ScratchParts<6> {
        let SortTypes { key, value, keys_out, .. } = self.types;
        let keys = self.len * key;
        ScratchParts([
            self.large_list_at().map_or(self.cleared_bytes(), |at| at + SEGMENT_BYTES * Self::most_large()),
            self.status_words() * self.status,
            if self.splits_twice() { self.most_tiles() * TILE_BYTES } else { 0 },
            keys,
            self.len * value,
            if keys_out { 0 } else { keys },
        ])
    }

    /// Returns the number of bytes of all scratch memory of a sort by passes.
    #[must_use]
    pub fn scratch_bytes(&self) -> usize {
        self.scratch_parts().bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_scratch_are_apart_and_aligned() {
        let parts = ScratchParts([1, 256, 0, 257, 10, 0]);
        assert_eq!(parts.starts(4096), [4096, 4352, 4608, 4608, 5120, 5376]);
        assert_eq!(parts.bytes(), 5376 - 4096);
    }
}
