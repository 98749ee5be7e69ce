//! Horizon around a cell.

use super::raster::Raster;
use super::rays::{Rays, SlopeAt, reach};
use super::viewshed::{Viewshed, all_rays, passed};
use crate::error::Result;
use crate::part::Part;
use upsweep::Input;
use upsweep::prelude::*;

/// Horizon: the angle above which there is sky, in each direction from a cell.
///
/// A direction is a ray to each cell at the border, as of a [`Viewshed`]; its angle is that of the ray's steepest
/// slope. Directions go clockwise from the upper left corner. The azimuth is 0 to the north (up) and 90 to the east.
/// The angle is 0 at the level of the eye and 90 above it; it is -90 if the ray passes no cell but the observer's own.
#[derive(Debug)]
pub struct Horizon {
    /// Azimuth of each direction, in degrees from -180 to 180.
    pub azimuths: Array<f32>,
    /// Angle of the horizon in each direction, in degrees.
    pub angles: Array<f32>,
}

#[function]
fn azimuth(#[param] rays: Rays, ray: u64) -> f32 {
    let (down, right) = reach(rays, ray);
    let (north, east) = (-(down as f64) * rays.raster.dy, right as f64 * rays.raster.dx);
    (east.atan2(north) * (180.0 / 3.141592653589793)) as f32
}

#[function]
fn angle(slope: f64) -> f32 {
    (slope.atan() * (180.0 / 3.141592653589793)) as f32
}

impl Viewshed {
    /// Computes the horizon around the observer. A target's height is of no meaning here. On CUDA nothing waits.
    ///
    /// # Errors
    /// As [`run`](Viewshed::run).
    pub fn horizon<X>(&self, device: &Device, terrain: &X, raster: Raster) -> Result<Horizon>
    where
        X: Input<Item = f32> + ?Sized,
    {
        let terrain = &Part::all(terrain);
        let rays = self.rays(raster, terrain.view().len())?;
        let shape = rays.shape();
        let mut angles = device.filled(shape[1], -90.0f32)?;
        if shape[0] > 0 {
            let all = &all_rays(device, terrain, rays)?;
            let slope = SlopeAt { along: rays.along(), drop: rays.drop, observer: rays.observer };
            let reduce = Reduce::new(Max).axis(&shape, 0).map(slope).finish(Angle);
            reduce.run(device, passed!(terrain, rays, all), &mut angles)?;
        }
        let azimuths = crate::part::map(device, Azimuth { rays }, 0..shape[1] as u64)?;
        Ok(Horizon { azimuths, angles })
    }
}
