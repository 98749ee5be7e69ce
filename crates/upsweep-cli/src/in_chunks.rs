//! Scans and reductions of arrays in files that are read, computed and written at the same time.

use crate::args::{Common, ScanArgs};
use crate::asked::{Asked, axis, described, places, report};
use crate::carried::Carried;
use crate::chunks::{self, ArrayFile};
use crate::device::Chosen;
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::npy;
use crate::output::Destination;
use crate::parts::Scans;
use crate::progress::Progress;
use crate::sums::Sums;
use crate::write::{self, OutputForm};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use upsweep::Shape;
use upsweep_dynamic::{Error, Op, Operation, Reduce};

/// Whether a file can be scanned in chunks, with the bits of one call.
pub(crate) fn can_scan(
    (args, op): (&ScanArgs, Op),
    (file, sums): (&ArrayFile, Sums),
    device: &Chosen,
    carried: &Carried<'_>,
) -> bool {
    let in_order = args.common.axis.is_none_or(|_| file.shape.len() == 1) && !args.reverse;
    op.keeps_bits_in_parts(sums.computed) && (in_order || device.on_host && has_lines(file, carried))
}

/// Whether a file can be reduced in chunks, with the bits of one call.
pub(crate) fn can_reduce((common, op): (&Common, Op), (file, sums): (&ArrayFile, Sums), carried: &Carried<'_>) -> bool {
    let is_one = common.axis.is_none_or(|_| file.shape.len() == 1);
    op.keeps_bits_in_parts(sums.computed) && (is_one || has_lines(file, carried))
}

/// Whether the lines of an array along an axis can be taken by themselves.
fn has_lines(file: &ArrayFile, carried: &Carried<'_>) -> bool {
    file.len > 0 && !carried.is_asked()
}

/// Runs `upsweep scan` of a file that [can be scanned](can_scan) in chunks.
pub(crate) fn scan(
    (args, op): (&ScanArgs, Op),
    (file, sums): (&ArrayFile, Sums),
    device: &Chosen,
    (destination, form): (&Destination, OutputForm),
    carried: &Carried<'_>,
    begun: Instant,
) -> Result<()> {
    let common = &args.common;
    let &ArrayFile { ref name, element, ref shape, len, form: ref input_form, .. } = file;
    sums.check_output(form, op, destination.name())?;
    let axis = common.axis.map(|asked| axis(asked, shape, name)).transpose()?;
    sums.note_width(form, element);
    let asked = Asked { common, name, device, shape, axis, sums, missing: 0, begun };
    let Scans { checked, computed: scan } = Scans::new((args, op), &asked, None)?;
    let places = places(input_form, shape);
    let overflow = |e: &Error| asked.overflow(&places, "", e);
    let header = if form == OutputForm::Npy { npy::header(sums.results, shape) } else { Vec::new() };
    let begin = header.len() as u64;
    let started = Instant::now();
    if args.reverse || axis.is_some_and(|_| shape.len() > 1) {
        let (shape, reverse) = (along(file, axis, &asked)?, args.reverse);
        let job = chunks::scan_lines::Job { file, scan, checked, sums, shape, reverse, begin };
        destination.write_places(|places| {
            places.write(&header, 0)?;
            job.run(places, &overflow)
        })?;
    } else {
        let carry = carried.read(Operation::Scan, op, sums.computed)?;
        let check = if sums.checked { checked.running_check(&carry, element, len) } else { Ok(None) };
        let (check, handed_on) = (check.map_err(|e| asked.failed(&e))?, carried.is_handed_on());
        let job = chunks::scan::Job { file, device, scan, sums, check, handed_on, begin };
        let mut last = carry;
        destination.write_places(|places| {
            places.write(&header, 0)?;
            last = job.run(std::mem::take(&mut last), places, &overflow)?;
            carried.check_init(&last, &asked)
        })?;
        carried.write(&last, &asked)?;
    }
    let bytes = len * (element.size() + sums.results.size());
    report(destination, &asked.summary(described(args, op), (len, element), started.elapsed(), bytes));
    Ok(())
}

/// Returns the shape of an array along the axis, if there is one.
fn along(file: &ArrayFile, axis: Option<usize>, asked: &Asked<'_>) -> Result<Shape> {
    Shape::new(axis.map(|axis| (&file.shape[..], axis)), file.len).map_err(|e| asked.failed(&e.into()))
}

/// Runs `upsweep reduce` of a file that [can be reduced](can_reduce) in chunks.
pub(crate) fn reduce(
    (common, op): (&Common, Op),
    (file, sums): (&ArrayFile, Sums),
    device: &Chosen,
    (destination, form): (&Destination, OutputForm),
    carried: &Carried<'_>,
    begun: Instant,
) -> Result<()> {
    let &ArrayFile { ref name, element, ref shape, len, form: ref input_form, .. } = file;
    sums.check_output(form, op, destination.name())?;
    sums.note_width(form, element);
    let axis = common.axis.map(|asked| axis(asked, shape, name)).transpose()?;
    let asked = Asked { common, name, device, shape, axis, sums, missing: 0, begun };
    let mut reduce = Reduce::new(op).accumulate(sums.computed);
    let mut checked = Reduce::new(op).accumulate(sums.results);
    if let Some(init) = asked.init()? {
        (reduce, checked) = (reduce.init(sums.init(init)), checked.init(init));
    }
    let places = places(input_form, shape);
    let failed = |e: &Error| asked.overflow(&places, "from here on ", e);
    let started = Instant::now();
    if let Some(axis) = axis.filter(|_| shape.len() > 1) {
        let left = shape.iter().enumerate().filter(|(k, _)| *k != axis).map(|(_, &n)| n).collect::<Vec<_>>();
        let shape = along(file, Some(axis), &asked)?;
        let job = chunks::reduce_lines::Job { file, reduce, checked, sums, shape };
        reduce_lines(&job, &left, (destination, form), &failed)?;
    } else {
        let carry = carried.read(Operation::Reduction, op, sums.computed)?;
        let check = if sums.checked { checked.running_check(&carry, element, len) } else { Ok(None) };
        let check = check.map_err(|e| asked.failed(&e))?;
        let job = chunks::reduce::Job { file, reduce, sums, check };
        let carry = carried.is_asked().then_some(carry);
        let (total, carry) = job.run(carry, &failed)?;
        let total = sums.results(total).map_err(|e| asked.failed(&e))?;
        let (out_name, progress) = (destination.name(), Progress::new("writing", None));
        destination.write(|out| write::write(form, &total, &[], (out, out_name), &progress))?;
        if let Some(carry) = &carry {
            carried.write(carry, &asked)?;
        }
    }
    let time = started.elapsed();
    report(destination, &asked.summary(format!("{op} reduction"), (len, element), time, len * element.size()));
    Ok(())
}

/// Writes the results of a reduction along an axis, which have this `shape`: to a file of an array as they come.
fn reduce_lines(
    job: &chunks::reduce_lines::Job<'_>,
    shape: &[usize],
    (destination, form): (&Destination, OutputForm),
    failed: &(dyn Fn(&Error) -> Failure + Sync),
) -> Result<()> {
    let element = job.sums.results;
    if destination.has_places() && matches!(form, OutputForm::Npy | OutputForm::Raw(_)) {
        let header = if form == OutputForm::Npy { npy::header(element, shape) } else { Vec::new() };
        let at = |index: usize| header.len() as u64 + index as u64 * element.size() as u64;
        return destination.write_places(|places| {
            places.write(&header, 0)?;
            job.run(&|index, results| places.write(results.bytes(), at(index)), failed)
        });
    }
    let all = Values::zeroed(element, job.shape.lines()).map_err(|e| failed(&e))?;
    let all = Mutex::new(all);
    let take = |index: usize, results: &Values| {
        all.lock().unwrap_or_else(PoisonError::into_inner).view_mut().put(index, results.view());
        Ok(())
    };
    job.run(&take, failed)?;
    let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (name, progress) = (destination.name(), Progress::new("writing", None));
    destination.write(|out| write::write(form, &all, shape, (out, name), &progress))
}
