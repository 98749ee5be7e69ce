//! Sound in .wav files.

use crate::element::Values;
use crate::failure::{Failure, Result, note, words};
use crate::source::Source;
use hound::{SampleFormat, WavReader, WavSpec, WavWriter};
use std::io::{BufReader, Cursor, ErrorKind};
use std::path::Path;

/// The sound of a file: values from -1 to 1, a row for each point in time with a value for each channel.
pub(crate) struct Sound {
    pub(crate) spec: WavSpec,
    pub(crate) values: Values,
    pub(crate) shape: Vec<usize>,
}

/// Whether `path` has the name of sound.
pub(crate) fn is_wav(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wav"))
}

/// How much a value of 1 is as a whole number of so many bits.
fn full(bits: u16) -> f64 {
    (1u64 << (bits - 1)) as f64
}

/// Reads sound.
pub(crate) fn read(path: &Path, name: &str) -> Result<Sound> {
    let source = Source::open(path, name)?;
    let wrong = |e: hound::Error| match e {
        // What hound says of an end that comes too early is of no kind.
        hound::Error::IoError(e) if matches!(e.kind(), ErrorKind::UnexpectedEof | ErrorKind::Other) => {
            Failure::input(name, "is truncated: its header promises more")
        }
        hound::Error::IoError(e) => Failure::input(name, words(&e)),
        hound::Error::Unsupported => {
            Failure::input(name, "is a .wav of a form that is not read: it must be PCM or f32")
        }
        e => Failure::input(name, format!("is no .wav: {e}")),
    };
    let mut reader = WavReader::new(BufReader::new(&source.file)).map_err(wrong)?;
    let spec = reader.spec();
    let values = match spec.sample_format {
        SampleFormat::Float => {
            Values::F32(reader.samples::<f32>().collect::<std::result::Result<_, _>>().map_err(wrong)?)
        }
        SampleFormat::Int => {
            let full = full(spec.bits_per_sample);
            let samples = reader.samples::<i32>();
            // Whole numbers of up to 24 bits are f32.
            if spec.bits_per_sample <= 24 {
                let value = |x: hound::Result<i32>| x.map(|x| (f64::from(x) / full) as f32);
                Values::F32(samples.map(value).collect::<hound::Result<_>>().map_err(wrong)?)
            } else {
                let value = |x: hound::Result<i32>| x.map(|x| f64::from(x) / full);
                Values::F64(samples.map(value).collect::<hound::Result<_>>().map_err(wrong)?)
            }
        }
    };
    source.check_unchanged(name)?;
    let channels = usize::from(spec.channels).max(1);
    if values.len() % channels != 0 {
        return Err(Failure::input(name, format!("is truncated: {} values for {channels} channels", values.len())));
    }
    let shape = if channels == 1 { vec![values.len()] } else { vec![values.len() / channels, channels] };
    Ok(Sound { spec, values, shape })
}

/// Values as sound of this form, which messages call `name`. What is louder than the form can say is cut, and said.
pub(crate) fn written(values: &Values, spec: WavSpec, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    let failed = |e: hound::Error| Failure::Run(format!("{name}: writing failed: {e}"));
    let mut writer = WavWriter::new(&mut bytes, spec).map_err(failed)?;
    let mut cut = 0usize;
    let mut put = |x: f64| {
        if spec.sample_format == SampleFormat::Float {
            return writer.write_sample(x as f32);
        }
        let full = full(spec.bits_per_sample);
        let level = (x * full).round();
        cut += usize::from(level >= full || level < -full || level.is_nan());
        writer.write_sample(level.clamp(-full, full - 1.0) as i32)
    };
    match values {
        Values::F32(x) => x.iter().try_for_each(|&x| put(x.into())),
        Values::F64(x) => x.iter().try_for_each(|&x| put(x)),
        _ => Ok(()),
    }
    .map_err(failed)?;
    writer.finalize().map_err(failed)?;
    if cut > 0 {
        note(&format!("{name}: {cut} values are louder than a .wav of whole numbers can say, and were cut"));
    }
    Ok(bytes.into_inner())
}
