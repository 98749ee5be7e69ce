//! What a plot is of: lines over rows, numbers or texts, or the cells of a heat map; read and reduced.

use super::axis::Axis;
use super::band::{self, Band, Columns, MOST_POINTS};
use super::heat::Heat;
use crate::apps::{float, picture, raster};
use crate::args::{Common, Kind, PlotArgs};
use crate::chunks::{self, ArrayFile};
use crate::collect::Texts;
use crate::device::DeviceChoice;
use crate::element::{Values, with_values};
use crate::failure::{Failure, Result, shown};
use crate::input::{self, Input};
use crate::names;
use crate::progress::Progress;
use crate::run;
use crate::signal;
use crate::source::Source;
use crate::table::{self, Wanted, key_cells, listed};
use std::collections::HashMap;
use std::path::Path;

/// Maximum number of lines of a plot.
const MOST_LINES: usize = 12;

/// Data of a plot, and what it is called.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) title: String,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    Lines(Lines),
    Heat(Heat),
}

/// Lines over one axis.
#[derive(Debug)]
pub(crate) struct Lines {
    /// Name of what is along the picture.
    pub(crate) along: String,
    pub(crate) places: Places,
    pub(crate) lines: Vec<Line>,
}

/// Where values stand along the picture.
#[derive(Debug)]
pub(crate) enum Places {
    /// At their rows or times, at equal distances.
    Even { len: usize, unit: f64 },
    /// At numbers.
    Numbers(Axis),
    /// At rows, of which some are named.
    Texts { len: usize, named: Vec<(f64, String)> },
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) columns: Columns,
}

/// Reads what the command line names.
pub(crate) fn read(args: &PlotArgs) -> Result<Data> {
    let common = Common::of(&args.reading, DeviceChoice::Cpu);
    run::explain_waiting(&common);
    let path = &*common.file;
    if let Some(delimiter) = common.table.delimiter(names::delimiter(path)) {
        input::check_array(common.array.as_deref(), path)?;
        let (source, name) = input::open_table(path, common.table.text(delimiter))?;
        if args.kind == Some(Kind::Heat) {
            return Err(Failure::input(&name, "is a table, and a heat map is of an array of two axes, or an image"));
        }
        return Table { args, common: &common, source, name, delimiter }.lines();
    }
    let name = input::called_all(&common);
    if let Some(option) = [("--x", &args.x), ("--by", &args.by)].iter().find(|(_, given)| given.is_some()) {
        return Err(input::no_table(&name, option.0));
    }
    if let Some((values, shape)) = image(&common, &name)? {
        return of_array(args, &name, &values, &shape, None);
    }
    if let Some(file) = ArrayFile::open(&common)?
        && let Some(data) = of_file(args, &file)?
    {
        return Ok(data);
    }
    let (Input { name, values, shape, .. }, sound) = signal::load(&common)?;
    of_array(args, &name, &values, &shape, sound.map(|form| 1.0 / f64::from(form.rate().max(1))))
}

/// Reads an image, or a terrain.
fn image(common: &Common, name: &str) -> Result<Option<(Values, Vec<usize>)>> {
    let path: &Path = &common.file;
    let is_raster = raster::is_raster(path);
    if !is_raster && !picture::is_image(path) {
        return Ok(None);
    }
    let given = [
        ("--column", common.column.is_some()),
        ("--type", common.element.is_some()),
        ("--array", common.array.is_some()),
        ("--missing", common.missing.is_asked()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        return Err(Failure::input(name, format!("is an image, which has no {option}")));
    }
    if is_raster {
        let grid = raster::read(path, name, common.device)?;
        return Ok(grid.map(|grid| (grid.altitudes.into(), vec![grid.rows, grid.columns])));
    }
    let picture = picture::read(path, common.device)?;
    let [_, height, width, channels] = picture.extent.shape();
    match channels {
        1 => Ok(Some((picture.values, vec![height, width]))),
        _ => Err(Failure::input(name, format!("has {channels} channels: a heat map is of one"))),
    }
}

/// Reads a file that is longer than a picture is wide in chunks. `None`: the file has to be read as a whole.
fn of_file(args: &PlotArgs, file: &ArrayFile) -> Result<Option<Data>> {
    let title = file.name.clone();
    match (&file.shape[..], args.kind) {
        (&[rows, columns], None | Some(Kind::Heat)) => {
            // To find the cells of values takes no cells that have some.
            let empty = Heat::new([rows, columns]);
            let find = |start, values: &Values| Ok(empty.part(start, values));
            let heat = chunks::fold(file, "reading", Heat::new([rows, columns]), find, |heat, part| {
                heat.add(&part);
                Ok(())
            })?;
            Ok(Some(Data { title, content: Content::Heat(heat) }))
        }
        (&[len], None | Some(Kind::Line | Kind::Steps | Kind::Bars)) if len > MOST_POINTS => {
            let find = |start, values: &Values| Ok(Band::part(len, start, values));
            let band = chunks::fold(file, "reading", Band::new(len), find, |band, part| {
                band.add(&part);
                Ok(())
            })?;
            let lines = vec![Line { name: String::new(), columns: band.columns(1.0) }];
            let lines = Lines { along: "row".to_owned(), places: Places::Even { len, unit: 1.0 }, lines };
            Ok(Some(Data { title, content: Content::Lines(lines) }))
        }
        _ => Ok(None),
    }
}

/// Reduces an array in memory. `seconds` lie between the rows of sound.
fn of_array(args: &PlotArgs, name: &str, values: &Values, shape: &[usize], seconds: Option<f64>) -> Result<Data> {
    let title = name.to_owned();
    let heat = args.kind.map_or(seconds.is_none() && shape.len() == 2, |kind| kind == Kind::Heat);
    let (len, each) = match *shape {
        [rows, columns] if heat => {
            return Ok(Data { title, content: Content::Heat(Heat::of([rows, columns], values)) });
        }
        [len] if !heat => (len, 1),
        [len, each] => (len, each),
        _ => {
            let wanted = if heat { "a heat map has rows and columns" } else { "a plot has rows, or rows and columns" };
            return Err(Failure::input(name, format!("has the shape {shape:?}: {wanted}")));
        }
    };
    check_lines(name, each)?;
    let unit = seconds.unwrap_or(1.0);
    let word = if seconds.is_some() { "channel" } else { "column" };
    let line = |k: usize| {
        let own: Values = match each {
            1 => return Line { name: String::new(), columns: band::of_rows(values, unit) },
            _ => with_values!(values, x => x.iter().skip(k).step_by(each).copied().collect::<Vec<_>>().into()),
        };
        Line { name: format!("{word} {k}"), columns: band::of_rows(&own, unit) }
    };
    let along = if seconds.is_some() { "seconds" } else { "row" };
    let lines =
        Lines { along: along.to_owned(), places: Places::Even { len, unit }, lines: (0..each).map(line).collect() };
    Ok(Data { title, content: Content::Lines(lines) })
}

fn check_lines(name: &str, lines: usize) -> Result<()> {
    match lines <= MOST_LINES {
        true => Ok(()),
        false => Err(Failure::input(name, format!("{lines} lines: a plot has {MOST_LINES} at most"))),
    }
}

/// Table of which columns are drawn.
struct Table<'a> {
    args: &'a PlotArgs,
    common: &'a Common,
    source: Source,
    name: String,
    delimiter: u8,
}

/// Column of a table: a value for each row, NaN where it is missing; and the text of another column in each row.
struct Read {
    label: String,
    y: Vec<f64>,
    key_label: String,
    /// Number of the text of each row among `texts`.
    keys: Vec<u32>,
    texts: Texts,
    /// Rows that were left out, as a value is missing.
    left_out: Vec<usize>,
}

impl Table<'_> {
    fn lines(&self) -> Result<Data> {
        let asked = self.common.column.as_deref();
        let columns: Vec<Option<&str>> =
            asked.map_or_else(|| vec![None], |text| listed(text).into_iter().map(|c| Some(c.trim())).collect());
        check_lines(&self.name, columns.len())?;
        let (by, x) = (self.args.by.as_deref(), self.args.x.as_deref());
        let read: Vec<Read> = columns.iter().map(|column| self.read(*column, by)).collect::<Result<_>>()?;
        let along = match x {
            Some(x) => Some(self.read(columns.first().copied().flatten(), Some(x))?),
            None => None,
        };
        let labels: Vec<&str> = read.iter().map(|read| &*read.label).collect();
        let mut title = format!("{} of {}", labels.join(", "), self.name);
        if let Some(first) = read.first().filter(|_| by.is_some()) {
            title += &format!(" by {}", first.key_label);
        }
        let len = read.first().map_or(0, |read| read.y.len());
        let places = along.as_ref().map_or(Places::Even { len, unit: 1.0 }, |along| self.places(along));
        let numbers = match (&places, &along) {
            (Places::Numbers(_), Some(along)) => Some(self.numbers(along).unwrap_or_default()),
            _ => None,
        };
        let mut lines = Vec::new();
        for read in &read {
            let groups = if by.is_some() { groups(read) } else { (vec![0; len], vec![String::new()]) };
            check_lines(&self.name, groups.1.len() * labels.len())?;
            for (group, own) in groups.1.iter().enumerate() {
                let name = match (labels.len(), by) {
                    (1, _) => own.clone(),
                    (_, None) => read.label.clone(),
                    (_, Some(_)) => format!("{} {own}", read.label),
                };
                lines.push(Line { name, columns: line(read, (&groups.0, group), numbers.as_deref(), &places) });
            }
        }
        let along = along.map_or_else(|| "row".to_owned(), |along| along.key_label);
        Ok(Data { title, content: Content::Lines(Lines { along, places, lines }) })
    }

    /// Reads one column, and the texts of another one.
    fn read(&self, column: Option<&str>, key: Option<&str>) -> Result<Read> {
        let wanted = Wanted {
            column,
            by_key: key,
            element: self.common.element,
            header: self.common.header,
            options: true,
            typed: true,
            delimiter: self.delimiter,
            keep_keys: true,
            missing: Some(&self.common.missing),
        };
        let source = self.source.again(&self.name)?;
        let progress = Progress::new("reading", source.size());
        let (values, layout, keys) = table::read(source, &self.name, &wanted, &progress)?;
        let (mut left_out, len) = (layout.left_out().iter().peekable(), values.len() + layout.left_out().len());
        let mut found: Box<dyn Iterator<Item = f64>> =
            with_values!(&values, x => Box::new(x.iter().map(|&x| float(x))));
        let (mut y, mut rows, mut head, mut heads) = (Vec::new(), Vec::new(), 0u32, keys.heads.iter());
        for row in 0..len {
            let is_out = left_out.next_if(|&&out| out == row).is_some();
            if !is_out {
                head += u32::from(heads.next().is_some_and(|head| *head));
            }
            y.push(if is_out { None } else { found.next() }.unwrap_or(f64::NAN));
            if key.is_some() {
                // A row that was left out has no text, either.
                rows.push(if is_out { u32::MAX } else { head.saturating_sub(1) });
            }
        }
        drop(found);
        let key_columns = layout.key_columns();
        let mut texts = Texts::default();
        for text in keys.texts.iter() {
            let text = key_cells(text, key_columns.len().max(1)).join(&b' ');
            texts.push(&text).map_err(|refused| refused.failure(&self.name, Failure::Run))?;
        }
        Ok(Read {
            label: layout.column().to_owned(),
            y,
            key_label: key_columns.join(" "),
            keys: rows,
            texts,
            left_out: layout.left_out().to_vec(),
        })
    }

    /// Numbers that the texts of a column are, NaN where one is missing; `None` if one is neither.
    fn numbers(&self, along: &Read) -> Option<Vec<f64>> {
        let number = |text: &[u8]| {
            let text = std::str::from_utf8(text.trim_ascii()).ok()?;
            if self.common.missing.means(text) { Some(f64::NAN) } else { text.parse::<f64>().ok() }
        };
        let of_texts: Vec<f64> = along.texts.iter().map(number).collect::<Option<_>>()?;
        Some(along.keys.iter().map(|&key| of_texts.get(key as usize).copied().unwrap_or(f64::NAN)).collect())
    }

    fn places(&self, along: &Read) -> Places {
        if let Some(numbers) = self.numbers(along) {
            return Places::Numbers(Axis::over(numbers));
        }
        let len = along.y.len();
        let text = |row: usize| {
            let key = along.keys.get(row).copied().unwrap_or(0) as usize;
            short(&shown(&String::from_utf8_lossy(along.texts.get(key).trim_ascii())), 16)
        };
        // So many letters stand side by side under a picture.
        const LETTERS: usize = 92;
        let longest = (0..len).map(|row| text(row).chars().count()).max().unwrap_or(0);
        let step = len.div_ceil((LETTERS / (longest + 2)).max(1)).max(1);
        Places::Texts { len, named: (0..len).step_by(step).map(|row| (row as f64, text(row))).collect() }
    }
}

/// Returns the first letters of a text, and dots if there are more.
pub(super) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 2).chain("..".chars()).collect(),
        None => text.to_owned(),
    }
}

/// Numbers the distinct texts of a column in the order in which they come: returns that of each row, and the texts.
fn groups(read: &Read) -> (Vec<usize>, Vec<String>) {
    let (mut known, mut names) = (HashMap::new(), Vec::new());
    let of_text = |text| {
        *known.entry(text).or_insert_with(|| {
            names.push(short(&shown(&String::from_utf8_lossy(text)), 24));
            names.len() - 1
        })
    };
    let of_texts: Vec<usize> = read.texts.iter().map(<[u8]>::trim_ascii).map(of_text).collect();
    // What was left out is in no group.
    (read.keys.iter().map(|&key| of_texts.get(key as usize).copied().unwrap_or(usize::MAX)).collect(), names)
}

/// Reduces the rows of a group to a line.
fn line(read: &Read, (of_rows, group): (&[usize], usize), numbers: Option<&[f64]>, places: &Places) -> Columns {
    let ends = match places {
        Places::Numbers(axis) => [axis.low, axis.high],
        Places::Even { len, .. } | Places::Texts { len, .. } => [0.0, len.saturating_sub(1) as f64],
    };
    let rows = || (0..read.y.len()).filter(|&row| of_rows.get(row) == Some(&group));
    let x: Vec<f64> =
        rows().map(|row| numbers.map_or(row as f64, |x| x.get(row).copied().unwrap_or(f64::NAN))).collect();
    let y: Vec<f64> = rows().map(|row| read.y.get(row).copied().unwrap_or(f64::NAN)).collect();
    let mut columns = band::of_points(&x, &y, ends);
    // What was asked to be left out is not told.
    columns.dropped -= read.left_out.iter().filter(|&&row| of_rows.get(row) == Some(&group)).count();
    columns
}
