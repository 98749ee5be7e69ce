//! Altitude profiles along a line.

use super::raster::Raster;
use super::rays::{AltitudeAt, CellOf, Rays, step_length, toward};
use crate::error::Result;
use crate::part::{Part, PartMut};
use upsweep::Input;
use upsweep::prelude::*;

/// Altitude profile along the line from one cell to another, at each row or column that it crosses, whichever are more.
/// Between two cells altitudes are interpolated.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Profile {
    from: (usize, usize),
    to: (usize, usize),
}

impl Profile {
    /// Profile from one cell, by row and column, to another.
    pub fn new(from: (usize, usize), to: (usize, usize)) -> Self {
        Self { from, to }
    }

    fn steps(&self) -> usize {
        self.from.0.abs_diff(self.to.0).max(self.from.1.abs_diff(self.to.1))
    }

    /// Distance between two neighbouring points of the profile.
    #[must_use]
    pub fn spacing(&self, raster: Raster) -> f64 {
        let (rays, (down, right)) = self.ray(raster);
        step_length(rays, down, right)
    }

    /// Returns the rays from the first cell, and how many cells the other one is down and right of it; without meaning
    /// for cells outside the raster.
    fn ray(&self, raster: Raster) -> (Rays, (i32, i32)) {
        let by = |to: usize, from: usize| (to as i64 - from as i64) as i32;
        let rays = Rays::new(raster, self.from.0, self.from.1, 0.0, 0.0);
        (rays, (by(self.to.0, self.from.0), by(self.to.1, self.from.1)))
    }

    /// Returns the altitudes of the profile, those of both ends included.
    ///
    /// # Errors
    /// - [`Error::Outside`](crate::Error::Outside): an end is not a cell of the raster
    /// - [`Shape`](upsweep::Error::Shape), [`Place`](upsweep::Error::Place); CUDA's own
    pub fn run<X>(&self, device: &Device, terrain: &X, raster: Raster) -> Result<Array<f32>>
    where
        X: Input<Item = f32> + ?Sized,
    {
        let terrain = &Part::all(terrain);
        raster.check(terrain.view().len())?;
        raster.expect(self.from.0, self.from.1)?;
        raster.expect(self.to.0, self.to.1)?;
        let (rays, (down, right)) = self.ray(raster);
        // All values belong to one ray, from its first step on; the first cell comes before them.
        let (ray, along) = (toward(rays, down, right, 0.0), rays.along_of(1));
        let steps = 0..self.steps() as u64;
        let cell = |second| Gather::of(terrain).at(Apply(CellOf { along, ray, second }, steps.clone()));
        let mut altitudes = device.filled(self.steps() + 1, 0.0f32)?;
        let at = rays.cell() as usize;
        Transform::copy().run(device, &terrain.part(at..at + 1)?, &mut PartMut::of(&mut altitudes, 0..1)?)?;
        let inputs = (cell(false), cell(true), steps.clone());
        let mut others = PartMut::of(&mut altitudes, 1..self.steps() + 1)?;
        Transform::new(AltitudeAt { along, ray }).run(device, inputs, &mut others)?;
        Ok(altitudes)
    }
}
