//! Edges of a graph in a table: source, target and weight.

use super::entries::Entries;
use super::weights::push_text;
use crate::args::Header;
use crate::args::apps::OfGraph;
use crate::failure::{Failure, Result, note, quoted};
use crate::input;
use crate::number::is_number;
use crate::table::{Kept, Record, each_row};
use std::collections::HashMap;

/// Format of the two vertices of an edge in a table: any names, or vertex numbers from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Names,
    Numbers,
}

/// Maximum number of vertices.
const MOST: usize = u32::MAX as usize;

/// Vertices of a graph: a map from each vertex's name to its number, in the order of the names' first appearance.
#[derive(Default)]
struct Vertices {
    numbers: HashMap<Vec<u8>, u32>,
}

/// Returns the content of a cell, without the blanks around it if it is a number.
fn said(cell: &[u8]) -> &[u8] {
    let text = cell.trim_ascii();
    if std::str::from_utf8(text).is_ok_and(is_number) { text } else { cell }
}

impl Vertices {
    fn number(&mut self, cell: &[u8]) -> std::result::Result<u32, String> {
        let name = said(cell);
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if name.trim_ascii().is_empty() {
            return Err("an end of the edge is empty: name it or remove the row".to_owned());
        }
        let number = u32::try_from(self.numbers.len()).ok().filter(|&number| number < u32::MAX);
        let number = number.ok_or_else(|| format!("there are more than {MOST} vertices"))?;
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Returns the names in sorted order, by value if all are numbers, and for each vertex number of `self` its index
    /// in that order.
    fn sorted(self) -> (Vec<Vec<u8>>, Vec<u32>) {
        let mut all: Vec<(Vec<u8>, u32)> = self.numbers.into_iter().collect();
        let value = |name: &[u8]| std::str::from_utf8(name).ok().and_then(|text| text.parse::<f64>().ok());
        if all.iter().all(|(name, _)| value(name).is_some()) {
            let key = |name: &[u8]| value(name).unwrap_or(f64::NAN);
            all.sort_by(|(a, _), (b, _)| key(a).total_cmp(&key(b)).then_with(|| a.cmp(b)));
        } else {
            all.sort();
        }
        let mut places = vec![0u32; all.len()];
        all.iter().zip(0..).for_each(|((_, number), place)| places[*number as usize] = place);
        (all.into_iter().map(|(name, _)| name).collect(), places)
    }
}

/// Parses a cell with the number of a vertex.
fn numbered(cell: &[u8]) -> std::result::Result<u32, String> {
    let text = String::from_utf8_lossy(cell.trim_ascii());
    text.parse::<u32>().ok().filter(|&number| number < u32::MAX).ok_or_else(|| {
        format!("{} is no vertex: they are numbers from 0 to {}; --names FILE takes names", quoted(&text), MOST - 1)
    })
}

/// What is known of the first row of a table: whether it is an edge or names the columns.
enum First {
    /// The row needs no more decision: it was stored as an edge, or it names the columns.
    Done,
    /// Row without numbers: the second row decides whether it names the columns.
    Open(Kept),
    /// Row that names the columns, unless a name in it is a vertex of other edges: then it is an edge, too.
    Text(Kept),
}

/// State of the conversion of a table's rows to edges.
struct Reading {
    ends: Ends,
    unweighted: bool,
    header: Header,
    vertices: Vertices,
    entries: Entries,
}

impl Reading {
    fn has_number(row: Record<'_>) -> bool {
        let number = |cell: &[u8]| std::str::from_utf8(cell.trim_ascii()).is_ok_and(is_number);
        row.iter().take(3).any(number)
    }

    /// Appends the edge in `row`: source, target and, if there is one, weight.
    fn edge(&mut self, row: Record<'_>) -> std::result::Result<(), String> {
        let (Some(from), Some(to)) = (row.get(0), row.get(1)) else {
            let advice = "a row is an edge, from where and to where: --delimiter says what else is between cells";
            return Err(format!("has 1 cell: {advice}"));
        };
        let mut of = |cell| if self.ends == Ends::Names { self.vertices.number(cell) } else { numbered(cell) };
        let (from, to) = (of(from)?, of(to)?);
        self.entries.rows.push(from);
        self.entries.columns.push(to);
        let weight = row.get(2).filter(|_| !self.unweighted);
        let text = weight.map_or("1".into(), |weight| String::from_utf8_lossy(weight.trim_ascii()));
        self.entries.weighted |= weight.is_some();
        push_text(&mut self.entries.values, &mut self.entries.negative_zeros, &text)
            .map_err(|reason| format!("{reason}; column 3 is weights: --unweighted leaves it out"))
    }

    /// Appends the first row as an edge, skips it if the options say that it names the columns, or returns it if the
    /// second row must decide.
    fn first(&mut self, row: Record<'_>) -> std::result::Result<First, String> {
        match self.header {
            Header::Yes => Ok(First::Done),
            Header::Auto if row.len() > 1 && !Self::has_number(row) => Ok(First::Open(Kept::of(row))),
            _ => self.edge(row).map(|()| First::Done),
        }
    }
}

/// Reads the edges of a table. Returns the entries of the adjacency matrix, and the name of the table in messages.
pub(super) fn read(of: &OfGraph, delimiter: u8, ends: Ends) -> Result<(Entries, String)> {
    let (source, name) = input::open_table(&of.file, of.table.text(delimiter))?;
    let (entries, vertices) = (Entries::new((0, 0), false), Vertices::default());
    let mut reading = Reading { ends, unweighted: of.unweighted, header: of.header, vertices, entries };
    let mut first = None;
    each_row(&source, &name, delimiter, |_, row| {
        first = Some(match first.take() {
            None => reading.first(row)?,
            Some(open) => {
                reading.edge(row)?;
                match open {
                    // Row 1 names the columns if the vertices are numbers, or if row 2 has a number. Otherwise row 1
                    // may be an edge between names.
                    First::Open(_) if ends == Ends::Numbers || Reading::has_number(row) => First::Done,
                    First::Open(row) => First::Text(row),
                    other => other,
                }
            }
        });
        Ok(())
    })?;
    if let Some(First::Text(row) | First::Open(row)) = first {
        let ends = || row.row().iter().take(2).map(said);
        let known = ends().any(|name| reading.vertices.numbers.contains_key(name));
        let shown = || ends().map(|name| quoted(&String::from_utf8_lossy(name))).collect::<Vec<_>>().join(", ");
        if known {
            reading.edge(row.row()).map_err(|reason| Failure::input(&name, format!("row 1: {reason}")))?;
        } else {
            let taken = "is taken for the names of its columns: if it is an edge, give --header no";
            note(&format!("{name}: the first row, {}, {taken}", shown()));
        }
    }
    let Reading { mut entries, vertices, .. } = reading;
    let count = if ends == Ends::Names {
        let (names, places) = vertices.sorted();
        let place = |end: &mut u32| *end = places[*end as usize];
        entries.rows.iter_mut().chain(&mut entries.columns).for_each(place);
        let count = names.len();
        entries.names = Some(names);
        count
    } else {
        entries.rows.iter().chain(&entries.columns).max().map_or(0, |&most| most as usize + 1)
    };
    entries.shape = (count, count);
    Ok((entries, name))
}
