//! The altitudes along a line.

use super::raster::Raster;
use crate::error::Result;
use crate::part::{Part, map};
use upsweep::Input;
use upsweep::prelude::*;

/// The altitudes along the line from one cell to another, at each row or column that it crosses, whichever are more; between two cells
/// those in between.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Profile {
    from: (usize, usize),
    to: (usize, usize),
}

#[function]
fn cell_on(
    #[param] columns: u64,
    #[param] from: (f64, f64),
    #[param] by: (f64, f64),
    #[param] steps: u64,
    #[param] second: bool,
    at: u64,
) -> u64 {
    let (y, x) = (from.0 + by.0 * (at as f64) / steps as f64, from.1 + by.1 * (at as f64) / steps as f64);
    let (row, column) = if second { (y.ceil(), x.ceil()) } else { (y.floor(), x.floor()) };
    row as u64 * columns + column as u64
}

#[function]
fn altitude_on(
    #[param] from: (f64, f64),
    #[param] by: (f64, f64),
    #[param] steps: u64,
    a: f32,
    b: f32,
    at: u64,
) -> f32 {
    let (y, x) = (from.0 + by.0 * (at as f64) / steps as f64, from.1 + by.1 * (at as f64) / steps as f64);
    // One of the two is whole.
    let between = (y - y.floor()) + (x - x.floor());
    (a as f64 + (b as f64 - a as f64) * between) as f32
}

impl Profile {
    /// From one cell, by row and column, to another.
    pub fn new(from: (usize, usize), to: (usize, usize)) -> Self {
        Self { from, to }
    }

    fn steps(&self) -> usize {
        self.from.0.abs_diff(self.to.0).max(self.from.1.abs_diff(self.to.1))
    }

    /// The distance between two of its points.
    #[must_use]
    pub fn spacing(&self, raster: Raster) -> f64 {
        let (y, x) = (self.from.0.abs_diff(self.to.0) as f64, self.from.1.abs_diff(self.to.1) as f64);
        (y * raster.dy).hypot(x * raster.dx) / self.steps().max(1) as f64
    }

    /// The altitudes, those of both ends included.
    ///
    /// # Errors
    /// - [`Error::Outside`](crate::Error::Outside): an end is in no cell
    /// - [`Shape`](upsweep::Error::Shape), [`Place`](upsweep::Error::Place); CUDA's own
    pub fn run<X>(&self, device: &Device, terrain: &X, raster: Raster) -> Result<Array<f32>>
    where
        X: Input<Item = f32> + ?Sized,
    {
        let terrain = &Part::all(terrain);
        raster.check(terrain.view().len())?;
        raster.expect(self.from.0, self.from.1)?;
        raster.expect(self.to.0, self.to.1)?;
        let (points, steps) = (0..self.steps() as u64 + 1, self.steps().max(1) as u64);
        let from = (self.from.0 as f64, self.from.1 as f64);
        let by = (self.to.0 as f64 - from.0, self.to.1 as f64 - from.1);
        let cell = |second| {
            let cell = CellOn { columns: raster.columns, from, by, steps, second };
            Gather::of(terrain).at(Apply(cell, points.clone()))
        };
        Ok(map(device, AltitudeOn { from, by, steps }, (cell(false), cell(true), points.clone()))?)
    }
}
