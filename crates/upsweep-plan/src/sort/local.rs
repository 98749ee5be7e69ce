//! Plans of sorts by one block, of keys that fit in its shared memory.

use super::types::{DIGITS, SortTypes};
use crate::constants::{Constants, constants};

/// Sizes of a block, of a larger block, and of a block that is alone. Each is a number of threads, candidates for the
/// number of keys per thread, bytes of keys that a thread's registers hold, and fewest blocks per multiprocessor.
/// Buckets of 2^28 random keys need 18 keys per thread.
const SIZES: [(usize, &[usize], usize, usize); 3] =
    [(256, &[18, 16, 12, 8, 4], 144, 4), (512, &[32, 24, 16, 12, 8, 4], 128, 1), (512, &[10, 8, 4], 144, 1)];
/// Bytes of shared memory that the driver reserves in each block.
const DRIVER_BYTES: usize = 1 << 10;
/// Number of rows (a row is one key of each lane of a warp) in which a warp finds the lanes with equal digits at once;
/// and number of these rows for which it does so through shared memory.
const ROWS: (usize, usize) = (2, 1);
/// Smallest and largest number of bits of a digit.
const DIGIT_BITS: (u32, u32) = (8, 10);

/// A planned sort in the shared memory of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalPlan {
    /// Bytes of a key, and of a value.
    bytes: (usize, usize),
    /// Number of keys per thread.
    keys: usize,
    threads: usize,
    /// Smallest number of blocks that a multiprocessor should run at once.
    resident: usize,
    /// Number of bits of a digit.
    digit_bits: u32,
    /// Whether a block may sort by fine buckets (keys that agree in the highest of the bits in which keys differ) in
    /// place of digits: see `sort/local.cuh`.
    fine: bool,
}

impl LocalPlan {
    /// Plans a block that sorts a whole array by itself. If shared memory has no room for it, the block is the usual
    /// one, [`new`](Self::new).
    #[must_use]
    pub fn whole(types: SortTypes, shared: usize) -> Self {
        let plan = Self::of_size(types, shared, SIZES[2]).unwrap_or_else(|| Self::new(types, shared));
        // Digits are as large as possible: keys often differ in fewer bits than they have.
        let large = Self { digit_bits: DIGIT_BITS.1, fine: true, ..plan };
        if types.key >= 4 && large.fits(shared) { large } else { plan.with_bits(8 * types.key as u32, shared) }
    }

    /// Plans the blocks that sort buckets or segments of keys of these types. A block may have `shared` bytes of shared
    /// memory.
    #[must_use]
    pub fn new(types: SortTypes, shared: usize) -> Self {
        let (threads, candidates, registers, resident) = SIZES[0];
        let least = Self {
            bytes: (types.key, types.value),
            keys: 4,
            threads,
            resident: 1,
            digit_bits: DIGIT_BITS.0,
            fine: false,
        };
        // Keys of eight bytes need twice the registers.
        let resident = if types.key > 4 { resident / 2 } else { resident };
        let of = |resident| Self::of_size(types, shared, (threads, candidates, registers, resident));
        of(resident).or_else(|| of(1)).unwrap_or(least)
    }

    /// Plans larger blocks, for buckets or segments that are too long for the usual blocks. If shared memory has no
    /// room for larger blocks, they are the usual ones.
    #[must_use]
    pub fn large(types: SortTypes, shared: usize) -> Self {
        Self::of_size(types, shared, SIZES[1]).unwrap_or_else(|| Self::new(types, shared))
    }

    fn of_size(types: SortTypes, shared: usize, size: (usize, &[usize], usize, usize)) -> Option<Self> {
        let (threads, candidates, registers, resident) = size;
        let of = |keys: &usize| Self {
            bytes: (types.key, types.value),
            keys: *keys,
            threads,
            resident,
            digit_bits: DIGIT_BITS.0,
            fine: false,
        };
        let fits = |plan: &Self| plan.fits(shared) && plan.keys * types.key <= registers;
        candidates.iter().map(of).find(fits)
    }

    fn fits(&self, shared: usize) -> bool {
        self.shared_bytes() + DRIVER_BYTES <= shared / self.resident
    }

    /// Returns the plan for keys that differ in `bits` bits. Its digits have the number of bits with which there are
    /// fewest digits, if there is room for their counters.
    #[must_use]
    pub(super) fn with_bits(self, bits: u32, shared: usize) -> Self {
        let (least, most) = DIGIT_BITS;
        let of = |digit_bits| Self { digit_bits, ..self };
        let fits = |plan: &Self| plan.fits(shared);
        let plan =
            (least..=most).map(of).filter(fits).min_by_key(|plan| bits.div_ceil(plan.digit_bits)).unwrap_or(self);
        // With values, fine buckets need registers that short keys leave only to a block that is alone.
        let has_registers = plan.bytes.1 == 0 || plan.bytes.0 > 4 || plan.resident == 1;
        Self { fine: bits > plan.digit_bits && has_registers, ..plan }
    }

    /// Returns the number of threads of a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the largest number of keys that a block sorts in its shared memory.
    #[must_use]
    pub fn tile(&self) -> usize {
        self.threads * self.keys
    }

    /// Returns the number of bytes of shared memory of a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let (key, value) = self.bytes;
        let positions = if value > 0 { 2 } else { 0 };
        let of_warp = (2 << self.digit_bits) + DIGITS * 4 * ROWS.1;
        self.tile() * (key.max(value) + positions) + self.threads / 32 * of_warp + 192
    }

    /// Adds the constants of the kernel.
    pub(super) fn add_to(&self, constants: &mut Constants) {
        constants!(
            constants;
            "KEYS" = self.keys, "ROWS_AT_ONCE" = ROWS.0, "MASK_ROWS" = ROWS.1, "LOCAL_BLOCKS" = self.resident, "LOCAL_BITS" = self.digit_bits as usize, "FINE" = usize::from(self.fine),
            "SORT_SHARED_BYTES" = self.shared_bytes(),
        );
    }
}
