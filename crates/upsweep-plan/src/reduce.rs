//! Plans of reductions of whole arrays on a CUDA device.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use std::fmt;
use upsweep_core::inputs::Streams;

/// Threads per block.
const THREADS: usize = 512;
/// Number of vectors of 16 bytes that a thread loads at once.
pub(super) const DEPTH: usize = 4;
/// Largest number of parts, each reduced by one block: one, two or four waves of the blocks that an H200 runs at once,
/// and few values for the last block to combine. See benches/notes/reduce.md.
const MOST_PARTS: usize = 528;
/// Largest number of parts (one per block) for operators whose order matters. An H200 runs as many such blocks at once,
/// because they need more registers than others.
const MOST_PARTS_IN_ORDER: usize = 264;
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

/// A planned reduction of a whole array. The parts depend on the number of elements and their size alone, so that
/// floats are added in the same order on every GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReducePlan {
    /// Number of elements.
    pub len: usize,
    /// Number of neighbouring elements that a thread loads at once, as a vector.
    pub vector: usize,
    /// Number of vectors that a thread loads at once.
    pub depth: usize,
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

    fn with(len: usize, input: usize, state: usize, (vector, depth): (usize, usize)) -> Self {
        let (threads, words) = (THREADS, StatusWords::default());
        let streamed = len.saturating_mul(input) <= STREAMED_BYTES;
        Self { len, vector, depth, part: 0, parts: 0, most: 0, threads, streamed, state, words }.cut(MOST_PARTS)
    }

    /// Divides the array into at most `most` parts, each reduced by one block.
    fn cut(self, most: usize) -> Self {
        let Self { len, vector, depth, state, .. } = self;
        let step = THREADS * vector;
        // A single block need not wait for others. While parts are few, each of several blocks loads all of its part at
        // once.
        let at_once = step * depth;
        let spread = len.div_ceil(FEW_PARTS).max(step).min(at_once);
        let part = if len <= at_once { at_once } else { len.div_ceil(most).max(spread).next_multiple_of(step) };
        let parts = len.div_ceil(part).max(1);
        let words = if parts == 1 { StatusWords::default() } else { StatusWords::of(parts, state) };
        Self { part, parts, most, words, ..self }
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = StatusWords::constants(self.state);
        constants!(constants; "THREADS" = THREADS, "VECTOR" = self.vector, "DEPTH" = self.depth, "FEW_PARTS" = FEW_PARTS, "REDUCE_PARTS" = self.most);
        constants
    }
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
}
