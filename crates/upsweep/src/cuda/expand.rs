//! Expand on a CUDA device: the counts' offsets by a scan, into memory of the call, and then the results. See
//! `kernels/device/expand.cuh`.

use super::Cuda;
use super::code::Kernel;
use super::features::Features;
use super::job::{Begin, Functions};
use super::lender::Extent;
use super::params::{Params, params};
use super::select::{with_functions, write};
use crate::buffer::{View, ViewMut};
use crate::choosing::{Unasked, Where};
use crate::error::{Error, Result};
use crate::expanding::Expanding;
use crate::operator::Element;
use crate::plan::expand::ExpandPlan;
use cudarc::driver::{CudaSlice, CudaView, DeviceSlice};

params! {
    /// Of the kernel that expands.
    struct ExpandParams {
        /// The results before each count, and the total.
        offsets: "const u64*",
        values: "const In*",
        output: "void*",
        /// The counts that there is room for.
        n: "u64",
        /// Null, or where the number of counts lies.
        length: "const u64*",
        capacity: "u64",
        /// Whether results are asked for, and not only their number.
        asked: "u64",
        /// Where the number of results is stored.
        count: "u64*",
        workspace: "Workspace",
    }
}

/// Runs the call; `scan` stores the exclusive prefix sums of its counts, and their total, in an output.
pub(crate) fn run<C, T, O>(
    cuda: &Cuda,
    call: Expanding<'_, C, T, O>,
    count: &mut ViewMut<'_, u64>,
    scan: impl FnOnce(&CudaView<'_, C>, &mut CudaSlice<u64>) -> Result<()>,
) -> Result<()>
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

    let scratch = cuda.scratch::<u64>(n + 1)?;
    // SAFETY: the scratch has so many numbers, which the scan writes before anything reads them.
    let mut offsets = unsafe { Borrowed::new(cuda, scratch.address(), n + 1) };
    if let (View::Cuda(counts), Some(offsets)) = (&counts, &mut offsets.0) {
        scan(counts, offsets)?;
    }
    with_functions::<T, _, _>(&Where(Unasked), |functions| {
        let plan = ExpandPlan::new(n, room, expanded, size_of::<O>());
        let kernel = kernel(&plan, functions);
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<ExpandParams>())?;
        let workspace = cuda.workspace(0, 0)?;
        if asked || length != 0 {
            cuda.mark_may_fault(&reader)?;
        }
        let fixed = ExpandParams {
            offsets: scratch.address(),
            values: values_at,
            output,
            n: n as u64,
            length,
            capacity: room as u64,
            asked: asked.into(),
            count,
            workspace,
        };
        let params = Params::new(fixed, &Begin::nothing(functions.layouts.acc), 1, &functions.held.values);
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for `n`
        // counts and values, for the results that there is room for, and for the numbers, until the kernel is enqueued in the
        // stream's order; the scratch for `n + 1` offsets.
        unsafe { cuda.launch(&loaded, plan.tiles as u32, plan.threads() as u32, 0, &params) }
    })
}

/// The kernel of a plan.
pub(super) fn kernel<'a>(plan: &ExpandPlan, functions: &'a Functions<'a>) -> Kernel<'a> {
    let kernel = ("device/expand.cuh", "upsweep_expand");
    Kernel { functions, kernel, features: Features::PLAIN, constants: plan.constants() }
}

/// Memory of a call as a slice, which does not free it.
pub(super) struct Borrowed<T>(pub(super) Option<CudaSlice<T>>);

impl<T> Borrowed<T> {
    /// # Safety
    /// The memory has so many elements for as long as this lives, and a call writes them before anything reads them.
    pub(super) unsafe fn new(cuda: &Cuda, address: u64, len: usize) -> Self {
        // SAFETY: the caller answers for it.
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
