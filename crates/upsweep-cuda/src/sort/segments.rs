//! Sorts of segments, each by itself: short ones by warps, longer ones by blocks, and long ones by shared passes.

use super::kernels::{Buffers, PASS, SortKey, SortParams, pass_source};
use super::split;
use crate::Cuda;
use crate::compile::KernelSource;
use crate::params::params;
use crate::runtime::Grid;
use cudarc::driver::CudaStream;
use std::sync::Arc;
use upsweep_core::error::Result;
use upsweep_plan::constants::Constants;
use upsweep_plan::sort::ScratchParts;
use upsweep_plan::sort::segments::{SegmentsPlan, Way};
use upsweep_plan::sort::types::SortTypes;

params! {
    alone
    /// Parameters of the kernel that checks the offsets of segments and stores where each segment begins.
    struct SortStartsParams {
        offsets: "const void*",
        starts: "void*",
        segments: "u64",
        n: "u64",
        /// Address of the `SegmentHeader`: the numbers of segments on the lists of longer segments.
        header: "void*",
        workspace: "Workspace",
    }
}

params! {
    alone
    /// Parameters of the kernels that prepare the passes by which all long segments are sorted together.
    struct SortPartsParams {
        keys: "const void*",
        /// Address of the `SegmentHeader`: the numbers of segments on the lists of longer segments.
        segments: "const void*",
        /// Null, or the address of the list of long segments.
        list: "const void*",
        /// `rows`: number of segments if there is no list. `length`: number of keys of each of them.
        rows: "u64",
        length: "u64",
        /// Whether the sort is in place: the results overwrite the input.
        in_place: "u64",
        /// Number of keys of a tile.
        tile: "u64",
        /// Address of the `SortHeader` of the passes: what they sort by, and from where to where.
        header: "void*",
        /// Address of the index of the first tile of each segment, and after these of the number of all tiles.
        firsts: "void*",
        counts: "void*",
        status: "void*",
        tiles: "void*",
    }
}

/// Returns the C++ text of the parameters of the kernels of this file.
#[cfg(test)]
pub(crate) fn params_text() -> String {
    SortStartsParams::text() + &SortPartsParams::text()
}

/// Cut of an array into segments: where each of them begins.
#[derive(Clone)]
pub(super) enum Cut {
    /// Segments of one length: number of segments, and number of keys of each.
    Rows(usize, usize),
    /// Segments by offsets: address of the offsets, number of segments, bytes of an offset and whether it is signed;
    /// and the stream whose next wait reports wrong offsets.
    Offsets(u64, usize, (usize, bool), Option<Arc<CudaStream>>),
}

const STARTS: &str = "upsweep_sort_starts";
const CUT: &str = "upsweep_sort_cut";
const PARTS: &str = "upsweep_sort_parts";
const PLACES: &str = "upsweep_sort_places";

/// Returns the source of the kernel `entry`, one of those that prepare passes.
pub(crate) fn parts_source(entry: &'static str, constants: Constants) -> KernelSource {
    let prelude = constants.to_string() + &SortStartsParams::text() + &SortPartsParams::text();
    KernelSource { root: "sort/segments.cuh", prelude, entry }
}

/// Names of the kernels that prepare the passes by which all long segments are sorted together.
pub(crate) const AROUND_PASSES: [&str; 4] = [STARTS, CUT, PARTS, PLACES];

/// Sorts each segment of an array of `len` keys.
pub(super) fn sort(
    cuda: &Cuda,
    len: usize,
    types: SortTypes,
    in_place: bool,
    buffers: Buffers,
    cut: &Cut,
) -> Result<()> {
    let (segments, rows, offset) = match *cut {
        Cut::Rows(segments, length) => (segments, Some(length), (4, false)),
        Cut::Offsets(_, segments, offset, _) => (segments, None, offset),
    };
    let device = (cuda.compute_capability(), cuda.multiprocessors() as usize);
    let plan = SegmentsPlan::new((len, segments, rows), types, in_place, device);
    let parts = ScratchParts(plan.scratch_parts());
    let scratch = cuda.scratch::<u8>(parts.bytes())?;
    let [
        segment_header,
        header,
        starts,
        for_more,
        for_blocks,
        for_large_blocks,
        for_passes,
        firsts,
        counts,
        status,
        tiles,
        keys_scratch,
        others,
    ] = parts.starts(scratch.address());
    scratch.clear((starts - scratch.address()) as usize)?;
    let around = |entry: &'static str| {
        let constants = plan.parts_constants(offset.0, offset.1);
        cuda.kernel(SortKey::new(entry, constants), || Ok(parts_source(entry, constants)))
    };
    let parts_threads = SegmentsPlan::parts_threads();
    let blocks_of = |work: usize, threads: usize| {
        work.div_ceil(threads).min(2048 / threads * cuda.multiprocessors() as usize).max(1) as u32
    };
    let mut starts_at = 0;
    if let Cut::Offsets(offsets, _, _, reader) = cut {
        let offsets = *offsets;
        starts_at = starts;
        let workspace = cuda.workspace(0, 0)?;
        let params = SortStartsParams {
            offsets,
            starts,
            segments: segments as u64,
            n: len as u64,
            header: segment_header,
            workspace,
        };
        let (kernel, blocks) = (around(STARTS)?, blocks_of(segments + 1, parts_threads));
        // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
        // buffers good until the kernel is enqueued in the stream's order.
        unsafe { cuda.launch(&kernel, Grid::new(blocks, parts_threads as u32, 0), &params) }?;
        if let Some(reader) = reader {
            cuda.mark_may_fault(reader)?;
        }
    }
    if len == 0 {
        return Ok(());
    }
    let length = rows.unwrap_or(0) as u64;
    let Buffers { keys, keys_out, values, values_out } = buffers;
    let (room, large_room) = plan.rooms();
    let short = split::SortShortParams {
        keys,
        keys_out,
        values,
        values_out,
        segments: segments as u64,
        starts: starts_at,
        length,
        each: 0,
        given: 1,
        buckets: 0,
        header: segment_header,
        list: 0,
        more: plan.most_of_warps() as u64,
        room: room as u64,
        large_room: large_room as u64,
        for_more,
        for_blocks,
        for_large_blocks,
        for_passes,
    };
    if plan.may(Way::Short) {
        split::by_warps(cuda, &plan.pass, SegmentsPlan::short_items(), segments, &short)?;
    }
    if plan.may(Way::More) {
        let params = split::SortShortParams { list: if rows.is_none() { for_more } else { 0 }, ..short };
        split::by_warps(cuda, &plan.pass, plan.pass.warp_items(), plan.most_segments(Way::More), &params)?;
    }
    let blocks = [(Way::Block, plan.pass.local, for_blocks, 1), (Way::LargeBlock, plan.large, for_large_blocks, 2)];
    for (way, local, list, number) in blocks {
        if !plan.may(way) {
            continue;
        }
        let by_list = rows.is_none();
        let params = split::SortLocalParams {
            keys,
            keys_out,
            values,
            values_out,
            segments: segments as u64,
            starts: 0,
            length,
            list: if by_list { list } else { 0 },
            listed: segment_header + 4 + 4 * number,
            given: 1,
            header: 0,
        };
        split::local(cuda, &plan.pass, &local, &params)?;
    }
    if !plan.may(Way::Parts) {
        return Ok(());
    }
    let params = SortPartsParams {
        keys,
        segments: segment_header,
        list: if rows.is_none() { for_passes } else { 0 },
        rows: segments as u64,
        length,
        in_place: in_place.into(),
        tile: plan.pass.tile() as u64,
        header,
        firsts,
        counts,
        status,
        tiles,
    };
    for (entry, work) in [
        (CUT, plan.most_parts() * types.key * 256 + parts_threads),
        (PARTS, plan.most_tiles() * parts_threads),
        (PLACES, plan.most_parts() * types.key * 32),
    ] {
        let kernel = around(entry)?;
        let blocks = blocks_of(work, parts_threads).max(if entry == CUT { 2 } else { 1 });
        // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
        // buffers good until the kernel is enqueued in the stream's order.
        unsafe { cuda.launch(&kernel, Grid::new(blocks, parts_threads as u32, 0), &params) }?;
    }
    let kernel = cuda.kernel(SortKey::new(PASS, plan.pass.pass_constants()), || Ok(pass_source(&plan.pass)))?;
    let (threads, shared) = (plan.pass.threads() as u32, plan.pass.shared_bytes() as u32);
    let resident = kernel.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let values_bytes = (len * types.value) as u64;
    for launch in 0..plan.pass.launches() as u64 {
        let params = SortParams {
            keys,
            keys_out: if types.keys_out { keys_out } else { others + values_bytes.next_multiple_of(256) },
            keys_scratch,
            values,
            values_out,
            values_scratch: others,
            n: len as u64,
            launch,
            header,
            status,
            tiles,
        };
        // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep the
        // buffers good until the kernel is enqueued in the stream's order.
        unsafe {
            cuda.launch(&kernel, Grid::new(plan.most_tiles().min(resident as usize) as u32, threads, shared), &params)
        }?;
    }
    Ok(())
}
