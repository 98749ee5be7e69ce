//! Part of the list of kernels that are compiled where there is no GPU: merges, and sorts by a comparison.

use super::super::merge::four::{self, MergeFourParams};
use super::super::merge::{self, MergeParams};
use super::super::select::with_functions;
use super::super::sort_by::{self, SortByParams};
use super::List;
use upsweep_core::call::merge::Ascending;
use upsweep_core::call::select::FirstOf;
use upsweep_core::key::Key;
use upsweep_core::operator::{Element, Function, function};
use upsweep_plan::merge::{MergePlan, MergeStep, MergeTypes};

/// Comparison of numbers that captures a value.
#[function]
fn above(#[param] shift: u32, a: u32, b: u32) -> bool {
    a >> shift < b >> shift
}

impl List {
    /// Adds the kernels of merges and of sorts by a comparison to the list, of elements of each size, with values and
    /// without.
    pub(super) fn merges(&mut self) {
        self.merge::<u8>("u8", 0);
        self.merge::<f32>("f32", 0);
        self.merge::<u32>("u32", 0);
        self.merge::<u32>("u32 with 4 bytes", 4);
        self.merge::<u64>("u64", 0);
        self.merge::<u64>("u64 with 12 bytes", 12);
        self.merge::<i128>("i128", 0);
        self.merge_by::<u32, _>("u32 values", 4, Above { shift: 3 });
    }

    fn merge<K: Key>(&mut self, name: &str, value: usize) {
        self.merge_by::<K, _>(name, value, Ascending);
    }

    fn merge_by<K: Element, F: Function<(K, K), Output = bool>>(&mut self, name: &str, value: usize, less: F) {
        let plan = MergePlan::new(1 << 28, MergeTypes { key: size_of::<K>(), value, align: 4 });
        let _none = with_functions::<K, _, _>(&FirstOf(less), |functions| {
            for step in [MergeStep::Cells, MergeStep::Tiles, MergeStep::Merge] {
                self.add::<MergeParams>("merge", name, merge::kernel(&plan, step, functions));
            }
            for splits in [false, true] {
                self.add::<MergeFourParams>("merge four", name, four::kernel(&plan, splits, functions));
            }
            self.add::<SortByParams>("sort by", name, sort_by::kernel(&plan, value == 4, functions));
            Ok(())
        });
    }
}
