//! Pictures in the formats of Netpbm: .pgm (grey) and .ppm (colours), as text or in binary, of 8 or 16 bits.
//!
//! ```text
//! P5                 P2 and P3 have numbers as text, P5 and P6 bytes; P3 and P6 have three values a pixel
//! # a comment
//! 640 480            columns and rows
//! 65535              the largest value; from 256 on a value has two bytes, the first one the more significant
//! bytes              after a single white space
//! ```

use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::names;
use std::path::Path;
use upsweep_apps::image::Extent;

pub(super) fn is_pnm(path: &Path) -> bool {
    ["pgm", "ppm", "pnm"].iter().any(|ending| names::ends_in(path, ending))
}

/// Numbers of a header, or of pixels as text.
struct Words<'a> {
    bytes: &'a [u8],
}

impl Words<'_> {
    /// Takes the next number; `None` if there is none, or something else.
    fn number(&mut self) -> Option<u32> {
        loop {
            let blank = self.bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
            self.bytes = &self.bytes[blank..];
            if !self.bytes.starts_with(b"#") {
                break;
            }
            let end = self.bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
            self.bytes = &self.bytes[end..];
        }
        let digits = self.bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.bytes.len());
        let (text, rest) = self.bytes.split_at(digits);
        self.bytes = rest;
        std::str::from_utf8(text).ok()?.parse().ok()
    }
}

/// Parses a picture, which messages call `name`: its pixels, and how they lie.
pub(super) fn parse(file: &[u8], name: &str) -> Result<(Values, Extent)> {
    let wrong = |reason: &str| Err(Failure::input(name, reason));
    let (is_text, channels) = match file.first_chunk() {
        Some(b"P2") => (true, 1),
        Some(b"P3") => (true, 3),
        Some(b"P5") => (false, 1),
        Some(b"P6") => (false, 3),
        Some(b"P1" | b"P4") => return wrong("is a bitmap (.pbm): .pgm and .ppm are read"),
        _ => return wrong("is no .pgm or .ppm: it begins with none of P2, P3, P5 and P6"),
    };
    let mut words = Words { bytes: &file[2..] };
    let mut next = || words.number();
    let (Some(width), Some(height), Some(most @ 1..=65535)) = (next(), next(), next()) else {
        return wrong("has no header of a width, a height and a largest value up to 65535");
    };
    let extent = Extent::new(height as usize, width as usize).channels(channels);
    let len = (width as usize).checked_mul(height as usize).and_then(|pixels| pixels.checked_mul(channels));
    let short = || wrong(&format!("is truncated: its header promises {width} x {height} pixels"));
    let wide = most > 255;
    let mut values: Vec<u16> = Vec::new();
    if is_text {
        // A value takes two bytes at least.
        let Some(len) = len.filter(|len| *len <= words.bytes.len() / 2 + 1) else { return short() };
        values.reserve_exact(len);
        for _ in 0..len {
            match words.number() {
                Some(value) if value <= most => values.push(value as u16),
                Some(value) => return wrong(&format!("has the value {value}, and {most} is to be the largest")),
                None => return short(),
            }
        }
    } else {
        let data = words.bytes.get(1..).unwrap_or_default();
        let size = len.and_then(|len| len.checked_mul(1 + usize::from(wide)));
        let Some(data) = size.and_then(|size| data.get(..size)) else { return short() };
        if !wide {
            return Ok((Values::U8(data.to_vec()), extent));
        }
        values.extend(data.as_chunks().0.iter().map(|&pair: &[u8; 2]| u16::from_be_bytes(pair)));
    }
    let values = if wide { Values::U16(values) } else { Values::U8(values.into_iter().map(|x| x as u8).collect()) };
    Ok((values, extent))
}

/// Encodes a picture in binary, as the ending of its name says: grey (.pgm), colours (.ppm) or either (.pnm). The error is the
/// reason why that cannot be.
pub(super) fn written(path: &Path, values: &Values, extent: Extent) -> std::result::Result<Vec<u8>, String> {
    let [_, height, width, channels] = extent.shape();
    let magic = match channels {
        1 if !names::ends_in(path, "ppm") => "P5",
        3 if !names::ends_in(path, "pgm") => "P6",
        _ => return Err(format!("a .pgm has 1 channel and a .ppm 3, not {channels}: write .npy")),
    };
    let (most, data) = match values {
        Values::U8(x) => (255, x.clone()),
        Values::U16(x) => (65535, x.iter().flat_map(|x| x.to_be_bytes()).collect()),
        _ => return Err(format!("a .pgm or .ppm has u8 or u16, not {}: write .npy", values.element())),
    };
    let mut file = format!("{magic}\n{width} {height}\n{most}\n").into_bytes();
    file.extend(data);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &[u8]) -> std::result::Result<(Values, [usize; 4]), String> {
        match parse(file, "x.pgm") {
            Ok((values, extent)) => Ok((values, extent.shape())),
            Err(failure) => Err(failure.to_string()),
        }
    }

    #[test]
    fn all_forms_are_read() {
        let grey = read(b"P2 # grey\n2 #c\n1\n15\n0 15").unwrap();
        assert!(matches!(&grey.0, Values::U8(x) if x == &[0, 15]));
        assert_eq!(grey.1[1..], [1, 2, 1]);
        assert!(matches!(&read(b"P5\n2 1\n255\n\n\x07").unwrap().0, Values::U8(x) if x == b"\n\x07"));
        assert!(matches!(&read(b"P5 1 2 256 \x01\x00\x00\x02").unwrap().0, Values::U16(x) if x == &[256, 2]));
        assert_eq!(read(b"P6 1 1 255 abc").unwrap().1[1..], [1, 1, 3]);
        assert!(matches!(&read(b"P3 1 1 300 1 2 300").unwrap().0, Values::U16(x) if x == &[1, 2, 300]));
    }

    #[test]
    fn what_is_written_is_read() {
        for (name, channels, values) in [
            ("x.pgm", 1, Values::U8(vec![0, 7, 255, 10, 13, 32])),
            ("x.pnm", 1, Values::U16(vec![0, 7, 65535, 10, 13, 32])),
            ("x.ppm", 3, Values::U16(vec![0, 7, 65535, 10, 13, 32])),
        ] {
            let extent = Extent::new(6 / channels / 2, 2).channels(channels);
            let extent = if channels == 3 { Extent::new(1, 2).channels(3) } else { extent };
            let file = written(Path::new(name), &values, extent).unwrap();
            assert_eq!(read(&file).unwrap(), (values, extent.shape()), "{name}");
        }
        let wrong = |name: &str, values, extent| written(Path::new(name), &values, extent).unwrap_err();
        assert!(wrong("x.ppm", Values::U8(vec![1]), Extent::new(1, 1)).contains("not 1"));
        assert!(wrong("x.pgm", Values::F32(vec![1.0]), Extent::new(1, 1)).contains("not f32"));
    }

    #[test]
    fn damage_is_told() {
        for (file, says) in [
            (&b"P7"[..], "is no .pgm or .ppm"),
            (b"", "is no .pgm"),
            (b"P4 1 1 0", "is a bitmap"),
            (b"P5 1 1", "has no header"),
            (b"P5 1 1 70000 a", "has no header"),
            (b"P5 1 -1 255 a", "has no header"),
            (b"P5 2 1 255 a", "promises 2 x 1 pixels"),
            (b"P5 4294967295 4294967295 255 a", "is truncated"),
            (b"P2 4294967295 4294967295 255 1", "is truncated"),
            (b"P2 2 1 9 1 x", "is truncated"),
            (b"P2 2 1 9 1 10", "has the value 10, and 9 is to be the largest"),
        ] {
            let found = read(file).map(|_| ()).unwrap_err();
            assert!(found.contains(says), "{file:?}: {found}");
        }
    }
}
