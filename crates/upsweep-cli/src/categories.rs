//! Columns whose values are compared and not computed with: numbers, or texts, also of several columns.

use crate::args::Common;
use crate::collect::Texts;
use crate::column::{self, Numbers, Table};
use crate::failure::{Failure, Result};
use crate::input;
use crate::names;
use crate::output::Destination;
use crate::run;
use crate::table::{Changes, Record, WrittenRows, key_cells, text_of};
use std::path::Path;
use upsweep::Device;

/// Values of a column, or of an array.
pub(crate) enum Categories<'a> {
    Numbers(Numbers),
    Texts(Box<TextColumns<'a>>),
}

/// Columns of a table whose rows of texts are compared.
pub(crate) struct TextColumns<'a> {
    common: &'a Common,
    table: Table,
}

/// Distinct rows of texts.
pub(crate) struct Distinct {
    /// The rows in their order: a text of each column, row by row.
    texts: Texts,
    /// How often each occurs.
    pub(crate) counts: Vec<u64>,
    /// Which of them each row of the table has, if that is asked for.
    pub(crate) inverse: Vec<u64>,
}

impl Distinct {
    /// Returns the texts of row number `row`, which are `width`.
    pub(crate) fn row(&self, row: usize, width: usize) -> impl Iterator<Item = &[u8]> {
        (row * width..(row + 1) * width).map(|place| self.texts.get(place))
    }
}

/// Reads the values that the command line names. A column of a table has texts if one of its cells is neither a number nor
/// missing, and no type is asked for. `on_host` and `folder` say where [many numbers](column::numbers) are.
pub(crate) fn read<'a>(common: &'a Common, on_host: bool, folder: Option<&Path>) -> Result<Categories<'a>> {
    run::explain_waiting(common);
    let delimiter = common.table.delimiter(names::delimiter(&common.file));
    let (Some(delimiter), true, None) = (delimiter, common.column.is_some(), common.element) else {
        return column::numbers(common, on_host, folder).map(Categories::Numbers);
    };
    input::check_array(common.array.as_deref(), &common.file)?;
    let table = Table::open(common, &common.file, delimiter)?;
    if table.head.values().len() == 1 {
        match table.numbers(common, on_host, folder) {
            Err(Failure::Input(reason)) => {
                if !table.rows("reading", |rows| rows.has_text(&common.missing))? {
                    return Err(Failure::Input(reason));
                }
            }
            read => return read.map(Categories::Numbers),
        }
    }
    Ok(Categories::Texts(Box::new(TextColumns { common, table })))
}

impl TextColumns<'_> {
    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        self.table.head.values().len()
    }

    /// Returns names for a table of the texts: those of the columns if there are several and they have names.
    pub(crate) fn names(&self) -> Vec<Vec<u8>> {
        match self.width() {
            1 => vec![b"value".to_vec()],
            _ => self.table.head.names().into_iter().flatten().map(|name| name.trim_ascii().to_vec()).collect(),
        }
    }

    /// Whether a row is left out, as one of its texts means that there is no value.
    fn leaves_out(&self, row: Record<'_>) -> bool {
        let missing = &self.common.missing;
        let leaves_out =
            |&column: &usize| text_of(row.get(column).unwrap_or_default()).is_some_and(|text| missing.leaves_out(text));
        missing.is_asked() && self.table.head.values().iter().any(leaves_out)
    }

    /// Finds runs of rows with the same texts. `take` takes the texts of each, and its length.
    pub(crate) fn runs(&self, mut take: impl FnMut(&[&[u8]], u64) -> Result<()>) -> Result<()> {
        let (mut changes, mut key, mut length) = (Changes::of(self.table.head.values().to_vec()), Vec::new(), 0);
        let mut end =
            |key: &[u8], length| if length > 0 { take(&key_cells(key, self.width()), length) } else { Ok(()) };
        self.table.rows("reading", |rows| {
            rows.each(|row, _| {
                if self.leaves_out(row) {
                    return Ok(Ok(()));
                }
                if changes.is_head(row) {
                    end(&key, length)?;
                    key.clear();
                    key.extend_from_slice(changes.last());
                    length = 0;
                }
                length += 1;
                Ok(Ok(()))
            })
        })?;
        end(&key, length)
    }

    /// Finds the distinct rows of texts; `with_inverse` says whether which of them each row has is asked for.
    pub(crate) fn distinct(&self, with_inverse: bool) -> Result<Distinct> {
        let name = &*self.table.name;
        let (read, counted, rows) = self.table.counted(with_inverse)?;
        let is_kept = |group: &usize| !read.is_left_out(*group, &self.common.missing);
        let mut order: Vec<usize> = (0..read.len()).filter(is_kept).collect();
        if self.width() == 1 {
            read.note_mixed();
            order.sort_by_key(|&group| read.texts(group).next());
        } else {
            let sorted = read.sorted(&Device::cpu())?;
            order = sorted.into_iter().map(|group| group as usize).filter(is_kept).collect();
        }
        let mut texts = Texts::default();
        for text in order.iter().flat_map(|&group| read.texts(group)) {
            texts.push(text).map_err(|refused| refused.failure(name, Failure::Run))?;
        }
        let counts = order.iter().filter_map(|&group| counted.get(group)).copied().collect();
        let mut ranks = vec![None; read.len()];
        order.iter().zip(0..).for_each(|(&group, rank)| ranks[group] = Some(rank));
        let inverse = rows.iter().filter_map(|&row| ranks[row as usize]).collect();
        Ok(Distinct { texts, counts, inverse })
    }
}

/// Lets `act` write rows of texts, after a line of `names` if there are some.
pub(crate) fn write(
    destination: &Destination,
    delimiter: u8,
    names: &[Vec<u8>],
    act: impl FnOnce(&mut WrittenRows<'_>) -> Result<()>,
) -> Result<()> {
    destination.write(|out| {
        let mut out = WrittenRows::to(out, destination.name(), delimiter);
        if !names.is_empty() {
            out.write(names.iter().map(Vec::as_slice))?;
        }
        act(&mut out)
    })
}
