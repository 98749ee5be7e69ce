//! UTF-16 as UTF-8.

use super::turned::Turn;
use std::io::{self, ErrorKind};

pub(super) struct Decoder {
    /// Whether the most significant byte of a unit comes first.
    big: bool,
    /// First byte of a unit whose second one is still to come.
    half: Option<u8>,
    /// First unit of a pair whose second one is still to come.
    first: Option<u16>,
}

impl Decoder {
    pub(super) fn new(big: bool) -> Self {
        Self { big, half: None, first: None }
    }
}

fn wrong(reason: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("is UTF-16 by its mark, but {reason}"))
}

impl Turn for Decoder {
    fn turn(&mut self, bytes: &[u8], to: &mut Vec<u8>) -> io::Result<()> {
        for &byte in bytes {
            let Some(half) = self.half.take() else {
                self.half = Some(byte);
                continue;
            };
            let unit = if self.big { u16::from_be_bytes([half, byte]) } else { u16::from_le_bytes([half, byte]) };
            if self.first.is_none() && (0xd800..0xdc00).contains(&unit) {
                self.first = Some(unit);
                continue;
            }
            let letters = char::decode_utf16(self.first.take().into_iter().chain([unit]));
            for letter in letters {
                let letter = letter.map_err(|_| wrong("has half of a pair"))?;
                to.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        Ok(())
    }

    fn end(&self) -> io::Result<()> {
        match self.half.is_some() || self.first.is_some() {
            true => Err(wrong("ends within a letter")),
            false => Ok(()),
        }
    }
}
