//! Scans along two axes of large arrays on a CUDA device by strips: see `kernels/device/scan_axes_strips.cuh`.

use super::Cuda;
use super::code::Kernel;
use super::features::Features;
use super::job::{CudaJob, Functions};
use super::params::{Params, params};
use crate::error::Result;
use crate::plan::scan_axes::AxesPlan;
use crate::plan::scan_axes_strips::StripsPlan;

params! {
    /// Of the scan along two axes by strips.
    struct ScanStripsParams {
        input: "const In*",
        output: "Out*",
        /// Rows and columns of each array.
        height: "u64",
        width: "u64",
        /// Strips of all arrays and of each, and tiles of a strip.
        strips: "u64",
        strips_each: "u64",
        bands_each: "u64",
        /// Of three rows, the entries of what strips, groups of strips and spans tell, and the first entries of the two last ones.
        near_entries: "u64",
        groups_each: "u64",
        spans_each: "u64",
        first_far: "u64",
        first_span: "u64",
        /// The bytes at whose multiples all vectors of elements begin, at most those of a copy.
        access: "u64",
        /// Whether all vectors of results begin at multiples of their access width.
        out_aligned: "u64",
        workspace: "Workspace",
    }
}

/// Enqueues an inclusive scan of the job's arrays, rows and columns.
pub(super) fn launch(cuda: &Cuda, job: &CudaJob<'_>, plan: &StripsPlan, features: Features) -> Result<()> {
    let functions = &job.functions;
    let kernel = kernel(plan, features, functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<ScanStripsParams>())?;
    let (threads, shared) = (plan.threads() as u32, plan.shared_bytes() as u32);
    let resident = loaded.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let words = plan.words();
    let (_, height, width) = plan.shape;
    // Rows begin side by side at multiples of what all rows' bytes and the first row's address are.
    let begins = |address: u64, size: usize| {
        let most = AxesPlan::copy_bytes(size, plan.vector) as u64;
        1 << (address | (width * size) as u64 | most).trailing_zeros()
    };
    let (input_bytes, _, output_bytes) = plan.sizes;
    let store = AxesPlan::copy_bytes(output_bytes, plan.vector) as u64;
    let (bands_each, strips_each) = plan.tiles_each();
    let ((near_entries, groups_each, spans_each), (first_far, first_span)) =
        (plan.entries_each(), plan.first_entries());
    let fixed = ScanStripsParams {
        input: job.input,
        output: job.output,
        height: height as u64,
        width: width as u64,
        strips: plan.strips() as u64,
        strips_each: strips_each as u64,
        bands_each: bands_each as u64,
        near_entries: near_entries as u64,
        groups_each: groups_each as u64,
        spans_each: spans_each as u64,
        first_far: first_far as u64,
        first_span: first_span as u64,
        access: begins(job.input, input_bytes),
        out_aligned: u64::from(begins(job.output, output_bytes) == store),
        workspace: cuda.workspace(words.words8, words.words16)?,
    };
    let params = Params::new(fixed, &job.begin, features.interleaved, &functions.held.values);
    let grid = plan.strips().min(resident as usize) as u32;
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for the elements of the
    // shape, and as many results, until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, grid, threads, shared, &params) }
}

/// The kernel of a plan.
pub(super) fn kernel<'a>(plan: &StripsPlan, features: Features, functions: &'a Functions<'a>) -> Kernel<'a> {
    let kernel = ("device/scan_axes_strips.cuh", "upsweep_scan_axes_strips");
    Kernel { functions, kernel, features, constants: plan.constants() }
}
