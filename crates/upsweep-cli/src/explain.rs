//! The command `explain`: what would run, computed from the size alone.

use crate::args::{ExplainArgs, What};
use crate::device::Chosen;
use crate::failure::{Failure, Result};
use upsweep::plan::Shape;
use upsweep::plan::cpu::CpuPlan;
#[cfg(feature = "cuda")]
use upsweep::plan::{
    reduce::ReducePlan,
    scan::{ScanPlan, Sizes},
};

/// The lines that explain a scan or a reduction.
pub(crate) fn lines(args: &ExplainArgs) -> Result<Vec<String>> {
    let device = Chosen::open(args.device)?;
    let (n, element) = (args.n, args.element);
    let shape = Shape::new(None, n).map_err(|e| Failure::computing("explain", &e.into()))?;
    let read = n.checked_mul(element.size());
    let written = match args.what {
        What::Scan => read,
        What::Reduce => Some(element.size()),
    };
    let (Some(read), Some(written)) = (read, written) else {
        return Err(Failure::Input(format!("--n {n}: so many values of {} fit no memory", element.name())));
    };
    let (kind, op) = match args.what {
        What::Scan => ("inclusive scan", args.op.name()),
        What::Reduce => ("reduction", args.op.name()),
    };
    Ok(vec![
        format!("what      {op} {kind} of {n} values of {}", element.name()),
        format!("shape     {} line(s) of {} values, {} apart", shape.lines(), shape.len, shape.inner),
        format!("memory    reads {read} bytes, writes {written} bytes"),
        format!("device    {}", device.label),
        format!("plan      {}", plan(&device, args.what, n, element.size())),
    ])
}

/// The library's plan for the device.
fn plan(device: &Chosen, what: What, n: usize, size: usize) -> String {
    #[cfg(feature = "cuda")]
    if let Some(cuda) = device.device.as_cuda() {
        let capability = cuda.info().compute_capability;
        return match what {
            What::Scan => ScanPlan::new(n, Sizes::plain(size, size, size), capability).to_string(),
            What::Reduce => ReducePlan::new(n, size, size).to_string(),
        };
    }
    let _ = (device, what);
    CpuPlan::new(n, size).to_string()
}
