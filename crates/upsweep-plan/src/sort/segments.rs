//! Plans of sorts by segments on a CUDA device.

use super::SortPlan;
use super::local::LocalPlan;
use super::types::{DIGITS, SEGMENT_BYTES, SortTypes, TILE_BYTES};
use crate::constants::{Constants, constants};
use crate::tuning::Tuning;

/// Number of keys per lane of a warp that sorts a segment of the class [`Way::Short`].
const SHORT_ITEMS: usize = 8;
/// Number of threads of a block of the kernels that prepare passes over long segments.
const PARTS_THREADS: usize = 512;
/// Bytes of the header of scratch memory, through which kernels communicate.
const HEADER_BYTES: usize = 20;

/// A planned sort of segments, each separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentsPlan {
    /// Plan of the passes over long segments, and of the blocks that sort shorter ones.
    pub pass: SortPlan,
    /// Plan of larger blocks, which sort segments that are too long for the other blocks.
    pub large: LocalPlan,
    /// Number of segments.
    pub segments: usize,
    /// Number of keys of each segment, if all segments have equally many.
    pub rows: Option<usize>,
}

/// Class of segments by their length, which decides the kernels that sort them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Segments that a warp sorts.
    Short,
    /// Segments that a warp sorts with more keys per lane.
    More,
    /// Segments that a block sorts, with the local plan of [`SegmentsPlan::pass`].
    Block,
    /// Segments that a larger block sorts, with the plan [`SegmentsPlan::large`].
    LargeBlock,
    /// Longer segments, which passes over device memory sort.
    Parts,
}

impl SegmentsPlan {
    /// Plans a sort of `segments` segments of `len` keys in all, which all have `rows` keys if that is known.
    #[must_use]
    pub fn new(
        (len, segments, rows): (usize, usize, Option<usize>),
        types: SortTypes,
        in_place: bool,
        (capability, multiprocessors): ((u32, u32), usize),
    ) -> Self {
        let shared = Tuning::of(capability).shared_bytes;
        let mut pass = SortPlan::new(len, types, in_place, capability, multiprocessors);
        // Keys of a segment may differ in any of their bits.
        pass.local = pass.local.with_bits(8 * types.key as u32, shared);
        let large = LocalPlan::large(types, shared);
        Self { pass, large, segments, rows }
    }

    /// Returns the largest number of keys of a segment that a block sorts, and of one that a larger block sorts.
    #[must_use]
    pub fn rooms(&self) -> (usize, usize) {
        let block = self.pass.local.tile();
        (block, block.max(self.large.tile()))
    }

    /// Returns the largest number of keys that a warp sorts.
    #[must_use]
    pub fn most_of_warps(&self) -> usize {
        32 * self.pass.warp_items().max(SHORT_ITEMS)
    }

    /// Returns the class of segments of `len` keys.
    #[must_use]
    pub fn way(&self, len: usize) -> Way {
        let (block, large) = self.rooms();
        match len {
            _ if len <= 32 * SHORT_ITEMS => Way::Short,
            _ if len <= self.most_of_warps() => Way::More,
            _ if len <= block => Way::Block,
            _ if len <= large => Way::LargeBlock,
            _ => Way::Parts,
        }
    }

    /// Whether any segment may belong to the class `way`.
    #[must_use]
    pub fn may(&self, way: Way) -> bool {
        match self.rows {
            Some(len) => self.way(len) == way,
            None => way == Way::Short || self.listed(way) > 0,
        }
    }

    /// Returns the largest number of segments in the list of the class `way` in device memory; 0 if the class has no
    /// list or no segments.
    fn listed(&self, way: Way) -> usize {
        let (block, large) = self.rooms();
        let above = match way {
            Way::Short => return 0,
            Way::More if self.most_of_warps() == 32 * SHORT_ITEMS => return 0,
            Way::More => 32 * SHORT_ITEMS,
            Way::Block => self.most_of_warps(),
            Way::LargeBlock if large == block => return 0,
            Way::LargeBlock => block,
            Way::Parts => large,
        };
        self.segments.min(self.pass.len / (above + 1))
    }

    /// Returns the largest number of segments that can belong to the class `way`.
    #[must_use]
    pub fn most_segments(&self, way: Way) -> usize {
        if self.rows.is_some() { self.segments } else { self.listed(way) }
    }

    /// Keys per lane of a warp that sorts short segments.
    #[must_use]
    pub fn short_items() -> usize {
        SHORT_ITEMS
    }

    /// Returns the largest number of segments that are sorted by passes over device memory.
    #[must_use]
    pub fn most_parts(&self) -> usize {
        match self.rows {
            Some(len) if self.way(len) == Way::Parts => self.segments,
            Some(_) => 0,
            None => self.listed(Way::Parts),
        }
    }

    /// Returns the largest number of tiles of long segments: each segment has one partial tile.
    #[must_use]
    pub fn most_tiles(&self) -> usize {
        match self.most_parts() {
            0 => 0,
            parts => self.pass.tiles() + parts,
        }
    }

    /// Returns the number of bytes of each part of scratch memory: both headers, which are cleared, starts of segments,
    /// lists of segments by class, the first tile of each long segment, counts of digits, status words, tiles, keys,
    /// values, and sorted keys that are not an output.
    #[must_use]
    pub fn scratch_parts(&self) -> [usize; 13] {
        let SortTypes { key, value, keys_out, .. } = self.pass.types;
        let (parts, tiles) = (self.most_parts(), self.most_tiles());
        let list = |way| if self.rows.is_none() { self.listed(way) * SEGMENT_BYTES } else { 0 };
        let passed = |bytes| if parts > 0 { self.pass.len * bytes } else { 0 };
        [
            HEADER_BYTES,
            self.pass.header_bytes(),
            if self.rows.is_none() { (self.segments + 1) * 8 } else { 0 },
            list(Way::More),
            list(Way::Block),
            list(Way::LargeBlock),
            list(Way::Parts),
            (parts + 1) * 4,
            parts * key * DIGITS * 8,
            tiles * DIGITS * self.pass.status,
            tiles * TILE_BYTES,
            passed(key),
            passed(value).next_multiple_of(256) + passed(if keys_out { 0 } else { key }),
        ]
    }

    /// Returns the number of threads per block of the kernels that prepare passes.
    #[must_use]
    pub fn parts_threads() -> usize {
        PARTS_THREADS
    }

    /// Returns the constants of the kernels that prepare passes, for offsets of `offset` bytes that may be `signed`.
    #[must_use]
    pub fn parts_constants(&self, offset: usize, signed: bool) -> Constants {
        let mut constants = self.pass.plain_constants(PARTS_THREADS);
        constants!(constants; "OFFSET_BYTES" = offset, "OFFSET_SIGNED" = usize::from(signed));
        constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::types::Indices;
    use crate::tuning::TUNING;
    use upsweep_core::key::KeyOrder;

    #[test]
    fn every_length_has_a_way_with_room() {
        for row in TUNING {
            for (key, value) in [(1, 0), (2, 4), (4, 0), (4, 4), (8, 0), (8, 8), (16, 0), (16, 8)] {
                let order = KeyOrder { signed: false, mantissa: 0 };
                let types = SortTypes { key, order, descending: false, value, indices: Indices::None, keys_out: true };
                for (len, segments) in [(1, 1), (1 << 10, 3), (1 << 20, 1 << 12), (1 << 28, 1 << 28), (1 << 20, 1)] {
                    let plan = SegmentsPlan::new((len, segments, None), types, false, (row.capability, 100));
                    let (block, large) = plan.rooms();
                    assert!(block >= plan.most_of_warps() && large >= block && large <= 1 << 15, "{plan:?}");
                    assert!(plan.pass.local.shared_bytes() + 1024 <= row.shared_bytes, "{plan:?}");
                    assert!(plan.large.shared_bytes() + 1024 <= row.shared_bytes, "{plan:?}");
                    for length in [
                        1,
                        256,
                        257,
                        plan.most_of_warps(),
                        plan.most_of_warps() + 1,
                        block,
                        block + 1,
                        large,
                        large + 1,
                        len,
                    ] {
                        if length > len {
                            continue;
                        }
                        assert!(plan.may(plan.way(length)), "{length}: {plan:?}");
                        // A list has room for as many segments of this length as there may be.
                        let number = (len / length).min(segments);
                        let way = plan.way(length);
                        assert!(way == Way::Short || plan.listed(way) >= number, "{length}: {plan:?}");
                    }
                }
            }
        }
    }
}
