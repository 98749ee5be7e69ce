//! The command `explain`: what would run, computed from the size alone.

use crate::args::{ExplainArgs, What};
use crate::device::Chosen;
use crate::failure::{Failure, Result};
use upsweep::plan::Shape;

/// The lines that explain a scan or a reduction.
pub(crate) fn lines(args: &ExplainArgs) -> Result<Vec<String>> {
    let device = Chosen::open(args.device)?;
    let (n, element) = (args.n, args.element);
    let shape = Shape::new(None, n).map_err(|e| Failure::computing("explain", &e))?;
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
        plan(&device),
    ])
}

/// The library's plan for the device.
fn plan(device: &Chosen) -> String {
    let name = if device.on_host { "the CPU" } else { "CUDA" };
    format!("plan      this version of upsweep prints no plan for {name} yet")
}
