//! Plans of linear recurrences (IIR filters): on a CUDA device the pipeline, and the powers of the transition; on the
//! CPU the parts, threads and stores.

use super::constants::{Constants, constants};
use super::cpu::{NON_TEMPORAL_FROM_BYTES, PARALLEL_FROM_BYTES};
use super::memory::StatusWords;
use super::pipeline::Pipeline;
use super::tile::{GROUP, MARK_SLOTS, Marks, SPREAD, Sizes, TileShape, TileSize, WARP};
use super::tuning::Tuning;
use upsweep_core::shape::Shape;

/// Sizes of tiles, by the number of states: the fewer elements a thread has, the more the scan of states costs. H200,
/// 2026-11-24, share of a copy's bandwidth: f32 of order 2 in tiles of 40 KiB 0.97 (20 KiB in two blocks: 0.87), of
/// order 4 in tiles of 18 KiB 0.94 (36 KiB in one block: 0.89), of order 8 0.62 (14 KiB: 0.54); f64 of order 2 in tiles
/// of 36 KiB, 18 elements a thread, 0.96 (10 elements of 512 threads: 0.93); f32 in f64 in tiles of 40 KiB 0.86 (36
/// KiB: 0.84).
const SHORT_STATES: TileSize = TileSize { threads: 512, thread_bytes: 80 };
const SHORT_STATES_OF_LONG: TileSize = TileSize { threads: 256, thread_bytes: 144 };
const MANY_STATES: TileSize = TileSize { threads: 128, thread_bytes: 144 };
const MOST_OF_SHORT: usize = 2;
/// Largest number of states that each lane scans for itself. With more states, several lanes share the products of
/// matrix and states (`recurrence/teams.cuh`).
const MOST_OF_FEW: usize = 4;
/// Number of tables of powers of the transition, if states are few: over the elements of a lane, of a tile, and of a
/// group of tiles.
const UNITS: usize = 3;
/// Largest number of states for which the first pass over a thread's elements is a weighted sum of them. A kernel's
/// parameters have no room for the weights of more states.
const MOST_WEIGHED: usize = 8;
/// Sizes of tiles for blocks with little shared memory.
const SMALLER: TileSize = TileSize { threads: 128, thread_bytes: 48 };
const SMALLEST: TileSize = TileSize { threads: 64, thread_bytes: 16 };
const ONE_WARP: TileSize = TileSize { threads: 32, thread_bytes: 16 };
/// Largest size of all states together, in bytes, with which two blocks share a multiprocessor. H200, 2026-11-24, share
/// of a copy's bandwidth: f64 of order 8 in one block 0.32 (two: 0.22, with one tile between reducing and finishing).
const STATES_OF_TWO_BLOCKS: usize = 48;
/// Smallest size of a tile's look-back state, in bytes. H200, 2026-11-24, f32 of order 1, share of a copy's bandwidth:
/// 0.97 (4 bytes, in status words of 8: 0.92).
const LEAST_CARRIED: usize = 8;
/// Largest number of groups of tiles that a tile looks back over: twice as many as a scan, because a group's prefix
/// takes longer.
const GROUPS: usize = 16;
/// Bytes of shared memory of a block besides what it has for each tile: tickets (by which blocks take tiles),
/// alignment.
const OVERHEAD: usize = 512;
const OFFSETS_WARPS: usize = 2;
/// Largest number of matrices among a kernel's parameters: powers of the transition (the matrix that advances states by
/// an element), and the matrices into the basis of states and back.
const MOST_MATRICES: usize = 21;
/// Largest number of elements per thread.
const MOST_ITEMS: usize = 63;
/// Bytes of a kernel's parameters (CUDA 12.1 and later), less some for parameters that are no numbers.
const MOST_NUMBERS: usize = 32_764 - 256;

/// Form of a recurrence that a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Number of states, at least 1.
    pub order: usize,
    /// Number of sections of a cascade, or 0.
    pub sections: usize,
    /// Whether results depend on earlier results.
    pub feedback: bool,
    /// Whether the product of 0 and an infinite factor must be 0, not NaN: see `recurrence/matrices.cuh`.
    pub careful: bool,
    /// Whether threads and tiles pass states on in another basis, in which powers of the transition do not grow.
    pub basis: bool,
}

impl Form {
    /// Number of coefficients among the kernel's parameters.
    #[must_use]
    pub fn coefficients(&self) -> usize {
        if self.sections > 0 { 5 * self.sections } else { 2 * self.order + 1 }
    }

    /// Whether the first pass over a thread's elements is a weighted sum of them.
    fn weighed(&self) -> bool {
        !self.careful && self.order <= MOST_WEIGHED
    }

    /// Adds the form to the constants of a kernel.
    pub fn add_to(&self, constants: &mut Constants) {
        let Self { order, sections, feedback, .. } = *self;
        constants!(constants; "ORDER" = order, "SECTIONS" = sections, "FEEDBACK" = usize::from(feedback));
    }
}

/// Plan of a linear recurrence (IIR filter) on a CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecurrencePlan {
    /// Form that the kernel is compiled for.
    pub form: Form,
    /// Pipeline, without the shared memory besides its tiles.
    pub pipeline: Pipeline,
    /// Sizes of the types, as for a scan of the same elements.
    sizes: Sizes,
    /// Bytes of a tile's look-back state: the value that it passes on to later tiles.
    carried: usize,
    /// Number of powers of the transition (the matrix that advances states by an element) among the kernel's
    /// parameters: over the elements of a thread, of two threads, of four, and so on.
    pub levels: usize,
    /// Bytes of a number in which the recurrence computes.
    number: usize,
    /// Whether the tables of powers for each lane are in shared memory, for which small blocks have no room.
    table: bool,
}

/// Shared memory of a recurrence besides its tiles and matrices, in bytes, by the order: see `Beside` in
/// `recurrence/linear.cuh`.
struct Beside {
    /// Bytes of the tables of powers for each lane.
    tables: usize,
    /// Bytes per warp of each tile.
    of_warp: usize,
    /// Bytes per warp that looks back.
    of_look_back_warp: usize,
    /// Bytes of all states of one position, padded to whole words of 16 bytes.
    line: usize,
}

impl Beside {
    fn of(order: usize, number: usize) -> Self {
        let parts = (order * number).div_ceil(16);
        let line = 16 * parts;
        if order <= MOST_OF_FEW {
            let tables = UNITS * order * order * WARP * number;
            return Self { tables, of_warp: order * WARP * number, of_look_back_warp: 0, line };
        }
        let team = order.next_power_of_two();
        let teams = WARP / team;
        let area = (teams * (team + 1) + teams) * line;
        Self { tables: order * team * line + WARP * line, of_warp: area, of_look_back_warp: area, line }
    }
}

impl RecurrencePlan {
    /// Plans a recurrence of `len` elements, whose numbers have `number` bytes, on a device of this compute capability.
    #[must_use]
    pub fn new(len: usize, form: Form, sizes: Sizes, number: usize, capability: (u32, u32)) -> Self {
        let tuning = Tuning::of(capability);
        // States replace the values that a scan would keep of a tile.
        let sizes = Sizes { kept: 0, row: 0, ..sizes };
        let states = form.order * number;
        let segmented = sizes.state > number;
        let carried = if segmented { (states + 4).next_multiple_of(number.max(4)) } else { states.max(LEAST_CARRIED) };
        let blocks =
            if form.order <= MOST_OF_SHORT || states > STATES_OF_TWO_BLOCKS { 1 } else { tuning.blocks.min(2) };
        let size = match form.order {
            ..=MOST_OF_SHORT if sizes.input == 8 => SHORT_STATES_OF_LONG,
            ..=MOST_OF_SHORT => SHORT_STATES,
            _ => MANY_STATES,
        };
        // If a block has room for too few tiles, tiles are smaller, and the tables of powers are not in shared memory.
        let room = tuning.shared_of_block(blocks);
        let Beside { tables, of_warp, of_look_back_warp, line } = Beside::of(form.order, number);
        // Largest number of matrices for which the parameters have room, besides coefficients and weights.
        let most_weights = if form.order <= MOST_WEIGHED { form.order * MOST_ITEMS } else { 0 };
        let most_matrices = (MOST_NUMBERS / number - form.coefficients() - most_weights) / (form.order * form.order);
        let fitting = |size: TileSize, table: bool| {
            let shape = TileShape::new(sizes, size);
            let powers = if table { tables } else { 0 } + tuning.look_back_warps * of_look_back_warp;
            let matrices = MOST_MATRICES.min(most_matrices) * (form.order * states).next_multiple_of(16);
            let beside = OVERHEAD + powers + matrices + shape.found(sizes, 0) * MARK_SLOTS;
            let of_tile = shape.bytes() + shape.beside(sizes) + (of_warp + carried + line) * shape.warps();
            (shape, table, room.saturating_sub(beside) / of_tile)
        };
        let (shape, table, fit) = [(size, true), (size, false), (SMALLER, false), (SMALLEST, false)]
            .into_iter()
            .map(|(size, table)| fitting(size, table))
            .find(|&(.., fit)| fit >= tuning.ahead + 2)
            .unwrap_or_else(|| fitting(ONE_WARP, false));
        let warps = shape.warps();
        let most = if sizes.marks == Marks::None { tuning.lag } else { tuning.lag.min(3) };
        let lag = most.min(fit.saturating_sub(tuning.ahead + 1)).max(1);
        // Largest number of groups whose powers fit among the parameters.
        let fixed = WARP.ilog2() + warps.ilog2() + GROUP.ilog2() + 1;
        let spare = (most_matrices as u32).saturating_sub(fixed + if form.basis { 2 } else { 0 });
        let groups = 1 << spare.min(GROUPS.ilog2());
        let tiles = len.div_ceil(shape.elements()).max(1);
        let pipeline = Pipeline {
            shape,
            tiles,
            blocks,
            ahead: tuning.ahead,
            lag,
            stages: tuning.ahead + lag + 1,
            ring: (lag + 1).next_multiple_of(tuning.look_back_warps),
            look_back_warps: tuning.look_back_warps,
            offsets_warps: if sizes.marks == Marks::Offsets { OFFSETS_WARPS } else { 0 },
            groups,
            words: StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), carried),
            tuning,
        };
        let levels = (WARP.ilog2() + warps.ilog2() + GROUP.ilog2() + groups.ilog2() + 1) as usize;
        Self { form, pipeline, sizes, carried, number, levels, table }
    }

    /// Returns the number of elements per thread.
    #[must_use]
    pub fn items(&self) -> usize {
        self.pipeline.shape.vector * self.pipeline.shape.rows
    }

    /// Returns the number of numbers among the kernel's parameters: coefficients, matrices, and weights.
    #[must_use]
    pub fn numbers(&self) -> usize {
        self.form.coefficients()
            + self.matrices() * self.form.order * self.form.order
            + self.weights() * self.form.order
    }

    /// Number of elements of a thread, if the weight of each of them in each state is among the kernel's parameters;
    /// else 0.
    #[must_use]
    pub fn weights(&self) -> usize {
        if self.form.weighed() { self.items() } else { 0 }
    }

    fn matrices(&self) -> usize {
        self.levels + if self.form.basis { 2 } else { 0 }
    }

    /// Bytes of dynamic shared memory per block: tiles, matrices, the powers for each lane, and the states that threads
    /// keep of tiles.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let Self { form: Form { order, .. }, pipeline, number, table, .. } = *self;
        let Beside { tables, of_warp, of_look_back_warp, .. } = Beside::of(order, number);
        let tables = if table { tables } else { 0 };
        let kept = pipeline.stages * pipeline.shape.warps() * of_warp + pipeline.look_back_warps * of_look_back_warp;
        let matrices = self.matrices() * (order * order * number).next_multiple_of(16);
        pipeline.shared_bytes() + matrices + tables + kept
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = self.pipeline.constants(self.sizes);
        self.form.add_to(&mut constants);
        constants!(constants; "CAREFUL" = usize::from(self.form.careful), "BASIS" = usize::from(self.form.basis), "LEVELS" = self.levels, "CARRIED_BYTES" = self.carried, "TABLE" = usize::from(self.table), "WEIGHTS_GIVEN" = usize::from(self.form.weighed()));
        constants
    }
}

/// Number of elements of a part of a long line on the CPU: each lane filters parts by itself. Below it, the number of
/// parts that a lane filters in a share (the elements that a thread takes at once).
pub const PART: usize = 256;
const PARTS_A_LANE: usize = 4;

/// A planned recurrence on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuRecurrencePlan {
    /// Number of lanes of the vectors that filter side by side: each lane has a line, or a part of a long line.
    pub lanes: usize,
    /// Whether lines are long, and cut into parts.
    pub long: bool,
    pub threads: usize,
    /// Whether results of long lines are stored past the cache (non-temporal).
    pub non_temporal: bool,
}

impl CpuRecurrencePlan {
    /// Plans a recurrence along the axis of `shape`, of elements of `element` bytes. `lanes` lines, or parts of a line,
    /// are filtered side by side.
    pub fn new(shape: Shape, element: usize, lanes: usize, in_place: bool) -> Self {
        let Shape { outer, len, inner } = shape;
        let (block, bytes) = (lanes * PART, (shape.lines() * len).saturating_mul(element));
        // Lines side by side, one in each lane, need no second pass over their results, but there must be at least as
        // many lines as lanes.
        let long = inner == 1 && len >= if outer < lanes { block } else { 16 * PARTS_A_LANE * block };
        Self {
            lanes,
            long,
            threads: if bytes < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads() },
            non_temporal: cfg!(target_arch = "x86_64") && !in_place && bytes >= NON_TEMPORAL_FROM_BYTES,
        }
    }

    /// Returns the number of elements of a share of a long line, which a thread processes before it passes on their
    /// effect on the states.
    pub fn share(&self) -> usize {
        PARTS_A_LANE * self.lanes * PART
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::DRIVER_RESERVED;
    use crate::tuning::TUNING;

    /// Tests that every order of every number type fits on every GPU: in shared memory, and among the parameters.
    #[test]
    fn blocks_fit_on_every_gpu() {
        for tuning in TUNING {
            for order in 1..=16 {
                for (number, element) in [(4, 4), (8, 8), (8, 4)] {
                    for (state, basis) in [(number, true), (2 * number, true), (number, false)] {
                        let form = Form { order, sections: 0, feedback: true, careful: false, basis };
                        let sizes = Sizes { state, ..Sizes::plain(element, number, element) };
                        let plan = RecurrencePlan::new(1 << 30, form, sizes, number, tuning.capability);
                        let stages = plan.pipeline.stages;
                        let line = Beside::of(order, number).line;
                        let known = stages * (plan.carried + line) * plan.pipeline.shape.warps() + OVERHEAD;
                        let most = (tuning.shared_bytes + DRIVER_RESERVED) / plan.pipeline.blocks - DRIVER_RESERVED;
                        assert!(plan.shared_bytes() + known <= most, "{plan:?}");
                        assert!(plan.numbers() * number <= MOST_NUMBERS, "{plan:?}");
                    }
                }
            }
        }
    }
}
