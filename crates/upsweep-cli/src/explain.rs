//! The command `explain`: what would run, computed from the sizes alone.

use crate::args::{ExplainArgs, How, Summing, What};
use crate::asked::axis;
use crate::device::Chosen;
use crate::failure::{Failure, Result};
use crate::sums::Sums;
use crate::write::OutputForm;
use upsweep::plan::Shape;
use upsweep::plan::cpu::{CpuJob, CpuKind, CpuSegments};
use upsweep::segments::Kind;

/// The lines that explain a scan or a reduction.
pub(crate) fn lines(args: &ExplainArgs) -> Result<Vec<String>> {
    let failed = |e: upsweep_dynamic::Error| Failure::computing("explain", &e);
    let element = args.element;
    let sums = Sums::new(Summing::default(), args.op, element, OutputForm::Words)?;
    let computed = sums.computed;
    args.op.check(computed).map_err(failed)?;
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
    let written = results.checked_mul(computed.size()).ok_or_else(many)?;
    let written = match (args.what, kind) {
        (What::Reduce, Kind::Offsets | Kind::HeadFlags | Kind::Keys) => format!("{} bytes a segment", computed.size()),
        _ => format!("{} bytes", written),
    };
    let job = CpuJob {
        kind: match args.what {
            What::Scan => CpuKind::Scan,
            What::Reduce => CpuKind::Reduction,
        },
        shape,
        // Flags and keys become offsets before they are computed with. How many segments there are is not asked for: the plan
        // is that of one.
        segments: if kind == Kind::Whole { CpuSegments::None } else { CpuSegments::Offsets(1) },
        bytes: [computed.size(); 3],
        in_place: false,
    };
    Ok(vec![
        format!("what      {} {name} of {n} values of {element}{}{along}{segments}", args.op, sums.words(element)),
        format!("shape     {} line(s) of {} values, {} apart", shape.lines(), shape.len, shape.inner),
        format!("memory    reads {read} bytes, writes {written}"),
        format!("device    {}", device.label),
        format!("plan      {}", device.device.plan(job)),
    ])
}
