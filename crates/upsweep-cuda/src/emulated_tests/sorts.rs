//! Tests of kernels in the emulator, without a GPU: sorts.

use super::{CAPABILITY, run};
use crate::sort::{cluster, cuts, kernels, split};
use half::f16;
use upsweep_core::key::Key;
use upsweep_plan::sort::segments::SegmentsPlan;
use upsweep_plan::sort::types::{Indices, SortTypes};
use upsweep_plan::sort::{Road, SortPlan};

/// Runs one pass of a sort of keys `K` with values of `value` bytes, and the kernel that counts digits, on `cases`
/// random inputs. `status` is the number of bytes of a status word.
fn sorts<K: Key>(value: usize, indices: Indices, descending: bool, four_rows: bool, status: usize, cases: u32) {
    let types = SortTypes {
        key: size_of::<K>(),
        order: K::ORDER,
        descending,
        value,
        indices,
        keys_out: indices == Indices::None,
    };
    let plan = SortPlan::new(1 << 22, types, false, CAPABILITY, 132);
    // Keys are ranked four rows at a time, one of them by ballots of the warp's lanes, or two rows at a time.
    let (rows, mask_rows) = if four_rows { (4, 3) } else { (2, 1) };
    let plan = SortPlan { rankers: 256, storers: 64, keys: 4, rows, mask_rows, status, ..plan };
    let name = format!("sort {types:?}");
    if plan.road() == Road::Counting {
        return run(&format!("{name} by counting"), &kernels::fill_source(&plan), &[("THREADS", 128)], cases);
    }
    run(&name, &kernels::pass_source(&plan), &[], cases);
    run(&format!("{name}, counting"), &kernels::counting_source(&plan), &[("THREADS", 128)], cases);
}

/// Runs, on `cases` random inputs, the kernel that counts keys by their highest bits, for plans with one pass by these
/// bits and with two, and the kernel of the single pass by all of them.
fn splits<K: Key>(descending: bool, cases: u32) {
    let types = SortTypes { key: size_of::<K>(), order: K::ORDER, descending, value: 0, indices: NONE, keys_out: true };
    for len in [1 << 18, 1 << 22, 1 << 28, 1 << 30] {
        let plan = SortPlan::new(len, types, false, CAPABILITY, 132);
        run(&format!("split of {len} {types:?}"), &split::split_source(&plan), &[("THREADS", 128)], cases);
        if plan.scatters() {
            let few = [("THREADS", 128), ("KEYS", 4)];
            run(&format!("scatter of {len} {types:?}"), &split::scatter_source(&plan), &few, cases);
        }
        if plan.has_octaves() {
            let local = split::local_source(&plan, &plan.local);
            run(&format!("buckets of {len} by octaves, {types:?}"), &local, &[("KEYS", 4)], cases);
            let small = SortPlan { rankers: 256, storers: 64, keys: 4, rows: 2, mask_rows: 1, ..plan };
            run(&format!("pass by octaves of {len} {types:?}"), &kernels::pass_source(&small), &[], cases);
        }
    }
}

/// Runs, on `cases` random inputs, the kernels whose warps sort short segments and those whose blocks sort segments
/// that fit in shared memory. Values have `value` bytes.
fn segments<K: Key>(value: usize, indices: Indices, descending: bool, cases: u32) {
    let types = SortTypes {
        key: size_of::<K>(),
        order: K::ORDER,
        descending,
        value,
        indices,
        keys_out: indices == Indices::None,
    };
    let plan = SegmentsPlan::new((1 << 20, 1 << 10, None), types, false, (CAPABILITY, 132));
    let local = split::local_source(&plan.pass, &plan.pass.local);
    run(&format!("sort of segments by blocks, {types:?}"), &local, &[("KEYS", 4)], cases);
    let whole = split::local_source(&plan.pass, &plan.pass.whole);
    run(&format!("sort of an array by a block, {types:?}"), &whole, &[("KEYS", 4)], cases / 2);
    for items in [8, 16] {
        let short = split::short_source(&plan.pass, items);
        run(&format!("sort of short segments, {items} {types:?}"), &short, &[("THREADS", 64)], cases / 2);
    }
}

/// Runs the kernel that sorts an array by one cluster of blocks, on `cases` random inputs. Values have `value` bytes.
fn clusters<K: Key>(value: usize, indices: Indices, descending: bool, cases: u32) {
    let types = SortTypes {
        key: size_of::<K>(),
        order: K::ORDER,
        descending,
        value,
        indices,
        keys_out: indices == Indices::None,
    };
    let plan = SortPlan::new(1 << 13, types, false, CAPABILITY, 132);
    let of_cluster = plan.cluster.unwrap();
    let few = [("THREADS", 256), ("KEYS", 4), ("CLUSTER", 4)];
    run(&format!("sort by a cluster, {types:?}"), &cluster::source(&plan, &of_cluster), &few, cases);
}

/// Runs the kernel that finds where sorted runs are cut, on `cases` random inputs.
fn cut<K: Key>(descending: bool, cases: u32) {
    let types = SortTypes { key: size_of::<K>(), order: K::ORDER, descending, value: 0, indices: NONE, keys_out: true };
    run(&format!("cuts of {types:?}"), &cuts::source(types), &[("THREADS", 64)], cases);
}

const NONE: Indices = Indices::None;

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_cuts_of_sorted_runs() {
    cut::<u32>(false, 40);
    cut::<f32>(true, 40);
    cut::<f16>(false, 40);
    cut::<u8>(true, 20);
    cut::<i128>(false, 20);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_sorts_by_a_cluster() {
    clusters::<u32>(0, NONE, false, 8);
    clusters::<f32>(4, NONE, true, 8);
    clusters::<f32>(0, NONE, false, 8);
    clusters::<u32>(8, Indices::InSegment, false, 6);
    clusters::<i16>(0, NONE, true, 6);
    clusters::<u8>(1, NONE, false, 6);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_splits() {
    splits::<u32>(false, 12);
    splits::<f64>(true, 12);
    splits::<f32>(false, 8);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_sorts_of_segments() {
    segments::<u32>(0, NONE, false, 30);
    segments::<i16>(0, NONE, true, 15);
    segments::<f64>(0, NONE, true, 15);
    segments::<f32>(4, NONE, true, 15);
    segments::<f16>(0, NONE, false, 15);
    segments::<u64>(4, Indices::InArray, false, 30);
    segments::<u8>(4, Indices::InSegment, true, 6);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_sorts() {
    sorts::<u32>(0, NONE, false, true, 4, 16);
    sorts::<f32>(4, NONE, true, false, 8, 16);
    sorts::<i16>(8, NONE, false, true, 4, 16);
    sorts::<f32>(0, NONE, false, true, 4, 16);
    sorts::<f64>(4, Indices::InSegment, true, true, 4, 12);
    sorts::<f16>(0, NONE, true, false, 4, 12);
    sorts::<u8>(0, NONE, false, false, 4, 12);
}
