//! Viewshed: the visible cells of a raster.

use super::raster::{Raster, drop_of, finite_height, looks};
use super::rays::{BeforeCell, Ray, Rays, SlopeAt, ToBorder, larger_of, offset, slope, step_length};
use crate::error::Result;
use crate::part::Part;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// Viewshed: the cells of a raster that are seen from one of them. Franklin and Ray's R2.
///
/// A ray goes from the observer to each cell at the border. A scan with the maximum along all rays finds the steepest
/// slope so far. A cell is seen if the slope to it is above the steepest one on the ray that passes nearest to it, up
/// to the step before it. Next to the observer all cells are seen. Slopes, curvature and heights are those of
/// [`LineOfSight`](super::LineOfSight).
///
/// **Exactness.** A ray for each cell of its own (R3) costs n^3 for n rows and columns. R2 has one ray for all cells
/// near it, so it may be wrong where a ridge hides a cell by little. That is at the edges of visible areas, and more
/// often near the observer's diagonals and far away, where rays pass up to half a cell beside a cell's centre. On the
/// terrains of the tests at most 1.9 % of all cells differ from R3; on real mountains of 240 x 280 cells 0.4 to 1.5 %,
/// which are 5 to 7 % of the visible cells. A cell that a ray goes through is as [`LineOfSight`](super::LineOfSight)
/// has it along the [`Profile`](super::Profile) to it, to the last bit.
///
/// **Cost.** A scan of (cells at the border) times (steps of the longest ray) values, some 4 n^2 / 2 from the middle,
/// and a pass over the cells. The values of the scan are stored, 8 bytes each.
///
/// Source: Franklin and Ray, "Higher isn't Necessarily Better: Visibility Algorithms and Experiments", 1994.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Viewshed {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) observer: f64,
    target: f64,
    pub(super) curvature: f64,
}

/// Distance of a cell from the observer, and whether it is next to the observer's cell or that cell itself.
#[function]
fn distance_to(rays: Rays, cell: u64) -> (f64, bool) {
    let (down, right) = offset(rays, cell);
    let steps = larger_of(down, right);
    (steps as f64 * step_length(rays, down, right), steps < 2)
}

#[function]
fn visible(#[param] rays: Rays, #[param] target: f64, z: f32, steepest: f64, ground: f32, cell: u64) -> bool {
    let (d, near) = distance_to(rays, cell);
    (near || slope((z, ground), (rays.observer, target), rays.drop, d) > steepest) && !z.is_nan()
}

/// Height above the ground of `cell` from which on something there would be seen: `z` is the cell's altitude, `ground`
/// that of the observer's cell, and `steepest` the steepest slope between them.
#[function]
fn needed(#[param] rays: Rays, z: f32, steepest: f64, ground: f32, cell: u64) -> f32 {
    let (d, near) = distance_to(rays, cell);
    let rise = (z as f64 - ground as f64) - rays.observer - rays.drop * d * d;
    let height = steepest * d - rise;
    if z.is_nan() {
        z
    } else if near || height < 0.0 {
        0.0
    } else {
        height as f32
    }
}

looks! { Viewshed, "its cell", "its cell" }

impl Viewshed {
    /// Viewshed of an observer on the ground of this cell (its row and column, counted from 0), for targets on the
    /// ground of a plane earth.
    pub fn new(row: usize, column: usize) -> Self {
        Self { row, column, observer: 0.0, target: 0.0, curvature: 0.0 }
    }

    /// Stores for each cell whether it is seen. On CUDA nothing waits.
    ///
    /// # Errors
    /// - [`Error::Outside`](crate::Error::Outside): the observer is not in a cell of the raster
    /// - [`Error::Number`](crate::Error::Number): a distance is not above 0; a height or the curvature is no finite
    ///   number
    /// - [`Shape`](upsweep::Error::Shape), [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place),
    ///   [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn run<X, Y>(&self, device: &Device, terrain: &X, raster: Raster, seen: &mut Y) -> Result<()>
    where
        X: Input<Item = f32> + ?Sized,
        Y: Output<Item = bool> + ?Sized,
    {
        let target = finite_height("the target's height", self.target)?;
        let terrain = &Part::all(terrain);
        let rays = self.rays(raster, terrain.view().len())?;
        let steepest = steepest(device, terrain, rays)?;
        let inputs = at_cells(terrain, &steepest, rays);
        Ok(Transform::new(Visible { rays, target }).run(device, inputs, seen)?)
    }

    /// Stores for each cell the height over its ground above which something is seen: 0 where the ground is.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn heights<X, Y>(&self, device: &Device, terrain: &X, raster: Raster, heights: &mut Y) -> Result<()>
    where
        X: Input<Item = f32> + ?Sized,
        Y: Output<Item = f32> + ?Sized,
    {
        let terrain = &Part::all(terrain);
        let rays = self.rays(raster, terrain.view().len())?;
        let steepest = steepest(device, terrain, rays)?;
        let inputs = at_cells(terrain, &steepest, rays);
        Ok(Transform::new(Needed { rays }).run(device, inputs, heights)?)
    }

    /// Returns the rays from the observer, after checking the raster and the options.
    pub(super) fn rays(&self, raster: Raster, cells: usize) -> Result<Rays> {
        raster.check(cells)?;
        raster.expect(self.row, self.column)?;
        let observer = finite_height("the observer's height", self.observer)?;
        Ok(Rays::new(raster, self.row, self.column, drop_of(self.curvature)?, observer))
    }
}

/// Computes the constants of each ray.
pub(super) fn all_rays(device: &Device, terrain: &Part<'_, f32>, rays: Rays) -> Result<Array<Ray>> {
    let count = rays.shape()[1];
    let mut all = device.filled(count, Ray::default())?;
    let ground = Gather::of(terrain).at(Repeat(rays.cell()));
    Transform::new(ToBorder { rays }).run(device, (0..count as u64, ground), &mut all)?;
    Ok(all)
}

/// Input that has, for each step of each ray, the altitudes of the two cells between which the ray passes, the ray, and
/// the index of the step's value.
macro_rules! passed {
    ($terrain:expr, $rays:expr, $all:expr) => {{
        let (terrain, along, all) = ($terrain, $rays.along(), $all);
        let values = || 0..$rays.shape().iter().product::<usize>() as u64;
        let ray = || Gather::of(all).at(Apply($crate::terrain::rays::RayOf { along }, values()));
        let cell = |second| Apply($crate::terrain::rays::CellAt { along, second }, (ray(), values()));
        (Gather::of(terrain).at(cell(false)), Gather::of(terrain).at(cell(true)), ray(), values())
    }};
}
pub(super) use passed;

/// Returns the steepest slope up to each step of each ray; one value if the raster has one cell.
fn steepest(device: &Device, terrain: &Part<'_, f32>, rays: Rays) -> Result<Array<f64>> {
    let shape = rays.shape();
    let mut steepest = device.filled(shape[0].saturating_mul(shape[1]).max(1), 0.0f64)?;
    if shape[0] > 0 {
        let all = &all_rays(device, terrain, rays)?;
        let scan = Scan::new(Max).axis(&shape, 0).map(SlopeAt {
            along: rays.along(),
            drop: rays.drop,
            observer: rays.observer,
        });
        scan.run(device, passed!(terrain, rays, all), &mut steepest)?;
    }
    Ok(steepest)
}

/// Inputs with a value for each cell: its altitude, the steepest slope before it, the altitude of the observer's cell,
/// and the cell's index.
fn at_cells<'a>(
    terrain: &'a Part<'a, f32>,
    steepest: &'a Array<f64>,
    rays: Rays,
) -> impl upsweep::Inputs<'a, Value = (f32, f64, f32, u64), Args = (f32, f64, f32, u64)> {
    let cells = 0..terrain.view().len() as u64;
    let before = Gather::of(steepest).at(Apply(BeforeCell { rays }, cells.clone()));
    (terrain, before, Gather::of(terrain).at(Repeat(rays.cell())), cells)
}
