//! Columns whose values are compared and not computed with: numbers, or texts, also of several columns, that are numbered in
//! their order.

use crate::args::Common;
use crate::collect::Texts;
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::input::{self, Input};
use crate::missing::Missing;
use crate::names;
use crate::output::Destination;
use crate::progress::Progress;
use crate::run;
use crate::table::{self, Asked, Grouped, How, Wanted, WrittenRows};
use upsweep::Device;

/// Values of a column, or of an array.
pub(crate) enum Categories {
    Numbers(Values),
    Texts(Coded),
}

/// Texts, or rows of texts of several columns, each as its number.
pub(crate) struct Coded {
    /// Names of the columns, if the table names its columns.
    names: Option<Vec<Vec<u8>>>,
    /// Number of columns.
    width: usize,
    /// Distinct rows of texts, in their order: a text of each column, row by row.
    texts: Texts,
    /// Number of the row of texts of each row.
    pub(crate) codes: Values,
}

/// Reads the values that the command line names, and returns them with the name of the input in messages. A column of a
/// table has texts if one of its cells is neither a number nor missing, and no type is asked for.
pub(crate) fn read(common: &Common) -> Result<(Categories, String)> {
    run::explain_waiting(common);
    let delimiter = common.table.delimiter(names::delimiter(&common.file));
    let (Some(delimiter), Some(column), None) = (delimiter, common.column.as_deref(), common.element) else {
        let Input { name, values, .. } = input::load(common, false)?;
        return Ok((Categories::Numbers(values), name));
    };
    input::check_array(common.array.as_deref(), &common.file)?;
    let (source, name) = input::open_table(&common.file, common.table.text(delimiter))?;
    let wanted = Wanted {
        column: Some(column),
        by_key: None,
        element: None,
        header: common.header,
        options: common.options,
        typed: true,
        delimiter,
        keep_keys: false,
        missing: Some(&common.missing),
    };
    let no_number = match table::read(source.again(&name)?, &name, &wanted, &Progress::new("reading", source.size())) {
        Ok((values, ..)) => return Ok((Categories::Numbers(values), name)),
        Err(Failure::Input(reason)) => Failure::Input(reason),
        Err(failed) => return Err(failed),
    };
    let asked = Asked {
        source: &source,
        name: &name,
        delimiter,
        header: common.header,
        signed: false,
        columns: &[],
        any: false,
        and: Some(column),
    };
    // Each row counts, whatever its other cells hold.
    let how = How { element: None, missing: &Missing::default(), counted: true, compared: false };
    let read = Grouped::read(&asked, &how, &Progress::new("reading", source.size()))?;
    if read.are_numbers(&common.missing) {
        return Err(no_number);
    }
    let rows = read.columns.first().map(|column| &*column.groups).unwrap_or_default();
    let mut order: Vec<usize> = (0..read.len()).filter(|&group| !read.is_left_out(group, &common.missing)).collect();
    let width = read.texts(0).count();
    if width == 1 {
        read.note_mixed();
        order.sort_by_key(|&group| read.texts(group).next());
    } else {
        let sorted = read.sorted(&Device::cpu())?;
        order =
            sorted.into_iter().map(|group| group as usize).filter(|group| order.binary_search(group).is_ok()).collect();
    }
    let mut ranks = vec![None; read.len()];
    order.iter().enumerate().for_each(|(rank, &group)| ranks[group] = Some(rank as u32));
    let codes: Vec<u32> = rows.iter().filter_map(|&row| ranks[row as usize]).collect();
    let mut texts = Texts::default();
    for text in order.iter().flat_map(|&group| read.texts(group)) {
        texts.push(text).map_err(|refused| refused.failure(&name, Failure::Run))?;
    }
    Ok((Categories::Texts(Coded { names: read.names, width, texts, codes: codes.into() }), name))
}

impl Coded {
    /// Returns names for a table of the texts: those of the columns if there are several and they have names.
    pub(crate) fn names(&self) -> Vec<&[u8]> {
        match (self.width, &self.names) {
            (1, _) => vec![b"value"],
            (_, names) => names.iter().flatten().map(|name| name.trim_ascii()).collect(),
        }
    }

    /// Returns the texts of the value number `index` of `codes`, which are numbers of rows of texts.
    fn texts(&self, codes: &Values, index: usize) -> impl Iterator<Item = &[u8]> {
        let row = if let Values::U32(codes) = codes { codes.get(index).copied() } else { None };
        row.into_iter().flat_map(move |row| (0..self.width).map(move |k| self.texts.get(row as usize * self.width + k)))
    }

    /// Writes a line with the texts of each of `codes`, and with what `beside` appends to it; before them a line of `names`.
    pub(crate) fn write(
        &self,
        destination: &Destination,
        delimiter: u8,
        codes: &Values,
        names: &[&[u8]],
        beside: Option<&[u64]>,
    ) -> Result<()> {
        destination.write(|out| {
            let mut out = WrittenRows::to(out, destination.name(), delimiter);
            if !names.is_empty() {
                out.write(names.iter().copied())?;
            }
            for index in 0..codes.len() {
                let texts = self.texts(codes, index);
                match beside.and_then(|numbers| numbers.get(index)) {
                    Some(number) => out.write(texts.chain([number.to_string().as_bytes()]))?,
                    None => out.write(texts)?,
                }
            }
            Ok(())
        })
    }
}
