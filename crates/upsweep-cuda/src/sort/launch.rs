//! Launches of the kernels that sort a whole array, by the road of its plan.

use super::super::Cuda;
use super::super::runtime::Grid;
use super::kernels::{
    Buffers, COUNT, FILL, PASS, SortCountParams, SortFillParams, SortKey, SortParams, SortTallyParams, TALLY, Zeros,
    counting_source, fill_source, pass_source, tally_source,
};
use super::{cluster, split};
use upsweep_core::error::Result;
use upsweep_core::key::Key;
use upsweep_plan::sort::types::{Indices, SortTypes};
use upsweep_plan::sort::{Counting, Road, SortPlan};

/// Returns the types of a sort of keys with values of `value` bytes.
pub(super) fn types_of<K: Key>(descending: bool, value: usize) -> SortTypes {
    SortTypes { key: size_of::<K>(), order: K::ORDER, descending, value, indices: Indices::None, keys_out: true }
}

/// Sorts `len` keys, and values with them. Enqueues the kernels.
pub(super) fn launch(cuda: &Cuda, len: usize, types: SortTypes, in_place: bool, buffers: Buffers) -> Result<()> {
    if len == 0 {
        return Ok(());
    }
    let plan = SortPlan::new(len, types, in_place, cuda.compute_capability(), cuda.multiprocessors() as usize);
    if let Road::Cluster(cluster) = plan.road()
        && cluster::sort(cuda, &plan, &cluster, buffers)?
    {
        return Ok(());
    }
    let plan = SortPlan { cluster: None, ..plan };
    match plan.road() {
        Road::Local => return split::whole(cuda, &plan, buffers),
        Road::Split(_) | Road::Passes => return by_passes(cuda, &plan, buffers),
        Road::Counting | Road::Cluster(_) => {}
    }
    if types.key == 1 {
        let header = cuda.scratch::<u8>(plan.header_bytes())?.zeroed()?;
        count(cuda, &plan, buffers.keys, header.address(), (0, 0))?;
        return fill(cuda, &plan, buffers.keys_out, header.address(), Zeros::default());
    }
    let values = 1 << (8 * types.key);
    let counts = cuda.scratch::<u64>(values + 1)?.zeroed()?;
    let kernel = cuda.kernel(SortKey::new(TALLY, plan.tally_constants()), || Ok(tally_source(&plan)))?;
    let Counting { blocks, part, threads, shared_bytes } = plan.tallying(cuda.multiprocessors() as usize);
    let counts_at = counts.address();
    let done = counts_at + 8 * values as u64;
    let signs_of_part = if types.order.mantissa > 0 { SortPlan::sign_words(part) } else { 0 };
    let kept = cuda.scratch::<u32>(if signs_of_part > 0 { blocks * (2 + signs_of_part) } else { 0 })?;
    let zeros =
        Zeros { numbers: kept.address(), signs: kept.address() + 8 * blocks as u64, signs_of_part, parts: blocks };
    let params = SortTallyParams {
        keys: buffers.keys,
        n: len as u64,
        part: part as u64,
        counts: counts_at,
        done,
        zeros: zeros.numbers,
        signs: zeros.signs,
        signs_of_part: signs_of_part as u64,
    };
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
    // buffers good until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, Grid::new(blocks as u32, threads as u32, shared_bytes as u32), &params) }?;
    fill(cuda, &plan, buffers.keys_out, counts_at, zeros)
}

/// Launches the kernel that counts how often each value of each digit occurs in the keys. `status` is the address and
/// the number of the status words that the kernel clears.
fn count(cuda: &Cuda, plan: &SortPlan, keys: u64, header: u64, status: (u64, usize)) -> Result<()> {
    let kernel = cuda.kernel(SortKey::new(COUNT, plan.counting_constants()), || Ok(counting_source(plan)))?;
    let Counting { blocks, part, threads, shared_bytes } = plan.counting(cuda.multiprocessors() as usize);
    let params = SortCountParams {
        keys,
        n: plan.len as u64,
        part: part as u64,
        in_place: plan.in_place.into(),
        header,
        status: status.0,
        status_words: status.1 as u64,
        cursors: split::cursors(plan, header),
    };
    let (blocks, threads, shared) = (blocks as u32, threads as u32, shared_bytes as u32);
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
    // buffers good until the kernel is enqueued in the stream's order. The kernel waits for the one before it.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, threads, shared).behind_if(plan.split_bits() > 0), &params) }
}

/// Stores each key of a sort by counting as often as it was counted: key x from the index on that `places` has for x.
fn fill(cuda: &Cuda, plan: &SortPlan, output: u64, places: u64, zeros: Zeros) -> Result<()> {
    let kernel = cuda.kernel(SortKey::new(FILL, plan.fill_constants()), || Ok(fill_source(plan)))?;
    let threads = SortPlan::fill_threads() as u32;
    let resident = kernel.blocks_per_multiprocessor(threads, 0)?.max(1) * cuda.multiprocessors();
    let params = SortFillParams {
        output,
        n: plan.len as u64,
        places,
        zeros: zeros.numbers,
        signs: zeros.signs,
        signs_of_part: zeros.signs_of_part as u64,
        parts: zeros.parts as u64,
    };
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
    // buffers good until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, Grid::new(plan.fill_blocks().min(resident as usize) as u32, threads, 0), &params) }
}

/// Counts the digits of the keys, and moves keys and values once for each digit that varies.
fn by_passes(cuda: &Cuda, plan: &SortPlan, buffers: Buffers) -> Result<()> {
    let SortPlan { len, types, .. } = *plan;
    // All scratch is one allocation: the driver's pool finds one block again sooner than several.
    let parts = plan.scratch_parts();
    let scratch = cuda.scratch::<u8>(plan.scratch_bytes())?;
    let [header, status, tiles, keys_scratch, values_scratch, keys_unwanted] = parts.starts(scratch.address());
    scratch.clear(plan.cleared_bytes())?;
    let splits = plan.split_bits() > 0;
    if splits {
        split::count(cuda, plan, buffers.keys, (header, status, tiles))?;
    }
    if !splits || plan.counts_apart() {
        count(cuda, plan, buffers.keys, header, (status, if splits { 0 } else { plan.status_words() }))?;
    }

    let kernel = cuda.kernel(SortKey::new(PASS, plan.pass_constants()), || Ok(pass_source(plan)))?;
    let (threads, shared) = (plan.threads() as u32, plan.shared_bytes() as u32);
    let resident = kernel.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let params = SortParams {
        keys: buffers.keys,
        keys_out: if types.keys_out { buffers.keys_out } else { keys_unwanted },
        keys_scratch,
        values: buffers.values,
        values_out: buffers.values_out,
        values_scratch,
        n: len as u64,
        launch: 0,
        header,
        status,
        tiles,
    };
    if plan.scatters() {
        split::scatter(cuda, plan, &params)?;
    }
    for launch in 0..plan.launches() as u64 {
        let params = SortParams { launch, ..params };
        let blocks = plan.most_tiles().min(resident as usize) as u32;
        // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
        // buffers good until the kernel is enqueued in the stream's order. The kernel waits for the one before it, and
        // a counting kernel comes before it.
        unsafe { cuda.launch(&kernel, Grid::new(blocks, threads, shared).behind(), &params) }?;
    }
    if splits { split::sort_buckets(cuda, plan, &params) } else { Ok(()) }
}
