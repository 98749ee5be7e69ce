//! Cuts of sorted runs: where the pieces end that together are the first keys of the whole array. On the device see
//! `sort/cuts.cuh`; here is the same for runs in host memory.

use super::kernels::SortKey;
use crate::Cuda;
use crate::compile::KernelSource;
use crate::params::params;
use crate::runtime::Grid;
use rayon::prelude::*;
use upsweep_core::error::Result;
use upsweep_core::key::{KeyBits, KeyOrder};
use upsweep_core::memory;
use upsweep_plan::sort::SortPlan;
use upsweep_plan::sort::streamed::StreamedPlan;
use upsweep_plan::sort::types::SortTypes;

params! {
    alone
    /// Parameters of the kernel that finds where sorted runs are cut.
    struct SortCutsParams {
        keys: "const void*",
        n: "u64",
        /// Number of keys of a run, but for the last one, and of a bucket, at whose end the runs are cut.
        run: "u64",
        /// Address of the cuts: `cuts[(k - 1) * runs + q]` is the number of keys of run `q` that buckets before `k` have.
        /// Two more numbers for each cut follow all of them.
        cuts: "u64*",
    }
}

const CUTS: &str = "upsweep_sort_cuts";
/// Number of threads of a block, which finds the cuts of all runs at the end of one bucket.
const THREADS: usize = 128;

/// Returns the source of the kernel that finds the cuts of keys of these types.
pub(crate) fn source(types: SortTypes) -> KernelSource {
    let prelude = plan_of(types).plain_constants(THREADS).to_string() + &SortCutsParams::text();
    KernelSource { root: "sort/cuts.cuh", prelude, entry: CUTS }
}

/// Returns the C++ text of the parameters of this kernel.
#[cfg(test)]
pub(crate) fn params_text() -> String {
    SortCutsParams::text()
}

/// Returns a plan whose constants are those of the kernel, which are the same for arrays of any length on any device.
fn plan_of(types: SortTypes) -> SortPlan {
    SortPlan::new(0, types, true, (0, 0), 1)
}

/// Enqueues the search for the cuts of the runs of `plan`, which are sorted and on the device at the address `keys`.
/// `cuts` is the address of room for the cuts, and for two more numbers each.
pub(super) fn on_device(cuda: &Cuda, plan: &StreamedPlan, types: SortTypes, keys: u64, cuts: u64) -> Result<()> {
    let key = SortKey::new(CUTS, plan_of(types).plain_constants(THREADS));
    let kernel = cuda.kernel(key, || Ok(source(types)))?;
    let params = SortCutsParams { keys, n: plan.len as u64, run: plan.run as u64, cuts };
    let blocks = plan.runs().saturating_sub(1) as u32;
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller keeps the runs and the cuts good until
    // the device has been waited for.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, THREADS as u32, 0), &params) }
}

/// Returns the cuts of the runs of `plan`, which are sorted, and lie one after the other in `keys`.
///
/// # Errors
/// [`Error::OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
pub(super) fn on_host<B: KeyBits>(
    plan: &StreamedPlan,
    (order, descending): (KeyOrder, bool),
    keys: &[B],
) -> Result<Vec<u64>> {
    let runs = plan.runs();
    let mut cuts = memory::filled(plan.cuts(), 0u64)?;
    let mut bounds = memory::filled(2 * plan.cuts(), 0u64)?;
    let below = |q: usize, low: u64, high: u64, number: B| {
        let run = keys.get(plan.range(q)).unwrap_or_default();
        let between = run.get(low as usize..high as usize).unwrap_or_default();
        low + between.partition_point(|key| key.compared(order, descending) < number) as u64
    };
    let of_ranks = cuts.par_chunks_mut(runs.max(1)).zip(bounds.par_chunks_mut(2 * runs.max(1)));
    of_ranks.enumerate().for_each(|(block, (low, bounds))| {
        let rank = ((block + 1) * plan.run) as u64;
        let (high, middle) = bounds.split_at_mut(runs);
        for (q, high) in high.iter_mut().enumerate() {
            *high = plan.range(q).len() as u64;
        }
        let mut number = B::default();
        for bit in (0..B::BITS).rev() {
            let next = number | B::of(1 << bit);
            for (q, middle) in middle.iter_mut().enumerate() {
                *middle = below(q, low[q], high[q], next);
            }
            if middle.iter().sum::<u64>() <= rank {
                number = next;
                low.copy_from_slice(middle);
            } else {
                high.copy_from_slice(middle);
            }
        }
        // Of the keys that equal the one of this rank, those of the first runs come first.
        let mut rest = rank - low.iter().sum::<u64>();
        for (low, high) in low.iter_mut().zip(high) {
            let equal = rest.min(*high - *low);
            *low += equal;
            rest -= equal;
        }
    });
    Ok(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::key::Key;

    /// Checks the cuts of sorted runs of `keys` against the places of the keys in a stable sort of the whole array.
    fn check<K: Key>(run: usize, keys: impl IntoIterator<Item = K::Bits>, descending: bool) {
        let mut keys: Vec<K::Bits> = keys.into_iter().collect();
        let plan = StreamedPlan { len: keys.len(), key: size_of::<K>(), run, resident: false };
        let number = |key: &K::Bits| key.compared(K::ORDER, descending);
        for k in 0..plan.runs() {
            keys[plan.range(k)].sort_by_key(number);
        }
        let cuts = on_host(&plan, (K::ORDER, descending), &keys).unwrap();
        let mut ranked: Vec<usize> = (0..keys.len()).collect();
        ranked.sort_by_key(|&i| number(&keys[i]));
        assert_eq!(cuts.len(), plan.cuts());
        for (block, cuts) in cuts.chunks(plan.runs().max(1)).enumerate() {
            let mut expected = vec![0; plan.runs()];
            for i in &ranked[..(block + 1) * run] {
                expected[i / run] += 1u64;
            }
            assert_eq!(cuts, expected, "runs of {run}, rank {}", (block + 1) * run);
        }
    }

    #[test]
    fn runs_are_cut_by_rank() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 32
        };
        for len in [0, 1, 2, 3, 7, 8, 9, 64, 65, 500] {
            for run in [1, 2, 8, 64, 499, 500, 501] {
                for descending in [false, true] {
                    for most in [1, 2, 7, 1 << 16, 1 << 32] {
                        check::<u32>(run, (0..len).map(|_| (random() % most) as u32), descending);
                        // Zeros of both signs, and NaN.
                        let some = [0, 1 << 31, 0x7fc0_0000, 0xffc0_0001, 0x3f80_0000, 0xbf80_0000];
                        check::<f32>(run, (0..len).map(|_| some[(random() % 6) as usize]), descending);
                        check::<f32>(run, (0..len).map(|_| (random() % most) as u32), descending);
                    }
                    check::<u8>(run, (0..len).map(|_| random() as u8), descending);
                    check::<i128>(run, (0..len).map(|_| u128::from(random()) << 96 | u128::from(random())), descending);
                    check::<u64>(run, (0..len as u64).map(|i| i * 7), descending);
                    check::<i16>(run, (0..len).rev().map(|i| i as u16), descending);
                    check::<u32>(run, (0..len).map(|_| u32::MAX), descending);
                }
            }
        }
    }
}
