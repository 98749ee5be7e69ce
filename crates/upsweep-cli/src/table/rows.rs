//! Rows of a table, from its first byte to its last.
//!
//! The text is read in parts into a buffer. Rows without quotes that have as many cells as the first one are found there many at
//! a time ([`plain`](super::plain)). All others are read one by one by csv's automaton, which copies their cells, and checked
//! ([`strict`](super::strict)).

use super::plain::{PART, Plain};
use super::record::Record;
use super::strict::{Fault, Strict, is_line_end};
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::source::Source;
use crate::text::Text;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::memrchr;
use std::io::{ErrorKind, Read};
use upsweep_core::memory;

/// Number of bytes that are read at a time, and of the buffer unless a row is longer.
const BUFFER: usize = 1 << 18;

pub(super) struct Rows<'a> {
    reader: Box<dyn Read + 'a>,
    source: &'a Source,
    name: &'a str,
    delimiter: u8,
    progress: &'a Progress,
    /// Bytes that were read, and then room for more.
    buffer: Vec<u8>,
    /// Number of bytes in the buffer that were read.
    filled: usize,
    /// Whether all bytes were read.
    ended: bool,
    /// Begin and end in the buffer of the row that was read last; it may have line ends before it and behind it.
    begin: usize,
    end: usize,
    /// Number of the row that was read last, counted from 1.
    row: u64,
    /// Number of cells of the first row; 0 before it was read.
    width: usize,
    plain: Plain,
    /// Whether the row that was read last is a plain one.
    is_plain: bool,
    /// Place in the buffer before which no plain rows begin.
    plain_from: usize,
    automaton: Reader,
    strict: Strict,
    /// Cells by the automaton, one after the other, and then room for more.
    cells: Vec<u8>,
    /// Ends in `cells` of the cells, and then room for more.
    ends: Vec<usize>,
    /// Number of cells by the automaton.
    len: usize,
    /// Text of the row that was read last, if cells were added to it; else it is empty.
    padded: Vec<u8>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(source: &'a Source, name: &'a str, delimiter: u8, progress: &'a Progress) -> Result<Self> {
        Ok(Self::of(source.text(name)?, source, (name, delimiter), progress))
    }

    /// Reads the rows of `text`, which is that of the source.
    pub(super) fn of(text: Text<'a>, source: &'a Source, called: (&'a str, u8), progress: &'a Progress) -> Self {
        Self::with_buffer(text, source, called, progress, BUFFER)
    }

    fn with_buffer(
        text: Text<'a>,
        source: &'a Source,
        (name, delimiter): (&'a str, u8),
        progress: &'a Progress,
        buffer: usize,
    ) -> Self {
        Self {
            reader: text.reader,
            source,
            name,
            delimiter,
            progress,
            buffer: vec![0; buffer],
            filled: 0,
            ended: false,
            begin: 0,
            end: 0,
            row: 0,
            width: 0,
            plain: Plain::new(),
            is_plain: false,
            plain_from: 0,
            automaton: ReaderBuilder::new().delimiter(delimiter).build(),
            strict: Strict::new(delimiter),
            cells: vec![0; 1 << 8],
            ends: vec![0; 1 << 5],
            len: 0,
            padded: Vec::new(),
        }
    }

    /// Reads the next row. Returns `false` if there is none.
    #[inline]
    pub(super) fn next(&mut self) -> Result<bool> {
        self.begin = self.end;
        let mut last = self.plain.advance();
        if last.is_none() && self.find_plain()? {
            last = self.plain.advance();
        }
        self.is_plain = last.is_some();
        let Some(last) = last else { return self.run_automaton() };
        self.end = last + 1 + usize::from(self.buffer.get(last) == Some(&b'\r'));
        self.row += 1;
        Ok(true)
    }

    /// Returns the row that was read last; one without cells if there is none.
    #[inline]
    pub(super) fn record(&self) -> Record<'_> {
        let delimiter = self.delimiter;
        if self.is_plain {
            let (bytes, begin, ends) = (&*self.buffer, self.begin, self.plain.ends());
            let text = ends.last().and_then(|&end| bytes.get(begin..end)).unwrap_or_default();
            return Record { bytes, begin, ends, between: 1, text, delimiter };
        }
        let text = if self.padded.is_empty() { self.text() } else { &self.padded };
        let ends = self.ends.get(..self.len).unwrap_or_default();
        Record { bytes: &self.cells, begin: 0, ends, between: 0, text, delimiter }
    }

    /// Number of the row that was read last, counted from 1.
    pub(super) fn row(&self) -> u64 {
        self.row
    }

    /// Failure because the row that was read last is wrong.
    pub(super) fn wrong(&self, reason: &str) -> Failure {
        self.wrong_row(self.row, reason)
    }

    /// Failure because row number `row` is wrong, or because the file has changed since it was opened.
    pub(super) fn wrong_row(&self, row: u64, reason: &str) -> Failure {
        match self.source.check_unchanged(self.name) {
            Ok(()) => Failure::input(self.name, format!("row {row}: {reason}")),
            Err(changed) => changed,
        }
    }

    /// Looks for plain rows behind the row that was read last, and returns whether the next row is one.
    #[inline(never)]
    fn find_plain(&mut self) -> Result<bool> {
        while self.width > 0 && self.end >= self.plain_from {
            if self.strict.is_after_return() && self.buffer[..self.filled].get(self.end) == Some(&b'\n') {
                self.end += 1;
                self.begin = self.end;
                self.strict.pass();
            }
            let rest = &self.buffer[self.end..self.filled];
            let part = &rest[..rest.len().min(PART)];
            match memrchr(b'\n', part) {
                None if part.len() < PART && !self.ended => self.fill()?,
                None => self.plain_from = self.end + part.len() + 1,
                Some(last) => {
                    let text = &self.buffer[..=self.end + last];
                    match self.plain.find(text, self.end, (self.width, self.delimiter)) {
                        Some(place) => self.plain_from = place,
                        None => {
                            self.strict.pass();
                            return Ok(true);
                        }
                    }
                }
            }
        }
        Ok(false)
    }

    /// Reads the next row by the automaton. Returns `false` if there is none.
    #[inline(never)]
    fn run_automaton(&mut self) -> Result<bool> {
        let mut bytes = 0;
        self.len = 0;
        self.padded.clear();
        loop {
            if self.end == self.filled && !self.ended {
                self.fill()?;
            }
            let rest = &self.buffer[self.end..self.filled];
            let (cells, ends) = (&mut self.cells[bytes..], &mut self.ends[self.len..]);
            let (result, read, copied, ended) = self.automaton.read_record(rest, cells, ends);
            match rest {
                [] => self.strict.end(),
                _ => self.strict.look(&rest[..read]),
            }
            self.end += read;
            bytes += copied;
            self.len += ended;
            match result {
                ReadRecordResult::Record => break,
                ReadRecordResult::InputEmpty if self.strict.fault() == Some(Fault::Open) => break,
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(2 * self.cells.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::End => {
                    self.source.check_unchanged(self.name)?;
                    return Ok(false);
                }
            }
        }
        self.row += 1;
        if let Some(fault) = self.strict.fault() {
            return Err(self.wrong(fault.words()));
        }
        if self.width == 0 {
            self.width = self.len;
        }
        if self.source.is_ragged() {
            self.pad();
        }
        Ok(true)
    }

    /// Adds empty cells to a row that has fewer than the first one.
    fn pad(&mut self) {
        let missing = self.width.saturating_sub(self.len);
        if missing > 0 {
            self.padded = [self.text(), &vec![self.delimiter; missing]].concat();
            let end = self.ends[self.len - 1];
            self.ends.truncate(self.len);
            self.ends.resize(self.width, end);
            self.len = self.width;
        }
    }

    /// Returns the text of the row that was read last by the automaton, without its line end.
    fn text(&self) -> &[u8] {
        let text = self.buffer.get(self.begin..self.end).unwrap_or_default();
        let begin = text.iter().position(|&byte| !is_line_end(byte)).unwrap_or(0);
        let end = text.iter().rposition(|&byte| !is_line_end(byte)).map_or(0, |last| last + 1);
        text.get(begin..end).unwrap_or_default()
    }

    /// Reads more bytes. Those before the begin of the row at hand make room for them.
    fn fill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.begin..self.filled, 0);
        self.filled -= self.begin;
        self.end -= self.begin;
        self.plain_from = self.plain_from.saturating_sub(self.begin);
        self.begin = 0;
        if self.filled == self.buffer.len() {
            let more = self.buffer.len();
            memory::ask(|| self.buffer.try_reserve(more)).map_err(|_| Failure::memory(self.name, 2 * more))?;
            self.buffer.resize(2 * more, 0);
        }
        let read = loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                read => break read.map_err(|e| Failure::reading(self.name, &e))?,
            }
        };
        self.ended = read == 0;
        self.filled += read;
        self.progress.step(read);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::text::TextForm;

    /// Cells and text of a row.
    type Row = (Vec<Vec<u8>>, Vec<u8>);

    /// Returns the rows of a table, the failure at its end if there is one, and the number of plain rows; `plain` allows such.
    fn read(text: &[u8], delimiter: u8, ragged: bool, buffer: usize, plain: bool) -> (Vec<Row>, Option<String>, usize) {
        let form = TextForm { ragged, ..TextForm::default() };
        let source = Source::keep(&mut { text }, "x").unwrap().with_form(form);
        let progress = Progress::new("reading", None);
        let mut rows = Rows::with_buffer(source.text("x").unwrap(), &source, ("x", delimiter), &progress, buffer);
        if !plain {
            rows.plain_from = usize::MAX;
        }
        let (mut all, mut found) = (Vec::new(), 0);
        loop {
            match rows.next() {
                Ok(true) => {}
                Ok(false) => return (all, None, found),
                Err(failure) => return (all, Some(failure.to_string()), found),
            }
            let row = rows.record();
            assert_eq!(row.iter().count(), row.len());
            all.push((row.iter().map(<[u8]>::to_vec).collect(), row.text.to_vec()));
            found += usize::from(rows.is_plain);
            assert_eq!(rows.row(), all.len() as u64);
        }
    }

    /// Numbers that look like chance, each smaller than its argument.
    fn chance(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % below
        }
    }

    /// Returns a table of chance, whose rows mostly have the same number of cells.
    fn table(seed: u64) -> Vec<u8> {
        let mut next = chance(seed);
        let (width, odd) = (1 + next(6), [0, 2, 60, 1000][next(4)]);
        let end: &[u8] = [&b"\n"[..], b"\r\n", b"\r"][[0, 0, 0, 1, 1, 2][next(6)]];
        let (quotes, long) = (next(3) > 0, [8, 8, 40, 300][next(4)]);
        let mut text = Vec::new();
        for _ in 0..next(200) {
            let is_odd = |next: &mut dyn FnMut(usize) -> usize| odd > 0 && next(odd) == 0;
            let cells = if is_odd(&mut next) { next(8) } else { width };
            for cell in 0..cells {
                if cell > 0 {
                    text.push(b',');
                }
                match next(30) {
                    0 if quotes => text.extend(b"\"a,\"\"\n\r\nb\" "),
                    1 if quotes => text.extend(b"\"q\""),
                    2 if quotes => text.extend(b"5\" x"),
                    _ => (0..next(long)).for_each(|_| text.push(b"0123456789-.eab \xc3\xa4\xff\0"[next(19)])),
                }
            }
            // A row of one empty cell would be blank.
            if cells == 1 && text.last().is_none_or(|&last| is_line_end(last)) {
                text.push(b'x');
            }
            text.extend(if is_odd(&mut next) { [&b"\n"[..], b"\r\n", b"\r", b"\n\n", b"\n\r"][next(5)] } else { end });
            if is_odd(&mut next) && next(5) == 0 {
                text.push(b'"');
            }
        }
        if next(2) == 0 {
            text.truncate(text.len().saturating_sub(1 + next(4)));
        }
        text
    }

    #[test]
    fn plain_rows_are_those_of_the_automaton() {
        let (mut found, mut rows, mut failures) = (0, 0, 0);
        for seed in 0..800 {
            let text = table(seed);
            let ragged = seed % 3 == 0;
            let by_automaton = read(&text, b',', ragged, BUFFER, false);
            for buffer in [BUFFER, 1, 70 + seed as usize % 200, 5000] {
                let (all, failure, plain) = read(&text, b',', ragged, buffer, true);
                let shown = || String::from_utf8_lossy(&text[..text.len().min(3000)]).into_owned();
                assert!(all == by_automaton.0, "seed {seed}, buffer of {buffer}: {}", shown());
                assert_eq!(failure, by_automaton.1, "seed {seed}, buffer of {buffer}: {}", shown());
                found += plain;
            }
            rows += by_automaton.0.len();
            failures += usize::from(by_automaton.1.is_some());
        }
        // The tables have rows of both kinds.
        assert!(
            found > rows && found < 4 * rows && failures > 100,
            "{found} plain rows of {rows}, {failures} failures"
        );
    }

    #[test]
    fn rows_are_those_of_csv() {
        for seed in 0..500 {
            let text = table(seed);
            let (all, failure, _) = read(&text, b',', false, 200, true);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&*text);
            let records = reader.byte_records().map(|row| row.unwrap().iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
            let expected: Vec<Vec<Vec<u8>>> = records.collect();
            let cells: Vec<Vec<Vec<u8>>> = all.into_iter().map(|(cells, _)| cells).collect();
            match failure {
                None => assert!(cells == expected, "seed {seed}"),
                Some(_) => assert!(expected.starts_with(&cells), "seed {seed}"),
            }
        }
    }

    #[test]
    fn most_rows_are_plain() {
        let lines = |end: &str| format!("a,b{end}{}", format!("12,xyz{end}").repeat(50_000)).into_bytes();
        for end in ["\n", "\r\n"] {
            let (all, failure, plain) = read(&lines(end), b',', false, BUFFER, true);
            assert_eq!((all.len(), failure, plain), (50_001, None, 50_000));
        }
        let one = format!("a\n{}\"b\"\n{}", "1\n".repeat(300), "2\n".repeat(300));
        assert_eq!(read(one.as_bytes(), b',', false, BUFFER, true).2, 600);
        let long = format!("a,b\n1,2\n{},3\n4,5\n", "x".repeat(2 * PART));
        let (all, _, plain) = read(long.as_bytes(), b',', false, 100, true);
        assert!(all == read(long.as_bytes(), b',', false, 100, false).0 && (all.len(), plain) == (4, 2));
        assert_eq!(read(b"a\tb\n1\t2\n3\t4", b'\t', false, BUFFER, true).2, 1);
    }

    #[test]
    fn a_quote_that_is_never_closed_does_not_fill_the_memory() {
        let mut text = b"a\n\"".to_vec();
        text.resize((1 << 26) + (1 << 20), b'x');
        let (all, failure, _) = read(&text, b',', false, BUFFER, true);
        let failure = failure.unwrap();
        assert!(all.len() == 1 && failure.contains("row 2: a quote begins a cell and nothing closes it"), "{failure}");
    }
}
