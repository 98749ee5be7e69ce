//! What a linear recurrence does on a CUDA device: its pipeline, and the powers of its transition.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::pipeline::Pipeline;
use super::tile::{GROUP, MARK_SLOTS, Marks, SPREAD, Sizes, TileShape, TileSize, WARP};
use super::tuning::Tuning;

/// Bytes of the states up to which so many blocks share a multiprocessor: a thread holds two states and a product.
const STATES_OF_THREE_BLOCKS: usize = 16;
const STATES_OF_TWO_BLOCKS: usize = 64;
/// The bytes of input that a thread has of a tile: a scan of states costs the square of their number for each thread.
const FEW_STATES: TileSize = TileSize { threads: 256, thread_bytes: 48 };
const MANY_STATES: TileSize = TileSize { threads: 256, thread_bytes: 80 };
const MOST_OF_FEW: usize = 4;
/// Shared memory beside the tiles' shares: tickets, alignment.
const OVERHEAD: usize = 512;
const OFFSETS_WARPS: usize = 2;
/// The most bytes of the parameters of a kernel (CUDA 12.1 and later), and of those that are no numbers.
const MOST_PARAMETERS: usize = 32_764;
const OTHER_PARAMETERS: usize = 256;

/// What a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// States, at least 1.
    pub(crate) order: usize,
    /// Sections of a cascade, or 0.
    pub(crate) sections: usize,
    /// Whether results depend on earlier results.
    pub(crate) feedback: bool,
    /// Whether factors of 0 must not meet infinities: see `kernels/tile/linear.cuh`.
    pub(crate) careful: bool,
}

impl Form {
    /// The number of coefficients that a kernel is given.
    pub(crate) fn coefficients(&self) -> usize {
        if self.sections > 0 { 5 * self.sections } else { 2 * self.order + 1 }
    }

    /// Adds what kernels are compiled with.
    pub(crate) fn add_to(&self, constants: &mut Constants) {
        let Self { order, sections, feedback, .. } = *self;
        constants!(constants; "ORDER" = order, "SECTIONS" = sections, "FEEDBACK" = usize::from(feedback));
    }
}

/// A planned recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecurrencePlan {
    pub(crate) form: Form,
    pub(crate) pipeline: Pipeline,
    /// The sizes of a scan of the same elements.
    sizes: Sizes,
    /// Bytes of what one tile tells another.
    carried: usize,
    /// The powers of the transition that the kernel knows: of the elements of a thread, of two threads, of four, and so on.
    pub(crate) levels: usize,
}

impl RecurrencePlan {
    /// For `len` elements, whose numbers have `number` bytes, on a device of this compute capability.
    pub(crate) fn new(len: usize, form: Form, sizes: Sizes, number: usize, capability: (u32, u32)) -> Self {
        let tuning = Tuning::of(capability);
        let states = form.order * number;
        let segmented = sizes.state > number;
        let carried = if segmented { (states + 4).next_multiple_of(number.max(4)) } else { states };
        let blocks = match states {
            0..=STATES_OF_THREE_BLOCKS => tuning.blocks,
            ..=STATES_OF_TWO_BLOCKS => tuning.blocks.min(2),
            _ => 1,
        };
        let shape = TileShape::new(sizes, if form.order <= MOST_OF_FEW { FEW_STATES } else { MANY_STATES });
        let warps = shape.warps();
        let beside = OVERHEAD + shape.found(sizes, 0) * MARK_SLOTS;
        let of_tile = shape.bytes() + shape.beside(sizes) + (2 * carried + states) * warps;
        let fit = tuning.shared_of_block(blocks).saturating_sub(beside) / of_tile;
        let most = if sizes.marks == Marks::None { tuning.lag } else { tuning.lag.min(3) };
        let lag = most.min(fit.saturating_sub(tuning.ahead + 1)).max(1);
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
            words: StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), carried),
            tuning,
        };
        let all = WARP.ilog2() + warps.ilog2() + GROUP.ilog2() + tuning.groups.ilog2() + 1;
        let room = (MOST_PARAMETERS - OTHER_PARAMETERS) / number - form.coefficients();
        let levels = (all as usize).min(room / (form.order * form.order));
        Self { form, pipeline, sizes, carried, levels }
    }

    /// The elements of a thread.
    pub(crate) fn items(&self) -> usize {
        self.pipeline.shape.vector * self.pipeline.shape.rows
    }

    /// The numbers that the kernel is given: coefficients, and matrices.
    pub(crate) fn numbers(&self) -> usize {
        self.form.coefficients() + self.levels * self.form.order * self.form.order
    }

    /// The numbers that the kernel is compiled with.
    pub(crate) fn constants(&self) -> Constants {
        let mut constants = self.pipeline.constants(self.sizes);
        self.form.add_to(&mut constants);
        constants!(constants; "CAREFUL" = usize::from(self.form.careful), "LEVELS" = self.levels, "CARRIED_BYTES" = self.carried);
        constants
    }
}
