//! Tests of kernels in the emulator, without a GPU: top-k, merges, and sorts by a comparison.

use super::{CAPABILITY, THREADS, run};
use crate::merge::four::{self, MergeFourParams};
use crate::merge::{self, MergeParams};
use crate::select::with_functions;
use crate::sort_by::{self, SortByParams};
use crate::topk::{self, Step, TopKParams};
use half::f16;
use upsweep_core::call::merge::{Ascending, Descending};
use upsweep_core::call::select::{FirstOf, Unasked, Where};
use upsweep_core::key::Key;
use upsweep_core::operator::Function;
use upsweep_plan::merge::{MergePlan, MergeStep, MergeTypes};
use upsweep_plan::topk::{RankTypes, TopKPlan};

/// Runs the kernel of one step of a top-k among at most `len` keys, on `cases` random inputs.
fn ranking<K: Key>(step: Step, len: usize, descending: bool, cases: u32) {
    with_functions::<K, _, _>(&Where(Unasked), |functions| {
        let types = RankTypes { key: size_of::<K>(), order: K::ORDER, descending, place: 4 };
        let plan = TopKPlan::new(len, 16, types, true, CAPABILITY);
        let source = topk::kernel(&plan, step, functions).source::<TopKParams>()?;
        let few = if matches!(step, Step::Store) { &[("GROUPS", 2)][..] } else { &[] };
        run(&format!("topk {step:?} {types:?}"), &source, &[few, THREADS].concat(), cases);
        Ok(())
    })
    .unwrap();
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_rankings() {
    ranking::<f32>(Step::Store, 1 << 20, true, 16);
    ranking::<u8>(Step::Store, 1 << 33, false, 10);
    ranking::<f32>(Step::Collect, 1 << 20, true, 20);
    ranking::<u8>(Step::Collect, 1 << 20, false, 12);
    ranking::<i128>(Step::Collect, 1 << 20, false, 12);
    ranking::<f32>(Step::Count, 1 << 20, false, 12);
    ranking::<f16>(Step::Count, 1 << 20, true, 12);
    ranking::<u64>(Step::Count, 1 << 20, false, 8);
}

/// Runs the merges of two and of four arrays of `K`, and the sort of tiles of `K`, on `cases` random inputs. Elements
/// have values of `value` bytes.
fn merges<K: Key, F: Function<(K, K), Output = bool>>(less: F, value: usize, positions: bool, cases: u32) {
    with_functions::<K, _, _>(&FirstOf(less), |functions| {
        let types = MergeTypes { key: size_of::<K>(), value, align: value.clamp(1, 4) };
        let plan = MergePlan::new(1 << 20, types);
        let few = &[("THREADS", 64)];
        let source = merge::kernel(&plan, MergeStep::Merge, functions).source::<MergeParams>()?;
        run(&format!("merge {types:?}"), &source, few, cases);
        let source = four::kernel(&plan, false, functions).source::<MergeFourParams>()?;
        run(&format!("merge four {types:?}"), &source, few, cases);
        let source = sort_by::kernel(&plan, positions, functions).source::<SortByParams>()?;
        run(&format!("sort by {types:?}"), &source, few, cases);
        Ok(())
    })
    .unwrap();
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_merges() {
    merges::<u32, _>(Ascending, 0, false, 20);
    merges::<f32, _>(Descending, 4, true, 20);
    merges::<u8, _>(Ascending, 0, false, 12);
    merges::<i64, _>(Ascending, 12, false, 12);
}
