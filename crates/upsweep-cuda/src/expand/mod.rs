//! Expand on a CUDA device: one pass over the counts, and a second kernel for tiles with many results. See
//! `expand/expand.cuh`.
//!
//! The kernel is a pipeline over the counts. The aggregate of a tile is the number of its results. When the number of
//! results before the tile is known, the block stores the tile's results (`expand/tile.cuh`). It marks in shared memory
//! where the results of each count begin. A warp then goes over the results of its counts, and the marks say which
//! count a result belongs to.
//!
//! A tile of more than 32,768 results is put on a list, cut into stretches. A second kernel (`expand/large.cuh`) stores
//! each stretch by a block of its own. So one large count delays no other tile, and counts of 0 cost only the bandwidth
//! that reads them.

use super::Cuda;
use super::borrow::Extent;
use super::code::Kernel;
use super::features::Features;
use super::job::{Begin, Functions, write};
use super::params::{Params, params};
use super::runtime::Grid;
use super::select::with_functions;
use cudarc::driver::DeviceSlice;
use upsweep_core::buffer::{View, ViewMut};
use upsweep_core::call::expand::Expanding;
use upsweep_core::call::select::{Unasked, Where};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::Element;
use upsweep_plan::expand::{ExpandPlan, ExpandSizes};

params! {
    /// Parameters of the kernels that expand.
    struct ExpandParams {
        counts: "const void*",
        values: "const In*",
        output: "void*",
        /// Address of the list of stretches (parts of the results of large tiles), which begins with their number: see
        /// `expand/tile.cuh`.
        large: "void*",
        /// Number of counts in the input; if `length` is not null, the number that there is room for.
        n: "u64",
        /// Null, or the address of the number of counts.
        length: "const u64*",
        capacity: "u64",
        /// Whether results are requested; if not, the kernel stores only their number.
        asked: "u64",
        /// Address that the number of results is stored at.
        count: "u64*",
        workspace: "Workspace",
    }
}

/// Number of bytes of an entry of the list of stretches (parts of the results of large tiles). The list's first entry
/// is the number of stretches.
const STRETCH: usize = 16;

pub fn run<C, T, O>(cuda: &Cuda, call: Expanding<'_, C, T, O>, count: &mut ViewMut<'_, u64>) -> Result<()>
where
    C: Element,
    T: Element,
    O: Element,
{
    let Expanding { counts, length, values, mut output, expanded } = call;
    let n = counts.len();
    let (reader, (count, _count)) = match count {
        ViewMut::Cuda(view) => (view.stream().clone(), cuda.write("count", view)?),
        ViewMut::Host(_) => return Err(Error::Place { what: "count", found: "host", expected: "CUDA" }),
    };
    let asked = output.is_some();
    let (output, room, _output) = write(cuda, "output", output.as_mut())?;
    let results = Extent::new::<O>(output, room);
    let (length, _length) =
        length.as_ref().map_or(Ok(Default::default()), |view| cuda.read("count of the input", view))?;
    let (values_at, _values) = values.as_ref().map_or(Ok(Default::default()), |view| cuda.read("values", view))?;
    let (counts_at, _counts) = cuda.read("input", &counts)?;
    results.must_not_meet(Extent::new::<C>(counts_at, n))?;
    results.must_not_meet(Extent::new::<T>(values_at, values.as_ref().map_or(0, View::len)))?;
    for number in [count, length] {
        results.must_not_meet(Extent::new::<u64>(number, usize::from(number != 0)))?;
    }

    with_functions::<T, _, _>(&Where(Unasked), |functions| {
        let sizes = ExpandSizes { expanded, count: size_of::<C>(), result: size_of::<O>() };
        let plan = ExpandPlan::new(n, sizes, cuda.compute_capability());
        let [all, large] = kernels(&plan, functions);
        let most = plan.most_stretches(room);
        let stretches = cuda.scratch::<[u8; STRETCH]>(if asked { 1 + most } else { 0 })?;
        if asked {
            cuda.clear(stretches.address(), STRETCH)?;
        }
        let loaded = cuda.kernel(all.key(), || all.source::<ExpandParams>())?;
        let (threads, shared) = (plan.threads() as u32, plan.shared_bytes() as u32);
        let resident = loaded.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
        let workspace = cuda.workspace(plan.words.words8, plan.words.words16)?;
        if asked || length != 0 {
            cuda.mark_may_fault(&reader)?;
        }
        let fixed = ExpandParams {
            counts: counts_at,
            values: values_at,
            output,
            large: stretches.address(),
            n: n as u64,
            length,
            capacity: room as u64,
            asked: asked.into(),
            count,
            workspace,
        };
        let params = Params::new(fixed, &Begin::nothing(functions.layouts.acc), 1, &functions.held.values);
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it). The loans keep its pointers good for
        // `n` counts and values, for the results up to the capacity, and for the numbers, until the kernel is enqueued
        // in the stream's order. The scratch has room for all stretches that there can be.
        unsafe { cuda.launch(&loaded, Grid::new(plan.tiles.min(resident as usize) as u32, threads, shared), &params) }?;
        if !asked || room == 0 {
            return Ok(());
        }
        let loaded = cuda.kernel(large.key(), || large.source::<ExpandParams>())?;
        let threads = plan.shape.threads as u32;
        let resident = loaded.blocks_per_multiprocessor(threads, 0)?.max(1) * cuda.multiprocessors();
        // SAFETY: `Params` begins with the kernel's layout, and the loans and the scratch keep its pointers good: it is
        // that of the launch above. The first kernel of this call has written the stretches (parts of the results of
        // large tiles).
        unsafe { cuda.launch(&loaded, Grid::new(most.min(resident as usize) as u32, threads, 0), &params) }
    })
}

/// Returns the two kernels of a plan: the one that goes over all counts, and the one that stores the results of large
/// tiles.
pub(super) fn kernels<'a>(plan: &ExpandPlan, functions: &'a Functions<'a>) -> [Kernel<'a>; 2] {
    [("expand/expand.cuh", "upsweep_expand"), ("expand/large.cuh", "upsweep_expand_large")].map(|kernel| Kernel {
        functions,
        kernel,
        features: Features::PLAIN,
        constants: plan.constants(),
    })
}
