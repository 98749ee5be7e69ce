//! Reduction of an array of two axes to the cells of a heat map: each has the mean of what falls on it.

use crate::apps::float;
use crate::element::{Values, with_values};

/// Largest number of rows and of columns of cells: about the pixels of a picture.
const MOST: [usize; 2] = [700, 1400];

/// Cells of a heat map, row-major, and the array that they are of.
#[derive(Debug)]
pub(crate) struct Heat {
    /// Rows and columns of the array.
    pub(crate) shape: [usize; 2],
    /// Rows and columns of cells.
    pub(crate) grid: [usize; 2],
    cells: Vec<Cell>,
    /// Column of cells of each column of the array.
    columns: Vec<u32>,
    /// Number of values that are no finite numbers.
    pub(crate) dropped: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    sum: f64,
    count: u32,
}

/// What falls on cells from some values in a row: the sums of neighbours, each with its cell.
#[derive(Debug, Default)]
pub(crate) struct Part {
    sums: Vec<(usize, Cell)>,
    dropped: usize,
}

impl Heat {
    /// Cells for an array of this shape, without any values.
    pub(crate) fn new(shape: [usize; 2]) -> Self {
        let grid = [shape[0].min(MOST[0]), shape[1].min(MOST[1])];
        let column = |column| (column as u128 * grid[1] as u128 / shape[1].max(1) as u128) as u32;
        let columns = (0..shape[1]).map(column).collect();
        Self { shape, grid, cells: vec![Cell::default(); grid[0] * grid[1]], columns, dropped: 0 }
    }

    /// Heat map of an array in memory.
    pub(crate) fn of(shape: [usize; 2], values: &Values) -> Self {
        let mut heat = Self::new(shape);
        let part = heat.part(0, values);
        heat.add(&part);
        heat
    }

    /// Adds up neighbours of one cell among the values from index `start` of the array on.
    pub(crate) fn part(&self, start: usize, values: &Values) -> Part {
        let mut part = Part::default();
        with_values!(values, x => {
            let (mut row, mut column) = (start / self.shape[1].max(1), start % self.shape[1].max(1));
            let mut last = usize::MAX;
            for &x in x {
                let line = (row as u128 * self.grid[0] as u128 / self.shape[0].max(1) as u128) as usize;
                let cell = line * self.grid[1] + self.columns.get(column).copied().unwrap_or(0) as usize;
                let y = float(x);
                if !y.is_finite() {
                    part.dropped += 1;
                } else if let Some((_, sum)) = part.sums.last_mut().filter(|_| cell == last) {
                    *sum = Cell { sum: sum.sum + y, count: sum.count + 1 };
                } else {
                    part.sums.push((cell, Cell { sum: y, count: 1 }));
                    last = cell;
                }
                column += 1;
                if column == self.shape[1] {
                    (row, column) = (row + 1, 0);
                }
            }
        });
        part
    }

    /// Adds the next part.
    pub(crate) fn add(&mut self, part: &Part) {
        self.dropped += part.dropped;
        for (at, more) in &part.sums {
            if let Some(cell) = self.cells.get_mut(*at) {
                *cell = Cell { sum: cell.sum + more.sum, count: cell.count.saturating_add(more.count) };
            }
        }
    }

    /// Mean of what fell on a cell; NaN if nothing did.
    pub(crate) fn mean(&self, row: usize, column: usize) -> f64 {
        let cell = self.cells.get(row * self.grid[1] + column).copied().unwrap_or_default();
        cell.sum / f64::from(cell.count)
    }

    /// Means of all cells, row-major.
    pub(crate) fn means(&self) -> impl Iterator<Item = f64> {
        self.cells.iter().map(|cell| cell.sum / f64::from(cell.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_means_of_what_falls_on_them_in_any_parts() {
        for shape in [[1, 1], [3, 5], [MOST[0] + 3, 1], [1, MOST[1] + 7], [0, 4], [4, 0]] {
            let len = shape[0] * shape[1];
            let mut x: Vec<f64> = (0..len).map(|k| ((k * 7919) % 101) as f64).collect();
            if len > 2 {
                x[1] = f64::NAN;
            }
            let heat = Heat::of(shape, &x.clone().into());
            for (at, mean) in heat.means().enumerate() {
                let inside = |k: &usize| {
                    let (row, column) = (k / shape[1], k % shape[1]);
                    let cell = [row * heat.grid[0] / shape[0], column * heat.grid[1] / shape[1]];
                    cell[0] * heat.grid[1] + cell[1] == at && !x[*k].is_nan()
                };
                let values: Vec<f64> = (0..len).filter(inside).map(|k| x[k]).collect();
                let wanted = values.iter().sum::<f64>() / values.len() as f64;
                assert!(mean == wanted || mean.is_nan() && wanted.is_nan(), "{shape:?} {at}: {mean} {wanted}");
            }
            let mut parts = Heat::new(shape);
            for (k, values) in x.chunks(3).enumerate() {
                let part = parts.part(3 * k, &values.to_vec().into());
                parts.add(&part);
            }
            assert_eq!(parts.dropped, heat.dropped);
            assert!(parts.means().zip(heat.means()).all(|(a, b)| a == b || a.is_nan()), "{shape:?}");
        }
    }
}
