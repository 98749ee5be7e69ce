//! How keys are told buckets otherwise than by one digit or two: skewed ones by octaves, and few by a single pass.

use super::SortPlan;
use super::scatter::{BITS, ScatterPlan};
use crate::constants::Constants;

/// The most of them: `sort/octaves.cuh`.
const OCTAVE_BUCKETS: usize = 512;

impl SortPlan {
    /// Whether buckets of skewed keys are told by octaves where those by a digit are too large. Such of one number are results at once, which in
    /// place would be stored over keys that others have not read. Floats are not skewed so: the numbers of small ones are in the middle.
    #[must_use]
    pub fn has_octaves(&self) -> bool {
        let by_a_digit = self.split_bits() > 0 && !self.counts_apart() && self.types.order.mantissa == 0;
        by_a_digit && self.types.value == 0 && !self.in_place && !self.warps_sort_buckets()
    }

    /// The most of these buckets.
    #[must_use]
    pub fn octave_buckets(&self) -> usize {
        if self.has_octaves() { OCTAVE_BUCKETS } else { 0 }
    }

    /// Whether one pass takes all of the highest bits, more than a digit.
    #[must_use]
    pub fn scatters(&self) -> bool {
        let few = self.split_bits() <= BITS && self.status == 4;
        self.counts_apart() && few && self.types.value == 0 && self.has_room_to_scatter
    }

    /// That pass.
    #[must_use]
    pub fn scatter(&self) -> ScatterPlan {
        ScatterPlan { bits: self.split_bits(), key: self.types.key }
    }

    /// The numbers that the kernel of the single pass by these is compiled with.
    #[must_use]
    pub fn scatter_constants(&self) -> Constants {
        let mut constants = self.constants(self.scatter().threads());
        self.scatter().add_to(&mut constants);
        constants
    }
}
