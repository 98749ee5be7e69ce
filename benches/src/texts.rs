//! Texts for lexers, the same in every run.

use crate::Outcome;
use std::fmt::Write;

/// Generator of words and numbers that look random.
struct Made {
    text: String,
    seed: u64,
}

impl Made {
    fn below(&mut self, n: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.seed >> 33) % n
    }

    fn words(&mut self, count: u64) {
        for i in 0..count {
            self.text.push_str(if i > 0 { " " } else { "" });
            for _ in 0..2 + self.below(8) {
                let letter = b'a' + self.below(26) as u8;
                self.text.push(letter.into());
            }
        }
    }
}

/// Returns a JSON text of at least `bytes` bytes: an array of objects.
///
/// # Errors
/// None: writing to a string does not fail.
pub fn json(bytes: usize) -> Outcome<String> {
    let mut made = Made { text: "[".to_owned(), seed: 1 };
    while made.text.len() < bytes {
        write!(made.text, "\n  {{\"id\": {}, \"name\": \"", made.seed >> 44)?;
        let words = 1 + made.below(4);
        made.words(words);
        let (whole, part, word) =
            (made.below(100), made.below(10_000), ["true", "false", "null"][made.below(3) as usize]);
        write!(made.text, "\", \"ok\": {word}, \"at\": [{whole}.{part}, -{part}e-{whole}]}},")?;
    }
    Ok(made.text + "0]")
}

/// Returns a CSV text of at least `bytes` bytes, in rows of five cells. One row in 28 has a cell of two lines.
///
/// # Errors
/// None: writing to a string does not fail.
pub fn csv(bytes: usize) -> Outcome<String> {
    let mut made = Made { text: String::new(), seed: 2 };
    while made.text.len() < bytes {
        let (month, day, part) = (1 + made.below(12), 1 + made.below(28), made.below(10_000));
        write!(made.text, "2026-{month:02}-{day:02},{part}.{day},")?;
        made.words(1);
        made.text.push_str(",\"");
        made.words(3);
        made.text.push_str(if day == 1 { ", \"\"quoted\"\"\n\"," } else { "\"," });
        writeln!(made.text, "{part}")?;
    }
    Ok(made.text)
}

/// Returns a Rust program, repeated up to at least `bytes` bytes.
#[must_use]
pub fn rust(bytes: usize) -> String {
    let program = include_str!("bin/text.rs");
    program.repeat(bytes.div_ceil(program.len()))
}
