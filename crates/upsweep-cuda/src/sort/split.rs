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
    /// Parameters of the kernel that counts the keys by their highest bits.
    struct SortSplitParams {
        keys: "const void*",
        n: "u64",
        /// Number of keys of a part of the array. One block counts the keys of a part.
        part: "u64",
        /// Whether the sort is in place: the results overwrite the input.
        in_place: "u64",
        /// Address of the `SortHeader`, in which the kernels tell each other how the sort goes.
        header: "void*",
        /// Address of a counter for each value of the highest bits, and of one more counter. All are 0 before the
        /// launch.
        places: "void*",
        status: "void*",
        /// `status_words`: number of status words, which the kernel clears. `status_empty`: number of those that the
        /// first pass uses.
        status_words: "u64",
        status_empty: "u64",
        /// Null, or the address of the cursors (counts of the keys that have room in the output so far), by which tiles
        /// reserve room for their keys: one for each digit value and one for each bucket. All are 0 before the launch.
        cursors: "void*",
        /// Null, or the address for the list of the tiles of all buckets, if a second pass follows.
        tiles: "void*",
        /// Number of keys of a tile of a pass (a kernel that sorts by one digit).
        tile: "u64",
        /// Number of highest bits by which the keys are counted.
        bits: "u64",
        /// Largest number of keys of a bucket that a block or a warp sorts.
        room: "u64",
        /// `list`: null, or the address for the list of buckets that larger blocks sort. `most_listed`: largest number
        /// of buckets on the list. `large_room`: largest number of keys of such a bucket.
        list: "void*",
        most_listed: "u64",
        large_room: "u64",
    }
}

params! {
    alone
    /// Parameters of the kernel that scatters keys into the buckets of their highest bits.
    struct SortScatterParams {
        keys: "const void*",
        output: "void*",
        n: "u64",
        /// Number of highest bits that are the index of a key's bucket.
        bits: "u64",
        /// Address of the `SortHeader`, which says whether this kernel has anything to do.
        header: "const void*",
        /// Address of the index at which each bucket begins.
        places: "const void*",
        /// Address of a cursor of 32 bits for each bucket (the count of keys that have room in it so far), by which
        /// tiles reserve room for their keys. All are 0 before the launch.
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
        /// Null, or the address of the index at which each segment begins, and of the end of the last one.
        starts: "const void*",
        /// Number of keys of each segment, if `starts` is null.
        length: "u64",
        /// `list`: null, or the address of the list of the segments to sort. `listed`: address of their number.
        list: "const void*",
        listed: "const void*",
        /// Whether the keys are the caller's, and not yet encoded as unsigned numbers in sorted order.
        given: "u64",
        /// Null, or the address of the `SortHeader`, which says whether this kernel has anything to do.
        header: "const void*",
    }
}

params! {
    alone
    /// Parameters of the kernel whose warps sort short segments, or small buckets.
    #[derive(Default)]
    struct SortShortParams {
        keys: "const void*",
        keys_out: "void*",
        values: "const void*",
        values_out: "void*",
        segments: "u64",
        /// Null, or the address of the index at which each segment begins, and of the end of the last one.
        starts: "const void*",
        /// Number of keys of each segment, if `starts` is null.
        length: "u64",
        /// Number of segments that a warp takes at once, at most one for each lane.
        each: "u64",
        /// Whether the keys are the caller's, and not yet encoded as unsigned numbers in sorted order.
        given: "u64",
        /// Null, or the address of the `SortHeader`, which says whether this kernel has any buckets to sort.
        buckets: "const void*",
        /// Null, or the address of a `SegmentHeader`. With it the kernel sorts the segments of a list, or reads
        /// segments of all lengths and puts the longer ones on lists.
        header: "void*",
        list: "const void*",
        /// Largest number of keys of a segment that is sorted by a warp with more keys in each lane than this kernel
        /// has (`more`), by a block (`room`), and by a larger block (`large_room`).
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

/// Returns the C++ text of the parameters of the kernels of this file.
#[cfg(test)]
pub(crate) fn params_text() -> String {
    SortSplitParams::text() + &SortScatterParams::text() + &SortLocalParams::text() + &SortShortParams::text()
}

/// Returns the source of the kernel that counts the keys by their highest bits.
pub(crate) fn split_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.split_constants().to_string() + &SortSplitParams::text();
    KernelSource { root: "sort/split.cuh", prelude, entry: SPLIT }
}

/// Returns the source of the kernel that scatters keys into the buckets of their highest bits.
pub(crate) fn scatter_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.scatter_constants().to_string() + &SortScatterParams::text();
    KernelSource { root: "sort/scatter.cuh", prelude, entry: SCATTER }
}

/// Returns the source of the kernel whose blocks sort segments that fit in their shared memory.
pub(crate) fn local_source(plan: &SortPlan, local: &LocalPlan) -> KernelSource {
    let prelude = plan.local_constants(local).to_string() + &SortLocalParams::text();
    KernelSource { root: "sort/local.cuh", prelude, entry: LOCAL }
}

/// Returns the source of the kernel whose warps sort segments, with `items` keys a lane.
pub(crate) fn short_source(plan: &SortPlan, items: usize) -> KernelSource {
    let prelude = plan.warp_constants(items).to_string() + &SortShortParams::text();
    KernelSource { root: "sort/short.cuh", prelude, entry: SHORT }
}

/// Returns the address of the cursors in the scratch of a plan, whose header lies at `header`; 0 if the plan has none.
pub(super) fn cursors(plan: &SortPlan, header: u64) -> u64 {
    if plan.cursors() > 0 { header + plan.cursors_at() as u64 } else { 0 }
}

/// Launches the kernel that counts the keys at the address `keys` by their highest bits. The last argument has the
/// addresses of the header, the status words and the list of tiles.
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
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
    // buffers good until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, Grid::new(blocks as u32, threads as u32, shared_bytes as u32), &params) }
}

/// Launches the kernel that scatters keys into the buckets of their highest bits in a single pass. The buffers are
/// those of `passes`.
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
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
    // buffers good until the kernel is enqueued in the stream's order. The kernel waits for the one before it, and a
    // counting kernel comes before it.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, threads, shared).behind(), &params) }
}

/// Sorts each bucket that the passes by the highest bits have filled, by a warp or a block. The buffers are those of
/// `passes`.
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

/// Sorts an array of so few keys that one block sorts them in shared memory.
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
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
    // buffers good until the kernel is enqueued in the stream's order. If the kernel sorts buckets, it waits for the
    // kernel before it, and earlier passes have filled the buckets.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, threads, 0).behind_if(params.buckets != 0), &params) }
}

/// Launches the kernel whose blocks sort segments that fit in their shared memory.
pub(super) fn local(cuda: &Cuda, plan: &SortPlan, local: &LocalPlan, params: &SortLocalParams) -> Result<()> {
    let constants = plan.local_constants(local);
    let kernel = cuda.kernel(SortKey::new(LOCAL, constants), || Ok(local_source(plan, local)))?;
    let (threads, shared) = (local.threads() as u32, local.shared_bytes() as u32);
    let resident = kernel.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let blocks = params.segments.min(resident.into()) as u32;
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
    // buffers good until the kernel is enqueued in the stream's order. If the kernel has a header, passes come before
    // it, and it waits for the kernel before it.
    unsafe { cuda.launch(&kernel, Grid::new(blocks, threads, shared).behind_if(params.header != 0), params) }
}
