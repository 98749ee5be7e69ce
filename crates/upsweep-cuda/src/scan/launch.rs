//! Launch of the single-pass kernels: their parameters, and the plan of a job.

use super::super::code::Kernel;
use super::super::features::{Features, Heads, Layout, Layouts, Pass};
use super::super::job::{CudaJob, Functions};
use super::super::params::{Params, params};
use super::super::runtime::Grid;
use super::super::{Cuda, Workspace};
use upsweep_core::call::Direction;
use upsweep_core::error::Result;
use upsweep_core::shape::Shape;
use upsweep_plan::line_tiles::LineTiles;
use upsweep_plan::scan::ScanPlan;

params! {
    /// Parameters of the kernels that scan tiles.
    struct ScanParams {
        input: "const In*",
        output: "Out*",
        /// Number of elements.
        n: "u64",
        /// If HEADS is ROWS: number of elements of a row.
        row: "u64",
        /// Reciprocal of `row`: see `row_of` in `tile/heads.cuh`.
        row_reciprocal: "u64",
        /// Bit mask with the bits 0, row, 2 * row, ... below 64.
        row_pattern: "u64",
        /// If lines have tiles of their own (`tile/places.cuh`): the fields of `LineTiles`, and inverses of some, by which
        /// kernels divide.
        stretch: "u64",
        stretches: "u64",
        tiles_of_line: "u64",
        tiles_inverse: "u64",
        unit_rows: "u64",
        unit_inverse: "u64",
        stretch_rows: "u64",
        stretch_inverse: "u64",
        of_unit: "u64",
        tiles: "u64",
        /// If HEADS is FLAGS or KEYS: address of the flag, or of the key, of each element.
        head_source: "const void*",
        /// If HEADS is OFFSETS: address of the offsets, one more than there are segments.
        offsets: "const Offset*",
        segments: "u64",
        /// If HEADS is OFFSETS: number of offsets that each tile checks for ascending order.
        share: "u64",
        /// Number of results that the output has room for: a reduction stores no result beyond it.
        outputs: "u64",
        /// Null, or the address that a reduction by flags or keys stores the number of segments at.
        count: "u64*",
        /// `keys`: address that a reduction by keys stores the first key of each segment at. `keys_room`: number of
        /// keys that there is room for, or ~0 if no keys are requested.
        keys: "void*",
        keys_room: "u64",
        /// Null, or the address that a recurrence stores its last states at.
        carry: "Given*",
        /// If CONTINUES: address of the state before the first element.
        before: "const Acc*",
        /// Null, or the address that a scan stores the state after its last element at.
        after: "Acc*",
        /// If CONTINUES: number of elements before the first.
        position: "u64",
        /// Whether a scan of the whole array stores the value that follows its last element as one more result.
        total: "u64",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

impl ScanParams {
    /// Returns the parameters for `n` elements in rows of `row`, with results for as many, and nothing else.
    pub(crate) fn of_rows([input, output]: [u64; 2], n: usize, row: u64, workspace: Workspace) -> Self {
        let row_pattern = (0..64).filter(|bit| bit % row.max(1) == 0).fold(0, |pattern, bit| pattern | 1 << bit);
        Self {
            input,
            output,
            n: n as u64,
            row,
            row_reciprocal: u64::MAX / row.max(1),
            row_pattern,
            stretch: 0,
            stretches: 0,
            tiles_of_line: 0,
            tiles_inverse: 0,
            unit_rows: 0,
            unit_inverse: 0,
            stretch_rows: 0,
            stretch_inverse: 0,
            of_unit: 0,
            tiles: 0,
            head_source: 0,
            offsets: 0,
            segments: 0,
            share: 0,
            outputs: n as u64,
            count: 0,
            keys: 0,
            keys_room: NO_KEYS,
            carry: 0,
            before: 0,
            after: 0,
            position: 0,
            total: 0,
            init_from: 0,
            workspace,
        }
    }

    /// Returns these parameters for lines that have tiles of their own.
    pub(crate) fn with_lines(self, lines: &LineTiles) -> Self {
        let LineTiles { stretch, stretches, tiles_of_line, unit_rows, stretch_rows, of_unit, tiles, .. } = *lines;
        let inverses = [unit_rows, stretch_rows].map(|rows| LineTiles::inverse(rows) as u64);
        let numbers = [stretch, stretches, tiles_of_line, unit_rows, stretch_rows, of_unit, tiles];
        let [stretch, stretches, tiles_of_line, unit_rows, stretch_rows, of_unit, tiles] =
            numbers.map(|number| number as u64);
        let [unit_inverse, stretch_inverse] = inverses;
        let tiles_inverse = u64::from(u32::MAX) / tiles_of_line;
        Self {
            stretch,
            stretches,
            tiles_of_line,
            tiles_inverse,
            unit_rows,
            unit_inverse,
            stretch_rows,
            stretch_inverse,
            of_unit,
            tiles,
            ..self
        }
    }
}

/// Number of keys that there is room for, if no keys are requested (`kernels/tile/compact.cuh`).
pub(crate) const NO_KEYS: u64 = u64::MAX;

/// Outputs of a launch besides its results.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extra {
    /// For a part of an array, what the launch scans of it.
    pub(crate) piece: Option<Piece>,
    /// For a reduction, the address for the number of segments, or 0; none for a scan.
    pub(crate) by_segment: Option<u64>,
    /// For a reduction by keys, the address for the first key of each segment, and the number of keys that there is
    /// room for.
    pub(crate) keys: Option<(u64, usize)>,
}

impl Extra {
    pub(super) fn of(piece: Piece) -> Self {
        Self { piece: Some(piece), ..Self::default() }
    }
}

/// Neighbouring elements of a job, which one launch scans.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// Index of the first element, and the number of elements. In a job of several buffers the first is 0.
    pub(super) first: usize,
    pub(super) len: usize,
    /// Number of elements before the first, in this part of the array and all before it.
    pub(super) position: u64,
    /// Address of the state before the first element, or 0 if that is the array's first.
    pub(super) before: u64,
    /// Address for the state after the last element.
    pub(super) after: u64,
}

impl Piece {
    /// Returns the address of the first element's flag or key; 0 if there are none.
    pub(super) fn head_source(&self, job: &CudaJob<'_>) -> u64 {
        let size = if job.heads == Heads::Flags { 1 } else { job.functions.key.size };
        if job.head_source == 0 { 0 } else { job.head_source + (self.first * size) as u64 }
    }
}

/// Returns the plan for `n` elements, in rows of `row`, of a job with these features; `key` is the layout of keys, where
/// it is known.
fn plan(cuda: &Cuda, (n, row): (usize, usize), features: Features, layouts: Layouts, key: Option<Layout>) -> ScanPlan {
    let (sizes, capability) = (features.sizes(layouts), cuda.compute_capability());
    // A wave needs the number of tiles on the host, so an input whose length lies in device memory takes the pipeline. So
    // does a scan that goes on where another ended.
    let longest_wave = if layouts.counted || features.continues { 0 } else { cuda.longest_wave };
    let runs = features.runs(n, layouts, key);
    if let Some(plan) = runs.and_then(|runs| ScanPlan::of_runs(n, sizes, runs, capability, longest_wave)) {
        return plan;
    }
    if features.in_one_pass() {
        ScanPlan::of_segments(n, sizes, capability)
    } else if features.heads == Heads::Lines && n > 0 {
        ScanPlan::of_lines(n / row, row, sizes, capability, longest_wave)
    } else {
        ScanPlan::with_waves(n, sizes, capability, longest_wave)
    }
}

/// Returns the kernel of a plan: of a scan, or of a reduction by segment.
pub(crate) fn kernel<'a>(plan: &ScanPlan, features: Features, functions: &'a Functions<'a>) -> Kernel<'a> {
    Kernel { functions, kernel: plan.kernel(), features, constants: plan.constants() }
}

/// Returns where the segment heads (first elements of segments) of a job come from, given its lines and segments.
fn heads_in(shape: Shape, heads: Heads, by_segment: bool) -> Heads {
    match heads {
        Heads::None if shape.outer > 1 || by_segment => Heads::Rows,
        heads => heads,
    }
}

/// Returns the plan of a job with these lines and segments: the same one that [`launch`] makes.
pub(crate) fn plan_of(
    cuda: &Cuda,
    shape: Shape,
    heads: Heads,
    by_segment: bool,
    layouts: Layouts,
    key: Option<Layout>,
) -> ScanPlan {
    let (heads, interleaved) = (heads_in(shape, heads, by_segment), shape.inner.max(1));
    let features = Features { heads, by_segment, interleaved, ..Features::PLAIN };
    plan(cuda, (shape.lines() * shape.len / interleaved, shape.len), features, layouts, key)
}

/// Launches the single-pass kernel: a scan, or a reduction by segment. An element of the kernel is the array of all
/// interleaved lines' elements at one position.
pub(crate) fn launch(cuda: &Cuda, job: &CudaJob<'_>, direction: Direction, extra: Extra) -> Result<()> {
    let (shape, functions) = (job.shape, &job.functions);
    let interleaved = shape.inner.max(1);
    let (all, outputs) = (shape.lines() * shape.len / interleaved, job.outputs / interleaved);
    let piece = extra.piece.unwrap_or(Piece { first: 0, len: all, position: 0, before: 0, after: 0 });
    let Piece { first, len: n, position, before, after } = piece;
    let heads = match heads_in(shape, job.heads, extra.by_segment.is_some()) {
        Heads::Rows if direction.portable && functions.layouts.row > 0 && interleaved == 1 => Heads::Lines,
        heads => heads,
    };
    let by_offsets = heads == Heads::Offsets;
    if n == 0 && !by_offsets && after == 0 && !direction.total {
        return Ok(());
    }
    let Direction { exclusive, reverse, total, .. } = direction;
    let has_init = job.begin.has_init;
    let (by_segment, carries, continues) = (extra.by_segment.is_some(), after != 0 || total, before != 0);
    let pass = Pass::Whole;
    let features = Features { heads, exclusive, reverse, has_init, by_segment, carries, continues, interleaved, pass };
    let plan = plan(cuda, (n, shape.len), features, functions.layouts, Some(functions.key));
    let kernel = kernel(&plan, features, functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<ScanParams>())?;

    let (threads, shared) = (plan.threads() as u32, plan.shared_bytes() as u32);
    let resident = loaded.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let grid = plan.grid(resident as usize) as u32;
    let words = if continues { plan.words_of_a_part() } else { plan.words() };
    let workspace = if plan.tiles() > 1 || by_offsets || functions.may_fault || extra.keys.is_some() {
        cuda.workspace(words.words8, words.words16)?
    } else {
        Workspace::NONE
    };
    if by_offsets || functions.may_fault || extra.keys.is_some_and(|(_, room)| room < n) {
        cuda.mark_may_fault(&job.output_stream)?;
    }
    let (row, segments) = (shape.len as u64, if by_offsets { job.head_items as u64 - 1 } else { 0 });
    let layouts = functions.layouts;
    let buffers = [(job.input, layouts.input.size), (job.output, layouts.output.size)];
    let buffers = buffers.map(|(address, size)| address + (first * size) as u64);
    let fixed = ScanParams {
        head_source: if by_offsets { 0 } else { piece.head_source(job) },
        offsets: if by_offsets { job.head_source } else { 0 },
        segments,
        share: segments / plan.tiles() as u64 + 1,
        outputs: outputs as u64,
        count: extra.by_segment.unwrap_or(0),
        keys: extra.keys.map_or(0, |(address, _)| address),
        keys_room: extra.keys.map_or(NO_KEYS, |(_, room)| room as u64),
        before,
        after,
        position,
        total: total.into(),
        init_from: job.begin.init_from,
        ..ScanParams::of_rows(buffers, n, row, workspace)
    };
    let fixed = plan.lines.map_or(fixed, |lines| fixed.with_lines(&lines));
    let params = Params::new(fixed, &job.begin, interleaved, &functions.held.values);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // `n` elements, or for the number in device memory, until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(grid, threads, shared), &params) }
}
