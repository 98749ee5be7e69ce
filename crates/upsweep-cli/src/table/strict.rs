//! Checks on a table's text that csv's reader does not make: unclosed quotes, and blank rows.
//!
//! csv's reader takes any bytes. An unclosed quote swallows all rows after it, or those up to the next quote.

use std::io::{self, Read};

/// Fault in the text of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Quote that opens a cell and is not closed.
    Open,
    /// Text after the quote that closes a cell.
    AfterQuote,
    /// Empty line after a row.
    Blank,
    /// Line that begins with a carriage return without a line feed after it.
    Return,
}

impl Fault {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Open => {
                "a quote begins a cell and nothing closes it: close it, or, if it is text, write it twice and quote the cell"
            }
            Self::AfterQuote => {
                "text follows the quote that ends a cell: write a quote that is text twice, and quote the cell"
            }
            Self::Blank => "is blank: remove it",
            Self::Return => "begins with a lone carriage return: remove it",
        }
    }
}

/// Reader that passes the bytes of a table on, and records the first fault in them.
#[derive(Debug)]
pub(super) struct Strict<R> {
    inner: R,
    delimiter: u8,
    state: State,
    /// Number of bytes that were passed on.
    passed: u64,
    /// Offset of the quote that opened the last quoted cell.
    quote: u64,
    fault: Option<(u64, Fault)>,
    kept: Option<Kept>,
}

/// Last bytes that were passed on, for callers that need the text of a row as it was written.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    /// Offset in the table of the first byte in `bytes`.
    begin: u64,
    /// Offset in the table of the first byte that a caller may still request.
    wanted: u64,
}

impl Kept {
    /// Appends bytes, and drops kept ones before offset `wanted`.
    fn add(&mut self, bytes: &[u8]) {
        let dropped = self.at(self.wanted);
        self.bytes.drain(..dropped);
        self.begin += dropped as u64;
        self.bytes.extend(bytes);
    }

    /// Index in `bytes` of the byte at an offset in the table.
    fn at(&self, place: u64) -> usize {
        self.bytes.len().min(place.saturating_sub(self.begin) as usize)
    }
}

/// State of the automaton that reads a table: what comes before the next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Only line ends so far: blank rows before the first row are no fault.
    Begin,
    /// After the line feed that ended a row.
    Feed,
    /// After the carriage return that ended a row.
    Return,
    /// After a carriage return that followed the line feed that ended a row.
    FeedReturn,
    /// After the delimiter that ended a cell.
    Delimiter,
    /// Within a cell without quotes.
    Plain,
    /// After the quote that began a cell.
    Opened,
    Quoted,
    /// After a quote in a quoted cell: its end, or the first of two.
    Quote,
    /// In blanks after a quoted cell.
    Ended,
    Wrong(Fault),
}

use State::*;

impl State {
    fn next(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Opened | Quoted, b'"') => Quote,
            (Opened | Quoted, _) | (Quote, b'"') => Quoted,
            (Begin, b'\n' | b'\r') => Begin,
            (Feed | FeedReturn, b'\n') | (Return, b'\r') => Wrong(Fault::Blank),
            (Feed, b'\r') => FeedReturn,
            (FeedReturn, _) => Wrong(Fault::Return),
            (_, b'\n') => Feed,
            (_, b'\r') => Return,
            (_, byte) if byte == delimiter => Delimiter,
            (Quote | Ended, b' ') => Ended,
            (Quote | Ended, _) => Wrong(Fault::AfterQuote),
            (Begin | Feed | Return | Delimiter, b'"') => Opened,
            _ => Plain,
        }
    }
}

/// Maximum length of a quoted cell, in bytes: a quote that is never closed must not fill the memory.
const LONGEST: u64 = 1 << 26;

impl<R: Read> Strict<R> {
    pub(super) fn new(inner: R, delimiter: u8) -> Self {
        Self { inner, delimiter, state: Begin, passed: 0, quote: 0, fault: None, kept: None }
    }

    /// Keeps the bytes that are read from now on, for [`text`](Self::text).
    pub(super) fn keep(&mut self) {
        self.kept = Some(Kept::default());
    }

    /// Allows kept bytes before offset `before` to be dropped.
    pub(super) fn forget(&mut self, before: u64) {
        if let Some(kept) = &mut self.kept {
            kept.wanted = before;
        }
    }

    /// Returns the bytes from offset `begin` to before offset `end`, as far as they are kept.
    pub(super) fn text(&self, begin: u64, end: u64) -> &[u8] {
        self.kept.as_ref().and_then(|kept| kept.bytes.get(kept.at(begin)..kept.at(end))).unwrap_or_default()
    }

    /// Returns the first fault, if it is before offset `end`.
    pub(super) fn fault_before(&self, end: u64) -> Option<Fault> {
        self.fault.filter(|&(at, _)| at < end).map(|(_, fault)| fault)
    }

    /// Checks the next bytes of the table.
    fn look(&mut self, bytes: &[u8]) {
        const BLOCK: usize = 1 << 10;
        for block in bytes.chunks(BLOCK) {
            let (first, rest) = block.split_at(1);
            self.follow(first);
            match (self.state, rest.last()) {
                (Feed | Return | Delimiter | Plain, Some(&last)) if is_dull(block) => {
                    self.state = Plain.next(last, self.delimiter);
                    self.passed += rest.len() as u64;
                }
                _ => self.follow(rest),
            }
            if self.fault.is_some() {
                return;
            }
        }
        if self.state == Quoted && self.passed - self.quote > LONGEST {
            self.fault = Some((self.quote, Fault::Open));
        }
    }

    /// Runs the automaton over the bytes, one by one, up to the first fault.
    fn follow(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.state = self.state.next(byte, self.delimiter);
            match self.state {
                Opened => self.quote = self.passed,
                Wrong(fault) => {
                    self.fault.get_or_insert((self.passed, fault));
                    return;
                }
                _ => {}
            }
            self.passed += 1;
        }
    }
}

/// Whether `bytes` have no quotes and no blank lines: two line ends in a row are only a carriage return and its line
/// feed. Many bytes are checked at once, without branches.
fn is_dull(bytes: &[u8]) -> bool {
    let rest = bytes.get(1..).unwrap_or_default();
    let blank = |a: u8, b: u8| is_line_end(b) & ((a == b'\n') | ((a == b'\r') & (b == b'\r')));
    let quotes = bytes.iter().fold(false, |any, &byte| any | (byte == b'"'));
    !quotes && !bytes.iter().zip(rest).fold(false, |any, (&a, &b)| any | blank(a, b))
}

fn is_line_end(byte: u8) -> bool {
    (byte == b'\n') | (byte == b'\r')
}

impl<R: Read> Read for Strict<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.fault.is_some_and(|(_, fault)| fault == Fault::Open) {
            return Ok(0);
        }
        let read = self.inner.read(buffer)?;
        self.look(&buffer[..read]);
        if let Some(kept) = &mut self.kept {
            kept.add(&buffer[..read]);
        }
        if read == 0 && matches!(self.state, Opened | Quoted) {
            self.fault.get_or_insert((self.quote, Fault::Open));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    /// Returns the first fault of `text`, read in pieces of every size from 4 on and as a whole.
    fn fault(text: &str) -> Option<(u64, Fault)> {
        let of = |piece: usize| {
            let mut strict = Strict::new(text.as_bytes(), b',');
            let mut buffer = vec![0; piece];
            while strict.read(&mut buffer).unwrap() > 0 {}
            strict.fault
        };
        let whole = of(text.len().max(1));
        for piece in 4..text.len() {
            assert_eq!(of(piece).map(|(at, _)| at), whole.map(|(at, _)| at), "{text:?} in pieces of {piece}");
        }
        whole
    }

    #[test]
    fn tables_without_a_fault() {
        for text in [
            "",
            "a,b\n1,2\n",
            "a,b\r\n1,2\r\n\r\n",
            "a\r1\r2\n3\r\n4",
            "\n\r\n\na\n1",
            "\"a\"\n",
            "\"a\n\nb\"\n\"\"\n",
            "\"a\"\"b\",\"\"\"\",\"\n\n\"\r\n1",
            "5\" pipe,a\"b\"c\n",
            "\"a\" ,\"b\"  \n\"c\"",
        ] {
            assert_eq!(fault(text).filter(|&(at, _)| at + 2 < text.len() as u64), None, "{text:?}");
        }
    }

    #[test]
    fn faults_are_found_where_they_lie() {
        let long = format!("{}x\n\ny\n", "ab,cd\n".repeat(1000));
        for (text, at, found) in [
            ("a\n\"b\nc\n", 2, Fault::Open),
            ("a,\"", 2, Fault::Open),
            ("a,\"b\"\"", 2, Fault::Open),
            ("a\n\"b\nc,\"d\"\ne", 8, Fault::AfterQuote),
            ("\"a\"b", 3, Fault::AfterQuote),
            ("\"a\" \"b", 4, Fault::AfterQuote),
            ("a\n\nb", 2, Fault::Blank),
            ("a\r\n\r\nb", 4, Fault::Blank),
            ("a\r\rb", 2, Fault::Blank),
            ("\"a\"\n\n\"b\"", 4, Fault::Blank),
            ("a\n\rb", 3, Fault::Return),
            (&long, 6002, Fault::Blank),
        ] {
            assert_eq!(fault(text), Some((at, found)), "{text:?}");
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_does_not_fill_the_memory() {
        let mut strict = Strict::new((&b"\""[..]).chain(io::repeat(b'x')), b',');
        let read = io::copy(&mut strict, &mut io::sink()).unwrap();
        assert!(read > LONGEST && read < 2 * LONGEST);
        assert_eq!(strict.fault_before(1), Some(Fault::Open));
    }
}
