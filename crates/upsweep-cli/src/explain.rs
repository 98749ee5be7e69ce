//! The command `explain`: what would run, computed from the sizes alone.

use crate::args::{ExplainArgs, How, What};
use crate::asked::axis;
use crate::device::Chosen;
use crate::failure::{Failure, Result};
use upsweep::plan::Shape;
use upsweep::plan::cpu::CpuPlan;
#[cfg(feature = "cuda")]
use upsweep::plan::{
    reduce::ReducePlan,
    scan::{ScanPlan, Sizes},
};
use upsweep::segments::Kind;

/// What the library is to plan.
struct Planned {
    what: What,
    shape: Shape,
    kind: Kind,
    /// Of an element, and of a result, in bytes.
    size: usize,
}

/// The lines that explain a scan or a reduction.
pub(crate) fn lines(args: &ExplainArgs) -> Result<Vec<String>> {
    let failed = |e: upsweep_dynamic::Error| Failure::computing("explain", &e);
    let element = args.element;
    args.op.check(element).map_err(failed)?;
    let axes = args.shape.as_deref().unwrap_or(args.n.as_slice());
    let many = || Failure::Input(format!("so many values of {element} fit no memory: {axes:?}"));
    let elements = if axes.contains(&0) { Some(0) } else { axes.iter().try_fold(1usize, |n, &k| n.checked_mul(k)) };
    let (n, read) = elements.and_then(|n| Some((n, n.checked_mul(element.size())?))).ok_or_else(many)?;
    let axis = args.axis.map(|asked| axis(asked, axes, "explain")).transpose()?;
    let shape = Shape::new(axis.map(|axis| (axes, axis)), n).map_err(|e| failed(e.into()))?;
    let kind = match (args.by_key, args.segments) {
        (true, _) => Kind::Keys,
        (_, Some(How::Offsets)) => Kind::Offsets,
        (_, Some(How::Flags)) => Kind::HeadFlags,
        (_, None) => Kind::Whole,
    };
    let device = Chosen::open(args.device)?;
    let (name, results) = match args.what {
        What::Scan => ("inclusive scan", n),
        What::Reduce => ("reduction", shape.lines()),
    };
    let (along, segments) = match (axis, kind) {
        (Some(axis), _) => (format!(" along axis {axis} of {axes:?}"), ""),
        (None, Kind::Whole) => (String::new(), ""),
        (None, Kind::Offsets) => (String::new(), ", by offsets"),
        (None, Kind::HeadFlags) => (String::new(), ", by head flags"),
        (None, Kind::Keys) => (String::new(), ", by keys"),
    };
    let written = match (args.what, kind) {
        (What::Reduce, Kind::Offsets | Kind::HeadFlags | Kind::Keys) => format!("{} bytes a segment", element.size()),
        _ => format!("{} bytes", results * element.size()),
    };
    let planned = Planned { what: args.what, shape, kind, size: element.size() };
    Ok(vec![
        format!("what      {} {name} of {n} values of {element}{along}{segments}", args.op),
        format!("shape     {} line(s) of {} values, {} apart", shape.lines(), shape.len, shape.inner),
        format!("memory    reads {read} bytes, writes {written}"),
        format!("device    {}", device.label),
        format!("plan      {}", plan(&device, &planned)),
    ])
}

/// The library's plan for the device, as the library prints it: the one place that knows which plans there are.
fn plan(device: &Chosen, planned: &Planned) -> String {
    let Planned { what, shape, kind, size } = *planned;
    let n = shape.lines() * shape.len;
    #[cfg(feature = "cuda")]
    if let Some(cuda) = device.device.as_cuda() {
        let capability = cuda.info().compute_capability;
        return match (what, kind, shape.lines()) {
            (What::Scan, Kind::Whole, 1) => ScanPlan::new(n, Sizes::plain(size, size, size), capability).to_string(),
            (What::Reduce, Kind::Whole, 1) => ReducePlan::new(n, size, size).to_string(),
            _ => "for lines and segments, the library makes it when it runs".to_owned(),
        };
    }
    let _ = (device, what, kind);
    CpuPlan::new(n, size).to_string()
}
