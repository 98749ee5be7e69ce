//! Escaping of data on a terminal, so that it cannot control the terminal.

use crate::failure::acts;
use std::io::{self, Write};
use std::mem;
use std::str;

/// Writer to a terminal. It escapes, as Rust does in a string, characters that could control the terminal or turn the
/// direction of its text. Line breaks and tabs stay.
pub(super) struct Escaping<W> {
    out: W,
    /// Bytes that wait for the next ones: the first bytes of an incomplete character, or a carriage return, which may
    /// be part of a line break.
    held: Vec<u8>,
}

impl<W: Write> Escaping<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, held: vec![] }
    }
}

/// Appends `text`, escaped, to `shown`. If it ends in a carriage return, this is left out, and the result is true.
fn show(text: &str, shown: &mut String) -> bool {
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match (c, letters.peek()) {
            ('\n' | '\t', _) | ('\r', Some('\n')) => shown.push(c),
            ('\r', None) => return true,
            (c, _) if acts(c) => shown.extend(c.escape_debug()),
            (c, _) => shown.push(c),
        }
    }
    false
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let (mut rest, mut shown) = (&all[..], String::with_capacity(all.len()));
        loop {
            let (text, wrong) = match str::from_utf8(rest) {
                Ok(text) => (text, Some(0)),
                Err(e) => {
                    (str::from_utf8(rest.get(..e.valid_up_to()).unwrap_or_default()).unwrap_or_default(), e.error_len())
                }
            };
            let last = wrong == Some(0);
            let ends_in_return = show(text, &mut shown);
            let after = rest.get(text.len()..).unwrap_or_default();
            let Some(wrong) = wrong.filter(|_| !last) else {
                // The text may end within a character, or within a line break: its last bytes wait for the next call.
                if ends_in_return && after.is_empty() {
                    self.held.push(b'\r');
                } else if ends_in_return {
                    shown.push_str("\\r");
                }
                self.held.extend_from_slice(after);
                break;
            };
            if ends_in_return {
                shown.push_str("\\r");
            }
            let (no_text, after) = after.split_at(wrong.min(after.len()));
            no_text.iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02x}")));
            rest = after;
        }
        self.out.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        for byte in mem::take(&mut self.held) {
            if byte == b'\r' { self.out.write_all(b"\\r")? } else { write!(self.out, "\\x{byte:02x}")? }
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[&[u8]]) -> String {
        let mut out = Escaping::new(vec![]);
        parts.iter().for_each(|part| out.write_all(part).unwrap());
        out.flush().unwrap();
        String::from_utf8(out.out).unwrap()
    }

    #[test]
    fn nothing_controls_the_terminal() {
        assert_eq!(shown(&[b"a\tb\r\nc\n"]), "a\tb\r\nc\n");
        assert_eq!(shown(&["größer \u{1f600} \\ \" '\n".as_bytes()]), "größer \u{1f600} \\ \" '\n");
        assert_eq!(shown(&[b"\x1b]0;x\x07\x1b[2J"]), "\\u{1b}]0;x\\u{7}\\u{1b}[2J");
        assert_eq!(shown(&["\u{202e}gnp \u{2066}\u{200f}\u{9b}".as_bytes()]), "\\u{202e}gnp \\u{2066}\\u{200f}\\u{9b}");
        assert_eq!(shown(&[b"over\rwritten"]), "over\\rwritten");
        assert_eq!(shown(&[b"\x9b2J\xff"]), "\\x9b2J\\xff");
    }

    #[test]
    fn parts_make_no_difference() {
        let text = "ä\r\nb\r\u{202e}\u{1f600}\r".as_bytes();
        let whole = shown(&[text]);
        assert_eq!(whole, "ä\r\nb\\r\\u{202e}\u{1f600}\\r");
        for cut in 0..=text.len() {
            assert_eq!(shown(&[&text[..cut], &text[cut..]]), whole, "{cut}");
        }
        assert_eq!(shown(&[b"\xf0\x9f"]), "\\xf0\\x9f");
        assert_eq!(shown(&[b"\r", b"\xff\r\xffa"]), "\\r\\xff\\r\\xffa");
    }
}
