//! Top-k on a CUDA device: see `topk/ranked.cuh` for its kernels.
//!
//! A top-k looks for the key of one rank, by digits of 11 bits from the highest on. If there are many keys, a sample
//! suggests a window: two keys between which the wanted one lies. One reading of the input collects the keys of the
//! window, in no order, and all further steps read these candidates only. The device finds out whether the window was
//! right, and reads the input again if it was not; no step waits for the host.
//!
//! Results that are taken from the candidates are sorted by their positions. Results that are taken from the input are
//! stored by a pipeline, which counts the keys before the wanted one and those equal to it. `Nth` stops at the key. Of
//! several rows, each belongs to one block.

use super::borrow::Lender;
use super::code::Kernel;
use super::features::Features;
use super::job::{Begin, Functions};
use super::params::{Params, params};
use super::runtime::Grid;
use super::select::with_functions;
use super::sort;
use super::{Cuda, Workspace};
use cudarc::driver::CudaSlice;
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::Unsorted;
use upsweep_core::call::select::{Unasked, Where};
use upsweep_core::call::sort::Cut;
use upsweep_core::call::topk::{AtRanks, Ranking};
use upsweep_core::error::Result;
use upsweep_core::inputs::Lend;
use upsweep_core::key::Key;
use upsweep_core::operator::Element;
use upsweep_core::outputs::{LendMut, Target};
use upsweep_core::shape::Shape;
use upsweep_plan::constants::Constants;
use upsweep_plan::topk::{MOST_ORDERED, RankTypes, TopKPlan};

params! {
    /// Parameters of all kernels of a top-k.
    struct TopKParams {
        keys: "const In*",
        /// Number of keys of a row.
        n: "u64",
        /// Rank of the wanted key, from 1 on: the number of results of a row.
        rank: "u64",
        rows: "u64",
        /// Address of the `RankHeader`: what the device knows so far about the wanted key.
        header: "void*",
        candidates: "In*",
        /// Null, or the address of the position of each candidate (a key in the window) in its row.
        candidate_places: "void*",
        /// Number of candidates (keys in the window) that there is room for.
        room: "u64",
        /// Whether results are taken from the candidates (the keys in the window), and not from the input.
        takes: "u64",
        /// Ranks in the sample of the first key of the window (the range in which the wanted key is expected) and of
        /// the last one.
        low_rank: "u64",
        high_rank: "u64",
        /// Index of the digit of the keys that a counting kernel counts; the highest digit has index 0.
        pass: "u64",
        /// Null, or the address that the wanted key is stored at.
        wanted: "In*",
        /// Null, or the address for the results (`values`), and for their positions (`places`).
        values: "In*",
        places: "void*",
        /// `order_room`: number of results that a block of the last step sorts. `by_key`: whether it sorts them by
        /// their keys, too.
        order_room: "u64",
        by_key: "u64",
        workspace: "Workspace",
    }
}

impl TopKParams {
    /// Returns the parameters of a search for the key of rank `rank` among `len` keys, in which nothing else is
    /// requested.
    fn of(keys: u64, len: usize, rank: usize) -> Self {
        Self {
            keys,
            n: len as u64,
            rank: rank as u64,
            rows: 1,
            header: 0,
            candidates: 0,
            candidate_places: 0,
            room: 0,
            takes: 0,
            low_rank: 0,
            high_rank: 0,
            pass: 0,
            wanted: 0,
            values: 0,
            places: 0,
            order_room: 0,
            by_key: 0,
            workspace: Workspace::NONE,
        }
    }
}

/// Steps of a top-k, each a kernel. `topk/` has a file for each.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Guess,
    Collect,
    Count,
    Take,
    /// Stores the results from the input: a pipeline over the tiles of a row.
    Store,
    Rows,
    Order,
}

/// Returns the kernel of a step of a top-k.
pub(super) fn kernel<'a>(plan: &TopKPlan, step: Step, functions: &'a Functions<'a>) -> Kernel<'a> {
    let [guess, count, order] = TopKPlan::threads();
    let (kernel, constants): (_, Constants) = match step {
        Step::Guess => (("topk/guess.cuh", "upsweep_topk_guess"), plan.constants(guess)),
        Step::Count => (("topk/count.cuh", "upsweep_topk_count"), plan.constants(count)),
        Step::Collect => (("topk/collect.cuh", "upsweep_topk_collect"), plan.constants(count)),
        Step::Take => (("topk/take.cuh", "upsweep_topk_take"), plan.constants(count)),
        Step::Store => (("topk/store.cuh", "upsweep_topk"), plan.pass_constants()),
        Step::Rows => (("topk/rows.cuh", "upsweep_topk_rows"), plan.constants(plan.row_threads())),
        Step::Order => (("topk/order.cuh", "upsweep_topk_order"), plan.constants(order)),
    };
    Kernel { functions, kernel, features: Features::PLAIN, constants }
}

/// Values that all launches of a top-k have in common: the device, the plan, and the functions of the kernels.
struct Call<'a> {
    cuda: &'a Cuda,
    plan: TopKPlan,
    functions: &'a Functions<'a>,
}

impl Call<'_> {
    /// Launches the kernel of a step, which waits for the kernel before it if that is of the same row's search.
    ///
    /// # Safety
    /// The pointers in `params` are good for the kernel's accesses until it is enqueued in the stream's order.
    unsafe fn launch(
        &self,
        step: Step,
        blocks: usize,
        threads: usize,
        shared: usize,
        params: TopKParams,
    ) -> Result<()> {
        let kernel = kernel(&self.plan, step, self.functions);
        let loaded = self.cuda.kernel(kernel.key(), || kernel.source::<TopKParams>())?;
        let begin = Begin::nothing(self.functions.layouts.acc);
        let pass = params.pass;
        let params = Params::new(params, &begin, 1, &self.functions.held.values);
        let blocks = if let Step::Store = step {
            let resident = loaded.blocks_per_multiprocessor(threads as u32, shared as u32)?.max(1);
            blocks.min((resident * self.cuda.multiprocessors()) as usize)
        } else {
            blocks
        };
        let (blocks, threads, shared) = (blocks as u32, threads as u32, shared as u32);
        // Whether the kernel may start as the kernel before it ends. It does not if it comes first, or after work of
        // another kind or on other rows.
        let is_behind = match step {
            Step::Guess | Step::Rows | Step::Order => false,
            Step::Count => self.plan.window.is_some() || pass > 0,
            Step::Collect | Step::Take | Step::Store => true,
        };
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it); the pointers are good, as `# Safety`
        // requires. Kernels that come behind others wait for them.
        unsafe { self.cuda.launch(&loaded, Grid::new(blocks, threads, shared).behind_if(is_behind), &params) }
    }

    /// Finds the key of rank `params.rank` in one row. Also stores the results if `params.values` or `params.places` is
    /// not 0.
    fn whole(&self, params: TopKParams) -> Result<()> {
        let Self { cuda, plan, .. } = *self;
        let multiprocessors = cuda.multiprocessors() as usize;
        let [guess, count, _] = TopKPlan::threads();
        let results = params.values != 0 || params.places != 0;
        let takes = results && plan.takes();
        let header = cuda.scratch::<u8>(plan.header_bytes())?.zeroed()?;
        let room = plan.window.map_or(0, |window| window.room);
        let candidates = cuda.scratch::<u8>(room * plan.types.key)?;
        let candidate_places = cuda.scratch::<u8>(if takes { room * plan.types.place } else { 0 })?;
        let (threads, shared) = plan.pass_shape();
        let params = TopKParams {
            header: header.address(),
            candidates: candidates.address(),
            candidate_places: if takes { candidate_places.address() } else { 0 },
            room: room as u64,
            takes: takes.into(),
            workspace: cuda.workspace(plan.pass.words.words8, plan.pass.words.words16)?,
            ..params
        };
        // The loans that the caller holds, and the scratch, keep the pointers of all launches below good for the plan's
        // sizes.
        if let Some(window) = plan.window {
            let params = TopKParams { low_rank: window.low_rank as u64, high_rank: window.high_rank as u64, ..params };
            // SAFETY: the caller's loans and the scratch keep the pointers good for the sizes of the plan.
            unsafe {
                self.launch(Step::Guess, 1, guess, 0, params)?;
                self.launch(Step::Collect, plan.collecting_blocks(multiprocessors), count, 0, params)?;
            }
        }
        for pass in 0..plan.digits(takes) as u64 {
            let blocks = plan.counting_blocks(multiprocessors);
            // SAFETY: the caller's loans and the scratch keep the pointers good for the sizes of the plan.
            unsafe { self.launch(Step::Count, blocks, count, 0, TopKParams { pass, ..params })? };
        }
        if takes {
            // SAFETY: the caller's loans and the scratch keep the pointers good for the sizes of the plan.
            unsafe { self.launch(Step::Take, plan.taking_blocks(multiprocessors), count, 0, params)? };
        }
        if results {
            // SAFETY: the caller's loans and the scratch keep the pointers good for the sizes of the plan.
            unsafe { self.launch(Step::Store, plan.pass.tiles, threads, shared, params)? };
        }
        Ok(())
    }
}

/// Finds the first `rank` keys of each of `rows` rows, in sorted order, or their positions.
pub fn run<K: Key, I: Element>(cuda: &Cuda, mut call: Ranking<'_, K, I>, rows: usize) -> Result<()> {
    let Ranking { rank, descending, sorted, .. } = call;
    let mut lender = Lender::new(cuda);
    let values = call.values.as_mut().map(|target| lender.lend_mut("output", target)).transpose()?;
    let indices = call.indices.as_mut().map(|target| lender.lend_mut("output of indices", target)).transpose()?;
    let keys = lender.lend("input", &call.keys)?;
    lender.check(false)?;
    let _loans = lender.into_loans();
    if rows == 0 || rank == 0 {
        return Ok(());
    }
    let len = call.keys.len() / rows;
    let place = match indices {
        Some(_) => size_of::<I>(),
        None if u32::try_from(len).is_ok() => 4,
        None => 8,
    };
    let types = RankTypes { key: size_of::<K>(), order: K::ORDER, descending, place };
    let plan = TopKPlan::new(len, rank, types, true, cuda.compute_capability());
    let multiprocessors = cuda.multiprocessors() as usize;
    let by_rows = TopKPlan::by_rows(len, rows, multiprocessors);
    // Results that are taken from the candidates are in no order, so they are sorted by their positions, and by their
    // keys if the caller wants them sorted.
    let orders = rank > 1 && (sorted || (!by_rows && plan.takes()));
    let both = orders || (!by_rows && plan.takes());
    let own = cuda.scratch::<K>(if both && values.is_none() { rows * rank } else { 0 })?;
    let own_places = cuda.scratch::<u8>(if both && indices.is_none() { rows * rank * place } else { 0 })?;
    let values = values.unwrap_or(if both { own.address() } else { 0 });
    let places = indices.unwrap_or(if both { own_places.address() } else { 0 });
    let params = TopKParams { rows: rows as u64, values, places, ..TopKParams::of(keys, len, rank) };
    with_functions::<K, _, _>(&Where(Unasked), |functions| {
        let call = Call { cuda, plan, functions };
        if by_rows {
            let blocks = rows.min(64 * multiprocessors);
            // SAFETY: the loans and the scratch are good for the rows and their results.
            unsafe { call.launch(Step::Rows, blocks, plan.row_threads(), 0, params)? };
        } else {
            for row in 0..rows {
                let at = |address: u64, bytes: usize| if address == 0 { 0 } else { address + (row * bytes) as u64 };
                call.whole(TopKParams {
                    keys: at(keys, len * types.key),
                    values: at(values, rank * types.key),
                    places: at(places, rank * place),
                    rows: 1,
                    ..params
                })?;
            }
        }
        if orders && rank <= MOST_ORDERED {
            let (room, shared) = plan.order_places(rank);
            let params = TopKParams { order_room: room as u64, by_key: sorted.into(), ..params };
            let [.., threads] = TopKPlan::threads();
            // SAFETY: the loans and the scratch are good for the rows and their results.
            unsafe { call.launch(Step::Order, rows.min(64 * multiprocessors), threads, shared, params)? };
        }
        Ok(())
    })?;
    if orders && rank > MOST_ORDERED {
        let shape = Shape { outer: rows, len: rank, inner: 1 };
        let by = (!by_rows && plan.takes(), sorted);
        // SAFETY: `values` and `places` have room for `rank` results of each row: they are the outputs, or scratch.
        unsafe {
            match place {
                4 => sort_results::<K, u32>(cuda, values, places, shape, by, descending)?,
                _ => sort_results::<K, u64>(cuda, values, places, shape, by, descending)?,
            }
        }
    }
    Ok(())
}

/// Sorts the results of each row, keys and positions together: by position, by key, or by both.
///
/// # Safety
/// The addresses are good for `shape`'s number of keys and positions, which are written in the order of the device's
/// stream.
unsafe fn sort_results<K: Key, P: Key>(
    cuda: &Cuda,
    values: u64,
    places: u64,
    shape: Shape,
    (by_place, by_key): (bool, bool),
    descending: bool,
) -> Result<()> {
    let (results, cut) =
        (shape.outer * shape.len, if shape.outer == 1 { Cut::<u64>::Whole } else { Cut::Lines(shape) });
    // SAFETY: both addresses are good for `results` elements, as `# Safety` requires.
    let (mut keys, mut places) =
        unsafe { (Borrowed::<K>::new(cuda, values, results), Borrowed::<P>::new(cuda, places, results)) };
    let (Some(keys), Some(places)) = (&mut keys.0, &mut places.0) else { return Ok(()) };
    let in_place = (&Unsorted::OfOutput, &Unsorted::OfOutput);
    let mut keys = Target::new(ViewMut::Cuda(keys.as_view_mut()));
    let mut places = Target::new(ViewMut::Cuda(places.as_view_mut()));
    if by_place {
        sort::pairs(cuda, in_place, (&mut places, &mut keys), false, &cut)?;
    }
    if by_key {
        let in_place = (&Unsorted::OfOutput, &Unsorted::OfOutput);
        sort::pairs(cuda, in_place, (&mut keys, &mut places), descending, &cut)?;
    }
    Ok(())
}

/// Finds the keys of the ranks of `call`, among all keys.
pub fn wanted<K: Key>(cuda: &Cuda, mut call: AtRanks<'_, K>) -> Result<()> {
    let mut lender = Lender::new(cuda);
    let output = lender.lend_mut("output", &mut call.output)?;
    let keys = lender.lend("input", &call.keys)?;
    lender.check(false)?;
    let _loans = lender.into_loans();
    let len = call.keys.len();
    let types = RankTypes { key: size_of::<K>(), order: K::ORDER, descending: false, place: 4 };
    with_functions::<K, _, _>(&Where(Unasked), |functions| {
        for (i, &rank) in call.ranks.iter().enumerate() {
            let plan = TopKPlan::new(len, rank, types, false, cuda.compute_capability());
            let wanted = output + (i * types.key) as u64;
            let params = TopKParams { wanted, ..TopKParams::of(keys, len, rank) };
            Call { cuda, plan, functions }.whole(params)?;
        }
        Ok(())
    })
}

/// Slice of device memory that something else owns: dropping the slice does not free the memory.
struct Borrowed<T>(Option<CudaSlice<T>>);

impl<T> Borrowed<T> {
    /// Returns a slice of `len` elements at `address`.
    ///
    /// # Safety
    /// The memory has room for `len` elements for as long as this lives, and a call writes them before anything reads
    /// them.
    unsafe fn new(cuda: &Cuda, address: u64, len: usize) -> Self {
        // SAFETY: the memory has room for `len` elements that are written before they are read, as `# Safety` requires.
        Self(Some(unsafe { cuda.stream().upgrade_device_ptr(address, len) }))
    }
}

impl<T> Drop for Borrowed<T> {
    fn drop(&mut self) {
        if let Some(slice) = self.0.take() {
            let _address = slice.leak();
        }
    }
}
