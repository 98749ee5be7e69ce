//! Rows without quotes, whose cells end where a delimiter or a line feed is: found many at a time, by comparing 64 bytes at once.

use super::strict::{is_dull, is_line_end};
use memchr::{memchr, memchr_iter, memrchr};

/// Maximum number of bytes in which rows are found at a time: few enough for a core's cache.
pub(super) const PART: usize = 1 << 15;

/// Rows that were found, and the one at hand.
pub(super) struct Plain {
    /// Places where cells end, row by row; those behind the first `len` mean nothing.
    ends: Vec<usize>,
    len: usize,
    /// Number of cells of a row.
    width: usize,
    /// Index in `ends` of the first cell of the row after the one at hand.
    next: usize,
}

impl Plain {
    pub(super) fn new() -> Self {
        Self { ends: vec![0; PART], len: 0, width: 0, next: 0 }
    }

    /// Goes to the next row. Returns where its last cell ends, or `None` if there is no more row.
    #[inline]
    pub(super) fn advance(&mut self) -> Option<usize> {
        let next = self.next + self.width;
        if self.next == self.len {
            return None;
        }
        self.next = next;
        self.ends.get(next - 1).copied()
    }

    /// Returns where the cells of the row at hand end.
    #[inline]
    pub(super) fn ends(&self) -> &[usize] {
        self.ends.get(self.next.saturating_sub(self.width)..self.next).unwrap_or_default()
    }

    /// Finds the rows of `width` cells that `text` has from its byte `begin` on, at most [`PART`] bytes which end in a line
    /// feed. Returns where rows without a quote begin again if the first ones are no such rows.
    pub(super) fn find(&mut self, text: &[u8], begin: usize, (width, delimiter): (usize, u8)) -> Option<usize> {
        (self.len, self.next, self.width) = (0, 0, width);
        let part = text.get(begin..).unwrap_or_default();
        let rows = match memchr(b'"', part) {
            None => part,
            Some(quote) => match memrchr(b'\n', &part[..quote]) {
                None => return Some(begin + quote + 1),
                Some(end) => &part[..=end],
            },
        };
        self.mark(rows, begin, delimiter);
        if !self.are_rows(text, rows) {
            self.len = 0;
            return Some(begin + rows.len());
        }
        None
    }

    /// Stores where delimiters and line feeds are in `rows`, which begin at `begin`.
    fn mark(&mut self, rows: &[u8], begin: usize, delimiter: u8) {
        let (blocks, rest) = rows.as_chunks();
        let mut at = begin;
        for block in blocks {
            self.store(at, ends_in(block, delimiter));
            at += BLOCK;
        }
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        self.store(at, ends_in(&last, delimiter) & !(u64::MAX << rest.len()));
    }

    /// Stores the places of the bits in `marks`; that of the first one is `at`.
    #[inline]
    fn store(&mut self, at: usize, mut marks: u64) {
        while marks != 0 {
            if let Some(end) = self.ends.get_mut(self.len) {
                *end = at + marks.trailing_zeros() as usize;
                self.len += 1;
            }
            marks &= marks - 1;
        }
    }

    /// Whether the places are those of rows that all have the same number of cells, none of them blank. Then those at the
    /// ends of rows are moved before a carriage return.
    fn are_rows(&mut self, text: &[u8], rows: &[u8]) -> bool {
        let count = memchr_iter(b'\n', rows).count();
        let mut ends = self.ends[..self.len].chunks_exact_mut(self.width);
        // As many line feeds as rows, so there is none between the cells of a row.
        let fits = count * self.width == self.len && ends.all(|row| row.last().is_some_and(|&end| text[end] == b'\n'));
        let blank = || rows.first().is_some_and(|&first| is_line_end(first)) || !is_dull(rows);
        if !fits || self.width == 1 && blank() {
            return false;
        }
        let returns = memchr_iter(b'\r', rows).count();
        if returns == 0 {
            return true;
        }
        let mut found = 0;
        for row in self.ends[..self.len].chunks_exact_mut(self.width) {
            if let Some(end) = row.last_mut()
                && text[..*end].ends_with(b"\r")
            {
                *end -= 1;
                found += 1;
            }
        }
        // A carriage return alone ends a row, too.
        found == returns
    }
}

const BLOCK: usize = 64;

/// Returns a bit for each byte of a block: whether it is a delimiter or a line feed.
#[inline]
fn ends_in(block: &[u8; BLOCK], delimiter: u8) -> u64 {
    let mut is_end = [0u8; BLOCK];
    for (is_end, &byte) in is_end.iter_mut().zip(block) {
        *is_end = u8::from((byte == delimiter) | (byte == b'\n'));
    }
    // A product moves the lowest bits of eight bytes to the bits of the highest one.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (words, _) = is_end.as_chunks();
    words.iter().rev().fold(0, |marks, &word| (marks << 8) | (u64::from_le_bytes(word).wrapping_mul(GATHER) >> 56))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_bytes() {
        for seed in 0..200u64 {
            let byte =
                |k: usize| b",\nx\r\0\x8c\xff\"\x0b-"[(seed * 31 + k as u64 * k as u64 * (seed + 3)) as usize % 10];
            let block: [u8; BLOCK] = std::array::from_fn(byte);
            for delimiter in [b',', b'\t', 0, 0xff, 0x8c] {
                let expected = (0..BLOCK).filter(|&k| block[k] == delimiter || block[k] == b'\n');
                assert_eq!(ends_in(&block, delimiter), expected.fold(0, |marks, k| marks | 1 << k));
            }
        }
    }
}
