//! Selections (stream compaction) on a CUDA device, in a single pass: Select, Partition, Dedup and Runs.
//!
//! | what | kernel |
//! |---|---|
//! | selections: Select, Dedup, Runs | `select/select.cuh`, on the relay (`kernels/tile/relay.cuh`) |
//! | Partition | `select/partition.cuh`, on the pipeline |
//!
//! A predicate, flags or the equality of neighbours decide which elements are selected
//! (`upsweep-core/src/call/select.rs`). `select/choose.cuh` finds the selected elements of a warp and their positions
//! among the selected ones, for both kernels.
//!
//! **The relay.** The aggregate of a tile is its number of selected elements. Compute warps store the selected elements
//! contiguously in a ring in shared memory, as soon as they have found them. Storing warps look back and store the
//! results, 16 bytes at a time whatever the alignment of the destination (`kernels/warp/store.cuh`). So results wait
//! for their prefix and not elements, each element is read once, and compute warps meet once a tile. If the ring has
//! room for the results of two or three tiles, each tile has a half or a third of it, so that a tile takes the place of
//! an earlier one whatever its size.
//!
//! **When the ticket is drawn.** (The ticket is the number of the next tile of a block, from a counter that all blocks
//! share.) If results are few, a block draws it a tile ahead, and copies that tile as soon as the one before is in
//! registers. If results are many, it draws the ticket as late as possible (`FEW` in the relay): a block that waits for
//! room in the ring then holds up fewer tiles.
//!
//! **Copies.** From compute capability 9.0 on, a warp's share of a tile is one bulk copy in two cases: where neighbours
//! decide (the neighbouring vector is copied with it), and in partitions whose results have more than 2 bytes.
//!
//! **Partitions.** All elements of a partition wait for their prefix, so it is a pipeline. It keeps one bit for each
//! element until the destination is known. Results of up to 2 bytes are stored by each warp for itself, larger ones by
//! the warps of a block together.
//!
//! **Runs.** Tiles also publish the begin of their last run. So the length of a run is known in the tile where the next
//! run begins.
//!
//! **Lengths.** The number of results lies in device memory (`upsweep/src/count.rs`), and so may the number of
//! elements.

use super::borrow::Extent;
use super::code::Kernel;
use super::features::{Features, Heads};
use super::job::{Begin, Functions, text_of, write};
use super::params::{Params, params};
use super::runtime::Grid;
use super::{Cuda, Loan};
use cudarc::driver::{CudaSlice, DeviceSlice};
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::select::{Among, Choose, Choosing, Neighbour, Others, UNREAD, Values, Yields, flags_of};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::builtin::Or;
use upsweep_core::operator::{Element, Same, Source};
use upsweep_core::outputs::Target;
use upsweep_core::segments::Keys;
use upsweep_core::steps::{Held, Parts};
use upsweep_plan::select::{SelectPlan, SelectSizes};

params! {
    /// Parameters of the kernel that selects.
    struct SelectParams {
        input: "const In*",
        /// If FLAGS: address of a byte for each element, its flag.
        flags: "const u8*",
        /// Address for the selected elements or their indices; null if only the number of results is requested.
        output: "void*",
        /// If OTHERS: address for the rejected elements.
        others: "void*",
        /// If RUN_BYTES is not 0: address for the begin of each run, or for its length.
        runs: "void*",
        /// Null, or the address of the number of selected elements, if that is known before: then the rejected elements
        /// are stored behind the selected ones.
        behind: "const u64*",
        /// Number of elements in the input; if `length` is not null, the number that there is room for.
        n: "u64",
        /// Null, or the address of the number of elements.
        length: "const u64*",
        capacity: "u64",
        others_capacity: "u64",
        /// Address that the number of selected elements is stored at.
        count: "u64*",
        workspace: "Workspace",
    }
}

/// Steps of a selection's functions as those of a job: the predicate is the map, and the elements are the keys.
type StepsOf<I, P> = Parts<I, bool, Or, P, Same>;
type KeysOf<I, E> = Keys<'static, [I], E>;

pub fn run<A, C, V, I, O>(cuda: &Cuda, call: Choosing<'_, C, I, O>, count: &mut ViewMut<'_, u64>) -> Result<()>
where
    I: Element,
    O: Element,
    C: Choose<I, A>,
    V: Yields<I, O>,
{
    with_functions_of::<I, A, _, _>(call.choice, |functions| {
        launch::<A, C, V, I, O>(cuda, call, Beside::NOTHING, functions, count)
    })
}

/// Runs a selection like [`run`], and also stores a number with each selected element: with `lengths` the length of its
/// run, else the index where its run begins.
pub fn run_with_runs<C, I, N>(
    cuda: &Cuda,
    call: Choosing<'_, C, I, I>,
    mut runs: Option<Target<'_, N>>,
    lengths: bool,
    count: &mut ViewMut<'_, u64>,
) -> Result<()>
where
    I: Element,
    N: Element,
    C: Choose<I>,
{
    let (address, room, _runs) = write(cuda, "second output", runs.as_mut())?;
    let beside = Beside { address, extent: Extent::new::<N>(address, room), bytes: size_of::<N>(), lengths };
    with_functions(call.choice, |functions| launch::<(I,), C, Values, I, I>(cuda, call, beside, functions, count))
}

/// Companion output of a selection: a number of `bytes` bytes for each selected element. It has room for as many
/// numbers as there are results. See [`SelectSizes`].
#[derive(Clone, Copy)]
struct Beside {
    address: u64,
    extent: Extent,
    /// Number of bytes of each of the numbers; 0 if there is no companion output.
    bytes: usize,
    lengths: bool,
}

impl Beside {
    const NOTHING: Self = Self { address: 0, extent: Extent::NOTHING, bytes: 0, lengths: false };
}

/// Launches the kernel of the selection `call`, whose functions are `functions`. `beside` is the companion output,
/// `count` the output for the number of selected elements.
fn launch<A, C, V, I, O>(
    cuda: &Cuda,
    call: Choosing<'_, C, I, O>,
    beside: Beside,
    functions: &Functions<'_>,
    count: &mut ViewMut<'_, u64>,
) -> Result<()>
where
    I: Element,
    O: Element,
    C: Choose<I, A>,
    V: Yields<I, O>,
{
    let len = call.len();
    let Choosing { choice, mut input, length, mut output, mut others } = call;
    let flags = flags_of::<I, A, C>(choice, len)?;
    let wants_others = !matches!(others, Others::Dropped);
    let sizes = sizes_of::<I, A, C>(choice, if V::INDEX { size_of::<O>() } else { 0 }, wants_others);
    let sizes = SelectSizes { run: beside.bytes, lengths: beside.lengths, ..sizes };

    let (asked, in_place) = (output.is_some(), matches!(input, Among::OfOutput));
    let (reader, (count, _count)) = match count {
        ViewMut::Cuda(view) => (view.stream().clone(), cuda.write("count", view)?),
        ViewMut::Host(_) => return Err(Error::Place { what: "count", found: "host", expected: "CUDA" }),
    };
    let (output, room, _output) = write(cuda, "output", output.as_mut())?;
    let behind = matches!(others, Others::Behind);
    let apart = if let Others::Apart(target) = &mut others { Some(target) } else { None };
    let (others, others_room, _others) = write(cuda, "second output", apart)?;
    let results = Extent::new::<O>(output, room);
    let other_results = Extent::new::<O>(others, others_room);
    results.must_not_meet(other_results)?;
    results.must_not_meet(beside.extent)?;
    let (source, _input) = match &mut input {
        Among::Buffer(view) => cuda.read("input", view)?,
        Among::OfOutput => (output, Loan::default()),
        Among::Unread(_) if V::INDEX && flags.is_some() => (0, Loan::default()),
        Among::Unread(_) => return Err(UNREAD),
    };
    let elements = Extent::new::<I>(source, if source == 0 { 0 } else { len });
    // In place, each result lies at the address of its element or before it.
    let same = source == output && size_of::<I>() == size_of::<O>() && !V::INDEX;
    if !in_place && !same {
        results.must_not_meet(elements)?;
    }
    other_results.must_not_meet(elements)?;
    beside.extent.must_not_meet(elements)?;
    let (flags, _flags) = flags.as_ref().map_or(Ok(Default::default()), |view| cuda.read("flags", view))?;
    let (length, _length) =
        length.as_ref().map_or(Ok(Default::default()), |view| cuda.read("count of the input", view))?;
    for extent in [results, other_results, beside.extent] {
        extent.must_not_meet(Extent::new::<u8>(flags, if flags == 0 { 0 } else { len }))?;
        extent.must_not_meet(Extent::new::<u64>(length, usize::from(length != 0)))?;
        extent.must_not_meet(Extent::new::<u64>(count, 1))?;
    }

    let plan = SelectPlan::new(len, sizes, cuda.compute_capability());
    let kernel = kernel(&plan, functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<SelectParams>())?;
    let (threads, shared) = (plan.threads() as u32, plan.shared_bytes() as u32);
    let resident = loaded.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let grid = plan.tiles.min(resident as usize) as u32;
    let workspace = cuda.workspace(plan.words.words8, plan.words.words16)?;
    if length != 0 || asked && (room < len || wants_others && !behind && others_room < len) {
        cuda.mark_may_fault(&reader)?;
    }
    let fixed = SelectParams {
        input: source,
        flags,
        output,
        others,
        runs: beside.address,
        behind: if behind { count } else { 0 },
        n: len as u64,
        length,
        capacity: if asked { room as u64 } else { i64::MAX as u64 },
        others_capacity: if behind { i64::MAX as u64 } else { others_room as u64 },
        count,
        workspace,
    };
    let params = Params::new(fixed, &Begin::nothing(functions.layouts.acc), 1, &functions.held.values);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it). The loans keep its pointers good for
    // `len` elements and flags, for the results up to the capacity, and for the numbers, until the kernel is enqueued
    // in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(grid, threads, shared), &params) }
}

/// Calls `use_them` with the functions that a choice (a predicate, flags, or the equality of neighbours) contributes to
/// its kernels.
///
/// # Errors
/// [`Error::Values`] when the functions capture more bytes of values than there is room for.
pub(super) fn with_functions<I: Element, C: Choose<I>, R>(
    choice: &C,
    use_them: impl FnOnce(&Functions<'_>) -> Result<R>,
) -> Result<R> {
    with_functions_of::<I, (I,), C, R>(choice, use_them)
}

/// Works like [`with_functions`] for a predicate that takes the arguments `A` of an element.
pub(super) fn with_functions_of<I: Element, A, C: Choose<I, A>, R>(
    choice: &C,
    use_them: impl FnOnce(&Functions<'_>) -> Result<R>,
) -> Result<R> {
    let steps = StepsOf::<I, C::Predicate>::new(Or, choice.predicate(), Same);
    let same = C::NEIGHBOUR.map(|_| choice.same());
    let text = |source: &mut Source| text_of::<_, KeysOf<I, C::Same>>(source, &steps, same.as_ref(), &((), ()));
    let mut held = Held::nothing();
    held.add_all::<_, KeysOf<I, C::Same>>(&steps, same.as_ref())?;
    use_them(&Functions::of::<StepsOf<I, C::Predicate>, KeysOf<I, C::Same>>(&text, &held))
}

/// Returns the sizes that the plan of a selection depends on. `index` is the number of bytes of an index, or 0 if
/// elements are stored.
pub(super) fn sizes_of<I: Element, A, C: Choose<I, A>>(choice: &C, index: usize, others: bool) -> SelectSizes {
    SelectSizes {
        input: size_of::<I>(),
        index,
        flags: choice.flags().is_some(),
        neighbours: C::NEIGHBOUR.is_some(),
        last: C::NEIGHBOUR == Some(Neighbour::After),
        others,
        run: 0,
        lengths: false,
    }
}

/// Returns the kernel of a plan of a selection.
pub(super) fn kernel<'a>(plan: &SelectPlan, functions: &'a Functions<'a>) -> Kernel<'a> {
    let SelectSizes { flags, neighbours, .. } = plan.sizes;
    let heads = match (flags, neighbours) {
        (true, _) => Heads::Flags,
        (_, true) => Heads::Keys,
        _ => Heads::None,
    };
    let features = Features { heads, ..Features::PLAIN };
    Kernel {
        functions,
        kernel: if plan.sizes.others {
            ("select/partition.cuh", "upsweep_partition")
        } else {
            ("select/select.cuh", "upsweep_select")
        },
        features,
        constants: plan.constants(),
    }
}

impl Cuda {
    /// Returns an array of one number, which is set to 0 in the order of the device's stream.
    pub fn zeroed_number(&self) -> Result<CudaSlice<u64>> {
        let mut number = self.allocate::<u64>(1)?;
        let mut view = number.as_view_mut();
        let (address, loan) = self.write("count", &mut view)?;
        self.store_u64(address, 0)?;
        drop(loan);
        Ok(number)
    }
}
