//! Sorts that partition the keys by their highest bits into buckets, which blocks or warps sort.

use super::kernels::{Buffers, SortKey, SortParams};
use crate::Cuda;
use crate::compile::KernelSource;
use crate::params::params;
use crate::runtime::Grid;
use upsweep_core::error::Result;
use upsweep_plan::sort::local::LocalPlan;
use upsweep_plan::sort::types::DIGITS;
use upsweep_plan::sort::{Counting, SortPlan};

params! {
    alone
    /// Parameters of the kernel that counts by the highest bits.
    struct SortSplitParams {
        keys: "const void*",
        n: "u64",
        /// Keys a block.
        part: "u64",
        /// Whether the results take the place of the input.
        in_place: "u64",
        /// Address of a `SortHeader`.
        header: "void*",
        /// Counters for each value of the highest bits, and one more, all 0 before.
        places: "void*",
        status: "void*",
        /// Number of status words, which the kernel clears, and number of those that the first pass uses.
        status_words: "u64",
        status_empty: "u64",
        /// Null, or cursors for each digit and each bucket, all 0 before.
        cursors: "void*",
        /// Null, or the address that the tiles of buckets for a second pass are stored at.
        tiles: "void*",
        /// Keys a tile.
        tile: "u64",
        /// Number of the highest bits.
        bits: "u64",
        /// Most keys of a bucket.
        room: "u64",
        /// Null, or the list of larger buckets; the most entries of the list, and the most keys of one of these
        /// buckets.
        list: "void*",
        most_listed: "u64",
        large_room: "u64",
    }
}

params! {
    alone
    /// Parameters of the kernel that scatters keys into buckets.
    struct SortScatterParams {
        keys: "const void*",
        output: "void*",
        n: "u64",
        /// Number of the highest bits.
        bits: "u64",
        /// Address of a `SortHeader` that says whether there is anything to do.
        header: "const void*",
        /// Begin of each bucket.
        places: "const void*",
        /// Cursors of 32 bits for each bucket, all 0 before.
        cursors: "void*",
    }
}

params! {
    alone
    /// Parameters of the kernel whose blocks sort segments that fit in their shared memory.
    struct SortLocalParams {
        keys: "const void*",
        keys_out: "void*",
        values: "const void*",
        values_out: "void*",
        segments: "u64",
        /// Null, or the begin of each segment, and the end of the last one.
        starts: "const void*",
        /// Length of a segment where there are no begins.
        length: "u64",
        /// Null, or the list of segments; and the address of their number.
        list: "const void*",
        listed: "const void*",
        /// Whether the keys are the caller's, not encoded yet.
        given: "u64",
        /// Null, or a `SortHeader` that says whether there is anything to do.
        header: "const void*",
    }
}

params! {
    alone
    /// Parameters of the kernel whose warps sort short segments.
    #[derive(Default)]
    struct SortShortParams {
        keys: "const void*",
        keys_out: "void*",
        values: "const void*",
        values_out: "void*",
        segments: "u64",
        /// Null, or the begin of each segment, and the end of the last one.
        starts: "const void*",
        /// Length of a segment where there are no begins.
        length: "u64",
        /// Segments that a warp sorts at once, up to one a lane.
        each: "u64",
        /// Whether the keys are the caller's, not encoded yet.
        given: "u64",
        /// Null, or a `SortHeader` that says whether there is anything to do.
        buckets: "const void*",
        /// Null, or a `SegmentHeader`. With it the kernel sorts the segments of a list, or reads segments of all
        /// lengths and puts the longer ones into lists.
        header: "void*",
        list: "const void*",
        /// Most keys that a warp with more keys a lane sorts, that a block sorts, and that a larger block sorts.
        more: "u64",
        room: "u64",
        large_room: "u64",
        for_more: "void*",
        for_blocks: "void*",
        for_large_blocks: "void*",
        for_passes: "void*",
    }
}

const SPLIT: &str = "upsweep_sort_split";
const SCATTER: &str = "upsweep_sort_scatter";
const LOCAL: &str = "upsweep_sort_local";
const SHORT: &str = "upsweep_sort_short";

/// Returns the text of the parameters of these kernels.
#[cfg(test)]
pub(crate) fn params_text() -> String {
    SortSplitParams::text() + &SortScatterParams::text() + &SortLocalParams::text() + &SortShortParams::text()
}

/// Returns the source of the kernel that counts by the highest bits.
pub(crate) fn split_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.split_constants().to_string() + &SortSplitParams::text();
    KernelSource { root: "sort/split.cuh", prelude, entry: SPLIT }
}

/// Returns the source of the kernel that scatters keys into buckets.
pub(crate) fn scatter_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.scatter_constants().to_string() + &SortScatterParams::text();
    KernelSource { root: "sort/scatter.cuh", prelude, entry: SCATTER }
}

/// Returns the source of the kernel whose blocks sort segments that fit in their shared memory.
pub(crate) fn local_source(plan: &SortPlan, local: &LocalPlan) -> KernelSource {
    let prelude = plan.local_constants(local).to_string() + &SortLocalParams::text();
    KernelSource { root: "sort/local.cuh", prelude, entry: LOCAL }
}

/// Returns the source of the kernel whose warps sort, with `items` keys a lane.
pub(crate) fn short_source(plan: &SortPlan, items: usize) -> KernelSource {
    let prelude = plan.warp_constants(items).to_string() + &SortShortParams::text();
    KernelSource { root: "sort/short.cuh", prelude, entry: SHORT }
}

/// Returns the address of the cursors, or 0, of a plan whose header is at this address.
pub(super) fn cursors(plan: &SortPlan, header: u64) -> u64 {
    if plan.cursors() > 0 { header + plan.cursors_at() as u64 } else { 0 }
}

/// Counts by the highest bits. The last argument is the addresses of the header, the status words and the tiles.
pub(super) fn count(cuda: &Cuda, plan: &SortPlan, keys: u64, (header, status, tiles): (u64, u64, u64)) -> Result<()> {
    let kernel = cuda.kernel(SortKey::new(SPLIT, plan.split_constants()), || Ok(split_source(plan)))?;
    let Counting { blocks, part, threads, shared_bytes } = plan.splitting(cuda.multiprocessors() as usize);
    let params = SortSplitParams {
        keys,
        n: plan.len as u64,
        part: part as u64,
        in_place: plan.in_place.into(),
        header,
        places: header + plan.header_bytes() as u64,
        status,
        status_words: plan.status_words() as u64,
        status_empty: (plan.tiles() * DIGITS) as u64,
        cursors: cursors(plan, header),
        tiles: if plan.splits_twice() { tiles } else { 0 },
        tile: plan.tile() as u64,
        bits: plan.split_bits().into(),
        room: plan.bucket_room() as u64,
        list: plan.large_list_at().map_or(0, |at| header + at as u64),
        most_listed: SortPlan::most_large() as u64,
        large_room: plan.large.tile() as u64,
    };
    // SAFETY: asserted layout, and buffers kept good by the caller's loans and the scratch, as in `launch`.
    unsafe { cuda.launch(&kernel, Grid::new(blocks as u32, threads as u32, shared_bytes as u32), &params) }
}

/// Scatters keys into the buckets of their highest bits.
pub(super) fn scatter(cuda: &Cuda, plan: &SortPlan, passes: &SortParams) -> Result<()> {
    let kernel = cuda.kernel(SortKey::new(SCATTER, plan.scatter_constants()), || Ok(scatter_source(plan)))?;
    let scatter = plan.scatter();
    let (threads, shared) = (scatter.threads() as u32, scatter.shared_bytes() as u32);
    let resident = kernel.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let params = SortScatterParams {
        keys: passes.keys,
        output: if plan.in_place { passes.keys_scratch } else { passes.keys_out },
        n: plan.len as u64,
        bits: plan.split_bits().into(),
        header: passes.header,
        places: passes.header + plan.header_bytes() as u64,
        cursors: cursors(plan, passes.header),
    };
    let blocks = plan.len.div_ceil(scatter.tile()).min(resident as usize) as u32;
    // SAFETY: as in `launch`; the kernel waits for the one before it, and a counting kernel comes before it.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, threads, shared).behind(), &params) }
}

/// Sorts each bucket that the passes by the highest bits have left.
pub(super) fn sort_buckets(cuda: &Cuda, plan: &SortPlan, passes: &SortParams) -> Result<()> {
    let in_scratch = plan.in_place && !plan.splits_twice();
    let (keys, values) =
        if in_scratch { (passes.keys_scratch, passes.values_scratch) } else { (passes.keys_out, passes.values_out) };
    let starts = passes.header + plan.header_bytes() as u64;
    if plan.warps_sort_buckets() {
        let params = SortShortParams {
            keys,
            keys_out: passes.keys_out,
            values,
            values_out: passes.values_out,
            segments: 1 << plan.split_bits(),
            starts,
            buckets: passes.header,
            ..SortShortParams::default()
        };
        return by_warps(cuda, plan, plan.warp_items(), 1 << plan.split_bits(), &params);
    }
    let params = SortLocalParams {
        keys,
        keys_out: passes.keys_out,
        values,
        values_out: passes.values_out,
        segments: 1 << plan.split_bits(),
        starts,
        length: 0,
        list: 0,
        listed: 0,
        given: 0,
        header: passes.header,
    };
    local(cuda, plan, &plan.local, &params)?;
    let Some(list) = plan.large_list_at() else { return Ok(()) };
    let (list, listed) = (passes.header + list as u64, passes.header + plan.listed_at() as u64);
    local(cuda, plan, &plan.large, &SortLocalParams { starts: 0, list, listed, ..params })
}

/// Sorts an array that fits in one block.
pub(super) fn whole(cuda: &Cuda, plan: &SortPlan, buffers: Buffers) -> Result<()> {
    let params = SortLocalParams {
        keys: buffers.keys,
        keys_out: buffers.keys_out,
        values: buffers.values,
        values_out: buffers.values_out,
        segments: 1,
        starts: 0,
        length: plan.len as u64,
        list: 0,
        listed: 0,
        given: 1,
        header: 0,
    };
    let whole =
        if plan.len <= plan.whole.tile() && plan.len > SortPlan::few_keys() { &plan.whole } else { &plan.local };
    local(cuda, plan, whole, &params)
}

/// Launches the kernel whose warps sort with `items` keys a lane, for at most `segments` segments.
pub(super) fn by_warps(
    cuda: &Cuda,
    plan: &SortPlan,
    items: usize,
    segments: usize,
    params: &SortShortParams,
) -> Result<()> {
    let kernel = cuda.kernel(SortKey::new(SHORT, plan.warp_constants(items)), || Ok(short_source(plan, items)))?;
    let threads = SortPlan::warp_threads() as u32;
    let resident = kernel.blocks_per_multiprocessor(threads, 0)?.max(1) * cuda.multiprocessors();
    let warps = threads as usize / 32;
    let each = segments.div_ceil(resident as usize * warps).clamp(1, 32);
    let blocks = segments.div_ceil(each * warps).clamp(1, resident as usize) as u32;
    let params = SortShortParams { each: each as u64, ..*params };
    // SAFETY: as in `launch`; the kernel waits for the one before it, and buckets come from earlier passes.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, threads, 0).behind_if(params.buckets != 0), &params) }
}

/// Launches the kernel whose blocks sort segments that fit in their shared memory.
pub(super) fn local(cuda: &Cuda, plan: &SortPlan, local: &LocalPlan, params: &SortLocalParams) -> Result<()> {
    let constants = plan.local_constants(local);
    let kernel = cuda.kernel(SortKey::new(LOCAL, constants), || Ok(local_source(plan, local)))?;
    let (threads, shared) = (local.threads() as u32, local.shared_bytes() as u32);
    let resident = kernel.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let blocks = params.segments.min(resident.into()) as u32;
    // SAFETY: as in `launch`; the kernel waits for the one before it, and passes come before it where it has a header.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, threads, shared).behind_if(params.header != 0), params) }
}
