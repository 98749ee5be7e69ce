//! Texts as people have them: their encoding, and lines that are no data, turned into UTF-8 as they are read.
//!
//! ```text
//! bytes of the file, unpacked  ->  UTF-8 (utf16, latin1)  ->  without the lines that are left out (lines)  ->  a parser
//! ```

mod latin1;
mod lines;
mod turned;
mod utf16;

use crate::failure::{Failure, Result};
use crate::start::{may_become, start};
use clap::ValueEnum;
use std::io::{Cursor, Read};
use turned::Turned;

/// Encoding of a text that has no mark to tell it.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// ISO 8859-1, with the letters that Windows has where that has control characters
    Latin1,
}

/// How a text comes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextForm {
    /// Encoding, unless it is UTF-8 or the text begins with a mark that tells it.
    pub(crate) encoding: Option<Encoding>,
    /// Number of lines at the beginning that are left out.
    pub(crate) skip: usize,
    /// First byte of lines that are left out, and the delimiter of the cells in others: a line that begins within quotes
    /// is none.
    pub(crate) comment: Option<(u8, u8)>,
    /// Whether rows of a table may have fewer cells than its first one: the others are empty.
    pub(crate) ragged: bool,
}

/// Text that is open.
pub(crate) struct Text<'a> {
    /// Reader of the text in UTF-8, without its mark. Where the encoding is unknown, the bytes are as they are.
    pub(crate) reader: Box<dyn Read + 'a>,
    /// Number of bytes of the mark of UTF-8, which was left out.
    pub(crate) begin: usize,
}

/// Number of bytes at the start of a text that tell its encoding.
const MARK: usize = 4;

/// Whether more bytes behind `start` can tell the encoding: a mark, or zeros between letters.
fn may_be_marked(start: &[u8]) -> bool {
    matches!(start, [] | [_] | [0, ..] | [_, 0, ..] | [0xff, 0xfe, ..]) || may_become(&[0xef, 0xbb, 0xbf], start)
}

/// Opens the text of a file, which messages call `name`. Errors of the reader that are about the text are of the kind
/// `InvalidData`.
pub(crate) fn open<'a>(mut bytes: Box<dyn Read + 'a>, form: TextForm, name: &str) -> Result<Text<'a>> {
    let mut start = start(&mut *bytes, MARK, may_be_marked).map_err(|e| Failure::reading(name, &e))?;
    let unmarked = matches!(start[..], [a, 0, b, 0] | [0, a, 0, b] if a > 0 && b > 0);
    let (begin, big) = match (form.encoding, &start[..]) {
        (Some(Encoding::Latin1), _) => (0, None),
        (None, [0xff, 0xfe, 0, 0] | [0, 0, 0xfe, 0xff]) => {
            return Err(Failure::input(name, "is UTF-32: convert it with `iconv -f UTF-32 -t UTF-8`"));
        }
        (None, [0xff, 0xfe, ..]) => (2, Some(false)),
        (None, [0xfe, 0xff, ..]) => (2, Some(true)),
        (None, _) if unmarked => {
            let advice = "convert it with `iconv -f UTF-16LE -t UTF-8`, or from UTF-16BE";
            return Err(Failure::input(
                name,
                format!("is UTF-16 without the mark that tells the order of bytes: {advice}"),
            ));
        }
        (None, [0xef, 0xbb, 0xbf, ..]) => (3, None),
        (None, _) => (0, None),
    };
    start.drain(..begin);
    let bytes = Cursor::new(start).chain(bytes);
    let mut reader: Box<dyn Read + 'a> = match (form.encoding, big) {
        (Some(Encoding::Latin1), _) => Box::new(Turned::new(bytes, latin1::Decoder)),
        (None, Some(big)) => Box::new(Turned::new(bytes, utf16::Decoder::new(big))),
        (None, None) => Box::new(bytes),
    };
    if form.skip > 0 || form.comment.is_some() {
        reader = Box::new(Turned::new(reader, lines::Filter::new(form.skip, form.comment)));
    }
    Ok(Text { reader, begin: if begin == 3 { 3 } else { 0 } })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::io::{self, ErrorKind};

    /// Reader that gives few bytes at a time.
    struct Few<'a>(&'a [u8], usize);

    impl Read for Few<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let most = bytes.len().min(self.1);
            self.0.read(&mut bytes[..most])
        }
    }

    fn read(bytes: &[u8], form: TextForm, few: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        let text = open(Box::new(Few(bytes, few)), form, "x").map_err(|e| io::Error::other(e.to_string()))?;
        { text.reader }.read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn every_encoding_becomes_utf8() {
        let long = "déjà vu, 𝄞 \u{10ffff}\n".repeat(9000);
        for text in ["", "a", "ä", "€uro\n", "𝄞", "x𝄞y", &long] {
            for few in [1, 2, 3, 5, 1 << 20] {
                let form = TextForm::default();
                let utf16 = |mark: [u8; 2], order: fn(u16) -> [u8; 2]| {
                    [mark.to_vec(), text.encode_utf16().flat_map(order).collect()].concat()
                };
                assert!(read(&utf16([0xff, 0xfe], u16::to_le_bytes), form, few).unwrap() == text.as_bytes());
                assert!(read(&utf16([0xfe, 0xff], u16::to_be_bytes), form, few).unwrap() == text.as_bytes());
                assert!(read(text.as_bytes(), form, few).unwrap() == text.as_bytes());
                assert!(read(&[b"\xef\xbb\xbf", text.as_bytes()].concat(), form, few).unwrap() == text.as_bytes());
            }
        }
        let latin1 = TextForm { encoding: Some(Encoding::Latin1), ..TextForm::default() };
        let expected = "é,\u{80}\u{a0}ÿ€".replace('\u{80}', "€").replace("ÿ€", "ÿ\u{81}");
        assert_eq!(read(b"\xe9,\x80\xa0\xff\x81", latin1, 1).unwrap(), expected.as_bytes());
    }

    #[test]
    fn broken_utf16_is_told() {
        for broken in [
            &b"\xff\xfea"[..],
            b"\xff\xfea\0\x34\xd8",
            b"\xff\xfe\x34\xd8a\0",
            b"\xff\xfe\x1e\xdda\0",
            b"\xfe\xff\xdd\x1e",
        ] {
            for few in [1, 3, 100] {
                assert_eq!(
                    read(broken, TextForm::default(), few).unwrap_err().kind(),
                    ErrorKind::InvalidData,
                    "{broken:?}"
                );
            }
        }
        for other in [&b"a\0b\0"[..], b"\0a\0b", b"\xff\xfe\0\0a\0\0\0"] {
            assert_eq!(read(other, TextForm::default(), 9).unwrap_err().kind(), ErrorKind::Other, "{other:?}");
        }
    }

    #[test]
    fn lines_are_left_out() {
        let cases = [
            ("a\nb\nc", 0, "a\nb\nc"),
            ("a\nb\nc", 1, "b\nc"),
            ("a\r\nb\rc", 1, "b\rc"),
            ("a\rb\rc", 2, "c"),
            ("a\n\n\nb\n", 3, "b\n"),
            ("a\n", 5, ""),
            ("#a\nb\n# c\n", 0, "b\n"),
            ("#a\r\nb,#\r\n#c\rd\n#", 0, "b,#\r\nd\n"),
            ("\"#a\n#b\",1\n#c\n\"x\"\"\n#\"\n#", 0, "\"#a\n#b\",1\n\"x\"\"\n#\"\n"),
            ("x\"\n#a\n\"y\" \n#b\n", 0, "x\"\n\"y\" \n"),
            (" #a\n,\"#\n#\"\n#", 0, " #a\n,\"#\n#\"\n"),
            ("title, \"of\n#a\nb\n", 1, "b\n"),
        ];
        for (text, skip, expected) in cases {
            for few in [1, 2, 3, 100] {
                let form = TextForm { skip, comment: Some((b'#', b',')), ..TextForm::default() };
                assert_eq!(String::from_utf8(read(text.as_bytes(), form, few).unwrap()).unwrap(), expected, "{text:?}");
            }
        }
    }
}
