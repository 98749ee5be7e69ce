//! Sound in .wav files: integers of 8 to 32 bits and floats, in RIFF, in RF64 and in RIFX.
//!
//! ```text
//! RIFF size WAVE        size is that of all that follows; RF64 has the sizes that 32 bits do not hold in a chunk ds64;
//!                       in RIFX the most significant byte of each number comes first
//! id size bytes, pad    chunks: fmt says what the values are, data has them; after an odd number of bytes comes one more
//! ```
//!
//! A value lies in the upper bits of its bytes: 20 bits in 4 bytes have 12 zero bits below them.

use crate::element::Values;
use crate::failure::{Failure, Result, note};
use crate::names;
use crate::source::Source;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// Format of the samples in a sound file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    float: bool,
    channels: u16,
    /// Sample rate: values per second in each channel.
    rate: u32,
    /// Number of bytes of a value, and number of bits of it that are used.
    bytes: u16,
    bits: u16,
    /// Mask of the loudspeakers for which the channels are, 0 if the file has none.
    speakers: u32,
}

/// Sound of a file: integers scaled to the range from -1 to 1, or floats as they are. A row is a point in time, with a
/// value for each channel.
pub(crate) struct Sound {
    pub(crate) form: Form,
    pub(crate) values: Values,
    pub(crate) shape: Vec<usize>,
}

/// Whether the name is that of a sound file: it ends in .wav.
pub(crate) fn is_wav(path: &Path) -> bool {
    names::ends_in(path, "wav")
}

/// Returns the name, for a message, of a sample format that is not read.
fn format_name(format: u16) -> &'static str {
    match format {
        0x0002 | 0x0011 => "ADPCM",
        0x0006 => "A-law",
        0x0007 => "mu-law",
        0x0050 | 0x0055 => "MPEG",
        _ => "something else",
    }
}

const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;
/// Last 14 bytes of the GUID of an extended format. Its first two bytes are the number of the format.
const GUID: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];

/// Order of the bytes of a file's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn u16_at(self, bytes: &[u8], at: usize) -> Option<u16> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(if self == Self::Big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    fn u32_at(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(if self == Self::Big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }
}

impl Form {
    /// Values per second in each channel.
    pub(crate) fn rate(self) -> u32 {
        self.rate
    }

    /// Parses the content of a `fmt ` chunk.
    fn parse(chunk: &[u8], order: Order) -> std::result::Result<Self, String> {
        let short = "is no .wav: its fmt chunk is too short";
        let half = |at| order.u16_at(chunk, at).ok_or(short);
        let (mut format, channels, block, width) = (half(0)?, half(2)?, half(12)?, half(14)?);
        let rate = order.u32_at(chunk, 4).ok_or(short)?;
        let (mut bits, mut speakers) = (width, 0);
        if format == EXTENSIBLE {
            // The GUID begins with numbers of four, two and two bytes.
            let mut guid = *chunk.get(24..).and_then(|guid| guid.first_chunk::<16>()).ok_or(short)?;
            if order == Order::Big {
                [0..4, 4..6, 6..8].into_iter().for_each(|number| guid[number].reverse());
            }
            (bits, format) = (half(18)?, u16::from_le_bytes([guid[0], guid[1]]));
            speakers = order.u32_at(chunk, 20).ok_or(short)?;
            if guid[2..] != GUID {
                return Err("is a .wav of a format of somebody's own: PCM and floats are read".to_owned());
            }
            // Some writers leave out the number of bits that are used.
            bits = if bits == 0 { width } else { bits };
        }
        if format != PCM && format != FLOAT {
            return Err(format!("is a .wav of {} (format {format}): PCM and floats are read", format_name(format)));
        }
        let bytes = block.checked_div(channels).unwrap_or(0);
        let float = format == FLOAT;
        let fits = match float {
            true => matches!((bytes, bits), (4, 32) | (8, 64)),
            false => (1..=4).contains(&bytes) && (1..=8 * bytes).contains(&bits),
        };
        if !fits || bytes.checked_mul(channels) != Some(block) {
            let of = if float { "floats" } else { "whole numbers" };
            let read = "whole numbers of up to 32 bits and floats of 32 and 64 are read";
            return Err(format!("has {of} of {bits} bits, {channels} channels in {block} bytes: {read}"));
        }
        Ok(Self { float, channels, rate, bytes, bits, speakers })
    }

    /// Builds the content of a `fmt ` chunk.
    fn chunk(&self) -> Vec<u8> {
        let format = if self.float { FLOAT } else { PCM };
        let extended = self.channels > 2 || !self.float && (self.bits > 16 || self.bits != 8 * self.bytes);
        let block = self.channels * self.bytes;
        let mut chunk = Vec::new();
        chunk.extend((if extended { EXTENSIBLE } else { format }).to_le_bytes());
        chunk.extend(self.channels.to_le_bytes());
        chunk.extend(self.rate.to_le_bytes());
        chunk.extend(self.rate.wrapping_mul(block.into()).to_le_bytes());
        chunk.extend(block.to_le_bytes());
        chunk.extend((8 * self.bytes).to_le_bytes());
        if extended {
            chunk.extend(22u16.to_le_bytes());
            chunk.extend(self.bits.to_le_bytes());
            chunk.extend(self.speakers.to_le_bytes());
            chunk.extend(format.to_le_bytes());
            chunk.extend(GUID);
        } else if self.float {
            chunk.extend(0u16.to_le_bytes());
        }
        chunk
    }

    /// Returns the integer that stands for a value of 1: it is 1 more than the largest one.
    fn full(&self) -> f64 {
        (1u64 << (self.bits - 1)) as f64
    }
}

/// Parses a file into its sample format, the place of its values, and the order of their bytes.
fn parse(file: &[u8]) -> std::result::Result<(Form, Range<usize>, Order), String> {
    let (wide, order) = match file.first_chunk::<4>() {
        Some(b"RIFF") => (false, Order::Little),
        Some(b"RIFX") => (false, Order::Big),
        Some(b"RF64" | b"BW64") => (true, Order::Little),
        Some(b"riff") => return Err("is in Sony's form (W64), which is not read".to_owned()),
        _ => return Err("is no .wav: it does not begin with RIFF".to_owned()),
    };
    if file.get(8..12) != Some(b"WAVE") {
        return Err("is no .wav: behind RIFF there is no WAVE".to_owned());
    }
    // A program that writes to a pipe does not know the sizes, and leaves impossible ones.
    let unknown = |size: u32| size >= 0xffff_0000 || (0x7fff_0000..=0x7fff_ffff).contains(&size);
    let unfinished = order.u32_at(file, 4).is_some_and(|size| size == 0 || unknown(size));
    let (mut at, mut form, mut long) = (12, None, None::<u64>);
    while let (Some(id), Some(size)) = (file.get(at..at + 4), order.u32_at(file, at + 4)) {
        let rest = file.get(at + 8..).unwrap_or_default();
        let truncated = || format!("is truncated: its header promises {size} bytes of {}", id.escape_ascii());
        if id == b"data" {
            let form: Form = form.ok_or("is no .wav: its data comes before its fmt chunk")?;
            let block = usize::from(form.bytes * form.channels);
            let data = match long.filter(|_| size == u32::MAX) {
                Some(size) => usize::try_from(size).ok().and_then(|size| rest.get(..size)),
                None if size == 0 && unfinished || !wide && unknown(size) && size as usize > rest.len() => {
                    // If the data have an odd number of bytes, a padding byte follows them.
                    let odd = rest.len() % block == 1 && rest.len().is_multiple_of(2);
                    rest.get(..rest.len() - usize::from(odd))
                }
                None => rest.get(..size as usize),
            };
            let data = data.ok_or_else(truncated)?;
            return match data.len() % block {
                0 => Ok((form, at + 8..at + 8 + data.len(), order)),
                _ => Err(format!("is truncated: {} bytes for values of {block}", data.len())),
            };
        }
        let chunk = rest.get(..size as usize).ok_or_else(truncated)?;
        match id {
            b"fmt " => form = Some(Form::parse(chunk, order)?),
            b"ds64" => {
                long = chunk.get(8..16).and_then(|size| size.first_chunk()).map(|size| u64::from_le_bytes(*size))
            }
            _ => {}
        }
        // Some writers leave out the padding byte after an odd number of bytes.
        let without = |next: &[u8]| next.starts_with(b"data") || next.starts_with(b"fmt ");
        let pad = chunk.len() % 2 == 1 && !rest.get(chunk.len()..).is_some_and(without);
        at += 8 + chunk.len() + usize::from(pad);
    }
    Err("is truncated: it has no data".to_owned())
}

/// Converts bytes to integers in the upper bits of i32. Returns them, and the number of their bits that are used.
fn whole_numbers(data: &[u8], form: Form) -> (impl Iterator<Item = i32> + Clone, u16) {
    let bytes = usize::from(form.bytes);
    let number = move |value: &[u8]| {
        let mut all = [0u8; 4];
        all.iter_mut().rev().zip(value.iter().rev()).for_each(|(to, &byte)| *to = byte);
        // Integers of one byte are unsigned, with 128 for 0.
        i32::from_le_bytes(all) ^ if bytes == 1 { i32::MIN } else { 0 }
    };
    let numbers = data.chunks_exact(bytes).map(number);
    let below = u32::from(32 - form.bits);
    // Some writers put a value that has fewer bits than its bytes into the lower bits. The others put it into the upper
    // bits, with zeros below.
    let low = u32::from(8 * form.bytes - form.bits);
    let in_upper = numbers.clone().all(|n| n.trailing_zeros() >= below);
    let in_lower = !in_upper && numbers.clone().all(|n| n << low >> low == n);
    let bits = if in_upper || in_lower { form.bits } else { 8 * form.bytes };
    (numbers.map(move |n| if in_lower { n << low } else { n }), bits)
}

/// Collects `len` values, or fails if there is no memory for them.
fn collected<T>(values: impl Iterator<Item = T>, len: usize, name: &str) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(len).map_err(|_| Failure::memory(name, len.saturating_mul(size_of::<T>())))?;
    all.extend(values);
    Ok(all)
}

/// Reads a sound file.
pub(crate) fn read(path: &Path, name: &str) -> Result<Sound> {
    let source = Source::open(path, name)?;
    let mut file = Vec::new();
    source.reader().read_to_end(&mut file).map_err(|e| Failure::reading(name, &e))?;
    source.check_unchanged(name)?;
    let (mut form, place, order) = parse(&file).map_err(|reason| Failure::input(name, reason))?;
    let data = file.get_mut(place).unwrap_or_default();
    if order == Order::Big {
        data.chunks_exact_mut(form.bytes.into()).for_each(<[u8]>::reverse);
    }
    let data = &*data;
    let len = data.len() / usize::from(form.bytes);
    let values = match (form.float, form.bytes) {
        (true, 4) => {
            Values::F32(collected(data.as_chunks().0.iter().map(|&x: &[u8; 4]| f32::from_le_bytes(x)), len, name)?)
        }
        (true, _) => {
            Values::F64(collected(data.as_chunks().0.iter().map(|&x: &[u8; 8]| f64::from_le_bytes(x)), len, name)?)
        }
        (false, _) => {
            let (numbers, bits) = whole_numbers(data, form);
            form.bits = bits;
            let value = |n: i32| f64::from(n) / f64::from(1u32 << 31);
            // Integers of up to 24 bits are exact as f32.
            match bits <= 24 {
                true => Values::F32(collected(numbers.map(|n| value(n) as f32), len, name)?),
                false => Values::F64(collected(numbers.map(value), len, name)?),
            }
        }
    };
    let channels = usize::from(form.channels);
    let shape = if channels == 1 { vec![len] } else { vec![len / channels, channels] };
    Ok(Sound { form, values, shape })
}

/// Encodes values as a sound file in this format. Values out of the format's range are clipped, with a note that calls
/// the file `name`.
pub(crate) fn written(values: &Values, form: Form, name: &str) -> Result<Vec<u8>> {
    let len = values.len().saturating_mul(form.bytes.into());
    let header = form.chunk();
    let Some(size) = u32::try_from(len).ok().and_then(|len| len.checked_add(header.len() as u32 + 64)) else {
        return Err(Failure::Input(format!("-o {name}: a .wav holds less than 4 GiB, not {len} bytes: write .npy")));
    };
    let mut file = Vec::new();
    file.try_reserve_exact(size as usize).map_err(|_| Failure::memory(name, size as usize))?;
    file.extend(b"RIFF\0\0\0\0WAVE");
    let mut chunk = |id: &[u8; 4], len: usize, bytes: &[u8]| {
        file.extend(id);
        file.extend((len as u32).to_le_bytes());
        file.extend(bytes);
    };
    chunk(b"fmt ", header.len(), &header);
    if form.float {
        // Number of values in each channel.
        chunk(b"fact", 4, &((values.len() / usize::from(form.channels)) as u32).to_le_bytes());
    }
    chunk(b"data", len, &[]);
    let (full, mut cut) = (form.full(), 0usize);
    let mut put = |x: f64| match (form.float, form.bytes) {
        (true, 4) => file.extend((x as f32).to_le_bytes()),
        (true, _) => file.extend(x.to_le_bytes()),
        (false, bytes) => {
            let level = (x * full).round();
            cut += usize::from(level >= full || level < -full || level.is_nan());
            let level = (level.clamp(-full, full - 1.0) as i64) << (32 - form.bits);
            let level = (level as i32) ^ if bytes == 1 { i32::MIN } else { 0 };
            file.extend(&level.to_le_bytes()[4 - usize::from(bytes)..]);
        }
    };
    match values {
        Values::F32(x) => x.iter().for_each(|&x| put(x.into())),
        Values::F64(x) => x.iter().for_each(|&x| put(x)),
        _ => {}
    }
    if file.len() % 2 == 1 {
        file.push(0);
    }
    let size = (file.len() as u32 - 8).to_le_bytes();
    file[4..8].copy_from_slice(&size);
    if cut > 0 {
        note(&format!("{name}: {cut} values are louder than a .wav of whole numbers can say, and were cut"));
    }
    Ok(file)
}
