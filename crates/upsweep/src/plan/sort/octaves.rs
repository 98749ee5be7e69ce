//! Buckets of skewed keys.

use super::SortPlan;

/// The most of them: `tile/octaves.cuh`.
const OCTAVE_BUCKETS: usize = 512;

impl SortPlan {
    /// Whether buckets of skewed keys are told by octaves where those by a digit are too large. Such of one number are results at once, which in
    /// place would be stored over keys that others have not read.
    #[must_use]
    pub fn has_octaves(&self) -> bool {
        let by_a_digit = self.split_bits() > 0 && !self.counts_apart();
        by_a_digit && self.types.value == 0 && !self.in_place && !self.warps_sort_buckets()
    }

    /// The most of these buckets.
    #[must_use]
    pub fn octave_buckets(&self) -> usize {
        if self.has_octaves() { OCTAVE_BUCKETS } else { 0 }
    }
}
