//! The kernels of sorts of whole arrays: their parameters, and their texts.

use crate::compile::KernelSource;
use crate::params::params;
use upsweep_plan::constants::Constants;
use upsweep_plan::sort::SortPlan;

/// The addresses of a sort's inputs and outputs; 0 of what there is not.
#[derive(Clone, Copy, Default)]
pub(super) struct Buffers {
    pub(super) keys: u64,
    pub(super) keys_out: u64,
    pub(super) values: u64,
    pub(super) values_out: u64,
}

params! {
    alone
    /// Of the kernel that counts.
    struct SortCountParams {
        keys: "const void*",
        n: "u64",
        /// Keys a block.
        part: "u64",
        /// Whether the results take the place of the input.
        in_place: "u64",
        /// A `SortHeader`.
        header: "void*",
        status: "void*",
        /// Status words, which are to be cleared.
        status_words: "u64",
        /// Null, or a number for each digit, all 0 before.
        cursors: "void*",
    }
}

params! {
    alone
    /// Of the kernel of a pass.
    struct SortParams {
        keys: "void*",
        keys_out: "void*",
        keys_scratch: "void*",
        values: "void*",
        values_out: "void*",
        values_scratch: "void*",
        n: "u64",
        /// Which of the launches it is.
        launch: "u64",
        header: "void*",
        status: "void*",
        /// Null, or the tiles of parts of the array.
        tiles: "const void*",
    }
}

params! {
    alone
    /// Of the kernel that moves values to their places.
    struct SortValuesParams {
        values: "const void*",
        output: "void*",
        /// Null, or the positions.
        positions: "const void*",
        n: "u64",
    }
}

params! {
    alone
    /// Of the kernel that tallies keys of two bytes.
    struct SortTallyParams {
        keys: "const void*",
        n: "u64",
        /// Keys a block.
        part: "u64",
        /// All bytes 0 before.
        counts: "u64*",
        done: "u32*",
        /// Of floats, a number for each block, the signs of the zeros of each block's keys, and words of each: see
        /// `sort/counting.cuh`.
        zeros: "u64*",
        signs: "u32*",
        signs_of_part: "u64",
    }
}

params! {
    alone
    /// Of the kernel that fills in the results of a sort by counting.
    struct SortFillParams {
        output: "void*",
        n: "u64",
        places: "const u64*",
        /// Of floats, as the kernel that tallies has left them, and the number of its blocks.
        zeros: "const u64*",
        signs: "const u32*",
        signs_of_part: "u64",
        parts: "u64",
    }
}

/// The zeros of parts of keys that are counted; nothing of integers.
#[derive(Clone, Copy, Default)]
pub(super) struct Zeros {
    pub(super) numbers: u64,
    pub(super) signs: u64,
    pub(super) signs_of_part: usize,
    pub(super) parts: usize,
}

/// The parameters of all kernels of a sort.
#[cfg(test)]
pub(crate) fn params_text() -> String {
    let of_passes = SortCountParams::text() + &SortParams::text();
    of_passes + &SortValuesParams::text() + &SortTallyParams::text() + &SortFillParams::text()
}

/// What tells a kernel of a sort from every other one: its entry, and the numbers it is compiled with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SortKey {
    entry: &'static str,
    constants: Constants,
}

impl SortKey {
    pub(super) fn new(entry: &'static str, constants: Constants) -> Self {
        Self { entry, constants }
    }
}

pub(super) const COUNT: &str = "upsweep_sort_count";
pub(super) const PASS: &str = "upsweep_sort";
pub(super) const TALLY: &str = "upsweep_sort_tally";
pub(super) const FILL: &str = "upsweep_sort_fill";
pub(super) const MOVE: &str = "upsweep_sort_values";

/// The kernel that counts.
pub(crate) fn counting_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.counting_constants().to_string() + &SortCountParams::text();
    KernelSource { root: "sort/count.cuh", prelude, entry: COUNT }
}

/// The kernel of a pass.
pub(crate) fn pass_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.pass_constants().to_string() + &SortParams::text();
    KernelSource { root: "sort/pass.cuh", prelude, entry: PASS }
}

/// The kernel that tallies keys of two bytes.
pub(crate) fn tally_source(plan: &SortPlan) -> KernelSource {
    by_counting_source(TALLY, plan.tally_constants())
}

/// The kernel that fills in the results of a sort by counting.
pub(crate) fn fill_source(plan: &SortPlan) -> KernelSource {
    by_counting_source(FILL, plan.fill_constants())
}

fn by_counting_source(entry: &'static str, constants: Constants) -> KernelSource {
    let prelude = constants.to_string() + &SortTallyParams::text() + &SortFillParams::text();
    KernelSource { root: "sort/counting.cuh", prelude, entry }
}

/// The kernel that moves values of `units` parts of `unit` bytes to their places.
pub(crate) fn moving_source(plan: &SortPlan, unit: usize, units: usize) -> KernelSource {
    let prelude = plan.moving_constants(unit, units).to_string() + &SortValuesParams::text();
    KernelSource { root: "sort/values.cuh", prelude, entry: MOVE }
}
