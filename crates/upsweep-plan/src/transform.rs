//! Plans of transforms on a CUDA device: see `transform/transform.cuh`.

use super::constants::{Constants, constants};
use upsweep_core::inputs::Streams;

/// Threads per block.
const THREADS: usize = 256;
/// Largest number of bytes of input, and largest number of vectors of elements, that a thread loads at once.
const THREAD_BYTES: usize = 64;
const MOST_VECTORS: usize = 4;
/// Largest number of vectors per thread if the map gathers all its input at computed indices. For 16k x 16k elements,
/// transposed, four vectors took 1,920 us and two 1,882; for gathered neighbours 505 and 568 (H200, 2026-11-26).
const MOST_COMPUTED: usize = 2;

/// Plan of a transform: one result for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformPlan {
    /// Number of elements, or capacity where the number is in device memory.
    pub len: usize,
    /// Number of neighbouring elements that a thread loads at once, as a vector.
    pub vector: usize,
    /// Number of vectors per thread.
    pub depth: usize,
}

impl TransformPlan {
    /// Plans a transform of `len` elements of `input` bytes, of one buffer, to results of `output` bytes.
    #[must_use]
    pub fn new(len: usize, input: usize, output: usize) -> Self {
        Self::with(len, input, input.max(output), false)
    }

    /// Plans a transform of `len` elements to results of `output` bytes. The elements are in several buffers
    /// (`streams`), or in none. `apart`: the map also gathers, at indices that it computes.
    #[must_use]
    pub fn of_streams(len: usize, streams: Streams, apart: bool, output: usize) -> Self {
        let widest = streams.sizes().iter().copied().max().unwrap_or(0).max(output);
        Self::with(len, streams.bytes(), widest, apart)
    }

    /// Plans a transform of `len` elements of `input` bytes, in vectors of 16 bytes of the widest type, which has
    /// `widest` bytes. If the map gathers (`apart`), neighbouring lanes have neighbouring elements, as they then often
    /// gather neighbouring elements of a table.
    fn with(len: usize, input: usize, widest: usize, apart: bool) -> Self {
        let vector = if apart { 1 } else { 1 << (16 / widest.max(1)).clamp(1, 16).ilog2() };
        let most = if apart && input == 0 { MOST_COMPUTED } else { MOST_VECTORS };
        let depth = (THREAD_BYTES / (vector * input.max(4))).clamp(1, most);
        Self { len, vector, depth }
    }

    /// Threads per block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Returns the number of blocks of the launch. A block processes neighbouring elements.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.len.div_ceil(THREADS * self.vector * self.depth)
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = Constants::default();
        constants!(constants; "THREADS" = THREADS, "VECTOR" = self.vector, "DEPTH" = self.depth);
        constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_load_as_much_of_all_types() {
        let shape = |input, output| {
            let plan = TransformPlan::new(1 << 20, input, output);
            (plan.vector, plan.depth, plan.blocks())
        };
        assert_eq!(shape(1, 1), (16, 1, 256));
        assert_eq!(shape(4, 4), (4, 4, 256));
        assert_eq!(shape(1, 8), (2, 4, 512));
        assert_eq!(shape(12, 4), (1, 4, 1024));
        assert_eq!(shape(64, 64), (1, 1, 4096));
    }

    #[test]
    fn few_loads_at_computed_indices_are_under_way() {
        let depth = |streams, apart| TransformPlan::of_streams(1 << 20, streams, apart, 4).depth;
        assert_eq!(depth(Streams::NONE, true), 2);
        assert_eq!(depth(Streams::of_size(4), true), 4);
        assert_eq!(depth(Streams::NONE, false), 4);
    }
}
