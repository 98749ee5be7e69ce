//! Entries of a matrix, from a Matrix Market file.

use super::weights::{push_text, push_whole};
use crate::element::Values;
use crate::failure::{Failure, Result, shown};
use std::collections::HashMap;
use upsweep::Device;
use upsweep::operator::Number;
use upsweep_apps::graph::Matrix;

/// Entries of a sparse matrix: row, column and value of each. Rows and columns are counted from 0.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) shape: (usize, usize),
    pub(super) rows: Vec<u32>,
    pub(super) columns: Vec<u32>,
    /// Values of the entries, of type i64, u64 or f64.
    pub(super) values: Values,
    /// Indices of the entries written as `-0`, recorded as long as all values are integers.
    pub(super) negative_zeros: Vec<usize>,
    /// Whether the file has values. Without them each value is 1.
    pub(super) weighted: bool,
    /// Names of the vertices, in the order of their numbers, if the vertices have names.
    pub(super) names: Option<Vec<Vec<u8>>>,
}

impl Entries {
    /// Creates a matrix of this shape without entries.
    pub(super) fn new(shape: (usize, usize), weighted: bool) -> Self {
        let values = Vec::<i64>::new().into();
        Self { shape, rows: vec![], columns: vec![], values, negative_zeros: vec![], weighted, names: None }
    }

    fn push(&mut self, (row, column): (u32, u32)) {
        self.rows.push(row);
        self.columns.push(column);
    }

    /// Parses a Matrix Market file with the entries of a sparse matrix (`coordinate`), of kind real, integer or
    /// pattern.
    pub(super) fn parse(text: &[u8], name: &str) -> Result<Self> {
        let text = std::str::from_utf8(text).map_err(|_| Failure::input(name, "is no text"))?;
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line).to_lowercase();
        let words: Vec<&str> = header.split_whitespace().collect();
        let ["%%matrixmarket", "matrix", "coordinate", kind, symmetry] = words[..] else {
            let expected = "%%MatrixMarket matrix coordinate KIND SYMMETRY";
            let table = "a table of edges has a name in .csv or .tsv, or --format or --delimiter";
            let reason = format!("is no sparse Matrix Market file: the first line is not `{expected}`; {table}");
            return Err(Failure::input(name, reason));
        };
        let unknown = |what: &str, word: &str| Failure::input(name, format!("{what} {} is not read", shown(word)));
        if !["real", "integer", "pattern"].contains(&kind) {
            return Err(unknown("the kind", kind));
        }
        // What each entry off the diagonal adds at the mirrored place: nothing, the same value (`false`), or its
        // negative (`true`).
        let mirror = match symmetry {
            "general" => None,
            "symmetric" => Some(false),
            "skew-symmetric" => Some(true),
            _ => return Err(unknown("the symmetry", symmetry)),
        };
        let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('%'));
        let size = lines.next().and_then(|(_, line)| {
            let numbers: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            <[usize; 3]>::try_from(numbers).ok()
        });
        let Some([rows, columns, count]) = size else {
            return Err(Failure::input(name, "has no line with the numbers of rows, columns and entries"));
        };
        let mut entries = Self::new((rows, columns), kind != "pattern");
        if kind == "real" {
            entries.values = Vec::<f64>::new().into();
        }
        let mut found = 0;
        for (number, line) in lines {
            let wrong = |reason: String| Failure::input(name, format!("line {}: {reason}", number + 1));
            let not = |what: &str| wrong(format!("`{}` is no {what}", shown(line)));
            let words: Vec<&str> = line.split_whitespace().collect();
            let place = |word: &str, most: usize| {
                word.parse::<u32>().ok().filter(|&at| at >= 1 && at as usize <= most).map(|at| at - 1)
            };
            let entry = || format!("entry of {rows} rows and {columns} columns");
            let (at, value) = match (kind, &words[..]) {
                ("pattern", &[row, column]) => ((row, column), "1"),
                ("real" | "integer", &[row, column, value]) => ((row, column), value),
                _ => return Err(not(&entry())),
            };
            let (Some(row), Some(column)) = (place(at.0, rows), place(at.1, columns)) else {
                return Err(not(&entry()));
            };
            entries.push((row, column));
            entries.take(kind, value, false).map_err(wrong)?;
            if let Some(negative) = mirror.filter(|_| row != column) {
                if row as usize >= columns || column as usize >= rows {
                    return Err(not("entry of a square matrix, as a symmetric one is"));
                }
                entries.push((column, row));
                entries.take(kind, value, negative).map_err(wrong)?;
            }
            found += 1;
        }
        if found != count {
            return Err(Failure::input(name, format!("has {found} entries and says {count}")));
        }
        Ok(entries)
    }

    /// Appends the value of an entry, given as text, to `values`; its negative if `negative`. `kind` is the first
    /// line's.
    fn take(&mut self, kind: &str, value: &str, negative: bool) -> std::result::Result<(), String> {
        if kind == "real" {
            push_text(&mut self.values, &mut self.negative_zeros, value)?;
            if let (Values::F64(x), true) = (&mut self.values, negative) {
                x.iter_mut().rev().take(1).for_each(|x| *x = -*x);
            }
            return Ok(());
        }
        let n = crate::number::integer(value, "a whole number", i128::MIN + 1, i128::MAX)
            .map_err(|_| format!("`{}` is no whole number, as the first line says that entries are", shown(value)))?;
        push_whole(&mut self.values, if negative { -n } else { n })
    }

    /// Builds the sparse matrix with the rows and columns of `self`, and `values`.
    pub(super) fn matrix<T: Number>(&self, device: &Device, values: &[T]) -> upsweep::Result<Matrix<T>> {
        let (rows, columns) = (device.upload(&self.rows)?, device.upload(&self.columns)?);
        Matrix::build(device, self.shape, (&rows, &columns, &device.upload(values)?))
    }

    /// Returns the first row and column whose entries add up to an integer outside the range of the values' type,
    /// `least` to `most`, and the sum there.
    pub(super) fn overflow(&self, values: &[i128], least: i128, most: i128) -> Option<((u32, u32), i128)> {
        // Usually the sum of the absolute values of all entries is in the range, and so is each of the sums.
        if values.iter().try_fold(0, |sum: i128, n| sum.checked_add(n.abs())).is_some_and(|sum| sum <= most) {
            return None;
        }
        let mut sums: HashMap<(u32, u32), i128> = HashMap::new();
        for ((&row, &column), &n) in self.rows.iter().zip(&self.columns).zip(values) {
            let sum = sums.entry((row, column)).or_default();
            *sum = sum.saturating_add(n);
        }
        sums.into_iter().filter(|(_, sum)| !(least..=most).contains(sum)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_market() -> Result<()> {
        let of = |text: &str| Entries::parse(text.as_bytes(), "x");
        let general = of("%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 2\n1 3 0.5\n2 1 -1e2\n")?;
        assert_eq!((general.shape, general.rows, general.columns), ((2, 3), vec![0, 1], vec![2, 0]));
        assert_eq!((general.values, general.weighted), (vec![0.5, -100.0].into(), true));
        let skew = of("%%matrixmarket MATRIX coordinate integer skew-symmetric\n2 2 1\n2 1 3\n")?;
        assert_eq!((skew.rows, skew.columns, skew.values), (vec![1, 0], vec![0, 1], vec![3i64, -3].into()));
        let skew = of("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n")?;
        assert_eq!(skew.values, vec![3.0, -3.0].into());
        let pattern = of("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n1 2\n")?;
        assert_eq!((pattern.rows, pattern.values, pattern.weighted), (vec![0, 0, 1], vec![1i64; 3].into(), false));
        let wide = of("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 3\n1 2 18446744073709551615\n")?;
        assert_eq!(wide.values, vec![3, u64::MAX].into());
        for wrong in [
            "",
            "%%MatrixMarket matrix array real general\n2 2\n",
            "%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
            "%%MatrixMarket matrix coordinate real general\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n0 1 2\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 2 2\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e999\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 9007199254740993\n",
            "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 0.5\n",
            "%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -3\n1 2 18446744073709551615\n",
            "%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n3 1 1\n",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
