//! Reduction of many points to a column of pixels each: the first, the least, the largest and the last of those that fall
//! on it. A line through these four covers the pixels that the line through all points covers.

use crate::apps::float;
use crate::element::{Values, with_values};

/// Maximum number of points that are drawn one by one, and number of columns of a reduction: that of a picture's pixels.
pub(crate) const MOST_POINTS: usize = 2 * COLUMNS;
const COLUMNS: usize = 1400;

/// Points of a line that share a place along the picture: one, or those of a column of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) x: f64,
    pub(crate) first: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) last: f64,
    /// Whether something that is no finite number lies between this column and the one before.
    pub(crate) gap: bool,
}

impl Column {
    fn of(x: f64, y: f64, gap: bool) -> Self {
        Self { x, first: y, low: y, high: y, last: y, gap }
    }
}

/// Columns of a line, from left to right.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) columns: Vec<Column>,
    /// Width of each column, if a column has several points.
    pub(crate) width: Option<f64>,
    /// Number of values that have no place, as they are no finite numbers.
    pub(crate) dropped: usize,
}

/// What falls on a column.
#[derive(Clone, Copy, Debug, Default)]
struct Fallen {
    /// First, least, largest and last value; none yet if `None`.
    values: Option<[f64; 4]>,
    dropped: usize,
}

impl Fallen {
    fn take(&mut self, y: f64) {
        if !y.is_finite() {
            self.dropped += 1;
            return;
        }
        self.values = Some(self.values.map_or([y; 4], |[first, low, high, _]| [first, low.min(y), high.max(y), y]));
    }

    /// Adds what follows.
    fn add(&mut self, after: &Self) {
        self.dropped += after.dropped;
        self.values = match (self.values, after.values) {
            (Some([first, a, b, _]), Some([_, low, high, last])) => Some([first, a.min(low), b.max(high), last]),
            (one, other) => one.or(other),
        };
    }
}

/// Reduction of the values of `len` rows, which are at equal distances.
#[derive(Debug)]
pub(crate) struct Band {
    len: usize,
    fallen: Vec<Fallen>,
}

/// Values of some rows, reduced: what falls on each of some columns in a row.
#[derive(Debug)]
pub(crate) struct Part {
    first: usize,
    fallen: Vec<Fallen>,
}

impl Band {
    pub(crate) fn new(len: usize) -> Self {
        Self { len, fallen: vec![Fallen::default(); COLUMNS] }
    }

    /// Index of the first row of a column.
    fn begin(len: usize, column: usize) -> usize {
        (column as u128 * len as u128).div_ceil(COLUMNS as u128) as usize
    }

    /// Reduces the values of the rows from `start` on, of `len` in all.
    pub(crate) fn part(len: usize, start: usize, values: &Values) -> Part {
        let first = (start as u128 * COLUMNS as u128 / len.max(1) as u128) as usize;
        let (end, mut fallen) = (start + values.len(), Vec::new());
        let (mut at, mut column) = (start, first);
        while at < end {
            let next = Self::begin(len, column + 1).clamp(at, end);
            let mut here = Fallen::default();
            with_values!(values, x => {
                for &x in x.get(at - start..next - start).unwrap_or_default() {
                    here.take(float(x));
                }
            });
            fallen.push(here);
            (at, column) = (next, column + 1);
        }
        Part { first, fallen }
    }

    /// Adds the next part.
    pub(crate) fn add(&mut self, part: &Part) {
        let columns = self.fallen.get_mut(part.first..).unwrap_or_default();
        columns.iter_mut().zip(&part.fallen).for_each(|(all, more)| all.add(more));
    }

    /// Returns the columns of rows that are `unit` apart.
    pub(crate) fn columns(&self, unit: f64) -> Columns {
        let middle = |column| (Self::begin(self.len, column) + Self::begin(self.len, column + 1) - 1) as f64 / 2.0;
        let width = self.len as f64 / COLUMNS as f64 * unit;
        collected(&self.fallen, width, |column| middle(column) * unit, |fallen| fallen.dropped > 0)
    }
}

/// Returns what fell on each column. Between two of them is a gap if an empty one is one by `is_gap`.
fn collected(fallen: &[Fallen], width: f64, place: impl Fn(usize) -> f64, is_gap: impl Fn(&Fallen) -> bool) -> Columns {
    let mut all = Columns { width: Some(width), ..Columns::default() };
    let mut gap = false;
    for (column, here) in fallen.iter().enumerate() {
        all.dropped += here.dropped;
        match here.values {
            Some([first, low, high, last]) => {
                all.columns.push(Column { x: place(column), first, low, high, last, gap });
                gap = false;
            }
            None => gap |= is_gap(here),
        }
    }
    all
}

/// Reduces points, of which each has a place `x`, if there are many. All lie between `low` and `high`, or are no numbers.
pub(crate) fn of_points(x: &[f64], y: &[f64], [low, high]: [f64; 2]) -> Columns {
    if y.len() <= MOST_POINTS {
        return few(x.iter().copied().zip(y.iter().copied()));
    }
    let across = high / 2.0 - low / 2.0;
    let mut fallen = vec![Fallen::default(); COLUMNS];
    let mut dropped = 0;
    for (&x, &y) in x.iter().zip(y) {
        let column = (x / 2.0 - low / 2.0) / across * COLUMNS as f64;
        match fallen.get_mut((column as usize).min(COLUMNS - 1)) {
            Some(here) if column.is_finite() => here.take(y),
            _ => dropped += 1,
        }
    }
    let width = across / COLUMNS as f64 * 2.0;
    // Points with places of their own may leave a column empty without a gap.
    let mut all = collected(&fallen, width, |column| low + (column as f64 + 0.5) * width, |here| here.dropped > 0);
    all.dropped += dropped;
    all
}

/// Reduces the values of rows that are `unit` apart, if there are many.
pub(crate) fn of_rows(values: &Values, unit: f64) -> Columns {
    if values.len() <= MOST_POINTS {
        let y: Vec<f64> = with_values!(values, x => x.iter().map(|&x| float(x)).collect());
        return few(y.into_iter().enumerate().map(|(row, y)| (row as f64 * unit, y)));
    }
    let mut band = Band::new(values.len());
    band.add(&Band::part(values.len(), 0, values));
    band.columns(unit)
}

/// Returns a column for each point.
fn few(points: impl Iterator<Item = (f64, f64)>) -> Columns {
    let (mut all, mut gap) = (Columns::default(), false);
    for (x, y) in points {
        if x.is_finite() && y.is_finite() {
            all.columns.push(Column::of(x, y, gap));
            gap = false;
        } else {
            all.dropped += 1;
            gap = true;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(len: usize) -> Vec<f64> {
        (0..len).map(|k| ((k * 2_654_435_761) % 1000) as f64 - 300.0).collect()
    }

    /// Parts of any length give the columns of the whole, and these have the extremes of their rows.
    #[test]
    fn parts_of_any_length_have_the_columns_of_the_whole() {
        for len in [MOST_POINTS + 1, 3 * COLUMNS, 10_007] {
            let mut y = wave(len);
            y[COLUMNS] = f64::NAN;
            y[0] = f64::INFINITY;
            let whole = of_rows(&y.clone().into(), 1.0);
            assert_eq!(whole.dropped, 2);
            for part in [1, 7, 1000, len] {
                let mut band = Band::new(len);
                for (k, values) in y.chunks(part).enumerate() {
                    band.add(&Band::part(len, k * part, &values.to_vec().into()));
                }
                assert_eq!(band.columns(1.0).columns, whole.columns, "{len}, {part}");
            }
            for (column, found) in whole.columns.iter().enumerate() {
                let rows: Vec<f64> = (0..len).filter(|row| row * COLUMNS / len == column).map(|row| y[row]).collect();
                let rows: Vec<f64> = rows.into_iter().filter(|y| y.is_finite()).collect();
                let low = rows.iter().copied().fold(f64::MAX, f64::min);
                let high = rows.iter().copied().fold(f64::MIN, f64::max);
                assert_eq!((found.low, found.high), (low, high), "{len}, {column}");
                assert_eq!((found.first, found.last), (rows[0], rows[rows.len() - 1]), "{len}, {column}");
            }
        }
    }

    #[test]
    fn few_points_are_kept_as_they_are() {
        let all = of_points(&[0.0, 1.0, f64::NAN, 3.0], &[5.0, f64::NAN, 1.0, 7.0], [0.0, 3.0]);
        assert_eq!((all.dropped, all.width), (2, None));
        assert_eq!(all.columns, [Column::of(0.0, 5.0, false), Column::of(3.0, 7.0, true)]);
        assert!(of_rows(&Vec::<f64>::new().into(), 1.0).columns.is_empty());
    }

    #[test]
    fn points_with_places_of_their_own_fall_on_columns_by_these() {
        let len = 4 * COLUMNS;
        let x: Vec<f64> = (0..len).map(|k| (len - 1 - k) as f64).collect();
        let all = of_points(&x, &wave(len), [0.0, (len - 1) as f64]);
        assert_eq!((all.columns.len(), all.dropped), (COLUMNS, 0));
        // Columns go from left to right, and the last row is in the first.
        assert!(all.columns.is_sorted_by(|a, b| a.x < b.x));
        assert_eq!(all.columns[0].last, wave(len)[len - 1]);
        assert!(all.columns.iter().all(|column| !column.gap));
    }
}
