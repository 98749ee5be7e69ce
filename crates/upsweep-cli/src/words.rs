//! Numbers separated by white space, as on standard input.

use crate::collect::Refused;
use crate::failure::{Failure, Result, quoted};
use crate::progress::Progress;
use std::io::{ErrorKind, Read};

/// Maximum number of bytes of a number as text.
const LONGEST: usize = 4096;

/// Taker of the words of a text.
pub(crate) trait Take {
    /// Takes the next word.
    fn word(&mut self, text: &str) -> std::result::Result<(), Refused>;

    /// Works on the words so far. It is called whenever more have to be read.
    fn so_far(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Taker of words one by one.
pub(crate) struct Each<F>(pub(crate) F);

impl<F: FnMut(&str) -> std::result::Result<(), Refused>> Take for Each<F> {
    fn word(&mut self, text: &str) -> std::result::Result<(), Refused> {
        (self.0)(text)
    }
}

/// Lets `take` take each word of `reader`, the text of a file. An error names the line (counted from 1) and, unless it is about
/// the line's first word, the number of the word in the line.
pub(crate) fn read(reader: &mut dyn Read, name: &str, progress: &Progress, take: &mut impl Take) -> Result<()> {
    let mut buffer = vec![0u8; 1 << 18];
    // Number of bytes at the beginning of the buffer that are still to be parsed: the beginning of a word that the end of
    // the buffer has cut.
    let mut kept = 0;
    let mut place = Place { line: 1, word: 0 };
    loop {
        take.so_far()?;
        let read = match reader.read(&mut buffer[kept..]) {
            Ok(read) => read,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(Failure::reading(name, &e)),
        };
        progress.step(read);
        let filled = kept + read;
        let mut start = 0;
        // At the end of the input the last word is whole, without white space after it.
        let end = if read == 0 { filled } else { last_white_space(&buffer[..filled]) };
        while start < end {
            let byte = buffer[start];
            if byte.is_ascii_whitespace() {
                if byte == b'\n' {
                    place = Place { line: place.line + 1, word: 0 };
                }
                start += 1;
                continue;
            }
            let rest = &buffer[start..end];
            let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            place.word += 1;
            let text = String::from_utf8_lossy(&rest[..length]);
            take.word(&text).map_err(|refused| refused.failure(name, |reason| place.wrong(name, &reason)))?;
            start += length;
        }
        if read == 0 {
            return Ok(());
        }
        kept = filled - end;
        if kept > LONGEST {
            place.word += 1;
            let text = String::from_utf8_lossy(&buffer[end..end + 80]);
            return Err(place.wrong(name, &format!("{} is not a number", quoted(&text))));
        }
        buffer.copy_within(end..filled, 0);
    }
}

/// Returns the index after the last white space in `bytes`; 0 if there is none.
fn last_white_space(bytes: &[u8]) -> usize {
    bytes.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1)
}

#[derive(Clone, Copy)]
struct Place {
    line: u64,
    word: u64,
}

impl Place {
    fn wrong(self, name: &str, reason: &str) -> Failure {
        let word = if self.word > 1 { format!(", number {}", self.word) } else { String::new() };
        Failure::input(name, format!("row {}{word}: {reason}", self.line))
    }
}
