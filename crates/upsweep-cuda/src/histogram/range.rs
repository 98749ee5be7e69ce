//! Queries of a histogram's prefix sums on a CUDA device: see `histogram/range.cuh`.

use crate::borrow::Extent;
use crate::code::Kernel;
use crate::features::Features;
use crate::histogram::{functions, text_of};
use crate::job::{Begin, Functions};
use crate::params::{Params, params};
use crate::runtime::Grid;
use crate::{Cuda, Workspace};
use upsweep_core::bins::NoRule;
use upsweep_core::buffer::{View, ViewMut};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::{Element, Source};
use upsweep_core::steps::Held;
use upsweep_plan::constants::{Constants, constants};

params! {
    /// Parameters of the kernel of queries.
    struct RangeHistogramParams {
        /// Address of the prefix sums of the histogram's bins, one more than there are bins.
        prefixes: "const u64*",
        queries: "const In*",
        output: "Out*",
        bins: "u64",
        /// Number of queries.
        n: "u64",
        /// Workspace, which this kernel does not use: its blocks do not communicate, and it reports no fault.
        workspace: "Workspace",
    }
}

const THREADS: usize = 256;
/// Largest number of blocks of a launch. If there are more queries than threads, each thread answers several.
const MOST_BLOCKS: usize = 4096;

pub fn counts(
    cuda: &Cuda,
    prefixes: View<'_, u64>,
    ranges: View<'_, (u64, u64)>,
    output: ViewMut<'_, u64>,
) -> Result<()> {
    query(cuda, prefixes, ("ranges", ranges), output, false)
}

pub fn quantiles(cuda: &Cuda, prefixes: View<'_, u64>, shares: View<'_, f64>, output: ViewMut<'_, u64>) -> Result<()> {
    query(cuda, prefixes, ("shares", shares), output, true)
}

fn query<T: Element>(
    cuda: &Cuda,
    prefixes: View<'_, u64>,
    (what, queries): (&'static str, View<'_, T>),
    mut output: ViewMut<'_, u64>,
    quantiles: bool,
) -> Result<()> {
    let ViewMut::Cuda(results) = &mut output else {
        return Err(Error::Place { what: "output", found: "host", expected: "CUDA" });
    };
    let (n, bins) = (queries.len(), prefixes.len() - 1);
    let (output, _output) = cuda.write("output", results)?;
    let (queries, _queries) = cuda.read(what, &queries)?;
    let (prefixes, _prefixes) = cuda.read("range histogram", &prefixes)?;
    let results = Extent::new::<u64>(output, n);
    results.must_not_meet(Extent::new::<T>(queries, n))?;
    results.must_not_meet(Extent::new::<u64>(prefixes, bins + 1))?;
    if n == 0 {
        return Ok(());
    }
    let text = |source: &mut Source| text_of::<T, NoRule, u64>(source, &NoRule);
    let held = Held::nothing();
    let functions = functions::<T, NoRule, u64>(&text, &held);
    let kernel = kernel(quantiles, &functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<RangeHistogramParams>())?;
    let fixed =
        RangeHistogramParams { prefixes, queries, output, bins: bins as u64, n: n as u64, workspace: Workspace::NONE };
    let params = Params::new(fixed, &Begin::nothing(functions.layouts.acc), 1, &held.values);
    let grid = n.div_ceil(THREADS).min(MOST_BLOCKS);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // `n` queries and results and `bins + 1` sums until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(grid as u32, THREADS as u32, 0), &params) }
}

/// Returns the kernel of queries: with `quantiles` it answers queries of quantiles, else of ranges.
pub(crate) fn kernel<'a>(quantiles: bool, functions: &'a Functions<'a>) -> Kernel<'a> {
    let kernel = ("histogram/range.cuh", "upsweep_range_histogram");
    Kernel { functions, kernel, features: Features::PLAIN, constants: numbers(quantiles) }
}

/// Returns the constants that the kernel of queries is compiled with.
pub(crate) fn numbers(quantiles: bool) -> Constants {
    let mut constants = Constants::default();
    constants!(constants; "THREADS" = THREADS, "QUANTILES" = usize::from(quantiles));
    constants
}
