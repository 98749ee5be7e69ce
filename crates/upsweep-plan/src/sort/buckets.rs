//! Buckets of a sort other than by one or two digits: by octaves for skewed keys (equally many buckets from each power
//! of two to the next), and by a single pass for few keys.

use super::SortPlan;
use super::scatter::{BITS, ScatterPlan};
use crate::constants::Constants;

/// Largest number of buckets by octaves: `sort/octaves.cuh`.
const OCTAVE_BUCKETS: usize = 512;

impl SortPlan {
    /// Whether skewed keys get buckets by octaves where buckets by a digit are too large. A bucket of a single number
    /// is a result at once; in place, it would be stored over keys that other blocks have not read. Floats are not
    /// skewed in this way: the numbers of small floats are in the middle.
    #[must_use]
    pub fn has_octaves(&self) -> bool {
        let by_a_digit = self.split_bits() > 0 && !self.counts_apart() && self.types.order.mantissa == 0;
        by_a_digit && self.types.value == 0 && !self.in_place && !self.warps_sort_buckets()
    }

    /// Largest number of buckets by octaves; 0 if the sort has none.
    #[must_use]
    pub fn octave_buckets(&self) -> usize {
        if self.has_octaves() { OCTAVE_BUCKETS } else { 0 }
    }

    /// Whether one pass takes all of the highest bits that the sort begins with, which are more bits than a digit has.
    #[must_use]
    pub fn scatters(&self) -> bool {
        let few = self.split_bits() <= BITS && self.status == 4;
        self.counts_apart() && few && self.types.value == 0 && self.has_room_to_scatter
    }

    /// Returns the plan of the single pass by all of the highest bits.
    #[must_use]
    pub fn scatter(&self) -> ScatterPlan {
        ScatterPlan { bits: self.split_bits(), key: self.types.key }
    }

    /// Returns the constants of the kernel of the single pass by all of the highest bits.
    #[must_use]
    pub fn scatter_constants(&self) -> Constants {
        let mut constants = self.constants(self.scatter().threads());
        self.scatter().add_to(&mut constants);
        constants
    }
}
