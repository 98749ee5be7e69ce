//! Sort on a CUDA device: a kernel that counts all digits and says which of them vary (`kernels/device/sort_count.cuh`), then
//! a pass for each digit (`kernels/device/sort.cuh`). Passes whose digit does not vary leave at once.

use super::Cuda;
use super::compile::KernelSource;
use super::lender::Lender;
use super::params::params;
use crate::buffer::View;
use crate::error::Result;
use crate::inputs::Lend;
use crate::job::Unsorted;
use crate::key::Key;
use crate::operator::Element;
use crate::outputs::{LendMut, Target};
use crate::plan::constants::Constants;
use crate::plan::sort::{Counting, SortPlan, SortTypes};

params! {
    alone
    /// Of the kernel that counts.
    struct SortCountParams {
        keys: "const void*",
        n: "u64",
        /// Keys a block.
        part: "u64",
        /// Whether the results take the place of the input.
        in_place: "u64",
        /// A `SortHeader`.
        header: "void*",
        status: "u32*",
        /// Status words of 4 bytes, which are to be cleared.
        status_words: "u64",
    }
}

params! {
    alone
    /// Of the kernel of a pass.
    struct SortParams {
        keys: "void*",
        keys_out: "void*",
        keys_scratch: "void*",
        values: "void*",
        values_out: "void*",
        values_scratch: "void*",
        n: "u64",
        /// Which of the launches it is.
        launch: "u64",
        header: "void*",
        status: "void*",
    }
}

params! {
    alone
    /// Of the kernel that moves values to their places.
    struct SortValuesParams {
        values: "const void*",
        output: "void*",
        /// Null, or the positions.
        positions: "const void*",
        n: "u64",
    }
}

params! {
    alone
    /// Of the kernel that tallies keys of two bytes.
    struct SortTallyParams {
        keys: "const void*",
        n: "u64",
        /// Keys a block.
        part: "u64",
        /// All bytes 0 before.
        counts: "u64*",
        done: "u32*",
    }
}

params! {
    alone
    /// Of the kernel that fills in the results of a sort by counting.
    struct SortFillParams {
        output: "void*",
        n: "u64",
        places: "const u64*",
    }
}

/// The parameters of all kernels of a sort.
#[cfg(test)]
pub(super) fn params_text() -> String {
    let of_passes = SortCountParams::text() + &SortParams::text();
    of_passes + &SortValuesParams::text() + &SortTallyParams::text() + &SortFillParams::text()
}

/// What tells a kernel of a sort from every other one: its entry, and the numbers it is compiled with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SortKey {
    entry: &'static str,
    constants: Constants,
}

impl SortKey {
    fn new(entry: &'static str, constants: Constants) -> Self {
        Self { entry, constants }
    }
}

const COUNT: &str = "upsweep_sort_count";
const PASS: &str = "upsweep_sort";
const TALLY: &str = "upsweep_sort_tally";
const FILL: &str = "upsweep_sort_fill";
const MOVE: &str = "upsweep_sort_values";

/// The kernel that counts.
pub(super) fn counting_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.counting_constants().to_string() + &SortCountParams::text();
    KernelSource { root: "device/sort_count.cuh", prelude, entry: COUNT }
}

/// The kernel of a pass.
pub(super) fn pass_source(plan: &SortPlan) -> KernelSource {
    let prelude = plan.pass_constants().to_string() + &SortParams::text();
    KernelSource { root: "device/sort.cuh", prelude, entry: PASS }
}

/// The kernel that tallies keys of two bytes.
pub(super) fn tally_source(plan: &SortPlan) -> KernelSource {
    by_counting_source(TALLY, plan.tally_constants())
}

/// The kernel that fills in the results of a sort by counting.
pub(super) fn fill_source(plan: &SortPlan) -> KernelSource {
    by_counting_source(FILL, plan.fill_constants())
}

fn by_counting_source(entry: &'static str, constants: Constants) -> KernelSource {
    let prelude = constants.to_string() + &SortTallyParams::text() + &SortFillParams::text();
    KernelSource { root: "device/sort_by_counting.cuh", prelude, entry }
}

/// The kernel that moves values of `units` parts of `unit` bytes to their places.
pub(super) fn moving_source(plan: &SortPlan, unit: usize, units: usize) -> KernelSource {
    let prelude = plan.moving_constants(unit, units).to_string() + &SortValuesParams::text();
    KernelSource { root: "device/sort_values.cuh", prelude, entry: MOVE }
}

/// The addresses of a sort's inputs and outputs; 0 of what there is not.
#[derive(Clone, Copy, Default)]
struct Buffers {
    keys: u64,
    keys_out: u64,
    values: u64,
    values_out: u64,
}

/// Sorts keys into `output`, or where they are.
pub(crate) fn keys<K: Key>(
    cuda: &Cuda,
    input: &Unsorted<'_, K>,
    output: &mut Target<'_, K>,
    descending: bool,
) -> Result<()> {
    let len = output.len();
    let mut lender = Lender::new(cuda);
    let keys_out = lender.lend_mut("output", output)?;
    let keys = lend(&mut lender, "input", input, keys_out)?;
    let in_place = keys == keys_out;
    lender.check(in_place)?;
    let _loans = lender.into_loans();
    let types = types_of::<K>(descending, 0);
    launch(cuda, len, types, in_place, Buffers { keys, keys_out, ..Buffers::default() })
}

/// Sorts values by keys.
pub(crate) fn pairs<K: Key, V: Element>(
    cuda: &Cuda,
    (keys, values): (&Unsorted<'_, K>, &Unsorted<'_, V>),
    (keys_out, values_out): (&mut Target<'_, K>, &mut Target<'_, V>),
    descending: bool,
) -> Result<()> {
    let len = keys_out.len();
    let mut lender = Lender::new(cuda);
    let keys_out = lender.lend_mut("output keys", keys_out)?;
    let values_out = lender.lend_mut("output values", values_out)?;
    let keys = lend(&mut lender, "keys", keys, keys_out)?;
    let values = lend(&mut lender, "values", values, values_out)?;
    let in_place = keys == keys_out;
    lender.check(in_place)?;
    let _loans = lender.into_loans();
    let types = types_of::<K>(descending, size_of::<V>());
    let buffers = Buffers { keys, keys_out, values, values_out };
    if [1, 2, 4, 8].contains(&types.value) {
        launch(cuda, len, types, in_place, buffers)
    } else {
        by_positions(cuda, len, types, in_place, buffers, align_of::<V>())
    }
}

/// Sorts the positions of keys by these.
pub(crate) fn indices<K: Key, I: Element>(
    cuda: &Cuda,
    keys: &View<'_, K>,
    output: &mut Target<'_, I>,
    descending: bool,
) -> Result<()> {
    let len = keys.len();
    let mut lender = Lender::new(cuda);
    let values_out = lender.lend_mut("output", output)?;
    let keys = lender.lend("input", keys)?;
    lender.check(false)?;
    let _loans = lender.into_loans();
    let types = SortTypes { indices: true, keys_out: false, ..types_of::<K>(descending, size_of::<I>()) };
    launch(cuda, len, types, false, Buffers { keys, values_out, ..Buffers::default() })
}

/// The address of an input, which in place is that of the output.
fn lend<'a, T: Element>(
    lender: &mut Lender<'a>,
    what: &'static str,
    input: &'a Unsorted<'_, T>,
    output: u64,
) -> Result<u64> {
    match input {
        Unsorted::Buffer(view) => lender.lend(what, view),
        Unsorted::OfOutput => Ok(output),
    }
}

fn types_of<K: Key>(descending: bool, value: usize) -> SortTypes {
    SortTypes { key: size_of::<K>(), order: K::ORDER, descending, value, indices: false, keys_out: true }
}

/// Sorts values of any size, aligned to `align` bytes: their positions first.
fn by_positions(
    cuda: &Cuda,
    len: usize,
    types: SortTypes,
    in_place: bool,
    buffers: Buffers,
    align: usize,
) -> Result<()> {
    let bytes = types.value;
    let position = if u32::try_from(len).is_ok() { 4 } else { 8 };
    let types = SortTypes { value: position, indices: true, ..types };
    let positions = cuda.scratch::<u8>(len * position)?;
    launch(cuda, len, types, in_place, Buffers { values: 0, values_out: positions.address(), ..buffers })?;
    let unit = align.min(16);
    let plan = SortPlan::new(len, types, in_place, cuda.compute_capability(), cuda.multiprocessors() as usize);
    let units = bytes / unit;
    let key = SortKey::new(MOVE, plan.moving_constants(unit, units));
    let kernel = cuda.kernel(key, || Ok(moving_source(&plan, unit, units)))?;
    let threads = SortPlan::moving_threads();
    let blocks = (len * units).div_ceil(threads).min(16 * cuda.multiprocessors() as usize) as u32;
    let to_places = |values, output, positions| {
        let params = SortValuesParams { values, output, positions, n: len as u64 };
        // SAFETY: as in `launch`.
        unsafe { cuda.launch(&kernel, blocks, threads as u32, 0, &params) }
    };
    if len == 0 {
        return Ok(());
    }
    if !in_place {
        return to_places(buffers.values, buffers.values_out, positions.address());
    }
    let values = cuda.scratch::<u8>(len * bytes)?;
    to_places(buffers.values, values.address(), positions.address())?;
    to_places(values.address(), buffers.values_out, 0)
}

fn launch(cuda: &Cuda, len: usize, types: SortTypes, in_place: bool, buffers: Buffers) -> Result<()> {
    if len == 0 {
        return Ok(());
    }
    let plan = SortPlan::new(len, types, in_place, cuda.compute_capability(), cuda.multiprocessors() as usize);
    if !plan.by_counting() {
        return by_passes(cuda, &plan, buffers);
    }
    if types.key == 1 {
        let header = cuda.scratch::<u8>(plan.header_bytes())?.zeroed()?;
        count(cuda, &plan, buffers.keys, header.address(), (0, 0))?;
        return fill(cuda, &plan, buffers.keys_out, header.address());
    }
    let values = 1 << (8 * types.key);
    let counts = cuda.scratch::<u64>(values + 1)?.zeroed()?;
    let kernel = cuda.kernel(SortKey::new(TALLY, plan.tally_constants()), || Ok(tally_source(&plan)))?;
    let Counting { blocks, part, threads, shared_bytes } = plan.tallying(cuda.multiprocessors() as usize);
    let counts_at = counts.address();
    let done = counts_at + 8 * values as u64;
    let params = SortTallyParams { keys: buffers.keys, n: len as u64, part: part as u64, counts: counts_at, done };
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans and the scratch keep what they point to
    // good until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, blocks as u32, threads as u32, shared_bytes as u32, &params) }?;
    fill(cuda, &plan, buffers.keys_out, counts_at)
}

/// Counts each digit. `status` are the address and number of words of 4 bytes to clear.
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
    };
    // SAFETY: as in `launch`.
    unsafe { cuda.launch(&kernel, blocks as u32, threads as u32, shared_bytes as u32, &params) }
}

/// Stores each value where `places` say.
fn fill(cuda: &Cuda, plan: &SortPlan, output: u64, places: u64) -> Result<()> {
    let kernel = cuda.kernel(SortKey::new(FILL, plan.fill_constants()), || Ok(fill_source(plan)))?;
    let threads = SortPlan::fill_threads() as u32;
    let resident = kernel.blocks_per_multiprocessor(threads, 0)?.max(1) * cuda.multiprocessors();
    let params = SortFillParams { output, n: plan.len as u64, places };
    // SAFETY: as in `launch`.
    unsafe { cuda.launch(&kernel, plan.fill_blocks().min(resident as usize) as u32, threads, 0, &params) }
}

/// Counts, and goes over keys and values once for each digit that varies.
fn by_passes(cuda: &Cuda, plan: &SortPlan, buffers: Buffers) -> Result<()> {
    let SortPlan { len, types, .. } = *plan;
    // One block of memory: the driver's pool finds one again sooner than several.
    let parts = plan.scratch_parts();
    let scratch = cuda.scratch::<u8>(plan.scratch_bytes())?;
    let [header, status, keys_scratch, values_scratch, keys_unwanted] = parts.starts(scratch.address());
    scratch.clear(plan.header_bytes())?;
    count(cuda, plan, buffers.keys, header, (status, plan.status_words() * plan.status / 4))?;

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
    };
    for launch in 0..plan.launches() as u64 {
        let params = SortParams { launch, ..params };
        // SAFETY: as in `launch`.
        unsafe { cuda.launch(&kernel, plan.tiles().min(resident as usize) as u32, threads, shared, &params) }?;
    }
    Ok(())
}
