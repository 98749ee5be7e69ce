//! Columns whose values are compared and not computed with: numbers, or texts that are numbered in their order.

use crate::args::Common;
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::input::{self, Input};
use crate::missing::Missing;
use crate::names;
use crate::output::Destination;
use crate::progress::Progress;
use crate::run;
use crate::table::{self, Asked, Grouped, How, Wanted, WrittenRows};

/// Values of a column, or of an array.
pub(crate) enum Categories {
    Numbers(Values),
    Texts(Coded),
}

/// Texts, each as its number.
pub(crate) struct Coded {
    /// Distinct texts, in the order of their bytes.
    pub(crate) texts: Vec<Vec<u8>>,
    /// Number of the text of each row.
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
    read.note_mixed();
    order.sort_by_key(|&group| read.text(group));
    let mut ranks = vec![None; read.len()];
    order.iter().enumerate().for_each(|(rank, &group)| ranks[group] = Some(rank as u32));
    let codes: Vec<u32> = rows.iter().filter_map(|&row| ranks[row as usize]).collect();
    let texts = order.into_iter().map(|group| read.text(group).to_vec()).collect();
    Ok((Categories::Texts(Coded { texts, codes: codes.into() }), name))
}

impl Coded {
    /// Returns the text of the value number `index` of `codes`, which are numbers of texts.
    fn text(&self, codes: &Values, index: usize) -> &[u8] {
        let Values::U32(codes) = codes else { return b"" };
        codes.get(index).and_then(|&code| self.texts.get(code as usize)).map_or(b"", Vec::as_slice)
    }

    /// Writes a line with the text of each of `codes`, and with what `beside` appends to it.
    pub(crate) fn write(
        &self,
        destination: &Destination,
        delimiter: u8,
        codes: &Values,
        names: Option<[&str; 2]>,
        beside: Option<&[u64]>,
    ) -> Result<()> {
        destination.write(|out| {
            let mut out = WrittenRows::to(out, destination.name(), delimiter);
            if let Some(names) = names {
                out.write(names.map(str::as_bytes))?;
            }
            for index in 0..codes.len() {
                let text = [self.text(codes, index)];
                match beside.and_then(|numbers| numbers.get(index)) {
                    Some(number) => out.write(text.into_iter().chain([number.to_string().as_bytes()]))?,
                    None => out.write(text)?,
                }
            }
            Ok(())
        })
    }
}
