//! Scans and reductions of arrays in compressed files and archives: they are unpacked, computed and written piece by piece, in
//! bounded memory.

use crate::args::{Common, ReduceArgs, ScanArgs, Statistic};
use crate::asked::{Asked, places};
use crate::binary::truncated;
use crate::carried::Carried;
use crate::device::{Chosen, Work};
use crate::element::{Value, Values, with_values};
use crate::failure::{Failure, Result, called};
use crate::input::{Form, check_end};
use crate::names;
use crate::npy::{self, Header};
use crate::npz;
use crate::parts::{Running, Scans, Total};
use crate::progress::Progress;
use crate::run;
use crate::source::{Source, is_standard_input};
use crate::sums::Sums;
use crate::write::{self, OutputForm};
use std::io::{ErrorKind, Read};
use std::time::Instant;
use upsweep_dynamic::{Op, Operation};

/// Number of values of a piece.
const PIECE: usize = 1 << 17;

/// Array in a compressed .npy, or in an archive.
struct Stream<'a> {
    common: &'a Common,
    name: String,
    header: Header,
}

/// Opens the array, and lets `act` read it from its first byte. It has the name of the array in messages.
fn with_reader<T>(common: &Common, act: impl FnOnce(&mut dyn Read, &str) -> Result<T>) -> Result<T> {
    let name = called(&common.file);
    let source = Source::open(&common.file, &name)?;
    if names::is_npz(&common.file) {
        let array = (common.array.as_deref(), common.options);
        return npz::read(&source, array, &name, |reader, name| act(reader, &name));
    }
    let done = act(&mut *source.reader(), &name)?;
    source.check_unchanged(&name)?;
    Ok(done)
}

impl<'a> Stream<'a> {
    /// Opens the array of a call that needs no more than one pass over it. `None`: it is read as a whole, or is no such file.
    fn open(common: &'a Common) -> Result<Option<Self>> {
        let path = &common.file;
        let for_tables = common.column.is_some() || common.by_key.is_some() || common.missing.is_asked();
        let is_table = common.table.is_table() || names::delimiter(path).is_some() || common.table.of_text().is_some();
        let others = common.segments.is_some() || common.axis.is_some() || !common.more.is_empty();
        if for_tables || is_table || others || is_standard_input(path) {
            return Ok(None);
        }
        // A pipe must be opened once, and a file that is not compressed has a faster way.
        let is_packed = names::is_npy(path) && crate::packed::Packing::of_name(path).is_some();
        let plain = std::fs::metadata(path).is_ok_and(|found| found.is_file());
        if !plain || !(is_packed || names::is_npz(path)) || (is_packed && common.array.is_some()) {
            return Ok(None);
        }
        let read = with_reader(common, |reader, name| Ok((npy::read_header(reader).ok(), name.to_owned())));
        // Whoever reads the whole array says what is wrong with it.
        let Ok((Some(header), name)) = read else { return Ok(None) };
        let converted = common.element.is_some_and(|target| target != header.element);
        Ok((!header.fortran && !converted).then_some(Self { common, name, header }))
    }

    /// Unpacks the array, and lets `act` work on each piece.
    fn each(&self, doing: &'static str, act: &mut dyn FnMut(&Values) -> Result<()>) -> Result<()> {
        let Header { element, swapped, len, .. } = self.header;
        let bytes = len.saturating_mul(element.size());
        let progress = Progress::new(doing, Some(bytes as u64));
        with_reader(self.common, |reader, name| {
            let same = npy::read_header(reader).is_ok_and(|header| (header.element, header.len) == (element, len));
            if !same {
                return Err(Failure::changed(name));
            }
            let mut values = Values::zeroed(element, PIECE.min(len)).map_err(|e| Failure::computing(name, &e))?;
            for start in (0..len).step_by(PIECE) {
                let count = PIECE.min(len - start);
                with_values!(&mut values, x => {
                    x.resize(count, Default::default());
                    Value::read(x, reader).map_err(|e| match e.kind() {
                        ErrorKind::UnexpectedEof => truncated(name, bytes, start * element.size()),
                        _ => Failure::reading(name, &e),
                    })?;
                    if swapped {
                        x.iter_mut().for_each(|x| *x = x.swap());
                    }
                });
                act(&values)?;
                progress.step(count * element.size());
            }
            check_end(reader, name, || "more".to_owned())
        })
    }
}

/// Runs `upsweep scan` of such an array, to an array of any kind. Returns `None` if another way has to.
pub(crate) fn scan((args, op): (&ScanArgs, Op)) -> Result<Option<()>> {
    let (begun, common) = (Instant::now(), &args.common);
    let named = common.output.as_deref().map(|path| OutputForm::of_path("-o", path));
    let Some(Ok(form @ (OutputForm::Npy | OutputForm::Raw(_)))) = named else { return Ok(None) };
    if args.reverse {
        return Ok(None);
    }
    let Some(stream) = Stream::open(common)? else { return Ok(None) };
    let Header { element, len, ref shape, .. } = stream.header;
    common.sums.check(&[op])?;
    let sums = Sums::new(common.sums, op, element, form)?;
    if !op.keeps_bits_in_parts(sums.computed) {
        return Ok(None);
    }
    let (destination, _) = run::output(common.output.as_deref())?;
    let carried = Carried::of(Operation::Scan, &args.carries, common.init.as_deref(), &destination)?;
    let device = Chosen::open(common.device, Work::Pass)?;
    sums.check_output(form, op, destination.name())?;
    sums.note_width(form, element);
    let asked = Asked { common, name: &stream.name, device: &device, shape, axis: None, sums, missing: 0, begun };
    let Scans { checked, computed } = Scans::new((args, op), &asked, None)?;
    let mut running = Running::new(&asked, (op, &checked, computed), (element, len), &carried)?;
    let places = places(&Form::Npy, shape);
    let failed = |e: &std::io::Error| Failure::writing(destination.name(), e);
    destination.write(|out| {
        if form == OutputForm::Npy {
            out.write_all(&npy::header(sums.results, shape)).map_err(|e| failed(&e))?;
        }
        stream.each("scanning", &mut |values| {
            out.write_all(running.results(values, &places)?.bytes()).map_err(|e| failed(&e))
        })?;
        running.check(&carried, &places)
    })?;
    running.finish(&carried).map(Some)
}

/// Runs `upsweep reduce` of such an array by one operator. Returns `None` if another way has to.
pub(crate) fn reduce(args: &ReduceArgs) -> Result<Option<()>> {
    let (begun, common) = (Instant::now(), &args.common);
    let [Statistic::Of(op)] = args.op[..] else { return Ok(None) };
    let Some(stream) = Stream::open(common)? else { return Ok(None) };
    let Header { element, len, ref shape, .. } = stream.header;
    common.sums.check(&[op])?;
    let (destination, named) = run::output(common.output.as_deref())?;
    let form = named.unwrap_or(OutputForm::Words);
    let sums = Sums::new(common.sums, op, element, form)?;
    if !op.keeps_bits_in_parts(sums.computed) {
        return Ok(None);
    }
    let carried = Carried::of(Operation::Reduction, &args.carries, common.init.as_deref(), &destination)?;
    let device = Chosen::open(common.device, Work::Pass)?;
    sums.check_output(form, op, destination.name())?;
    sums.note_width(form, element);
    let asked = Asked { common, name: &stream.name, device: &device, shape, axis: None, sums, missing: 0, begun };
    let (mut total, places) = (Total::new(&asked, op, (element, len), &carried)?, places(&Form::Npy, shape));
    stream.each("reducing", &mut |values| total.add(values, &places))?;
    total.finish(&carried, &places, |total| {
        let progress = Progress::new("writing", None);
        destination.write(|out| write::write(form, total, &[], (out, destination.name()), &progress))
    })?;
    Ok(Some(()))
}
