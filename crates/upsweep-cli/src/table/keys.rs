//! Keys of rows: the cell of one column, or those of several as one text.

use super::record::Record;

/// Finder of the rows whose key differs from that of the row before.
pub(crate) struct Changes {
    columns: Vec<usize>,
    key: Vec<u8>,
    /// Key of the row before, if there is one.
    last: Option<Vec<u8>>,
}

impl Changes {
    /// Keys are the cells in these columns.
    pub(crate) fn of(columns: Vec<usize>) -> Self {
        Self { columns, key: Vec::new(), last: None }
    }

    /// Whether the key of the next row differs from that of the row before. That of the first row does.
    pub(crate) fn is_head(&mut self, row: Record<'_>) -> bool {
        self.key.clear();
        join(self.columns.iter().map(|&column| row.get(column).unwrap_or_default()), &mut self.key);
        let is_head = self.last.as_ref() != Some(&self.key);
        if is_head {
            std::mem::swap(self.last.get_or_insert_default(), &mut self.key);
        }
        is_head
    }

    /// Key of the last row.
    pub(crate) fn last(&self) -> &[u8] {
        self.last.as_deref().unwrap_or_default()
    }
}

/// Appends to `text` the cells as one text, which differs from that of others if a cell does. One cell is the text; of several each
/// follows its length.
pub(crate) fn join<'c>(cells: impl ExactSizeIterator<Item = &'c [u8]>, text: &mut Vec<u8>) {
    let is_only = cells.len() == 1;
    for cell in cells {
        if !is_only {
            text.extend((cell.len() as u64).to_le_bytes());
        }
        text.extend(cell);
    }
}

/// Returns the cells, `count` of them, of which a text was joined.
pub(crate) fn key_cells(text: &[u8], count: usize) -> Vec<&[u8]> {
    if count == 1 {
        return vec![text];
    }
    let mut rest = text;
    let mut cells = Vec::with_capacity(count);
    while let Some((len, after)) = rest.split_first_chunk() {
        let (cell, after) = after.split_at(after.len().min(u64::from_le_bytes(*len) as usize));
        cells.push(cell);
        rest = after;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_again() {
        let long = "x".repeat(300);
        let cases = [&[][..], &[""], &["a"], &["", ""], &["ab", "c"], &["a", "bc"], &["\0", &long, "", "ä"]];
        let mut seen = Vec::new();
        for cells in cases {
            let mut text = Vec::new();
            join(cells.iter().map(|cell| cell.as_bytes()), &mut text);
            assert!(
                key_cells(&text, cells.len()).iter().eq(cells
                    .iter()
                    .map(|cell| cell.as_bytes())
                    .collect::<Vec<_>>()
                    .iter())
            );
            assert!(!seen.contains(&(cells.len(), text.clone())));
            seen.push((cells.len(), text));
        }
    }
}
