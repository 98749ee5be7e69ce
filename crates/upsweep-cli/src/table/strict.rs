//! Checks on a table's text that csv's automaton does not make: unclosed quotes, and blank rows.
//!
//! csv's automaton takes any bytes. An unclosed quote swallows all rows after it, or those up to the next quote.

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

/// Checker of the bytes of a table, which it is shown in their order.
#[derive(Debug)]
pub(super) struct Strict {
    delimiter: u8,
    state: State,
    /// Number of bytes so far of a quoted cell.
    quoted: u64,
    fault: Option<Fault>,
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

impl Strict {
    pub(super) fn new(delimiter: u8) -> Self {
        Self { delimiter, state: Begin, quoted: 0, fault: None }
    }

    /// First fault so far.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Whether a carriage return ended the last row: a line feed after it belongs to it.
    pub(super) fn is_after_return(&self) -> bool {
        self.state == Return
    }

    /// Takes note that rows without a fault were left out, the last of which a line feed ended.
    pub(super) fn pass(&mut self) {
        self.state = Feed;
    }

    /// Checks the next bytes of the table.
    pub(super) fn look(&mut self, bytes: &[u8]) {
        const BLOCK: usize = 1 << 10;
        for block in bytes.chunks(BLOCK) {
            let (first, rest) = block.split_at(1);
            self.follow(first);
            match (self.state, rest.last()) {
                (Feed | Return | Delimiter | Plain, Some(&last)) if is_dull(block) => {
                    self.state = Plain.next(last, self.delimiter);
                }
                _ => self.follow(rest),
            }
        }
        if self.state == Quoted && self.quoted > LONGEST {
            self.fault.get_or_insert(Fault::Open);
        }
    }

    /// Checks that the table may end here.
    pub(super) fn end(&mut self) {
        if matches!(self.state, Opened | Quoted) {
            self.fault.get_or_insert(Fault::Open);
        }
    }

    /// Runs the automaton over the bytes, one by one, up to the first fault.
    fn follow(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.state = self.state.next(byte, self.delimiter);
            match self.state {
                Opened => self.quoted = 0,
                Quoted => self.quoted += 1,
                Wrong(fault) => {
                    self.fault.get_or_insert(fault);
                    return;
                }
                _ => {}
            }
        }
    }
}

/// Whether `bytes` have no quotes and no blank lines: two line ends in a row are only a carriage return and its line
/// feed. Many bytes are checked at once, without branches.
pub(super) fn is_dull(bytes: &[u8]) -> bool {
    let rest = bytes.get(1..).unwrap_or_default();
    let blank = |a: u8, b: u8| is_line_end(b) & ((a == b'\n') | ((a == b'\r') & (b == b'\r')));
    let quotes = bytes.iter().fold(false, |any, &byte| any | (byte == b'"'));
    !quotes && !bytes.iter().zip(rest).fold(false, |any, (&a, &b)| any | blank(a, b))
}

pub(super) fn is_line_end(byte: u8) -> bool {
    (byte == b'\n') | (byte == b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first fault of `text`, shown in pieces of every size and as a whole, and by how many bytes it is found.
    fn fault(text: &str) -> Option<(usize, Fault)> {
        let of = |piece: usize| {
            let mut strict = Strict::new(b',');
            for (piece, at) in text.as_bytes().chunks(piece).zip((0..).step_by(piece)) {
                strict.look(piece);
                if let Some(fault) = strict.fault() {
                    return Some((at + piece.len(), fault));
                }
            }
            strict.end();
            strict.fault().map(|fault| (text.len(), fault))
        };
        let first = of(1);
        for piece in 2..=text.len() {
            assert_eq!(
                of(piece).map(|(_, fault)| fault),
                first.map(|(_, fault)| fault),
                "{text:?} in pieces of {piece}"
            );
        }
        first
    }

    #[test]
    fn tables_without_a_fault() {
        for text in [
            "",
            "a,b\n1,2\n",
            "a,b\r\n1,2\r\n",
            "a\r1\r2\n3\r\n4",
            "\n\r\n\na\n1",
            "\"a\"\n",
            "\"a\n\nb\"\n\"\"\n",
            "\"a\"\"b\",\"\"\"\",\"\n\n\"\r\n1",
            "5\" pipe,a\"b\"c\n",
            "\"a\" ,\"b\"  \n\"c\"",
        ] {
            assert_eq!(fault(text), None, "{text:?}");
        }
    }

    #[test]
    fn faults_are_found_where_they_lie() {
        let long = format!("{}x\n\ny\n", "ab,cd\n".repeat(1000));
        for (text, by, found) in [
            ("a\n\"b\nc\n", 7, Fault::Open),
            ("a,\"", 3, Fault::Open),
            ("a,\"b\"\"", 6, Fault::Open),
            ("a\n\"b\nc,\"d\"\ne", 9, Fault::AfterQuote),
            ("\"a\"b", 4, Fault::AfterQuote),
            ("\"a\" \"b", 5, Fault::AfterQuote),
            ("a\n\nb", 3, Fault::Blank),
            ("a\r\n\r\nb", 5, Fault::Blank),
            ("a\r\rb", 3, Fault::Blank),
            ("\"a\"\n\n\"b\"", 5, Fault::Blank),
            ("a\n\rb", 4, Fault::Return),
            (&long, 6003, Fault::Blank),
        ] {
            assert_eq!(fault(text), Some((by, found)), "{text:?}");
        }
    }
}
