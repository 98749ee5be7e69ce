//! What a sort by segments does on a CUDA device.

use super::SortPlan;
use super::local::LocalPlan;
use super::types::{DIGITS, SEGMENT_BYTES, SortTypes, TILE_BYTES};
use crate::constants::{Constants, constants};
use crate::tuning::Tuning;

/// Keys of a lane that sorts short segments.
const SHORT_ITEMS: usize = 8;
/// Threads of blocks that prepare passes.
const PARTS_THREADS: usize = 512;
/// What kernels tell each other.
const HEADER_BYTES: usize = 20;

/// A planned sort of segments, each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentsPlan {
    /// Of passes over long segments, and of blocks.
    pub pass: SortPlan,
    /// Of larger blocks.
    pub large: LocalPlan,
    /// Segments.
    pub segments: usize,
    /// Keys of each, where all have as many.
    pub rows: Option<usize>,
}

/// Which kernels sort segments of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Warps.
    Short,
    /// Warps with more keys a lane.
    More,
    /// Blocks, of the plan for passes.
    Block,
    /// Larger blocks.
    LargeBlock,
    /// Passes.
    Parts,
}

impl SegmentsPlan {
    /// The plan for `segments` segments of `len` keys, which are all of as many `rows` keys if that is known.
    #[must_use]
    pub fn new(
        (len, segments, rows): (usize, usize, Option<usize>),
        types: SortTypes,
        in_place: bool,
        (capability, multiprocessors): ((u32, u32), usize),
    ) -> Self {
        let shared = Tuning::of(capability).shared_bytes;
        let mut pass = SortPlan::new(len, types, in_place, capability, multiprocessors);
        // Segments differ in any bits.
        pass.local = pass.local.with_bits(8 * types.key as u32, shared);
        let large = LocalPlan::large(types, shared);
        Self { pass, large, segments, rows }
    }

    /// The most keys that a block sorts, and a larger one.
    #[must_use]
    pub fn rooms(&self) -> (usize, usize) {
        let block = self.pass.local.tile();
        (block, block.max(self.large.tile()))
    }

    /// The most keys that a warp sorts.
    #[must_use]
    pub fn most_of_warps(&self) -> usize {
        32 * self.pass.warp_items().max(SHORT_ITEMS)
    }

    /// Which kernels sort segments of `len` keys.
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

    /// Whether any segment may go this way.
    #[must_use]
    pub fn may(&self, way: Way) -> bool {
        match self.rows {
            Some(len) => self.way(len) == way,
            None => way == Way::Short || self.listed(way) > 0,
        }
    }

    /// The most segments that go this way, in lists.
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

    /// The most segments that go this way.
    #[must_use]
    pub fn most_segments(&self, way: Way) -> usize {
        if self.rows.is_some() { self.segments } else { self.listed(way) }
    }

    /// Keys of a lane that sorts short segments.
    #[must_use]
    pub fn short_items() -> usize {
        SHORT_ITEMS
    }

    /// The most segments that are sorted by passes.
    #[must_use]
    pub fn most_parts(&self) -> usize {
        match self.rows {
            Some(len) if self.way(len) == Way::Parts => self.segments,
            Some(_) => 0,
            None => self.listed(Way::Parts),
        }
    }

    /// The most tiles of long segments, of which each has one that is not full.
    #[must_use]
    pub fn most_tiles(&self) -> usize {
        match self.most_parts() {
            0 => 0,
            parts => self.pass.tiles() + parts,
        }
    }

    /// Bytes of the parts of scratch memory: what is cleared (both headers), starts, the lists, the tiles each part begins with, counts of
    /// digits, status words, tiles, keys, values, and keys that nobody wants.
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

    /// Threads of the kernels around passes.
    #[must_use]
    pub fn parts_threads() -> usize {
        PARTS_THREADS
    }

    /// The numbers that the kernels around passes are compiled with, for offsets of so many bytes that may have a sign.
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
