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
    /// Parameters of the kernel that counts the digits of all keys.
    struct SortCountParams {
        keys: "const void*",
        n: "u64",
        /// Number of keys of a part of the array. One block counts the keys of a part.
        part: "u64",
        /// Whether the sort is in place: the results overwrite the input.
        in_place: "u64",
        /// Address of the `SortHeader`, in which the kernels tell each other how the sort goes.
        header: "void*",
        status: "void*",
        /// Number of status words, which the kernel clears.
        status_words: "u64",
        /// Null, or the address of a cursor for each digit value (the count of its keys that have room in the output so
        /// far), by which tiles reserve room for their keys. All are 0 before the launch.
        cursors: "void*",
    }
}

params! {
    alone
    /// Parameters of the kernel of a pass, which sorts by one digit.
    struct SortParams {
        keys: "void*",
        keys_out: "void*",
        keys_scratch: "void*",
        values: "void*",
        values_out: "void*",
        values_scratch: "void*",
        n: "u64",
        /// Number of the launch among the passes of the sort; the first one is 0.
        launch: "u64",
        header: "void*",
        status: "void*",
        /// Null, or the address of the list of tiles, if parts of the array are sorted separately.
        tiles: "const void*",
    }
}

params! {
    alone
    /// Parameters of the kernel that gathers values by the positions of their sorted keys.
    struct SortValuesParams {
        values: "const void*",
        output: "void*",
        /// Null, or the address of the position of each value. If it is null, the values are copied in their order.
        positions: "const void*",
        n: "u64",
    }
}

params! {
    alone
    /// Parameters of the kernel that tallies keys of two bytes: counts how often each key occurs.
    struct SortTallyParams {
        keys: "const void*",
        n: "u64",
        /// Number of keys of a part of the array. One block counts the keys of a part.
        part: "u64",
        /// Address of a counter for each key, all 0 before the launch.
        counts: "u64*",
        done: "u32*",
        /// Zeros of floats, which equal each other but keep their signs in order. `zeros`: address of their number for
        /// each block. `signs`: address of the signs of each block's zeros. `signs_of_part`: number of words of signs a
        /// block. See `sort/counting.cuh`.
        zeros: "u64*",
        signs: "u32*",
        signs_of_part: "u64",
    }
}

params! {
    alone
    /// Parameters of the kernel that fills in the results of a sort by counting: each key as often as it was counted.
    struct SortFillParams {
        output: "void*",
        n: "u64",
        places: "const u64*",
        /// Zeros of floats with their signs, as the kernel that counts the keys has left them. `parts`: number of the
        /// blocks of that kernel.
        zeros: "const u64*",
        signs: "const u32*",
        signs_of_part: "u64",
        parts: "u64",
    }
}

/// Numbers and signs of the zeros of floats, in each part of the keys in a sort by counting; none for integers. See
/// `SortTallyParams`.
#[derive(Clone, Copy, Default)]
pub(super) struct Zeros {
    pub(super) numbers: u64,
    pub(super) signs: u64,
    pub(super) signs_of_part: usize,
    pub(super) parts: usize,
}

/// Returns the C++ text of the parameters of all kernels of this file.
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

/// Returns the source of the kernel that counts the digits of all keys.
pub(crate) fn counting_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.counting_constants().to_string() + &SortCountParams::text();
    KernelSource { root: "sort/count.cuh", prelude, entry: COUNT }
}

/// Returns the source of the kernel of a pass, which sorts by one digit.
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

/// Returns the source of the kernel that gathers values of `units` units of `unit` bytes, by the positions of their
/// keys.
pub(crate) fn moving_source(plan: &SortPlan, unit: usize, units: usize) -> KernelSource {
    let prelude = plan.moving_constants(unit, units).to_string() + &SortValuesParams::text();
    KernelSource { root: "sort/values.cuh", prelude, entry: MOVE }
}
