//! Part of the list of kernels that are compiled where there is no GPU: sorts.

use crate::KernelSource;
use crate::sort::{cluster, cuts, kernels, lines, segments, split};
use half::f16;
use upsweep_core::key::Key;
#[cfg(test)]
use upsweep_plan::constants::Constants;
use upsweep_plan::sort::counting::lines_constants;
use upsweep_plan::sort::segments::SegmentsPlan;
use upsweep_plan::sort::types::{Indices, SortTypes};
use upsweep_plan::sort::{Road, SortPlan};

/// Returns the names and sources of sorts' kernels: of keys of each size and order, of pairs and of positions, of many
/// keys and of few.
pub(super) fn variants(capability: (u32, u32)) -> Vec<(String, KernelSource)> {
    let mut kernels = Vec::new();
    let mut add = |name: &str, len: usize, types: SortTypes| {
        let plan = SortPlan::new(len, types, false, capability, 132);
        if plan.split_bits() > 0 {
            kernels.push((format!("sort split {name}"), split::split_source(&plan)));
        }
        if plan.scatters() {
            kernels.push((format!("sort scatter {name}"), split::scatter_source(&plan)));
        }
        kernels.push((format!("sort local {name}"), split::local_source(&plan, &plan.local)));
        if let Some(of_cluster) = plan.cluster {
            kernels.push((format!("sort by a cluster {name}"), cluster::source(&plan, &of_cluster)));
        }
        if plan.road() == Road::Counting {
            kernels.push((format!("sort tally {name}"), kernels::tally_source(&plan)));
            kernels.push((format!("sort fill {name}"), kernels::fill_source(&plan)));
        }
        kernels.push((format!("sort {name}"), kernels::pass_source(&plan)));
        kernels.push((format!("sort count {name}"), kernels::counting_source(&plan)));
    };
    fn keys<K: Key>() -> SortTypes {
        SortTypes {
            key: size_of::<K>(),
            order: K::ORDER,
            descending: false,
            value: 0,
            indices: Indices::None,
            keys_out: true,
        }
    }
    macro_rules! sorts {
        ($($ty:ty)*) => { $(add(stringify!($ty), 1 << 28, keys::<$ty>());)* };
    }
    sorts! { u8 i16 f16 u32 f32 u64 f64 i128 }
    let descending = SortTypes { descending: true, ..keys::<f32>() };
    add("f32 descending", 1 << 28, descending);
    add("u32 few", 1 << 18, keys::<u32>());
    add("u32 some", 1 << 24, keys::<u32>());
    add("f64 some", 1 << 22, keys::<f64>());
    add("u32 very many", 1 << 31, keys::<u32>());
    for value in [1, 2, 4, 8] {
        add(&format!("u32 with {value} bytes"), 1 << 28, SortTypes { value, ..keys::<u32>() });
    }
    add("u64 with 4 bytes", 1 << 28, SortTypes { value: 4, ..keys::<u64>() });
    add(
        "u32 positions",
        1 << 28,
        SortTypes { value: 4, indices: Indices::InSegment, keys_out: false, ..keys::<u32>() },
    );
    add("u32 with positions", 1 << 28, SortTypes { value: 4, indices: Indices::InSegment, ..keys::<u32>() });
    add(
        "u32 positions u64",
        1 << 28,
        SortTypes { value: 8, indices: Indices::InSegment, keys_out: false, ..keys::<u32>() },
    );
    let device = (capability, 132);
    let mut by_segments = |name: &str, types: SortTypes| {
        let plan = SegmentsPlan::new((1 << 28, 1 << 20, None), types, false, device);
        kernels.push((format!("sort short {name}"), split::short_source(&plan.pass, SegmentsPlan::short_items())));
        let items = plan.pass.warp_items();
        kernels.push((format!("sort by warps {name}"), split::short_source(&plan.pass, items)));
        kernels.push((format!("sort large blocks {name}"), split::local_source(&plan.pass, &plan.large)));
        for entry in segments::AROUND_PASSES {
            let source = segments::parts_source(entry, plan.parts_constants(4, true));
            kernels.push((format!("{entry} {name}"), source));
        }
    };
    by_segments("u8", keys::<u8>());
    by_segments("f32", keys::<f32>());
    by_segments("u32 with 8 bytes", SortTypes { value: 8, ..keys::<u32>() });
    by_segments("f64 positions", SortTypes { value: 4, indices: Indices::InArray, keys_out: false, ..keys::<f64>() });
    by_segments("u128 with 4 bytes", SortTypes { value: 4, ..keys::<u128>() });
    for (unit, units) in [(1, 1), (4, 1), (16, 1), (4, 3)] {
        let (constants, ..) = lines_constants(unit, units);
        kernels.push((format!("sort lines of {units} x {unit} bytes"), lines::source(constants)));
    }
    let plan = SortPlan::new(
        1 << 20,
        SortTypes { value: 4, indices: Indices::InSegment, ..keys::<u32>() },
        false,
        capability,
        132,
    );
    kernels.push(("cuts of runs of f32".to_owned(), cuts::source(keys::<f32>())));
    kernels.push(("cuts of runs of i128".to_owned(), cuts::source(keys::<i128>())));
    kernels.push(("sort values of 12 bytes".to_owned(), kernels::moving_source(&plan, 4, 3)));
    kernels
}

/// Returns the constants that the kernels of sorts are compiled with.
#[cfg(test)]
pub(super) fn constants() -> [Constants; 11] {
    let order = <f32 as Key>::ORDER;
    let sorted = SortTypes { key: 4, order, descending: false, value: 4, indices: Indices::None, keys_out: true };
    let plan = SortPlan::new(1 << 30, sorted, false, (9, 0), 132);
    let segments = SegmentsPlan::new((1 << 30, 1 << 20, None), sorted, false, ((9, 0), 132));
    let (parts, (lines, ..)) = (segments.parts_constants(4, false), lines_constants(4, 1));
    [
        plan.pass_constants(),
        plan.counting_constants(),
        plan.fill_constants(),
        plan.moving_constants(4, 1),
        plan.split_constants(),
        plan.scatter_constants(),
        plan.local_constants(&plan.local),
        plan.cluster.map_or_else(Constants::default, |cluster| plan.cluster_constants(&cluster)),
        parts,
        lines,
        plan.warp_constants(8),
    ]
}
