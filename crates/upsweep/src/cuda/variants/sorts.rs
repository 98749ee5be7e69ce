//! The kernels of sorts that cover what sorts ask for.

use crate::cuda::{KernelSource, sort};
use crate::key::Key;
#[cfg(test)]
use crate::plan::constants::Constants;
use crate::plan::sort::{SortPlan, SortTypes};
use half::f16;

/// Sorts of keys of each size and order, of pairs and of positions, of many keys and of few, by name.
pub(super) fn variants(capability: (u32, u32)) -> Vec<(String, KernelSource)> {
    let mut kernels = Vec::new();
    let mut add = |name: &str, len: usize, types: SortTypes| {
        let plan = SortPlan::new(len, types, false, capability, 132);
        if plan.by_counting() {
            kernels.push((format!("sort tally {name}"), sort::tally_source(&plan)));
            kernels.push((format!("sort fill {name}"), sort::fill_source(&plan)));
        }
        kernels.push((format!("sort {name}"), sort::pass_source(&plan)));
        kernels.push((format!("sort count {name}"), sort::counting_source(&plan)));
    };
    fn keys<K: Key>() -> SortTypes {
        SortTypes { key: size_of::<K>(), order: K::ORDER, descending: false, value: 0, indices: false, keys_out: true }
    }
    macro_rules! sorts {
        ($($ty:ty)*) => { $(add(stringify!($ty), 1 << 28, keys::<$ty>());)* };
    }
    sorts! { u8 i16 f16 u32 f32 u64 f64 i128 }
    let descending = SortTypes { descending: true, ..keys::<f32>() };
    add("f32 descending", 1 << 28, descending);
    add("u32 few", 1 << 18, keys::<u32>());
    add("u32 very many", 1 << 31, keys::<u32>());
    for value in [1, 2, 4, 8] {
        add(&format!("u32 with {value} bytes"), 1 << 28, SortTypes { value, ..keys::<u32>() });
    }
    add("u64 with 4 bytes", 1 << 28, SortTypes { value: 4, ..keys::<u64>() });
    add("u32 positions", 1 << 28, SortTypes { value: 4, indices: true, keys_out: false, ..keys::<u32>() });
    add("u32 with positions", 1 << 28, SortTypes { value: 4, indices: true, ..keys::<u32>() });
    add("u32 positions u64", 1 << 28, SortTypes { value: 8, indices: true, keys_out: false, ..keys::<u32>() });
    let plan = SortPlan::new(1 << 20, SortTypes { value: 4, indices: true, ..keys::<u32>() }, false, capability, 132);
    kernels.push(("sort values of 12 bytes".to_owned(), sort::moving_source(&plan, 4, 3)));
    kernels
}

/// The numbers of a sort's kernels.
#[cfg(test)]
pub(super) fn constants() -> [Constants; 4] {
    let order = <f32 as Key>::ORDER;
    let sorted = SortTypes { key: 4, order, descending: false, value: 4, indices: false, keys_out: true };
    let plan = SortPlan::new(1 << 30, sorted, false, (9, 0), 132);
    [plan.pass_constants(), plan.counting_constants(), plan.fill_constants(), plan.moving_constants(4, 1)]
}
