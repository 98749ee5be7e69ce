//! Plans of reductions of whole arrays on a CUDA device.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use std::fmt;
use upsweep_core::call::carry::SUBTREES;
use upsweep_core::inputs::Streams;
use upsweep_core::lanes::{MOST_LANES, ROWS};

/// Threads per block.
const THREADS: usize = 512;
/// Lanes of a warp.
const WARP: usize = 32;
/// Number of vectors of 16 bytes that a thread loads at once.
pub(super) const DEPTH: usize = 4;
/// Largest number of parts, each reduced by one block: one, two or four waves of the blocks that an H200 runs at once,
/// and few values for the last block to combine. See benches/notes/reduce.md.
const MOST_PARTS: usize = 528;
/// Largest number of parts (one per block) for operators whose order matters. An H200 runs as many such blocks at once,
/// because they need more registers than others.
const MOST_PARTS_IN_ORDER: usize = 264;
/// Largest number of parts for float sums and products, whose parts are powers of two: one wave, as two such blocks fill
/// a multiprocessor. A thread of the last block combines one of them, so there are at most THREADS.
const MOST_PARTS_IN_TREE: usize = 264;
/// Largest number of vectors of a thread, for float sums and products, if one block reduces the array.
const ONE_BLOCK_IN_TREE: usize = 4;
/// Bytes that a thread has in registers at once, for float sums and products: of a chunk's rows and of its lanes.
const BYTES_IN_TREE: usize = 160;
/// Number of parts up to which longer arrays have more parts, of one load per thread. With more elements, the parts
/// grow (H200, 2026-11-21: benches/notes/reduce.md).
const FEW_PARTS: usize = 128;
/// Largest array, in bytes, that is read without evicting the contents of the L2 cache, in particular dirty lines,
/// which would have to be written back first. Longer arrays are read faster the usual way.
const STREAMED_BYTES: usize = 128 << 20;

/// Returns the number of neighbouring elements that a thread loads at once, as a vector, and the number of such
/// vectors. An element has `input` bytes in one buffer, or is in several `streams` (buffers).
pub(super) fn loads(input: usize, streams: Option<Streams>) -> (usize, usize) {
    let Some(streams) = streams else {
        return (if 16usize.is_multiple_of(input) { 16 / input } else { 1 }, DEPTH);
    };
    let widest = streams.sizes().iter().copied().max().unwrap_or(4);
    let vector = 1 << (16 / widest).clamp(1, 16).ilog2();
    // The loads bring as many bytes at once as with one buffer.
    (vector, (DEPTH * 16 / (vector * streams.bytes()).max(16)).max(1))
}

/// A planned reduction of a whole array. The parts depend on the number of elements and their size alone. Float sums and
/// products have one tree ([`lanes`](upsweep_core::lanes)), of which each part is a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReducePlan {
    /// Number of elements.
    pub len: usize,
    /// Number of neighbouring elements that a thread loads at once, as a vector.
    pub vector: usize,
    /// Number of vectors that a thread loads at once.
    pub depth: usize,
    /// Number of lanes of the tree of float sums and products; 0 for other operators.
    pub lanes: usize,
    /// Largest number of vectors of a thread if one block reduces the array.
    one_block: usize,
    /// Bytes of an element, or of those of all streams at one position.
    input: usize,
    /// Number of elements per part.
    pub part: usize,
    /// Number of parts, one per block.
    pub parts: usize,
    /// Largest number of parts that the plan allows, for any number of elements.
    pub most: usize,
    /// Threads per block.
    pub threads: usize,
    /// Whether loads leave the contents of the L2 cache in place, because the array is short.
    pub streamed: bool,
    /// Bytes of a combined value.
    pub state: usize,
    /// Status words through which the blocks' values reach the last block.
    pub words: StatusWords,
}

impl ReducePlan {
    /// Plans a reduction of `len` elements of `input` bytes, combined as values of `state` bytes.
    #[must_use]
    pub fn new(len: usize, input: usize, state: usize) -> Self {
        Self::with(len, input, state, loads(input, None))
    }

    /// Plans a reduction of `len` elements that are read from the buffers of `streams`, several or none.
    #[must_use]
    pub fn of_streams(len: usize, streams: Streams, state: usize) -> Self {
        Self::with(len, streams.bytes().max(1), state, loads(0, Some(streams)))
    }

    /// Returns the number of blocks to launch if the number of elements is in device memory, at most `len`.
    #[must_use]
    pub fn most_parts(&self) -> usize {
        self.len.div_ceil(THREADS * self.vector).clamp(1, self.most)
    }

    /// Returns the plan for an operator whose order matters.
    #[must_use]
    pub fn in_order(self) -> Self {
        self.cut(MOST_PARTS_IN_ORDER)
    }

    /// Returns the plan for a float sum or product, whose tree has this number of lanes.
    #[must_use]
    pub fn in_tree(self, lanes: usize) -> Self {
        let Self { input, state, .. } = self;
        // A row is at most a vector of each lane of a warp. Elements may be narrower than the streams that tell them, as
        // gathered ones are than their indices.
        let vector = self.vector.max(lanes / WARP);
        let bytes = BYTES_IN_TREE.saturating_sub(vector * state).max(1);
        let rows = (bytes / (vector * input)).clamp(1, ROWS);
        Self { lanes, vector, depth: 1 << rows.ilog2(), one_block: ONE_BLOCK_IN_TREE, ..self }.cut(MOST_PARTS_IN_TREE)
    }

    fn with(len: usize, input: usize, state: usize, (vector, depth): (usize, usize)) -> Self {
        let (threads, words) = (THREADS, StatusWords::default());
        let streamed = len.saturating_mul(input) <= STREAMED_BYTES;
        let (lanes, one_block, part, parts, most) = (0, depth, 0, 0, 0);
        Self { len, vector, depth, lanes, one_block, input, part, parts, most, threads, streamed, state, words }
            .cut(MOST_PARTS)
    }

    /// Divides the array into at most `most` parts, each reduced by one block.
    fn cut(self, most: usize) -> Self {
        let Self { len, vector, lanes, one_block, state, .. } = self;
        let step = THREADS * vector;
        // A single block need not wait for others. While parts are few, each of several blocks loads all of its part at
        // once.
        let at_once = step * one_block;
        let spread = len.div_ceil(FEW_PARTS).max(step).min(at_once);
        let part = match len.div_ceil(most).max(spread) {
            _ if len <= at_once => at_once,
            // A power of two of chunks: a step is one, as a row of a chunk has at most as many vectors as a warp lanes.
            least if lanes > 0 => least.checked_next_power_of_two().unwrap_or(least),
            least => least.next_multiple_of(step),
        };
        let parts = len.div_ceil(part).max(1);
        let words = if parts == 1 { StatusWords::default() } else { StatusWords::of(parts, state) };
        Self { part, parts, most, words, ..self }
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = StatusWords::constants(self.state);
        constants!(constants; "THREADS" = THREADS, "VECTOR" = self.vector, "DEPTH" = self.depth, "FEW_PARTS" = FEW_PARTS, "REDUCE_PARTS" = self.most, "ONE_BLOCK" = self.one_block, "CHUNK_LANES" = self.lanes);
        constants
    }
}

/// Threads of the block that joins the totals of a part of an array: one for each lane, and for each subtree.
pub const PART_THREADS: usize = MOST_LANES;

/// Constants of the kernel that joins the totals of a part of an array, of a float sum or product with this number of
/// lanes.
#[must_use]
pub fn part_constants(lanes: usize) -> Constants {
    let mut constants = Constants::default();
    constants!(constants; "THREADS" = PART_THREADS, "VECTOR" = 1, "DEPTH" = 1, "PART_LANES" = lanes, "PART_SUBTREES" = SUBTREES);
    constants
}

impl fmt::Display for ReducePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { len, vector, depth, part, parts, threads, .. } = self;
        writeln!(f, "reduction of a whole array, one kernel")?;
        writeln!(f, "  elements      {len}")?;
        writeln!(
            f,
            "  parts         {parts} of {part} elements, each a block of {threads} threads, {depth} loads of {vector} elements at once"
        )?;
        write!(f, "  status words  {} bytes", self.words.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::lanes::lanes;

    fn streams_of(sizes: &[usize]) -> Streams {
        sizes.iter().fold(Streams::NONE, |streams, &size| streams.and(Streams::of_size(size)))
    }

    #[test]
    fn parts_cover_the_array() {
        for input in [1, 2, 3, 4, 8, 12, 16, 64] {
            for len in [0, 1, 1023, 1024, 1025, 100_003, 1 << 24, (1 << 33) + 7] {
                let plan = ReducePlan::new(len, input, input);
                for (plan, most) in [(plan, MOST_PARTS), (plan.in_order(), MOST_PARTS_IN_ORDER)] {
                    assert!(plan.parts * plan.part >= len && (plan.parts - 1) * plan.part <= len, "{plan:?}");
                    assert!(plan.parts <= most && plan.part.is_multiple_of(THREADS * plan.vector));
                }
            }
        }
    }

    /// Checks that a row of a chunk is a vector of each lane of a warp at most, whatever the input, and that parts are
    /// subtrees.
    #[test]
    fn rows_of_chunks_fit_a_warp() {
        let plain = (1..=128).map(|size| (size, None));
        let zipped = [
            (3, &[1, 2][..]),
            (8, &[4, 4]),
            (8, &[4, 1]),
            (12, &[4, 4, 4]),
            (16, &[4, 8]),
            (16, &[8, 8]),
            (8, &[5, 1, 1, 1]),
            (8, &[6, 2]),
            (4, &[3, 1]),
            (16, &[12, 4]),
            (32, &[16, 8, 8]),
            (20, &[16, 4]),
            (24, &[8, 8, 8]),
            (128, &[64, 64]),
            // Gathered elements, by indices of 4 and 8 bytes.
            (1, &[4]),
            (2, &[8]),
            (4, &[8]),
            (8, &[8]),
            (4, &[8, 8]),
            // Ranges.
            (1, &[]),
            (2, &[]),
            (4, &[]),
            (8, &[]),
            (16, &[]),
            (64, &[]),
        ];
        let zipped = zipped.into_iter().map(|(size, streams)| (size, Some(streams)));
        for ((size, streams), state) in plain.chain(zipped).flat_map(|input| [4, 8].map(|state| (input, state))) {
            let lanes = lanes(size, state);
            for len in [0, 1, 1 << 12, (1 << 14) + 1, 1 << 20, 100_000_003, 1 << 30, 1 << 40, usize::MAX] {
                let plan = match streams {
                    None => ReducePlan::new(len, size, state),
                    Some(sizes) => ReducePlan::of_streams(len, streams_of(sizes), state),
                };
                let plan = plan.in_tree(lanes);
                assert!(lanes.is_multiple_of(plan.vector) && lanes / plan.vector <= WARP, "{size} bytes: {plan:?}");
                assert!(ROWS.is_multiple_of(plan.depth) && plan.part.is_power_of_two(), "{plan:?}");
                assert!(
                    plan.part.is_multiple_of(WARP * plan.vector * ROWS) && plan.parts <= MOST_PARTS_IN_TREE,
                    "{plan:?}"
                );
                assert!(plan.parts <= plan.most_parts() && plan.parts.saturating_mul(plan.part) >= len, "{plan:?}");
            }
        }
        const { assert!(MOST_PARTS_IN_TREE <= THREADS) };
    }
}
