//! Scan of a part of an array, after the parts that earlier calls have scanned.
//!
//! ```text
//! operators without a tree    scan.cuh from the value before the part, to the value after it
//! float sums and products     open.cuh    up to the end of the tile in which the part before ended
//!                             scan.cuh    whole tiles
//!                             open.cuh    the rest
//! ```
//!
//! A launch reads the state that the one before has left, and leaves one in another place.

use super::super::code::Kernel;
use super::super::features::Features;
use super::super::job::CudaJob;
use super::super::params::{Params, params};
use super::super::runtime::Grid;
use super::super::{Cuda, Loan, Workspace};
use super::launch::{self, Extra, Piece};
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::Direction;
use upsweep_core::call::carry::Carried;
use upsweep_core::error::{Error, Result};
use upsweep_core::tree::{GROUPS, ROWS};
use upsweep_plan::scan::open_constants;

params! {
    /// Parameters of the kernel that scans a part of an array tile by tile.
    struct OpenParams {
        input: "const In*",
        output: "Out*",
        /// Index of the part's first element, and the number of its elements.
        first: "u64",
        n: "u64",
        /// Number of elements before the part, in all parts.
        position: "u64",
        /// If HEADS is FLAGS or KEYS: address of the flag, or of the key, of each element of the part.
        head_source: "const void*",
        /// Null, or the address of the state before the part; the address that the state after it is stored at.
        before: "const Acc*",
        after: "Acc*",
        /// Whether the value that follows the last element is stored as one more result.
        total: "u64",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

/// Addresses of a call's states.
#[derive(Clone, Copy)]
pub(super) struct States {
    position: u64,
    /// Address of the state before the part, or 0 if nothing is.
    before: u64,
    /// Addresses for the state after the part, and for one in between.
    after: u64,
    between: u64,
}

impl States {
    /// Makes the states of a part after `position` elements, at these addresses. There is room for two states of `words`
    /// words at each.
    pub(super) fn new(position: u64, before: u64, after: u64, words: usize) -> Self {
        let before = if position > 0 { before } else { 0 };
        Self { position, before, after, between: after + 8 * words as u64 }
    }

    /// Borrows the memory of the states.
    pub(super) fn borrow<'a>(cuda: &'a Cuda, carried: &'a mut Carried<'_>) -> Result<(Self, [Loan<'a>; 2])> {
        let Carried { position, before, after } = carried;
        let (before, of_before) = cuda.read("carry", before)?;
        let ViewMut::Cuda(after) = after else {
            return Err(Error::Place { what: "carry", found: "host", expected: "CUDA" });
        };
        let words = after.len() / 2;
        let (after, of_after) = cuda.write("carry", after)?;
        Ok((Self::new(*position, before, after, words), [of_before, of_after]))
    }
}

/// Launches the kernels for the part that `job` has.
pub(super) fn launch(cuda: &Cuda, job: &CudaJob<'_>, direction: Direction, states: States) -> Result<()> {
    let (layouts, n) = (job.functions.layouts, job.shape.len);
    let States { position, before, after, between } = states;
    let whole = |piece| launch::launch(cuda, job, direction_of(direction, piece, n), Extra::of(piece));
    if layouts.row == 0 {
        return whole(Piece { first: 0, len: n, position, before, after });
    }
    let tile = (GROUPS * ROWS * layouts.row) as u64;
    let head = (position.next_multiple_of(tile) - position).min(n as u64) as usize;
    // Whole tiles of several buffers begin at their first elements only.
    let tiles = if head > 0 && !layouts.plain() { 0 } else { (n - head) / tile as usize * tile as usize };
    let lengths = if tiles == 0 { [n, 0, 0] } else { [head, tiles, n - head - tiles] };
    let last = lengths.iter().rposition(|&len| len > 0).unwrap_or(0);
    let launches = lengths.iter().filter(|&&len| len > 0).count().max(1);
    let (mut done, mut from, mut left) = (0, before, launches);
    for (i, len) in lengths.into_iter().enumerate().filter(|&(i, len)| len > 0 || i == last) {
        left -= 1;
        let to = if left % 2 == 0 { after } else { between };
        let piece = Piece { first: done, len, position: position + done as u64, before: from, after: to };
        if i == 1 {
            whole(piece)?
        } else {
            open(cuda, job, direction_of(direction, piece, n), piece)?
        }
        (done, from) = (done + len, to);
    }
    Ok(())
}

/// Returns the direction of the launch for `piece` of `n` elements: the last one stores the total.
fn direction_of(direction: Direction, piece: Piece, n: usize) -> Direction {
    Direction { total: direction.total && piece.first + piece.len == n, ..direction }
}

/// Launches the kernel for a piece of any length, one block.
fn open(cuda: &Cuda, job: &CudaJob<'_>, direction: Direction, piece: Piece) -> Result<()> {
    let functions = &job.functions;
    let kernel = kernel(job.functions.layouts.row, features(job, direction), functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<OpenParams>())?;
    let workspace = if functions.may_fault {
        cuda.mark_may_fault(&job.output_stream)?;
        cuda.workspace(0, 0)?
    } else {
        Workspace::NONE
    };
    let fixed = OpenParams {
        input: job.input,
        output: job.output,
        first: piece.first as u64,
        n: piece.len as u64,
        position: piece.position,
        head_source: piece.head_source(job),
        before: piece.before,
        after: piece.after,
        total: direction.total.into(),
        init_from: job.begin.init_from,
        workspace,
    };
    let params = Params::new(fixed, &job.begin, 1, &functions.held.values);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // the piece's elements and results until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(1, (GROUPS * ROWS) as u32, 0), &params) }
}

fn features(job: &CudaJob<'_>, direction: Direction) -> Features {
    let (heads, has_init) = (job.heads, job.begin.has_init);
    Features { heads, exclusive: direction.exclusive, has_init, ..Features::PLAIN }
}

/// Returns the kernel for a piece of any length of a job whose rows of the tree have `row` elements.
pub(crate) fn kernel<'a>(
    row: usize,
    features: Features,
    functions: &'a super::super::job::Functions<'a>,
) -> Kernel<'a> {
    Kernel { functions, kernel: ("scan/open.cuh", "upsweep_open"), features, constants: open_constants(row) }
}
