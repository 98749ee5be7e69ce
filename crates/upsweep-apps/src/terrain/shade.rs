//! Hill shade.

use super::raster::Raster;
use crate::error::{Error, Result};
use crate::part::Part;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// Hill shade: the brightness of each cell in the sun, for pictures. GDAL's `hillshade` with Horn's slopes.
///
/// ```text
/// e = ((ne + 2 e + se) - (nw + 2 w + sw)) / (8 dx),   n = ((nw + 2 n + ne) - (sw + 2 s + se)) / (8 dy), both times the exaggeration
/// shade = 1 + 254 max(0, (sin a - cos a (e sin z + n cos z)) / sqrt(1 + e^2 + n^2))    with the sun's azimuth z and altitude a
/// ```
///
/// rounded half up. Beyond its borders the terrain goes on with its outermost altitudes; GDAL leaves the outermost
/// cells out instead. Where one of the nine altitudes is NaN, the shade is 0.
///
/// Source: Horn, "Hill shading and the reflectance map", 1981.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct HillShade {
    azimuth: f64,
    altitude: f64,
    exaggeration: f64,
}

/// Index of the cell `down` rows and `right` columns from another one, clamped at the raster's borders.
#[function]
fn neighbour(#[param] raster: Raster, #[param] down: i64, #[param] right: i64, cell: u64) -> u64 {
    let (rows, columns) = (raster.rows as i64, raster.columns as i64);
    let row = ((cell / raster.columns) as i64 + down).clamp(0, rows - 1);
    let column = ((cell % raster.columns) as i64 + right).clamp(0, columns - 1);
    (row * columns + column) as u64
}

#[function]
fn three(a: f32, b: f32, c: f32) -> [f32; 3] {
    [a, b, c]
}

/// Unit vector to the sun, and the factors by which differences of altitudes become slopes.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Sun {
    east: f64,
    north: f64,
    up: f64,
    by_x: f64,
    by_y: f64,
}

#[function]
fn shade(#[param] sun: Sun, above: [f32; 3], here: [f32; 3], below: [f32; 3]) -> u8 {
    let west = above[0] as f64 + 2.0 * (here[0] as f64) + below[0] as f64;
    let east = above[2] as f64 + 2.0 * (here[2] as f64) + below[2] as f64;
    let north = above[0] as f64 + 2.0 * (above[1] as f64) + above[2] as f64;
    let south = below[0] as f64 + 2.0 * (below[1] as f64) + below[2] as f64;
    let (x, y) = ((east - west) * sun.by_x, (north - south) * sun.by_y);
    // Squares of slopes above 1e100 may overflow, so slopes are limited to that: a steeper one is as bright.
    let steepest = x.abs().max(y.abs());
    let by = if steepest > 1e100 { 1e100 / steepest } else { 1.0 };
    let (x, y) = (x * by, y * by);
    let light = (sun.up - (x * sun.east + y * sun.north)) / (1.0 + x * x + y * y).sqrt();
    if light.is_nan() || here[1].is_nan() {
        0
    } else if light > 0.0 {
        (1.5 + 254.0 * light).floor() as u8
    } else {
        1
    }
}

impl Default for HillShade {
    fn default() -> Self {
        Self::new()
    }
}

impl HillShade {
    /// Hill shade with the sun in the north-west (azimuth 315), 45 degrees high.
    pub fn new() -> Self {
        Self { azimuth: 315.0, altitude: 45.0, exaggeration: 1.0 }
    }

    /// Sets the direction of the sun in degrees clockwise from the north (up), and its height over the horizon in
    /// degrees.
    pub fn sun(mut self, azimuth: f64, altitude: f64) -> Self {
        (self.azimuth, self.altitude) = (azimuth, altitude);
        self
    }

    /// Sets the factor by which altitudes are multiplied before slopes are computed.
    pub fn exaggerated(mut self, times: f64) -> Self {
        self.exaggeration = times;
        self
    }

    /// Stores the shade of each cell, from 1 to 255, or 0 where it is not known. One pass.
    ///
    /// # Errors
    /// - [`Error::Number`]: an angle or the exaggeration is no finite number, or a distance not above 0
    /// - [`Shape`](upsweep::Error::Shape), [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place); CUDA's
    ///   own
    pub fn run<X, Y>(&self, device: &Device, terrain: &X, raster: Raster, shades: &mut Y) -> Result<()>
    where
        X: Input<Item = f32> + ?Sized,
        Y: Output<Item = u8> + ?Sized,
    {
        let terrain = &Part::all(terrain);
        raster.check(terrain.view().len())?;
        let options = [
            ("the sun's azimuth", self.azimuth),
            ("the sun's altitude", self.altitude),
            ("the exaggeration", self.exaggeration),
        ];
        for (what, value) in options {
            if !value.is_finite() {
                return Err(Error::Number { what, value, rule: "it is a finite number" });
            }
        }
        let (z, a) = (self.azimuth.to_radians(), self.altitude.to_radians());
        let by = |distance: f64| self.exaggeration / (8.0 * distance);
        // The weighted sums of altitudes differ by at most 8 times the largest f32, so up to 1e260 no slope overflows.
        if let Some(value) = [by(raster.dx), by(raster.dy)].into_iter().find(|by| by.abs() > 1e260) {
            let rule = "it is at most 1e260: exaggerate less, or take a larger unit of distances";
            return Err(Error::Number { what: "the exaggeration over eight distances", value, rule });
        }
        let sun = Sun {
            east: z.sin() * a.cos(),
            north: z.cos() * a.cos(),
            up: a.sin(),
            by_x: by(raster.dx),
            by_y: by(raster.dy),
        };
        let cells = 0..terrain.view().len() as u64;
        let cell = |down, right| Gather::of(terrain).at(Apply(Neighbour { raster, down, right }, cells.clone()));
        let row = |down| Apply(Three, (cell(down, -1), cell(down, 0), cell(down, 1)));
        Ok(Transform::new(Shade { sun }).run(device, (row(-1), row(0), row(1)), shades)?)
    }
}
