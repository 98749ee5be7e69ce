//! Latin-1 as UTF-8.

use super::turned::Turn;
use std::io;

/// Letters of the bytes from 0x80 to 0x9f. In ISO 8859-1 these are control characters, which no text has; Windows has
/// letters there, and five bytes without one, which stay what they are.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

pub(super) struct Decoder;

impl Turn for Decoder {
    fn turn(&mut self, bytes: &[u8], to: &mut Vec<u8>) -> io::Result<()> {
        for &byte in bytes {
            let letter = match byte {
                0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
                _ => char::from(byte),
            };
            to.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(())
    }
}
