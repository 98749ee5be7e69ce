//! Kernels of sorts of whole arrays: their parameters, and their texts.

use crate::compile::KernelSource;
use crate::params::params;
use upsweep_plan::constants::Constants;
use upsweep_plan::sort::SortPlan;

/// Addresses of a sort's inputs and outputs; 0 for a buffer that it does not have.
#[derive(Clone, Copy, Default)]
pub(super) struct Buffers {
    pub(super) keys: u64,
    pub(super) keys_out: u64,
    pub(super) values: u64,
    pub(super) values_out: u64,
}

params! {
    alone
    /// Parameters of the kernel that counts.
    struct SortCountParams {
        keys: "const void*",
        n: "u64",
        /// Keys a block.
        part: "u64",
        /// Whether the results take the place of the input.
        in_place: "u64",
        /// Address of a `SortHeader`.
        header: "void*",
        status: "void*",
        /// Number of status words, which the kernel clears.
        status_words: "u64",
        /// Null, or a cursor for each digit, all 0 before.
        cursors: "void*",
    }
}

params! {
    alone
    /// Parameters of the kernel of a pass.
    struct SortParams {
        keys: "void*",
        keys_out: "void*",
        keys_scratch: "void*",
        values: "void*",
        values_out: "void*",
        values_scratch: "void*",
        n: "u64",
        /// Number of the launch.
        launch: "u64",
        header: "void*",
        status: "void*",
        /// Null, or the tiles of parts of the array.
        tiles: "const void*",
    }
}

params! {
    alone
    /// Parameters of the kernel that gathers values by the positions of their sorted keys.
    struct SortValuesParams {
        values: "const void*",
        output: "void*",
        /// Null, or the positions. If it is null, the values are copied in their order.
        positions: "const void*",
        n: "u64",
    }
}

params! {
    alone
    /// Parameters of the kernel that tallies keys of two bytes.
    struct SortTallyParams {
        keys: "const void*",
        n: "u64",
        /// Keys a block.
        part: "u64",
        /// Counters, all bytes 0 before.
        counts: "u64*",
        done: "u32*",
        /// Zeros of floats: their number for each block, the signs of the zeros of each block's keys, and the words of
        /// signs a block. See `sort/counting.cuh`.
        zeros: "u64*",
        signs: "u32*",
        signs_of_part: "u64",
    }
}

params! {
    alone
    /// Parameters of the kernel that fills in the results of a sort by counting.
    struct SortFillParams {
        output: "void*",
        n: "u64",
        places: "const u64*",
        /// Zeros of floats, as the kernel that tallies has left them, and the number of its blocks.
        zeros: "const u64*",
        signs: "const u32*",
        signs_of_part: "u64",
        parts: "u64",
    }
}

/// Zeros of the parts of the keys in a sort by counting; empty for integers.
#[derive(Clone, Copy, Default)]
pub(super) struct Zeros {
    pub(super) numbers: u64,
    pub(super) signs: u64,
    pub(super) signs_of_part: usize,
    pub(super) parts: usize,
}

/// Returns the text of the parameters of all kernels of a sort.
#[cfg(test)]
pub(crate) fn params_text() -> String {
    let of_passes = SortCountParams::text() + &SortParams::text();
    of_passes + &SortValuesParams::text() + &SortTallyParams::text() + &SortFillParams::text()
}

/// Key that identifies a kernel of a sort: its entry, and the constants that it is compiled with.
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

/// Returns the source of the kernel that counts.
pub(crate) fn counting_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.counting_constants().to_string() + &SortCountParams::text();
    KernelSource { root: "sort/count.cuh", prelude, entry: COUNT }
}

/// Returns the source of the kernel of a pass.
pub(crate) fn pass_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.pass_constants().to_string() + &SortParams::text();
    KernelSource { root: "sort/pass.cuh", prelude, entry: PASS }
}

/// Returns the source of the kernel that tallies keys of two bytes.
pub(crate) fn tally_source(plan: &SortPlan) -> KernelSource {
    by_counting_source(TALLY, plan.tally_constants())
}

/// Returns the source of the kernel that fills in the results of a sort by counting.
pub(crate) fn fill_source(plan: &SortPlan) -> KernelSource {
    by_counting_source(FILL, plan.fill_constants())
}

fn by_counting_source(entry: &'static str, constants: Constants) -> KernelSource {
    let prelude = constants.to_string() + &SortTallyParams::text() + &SortFillParams::text();
    KernelSource { root: "sort/counting.cuh", prelude, entry }
}

/// Returns the source of the kernel that moves values of `units` parts of `unit` bytes to their places.
pub(crate) fn moving_source(plan: &SortPlan, unit: usize, units: usize) -> KernelSource {
    let prelude = plan.moving_constants(unit, units).to_string() + &SortValuesParams::text();
    KernelSource { root: "sort/values.cuh", prelude, entry: MOVE }
}
