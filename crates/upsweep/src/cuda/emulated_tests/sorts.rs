//! Sorts among the emulated kernels.

use super::{CAPABILITY, run};
use crate::cuda::sort;
use crate::key::Key;
use crate::plan::sort::{SortPlan, SortTypes};
use half::f16;

/// Runs cases of a pass of a sort of `K`, with values of so many bytes, and of the kernel that counts.
fn sorts<K: Key>(value: usize, indices: bool, descending: bool, staged: bool, status: usize, cases: u32) {
    let types = SortTypes { key: size_of::<K>(), order: K::ORDER, descending, value, indices, keys_out: !indices };
    let plan = SortPlan::new(1 << 20, types, false, CAPABILITY, 132);
    // Without staging, rows two at a time, one of them by ballots.
    let (rows, mask_rows) = if staged { (4, 3) } else { (2, 1) };
    let plan = SortPlan { rankers: 256, storers: 64, keys: 4, rows, mask_rows, staged, status, ..plan };
    let name = format!("sort {types:?}");
    if plan.by_counting() {
        return run(&format!("{name} by counting"), &sort::fill_source(&plan), &[("THREADS", 128)], cases);
    }
    run(&name, &sort::pass_source(&plan), &[], cases);
    run(&format!("{name}, counting"), &sort::counting_source(&plan), &[("THREADS", 128)], cases);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_sorts() {
    sorts::<u32>(0, false, false, true, 4, 16);
    sorts::<f32>(4, false, true, false, 8, 16);
    sorts::<i16>(8, false, false, true, 4, 16);
    sorts::<f64>(4, true, true, true, 4, 12);
    sorts::<f16>(0, false, true, false, 4, 12);
    sorts::<u8>(0, false, false, false, 4, 12);
}
