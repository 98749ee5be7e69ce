//! Row of a table that was read.

use csv::ByteRecord;

/// Row of a table: its cells, which lie one after the other in some bytes, and its text as it was read.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(super) bytes: &'a [u8],
    /// Place in `bytes` where the first cell begins.
    pub(super) begin: usize,
    /// Places in `bytes` where the cells end.
    pub(super) ends: &'a [usize],
    /// Number of bytes between a cell and the next one.
    pub(super) between: usize,
    /// Text of the row, without its line end.
    pub(super) text: &'a [u8],
    pub(super) delimiter: u8,
}

impl<'a> Record<'a> {
    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the cell in a column, if there is one.
    #[inline]
    pub(crate) fn get(&self, column: usize) -> Option<&'a [u8]> {
        let end = *self.ends.get(column)?;
        let begin = match column {
            0 => self.begin,
            _ => *self.ends.get(column - 1)? + self.between,
        };
        self.bytes.get(begin..end)
    }

    /// Returns all cells, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let row = *self;
        (0..row.len()).map(move |column| row.get(column).unwrap_or_default())
    }

    /// Returns the text of the row, if the row was read with this delimiter.
    pub(super) fn text_with(&self, delimiter: u8) -> Option<&'a [u8]> {
        (self.delimiter == delimiter).then_some(self.text)
    }
}

/// Row that stays while others are read.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(super) cells: ByteRecord,
    ends: Vec<usize>,
    pub(super) text: Vec<u8>,
    delimiter: u8,
}

impl Kept {
    pub(crate) fn of(row: Record<'_>) -> Self {
        let cells: ByteRecord = row.iter().collect();
        let ends = cells.iter().scan(0, |end, cell| {
            *end += cell.len();
            Some(*end)
        });
        Self { ends: ends.collect(), cells, text: row.text.to_vec(), delimiter: row.delimiter }
    }

    pub(crate) fn row(&self) -> Record<'_> {
        let Self { cells, ends, text, delimiter } = self;
        Record { bytes: cells.as_slice(), begin: 0, ends, between: 0, text, delimiter: *delimiter }
    }
}
