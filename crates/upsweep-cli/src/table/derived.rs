//! Columns of the rows that `select` writes: those of the table, and computed ones.

use super::columns::{Columns, unquoted};
use super::record::Record;
use crate::expression::value::Row;
use crate::expression::{Expression, Found, Kind, parse_value};
use crate::failure::{Failure, Result};
use csv::ByteRecord;

/// Columns to write, in their order.
pub(super) struct Derived {
    /// For each column of the table, and then for each new one, what it is computed by.
    sets: Vec<Option<(Expression, Kind)>>,
    /// Columns that are written.
    kept: Vec<usize>,
    /// Names of all columns; the first row, longer by the new columns, if that has no names.
    names: ByteRecord,
}

impl Derived {
    /// Reads the assignments `sets` and the list `keep` of columns; `None` if both are missing, so that rows are written as they
    /// are read.
    pub(super) fn new(sets: &[String], keep: Option<&str>, columns: &Columns<'_>) -> Result<Option<Self>> {
        if sets.is_empty() && keep.is_none() {
            return Ok(None);
        }
        let mut names = columns.first.clone();
        let mut by: Vec<Option<(Expression, Kind)>> = (0..names.len()).map(|_| None).collect();
        // The first row of a table without names has none to look at.
        let named = if columns.names.is_some() { 0 } else { names.len() };
        for set in sets {
            let wrong = |reason: &str| Failure::Input(format!("--set {set}: {reason}"));
            let (name, text) = set.split_once('=').ok_or_else(|| wrong("is no assignment: write 'name = value'"))?;
            let name = unquoted(name.trim()).unwrap_or_else(|| name.trim().to_owned());
            if name.is_empty() || text.starts_with('=') {
                return Err(wrong("is no assignment: write 'name = value'"));
            }
            let value = parse_value(text, columns).map_err(|mut it| {
                let before = set.len() - text.len();
                (it.begin, it.end) = (it.begin + before, it.end + before);
                wrong(&it.within(set))
            })?;
            let place = (named..names.len()).find(|&place| names[place].trim_ascii() == name.as_bytes());
            match place {
                Some(place) => by[place] = Some(value),
                None => {
                    names.push_field(name.as_bytes());
                    by.push(Some(value));
                }
            }
        }
        let all = Columns { names: columns.names.map(|_| &names), first: &names, ..*columns };
        let kept = match keep {
            Some(keep) => all.find_all(keep)?,
            None => (0..names.len()).collect(),
        };
        Ok(Some(Self { sets: by, kept, names }))
    }

    /// Returns the names of the columns that are written.
    pub(super) fn names(&self) -> ByteRecord {
        self.kept.iter().filter_map(|&place| self.names.get(place)).collect()
    }

    /// Writes to `to` the cells for a row, of which `cells` are the values.
    pub(super) fn row(&self, row: Record<'_>, cells: &dyn Row, to: &mut ByteRecord) -> Found<()> {
        to.clear();
        let mut text = Vec::new();
        for &place in &self.kept {
            match self.sets.get(place) {
                Some(Some((value, kind))) => {
                    text.clear();
                    value.write(*kind, cells, &mut text)?;
                    to.push_field(&text);
                }
                _ => to.push_field(row.get(place).unwrap_or_default()),
            }
        }
        Ok(())
    }
}
