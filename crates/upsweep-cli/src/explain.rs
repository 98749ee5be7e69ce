//! Command `explain`: the plan of a call, computed from the sizes alone.

use crate::args::{ExplainArgs, Explained, How, Summing};
use crate::asked::axis;
use crate::device::{Chosen, Work};
use crate::failure::{Failure, Result};
use crate::sums::Sums;
use crate::write::OutputForm;
use upsweep::segments::Kind;
use upsweep::{Question, Shape};
use upsweep_dynamic::Op;

/// Returns the lines that explain the plan of the call that the options describe.
pub(crate) fn lines(args: &ExplainArgs) -> Result<Vec<String>> {
    let many = || Failure::Input(format!("so many values of {} fit no memory: {:?}", args.element, axes(args)));
    let n = match axes(args) {
        axes if axes.contains(&0) => Some(0),
        axes => axes.iter().try_fold(1usize, |n, &k| n.checked_mul(k)),
    };
    let read = n.and_then(|n| n.checked_mul(args.element.size()));
    let (n, read) = n.zip(read).ok_or_else(many)?;
    others_only(args)?;
    match args.what {
        Explained::Scan | Explained::Reduce => scan_or_reduction(args, n, read),
        _ => other(args, n),
    }
}

/// Returns what the command does that is explained, for the choice of its device.
fn work(what: Explained) -> Work {
    match what {
        Explained::Sort | Explained::Merge | Explained::Integral => Work::Computation,
        _ => Work::Pass,
    }
}

fn axes(args: &ExplainArgs) -> &[usize] {
    args.shape.as_deref().unwrap_or(args.n.as_slice())
}

/// Fails if an option was given that the call to be explained does not have.
fn others_only(args: &ExplainArgs) -> Result<()> {
    use Explained::{Filter, Histogram, Integral, Merge, Reduce, Scan, Sort, Top};
    let given = [
        ("--op", args.op.is_some(), &[Scan, Reduce][..]),
        ("--axis", args.axis.is_some(), &[Scan, Reduce, Filter]),
        ("--by-key", args.by_key, &[Scan, Reduce]),
        ("--segments", args.segments.is_some(), &[Scan, Reduce]),
        ("--shape", args.shape.is_some(), &[Scan, Reduce, Filter, Integral]),
        ("--values", args.values.is_some(), &[Sort, Merge]),
        ("-k", args.k.is_some(), &[Top]),
        ("--bins", args.bins.is_some(), &[Histogram]),
        ("--order", args.order.is_some(), &[Filter]),
    ];
    match given.iter().find(|(_, given, of)| *given && !of.contains(&args.what)) {
        None => Ok(()),
        Some((option, _, of)) => {
            let names: Vec<String> = of.iter().map(|what| format!("{what:?}").to_lowercase()).collect();
            Err(Failure::Input(format!("{option} is an option of {}: leave it out", names.join(", "))))
        }
    }
}

/// Returns the lines for a call that is neither a scan nor a reduction.
fn other(args: &ExplainArgs, n: usize) -> Result<Vec<String>> {
    let (element, axes) = (args.element.size(), axes(args));
    let value = args.values.map_or(0, |values| values.size());
    let question = match args.what {
        Explained::Select | Explained::Scan | Explained::Reduce => Question::Select { len: n, element },
        Explained::Partition => Question::Partition { len: n, element },
        Explained::Sort => Question::Sort { len: n, key: element, value },
        Explained::Merge => Question::Merge { len: n, key: element, value },
        Explained::Top => Question::TopK { len: n, k: args.k.unwrap_or(10), key: element },
        Explained::Histogram => Question::Histogram { len: n, element, bins: args.bins.unwrap_or(256) },
        Explained::Expand => Question::Expand { counts: n, result: element },
        Explained::Integral => match *axes {
            [.., rows, columns] => {
                let arrays = axes.iter().rev().skip(2).product();
                Question::ScanAxes { arrays, rows, columns, element }
            }
            _ => return Err(Failure::Input("an image has two axes: give them by --shape ROWS,COLUMNS".to_owned())),
        },
        Explained::Filter => {
            let axis = args.axis.map(|asked| axis(asked, axes, "explain")).transpose()?;
            let shape = Shape::new(axis.map(|axis| (axes, axis)), n);
            let shape = shape.map_err(|e| Failure::computing("explain", &e.into()))?;
            Question::Recurrence { shape, element, order: args.order.unwrap_or(2) }
        }
    };
    let work = work(args.what);
    let device = Chosen::open(args.device, work)?;
    Ok(vec![device.described(args.device, work), format!("plan      {}", device.device.explain(question))])
}

/// Returns the lines for a scan or a reduction.
fn scan_or_reduction(args: &ExplainArgs, n: usize, read: usize) -> Result<Vec<String>> {
    let failed = |e: upsweep_dynamic::Error| Failure::computing("explain", &e);
    let element = args.element;
    let op = args.op.unwrap_or(Op::Sum);
    let sums = Sums::new(Summing::default(), op, element, OutputForm::Words)?;
    let computed = sums.computed;
    op.check(computed).map_err(failed)?;
    let axes = axes(args);
    let many = || Failure::Input(format!("so many values of {element} fit no memory: {axes:?}"));
    let axis = args.axis.map(|asked| axis(asked, axes, "explain")).transpose()?;
    let shape = Shape::new(axis.map(|axis| (axes, axis)), n).map_err(|e| failed(e.into()))?;
    let kind = match (args.by_key, args.segments) {
        (true, _) => Kind::Keys,
        (_, Some(How::Offsets)) => Kind::Offsets,
        (_, Some(How::Flags)) => Kind::HeadFlags,
        (_, None) => Kind::Whole,
    };
    let work = work(args.what);
    let device = Chosen::open(args.device, work)?;
    let (name, results) = match args.what {
        Explained::Reduce => ("reduction", shape.lines()),
        _ => ("inclusive scan", n),
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
        (Explained::Reduce, Kind::Offsets | Kind::HeadFlags | Kind::Keys) => {
            format!("{} bytes a segment", computed.size())
        }
        _ => format!("{} bytes", written),
    };
    // Flags and keys become offsets before the computation. No option gives the number of segments, so the plan is that
    // for one segment.
    let (element_bytes, by) = (computed.size(), (kind != Kind::Whole).then_some(1));
    let question = match args.what {
        Explained::Reduce => Question::Reduce { shape, element: element_bytes, segments: by },
        _ => Question::Scan { shape, element: element_bytes, segments: by },
    };
    Ok(vec![
        format!("what      {op} {name} of {n} values of {element}{}{along}{segments}", sums.words(element)),
        format!("shape     {} line(s) of {} values, {} apart", shape.lines(), shape.len, shape.inner),
        format!("memory    reads {read} bytes, writes {written}"),
        device.described(args.device, work),
        format!("plan      {}", device.device.explain(question)),
    ])
}
