//! Kernels of merges and of sorts by a comparison.

use super::super::merge::{self, MergeParams, Step};
use super::super::merge_four::{self, MergeFourParams};
use super::super::select::with_functions;
use super::super::sort_by::{self, SortByParams};
use super::List;
use crate::choosing::FirstOf;
use crate::key::Key;
use crate::merging::Ascending;
use crate::plan::merge::{MergePlan, MergeTypes};

impl List {
    /// Elements of each size, with values and without.
    pub(super) fn merges(&mut self) {
        self.merge::<u8>("u8", 0);
        self.merge::<f32>("f32", 0);
        self.merge::<u32>("u32", 0);
        self.merge::<u32>("u32 with 4 bytes", 4);
        self.merge::<u64>("u64", 0);
        self.merge::<u64>("u64 with 12 bytes", 12);
        self.merge::<i128>("i128", 0);
    }

    fn merge<K: Key>(&mut self, name: &str, value: usize) {
        let plan = MergePlan::new(1 << 28, MergeTypes { key: size_of::<K>(), value, align: 4 });
        let _none = with_functions::<K, _, _>(&FirstOf(Ascending), |functions| {
            for step in [Step::Cells, Step::Tiles, Step::Merge] {
                self.add::<MergeParams>("merge", name, merge::kernel(&plan, step, functions));
            }
            for splits in [false, true] {
                self.add::<MergeFourParams>("merge four", name, merge_four::kernel(&plan, splits, functions));
            }
            self.add::<SortByParams>("sort by", name, sort_by::kernel(&plan, value == 4, functions));
            Ok(())
        });
    }
}
