//! Part of the list of kernels that are compiled where there is no GPU: top-k.

use super::super::select::with_functions;
use super::super::topk::{self, Step, TopKParams};
use super::List;
use half::f16;
use upsweep_core::call::select::{Unasked, Where};
use upsweep_core::key::Key;
use upsweep_plan::topk::{RankTypes, TopKPlan};

impl List {
    /// Adds the kernels of top-k to the list: of keys of each size and order, with indices and without, of many keys
    /// and of few.
    pub(super) fn rankings(&mut self) {
        self.ranking::<u8>("u8", 1 << 20, false, 4);
        self.ranking::<f16>("f16", 1 << 20, true, 4);
        self.ranking::<i32>("i32", 1 << 10, false, 4);
        self.ranking::<f32>("f32", 1 << 28, true, 4);
        self.ranking::<f32>("f32 with long places", 1 << 28, true, 8);
        self.ranking::<u64>("u64 with long places", 1 << 33, false, 8);
        self.ranking::<i128>("i128", 1 << 20, true, 8);
    }

    fn ranking<K: Key>(&mut self, name: &str, len: usize, descending: bool, place: usize) {
        let types = RankTypes { key: size_of::<K>(), order: K::ORDER, descending, place };
        let plan = TopKPlan::new(len, 16, types, true, self.capability);
        let _none = with_functions::<K, _, _>(&Where(Unasked), |functions| {
            for step in [Step::Guess, Step::Collect, Step::Count, Step::Take, Step::Store, Step::Rows, Step::Order] {
                self.add::<TopKParams>(&format!("topk {step:?}"), name, topk::kernel(&plan, step, functions));
            }
            Ok(())
        });
    }
}
