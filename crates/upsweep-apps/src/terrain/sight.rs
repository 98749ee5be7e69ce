//! Line of sight along one ray.

use super::raster::{drop_of, finite_height, looks};
use super::rays::slope;
use crate::error::{Error, Result};
use crate::part::Part;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// Visibility of the points of a ray from its first one.
///
/// ```text
/// slope[i] = (altitude[i] - c d^2 / (2 R) - eye) / d    at the distance d = i spacing,  eye = altitude[0] + observer
/// visible[i] if slope[i], of the altitude and the target's height, is above all slopes of altitudes between 0 and i; [0] always is
/// ```
///
/// An exclusive scan with the maximum. It compares slopes, not angles: the slopes are their tangents. Every comparison
/// is as a loop makes it.
///
/// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3; there the observer's own angle would
/// divide by 0.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct LineOfSight {
    spacing: f64,
    observer: f64,
    target: f64,
    curvature: f64,
}

#[function]
fn hiding(#[param] spacing: f64, #[param] drop: f64, #[param] observer: f64, z: f32, first: f32, at: u64) -> f64 {
    let slope = slope((z, first), (observer, 0.0f64), drop, at as f64 * spacing);
    if at == 0 || slope.is_nan() { f64::NEG_INFINITY } else { slope }
}

#[function]
fn seen(
    #[param] spacing: f64,
    #[param] drop: f64,
    #[param] heights: (f64, f64),
    z: (f32, f32),
    hidden: f64,
    at: u64,
) -> bool {
    at == 0 || slope(z, heights, drop, at as f64 * spacing) > hidden
}

#[function]
fn both(z: f32, first: f32) -> (f32, f32) {
    (z, first)
}

looks! { LineOfSight, "the first point", "its point" }

impl Default for LineOfSight {
    fn default() -> Self {
        Self::new()
    }
}

impl LineOfSight {
    /// Line of sight from an eye on the ground to targets on the ground of a plane earth, with a distance of 1 between
    /// points.
    pub fn new() -> Self {
        Self { spacing: 1.0, observer: 0.0, target: 0.0, curvature: 0.0 }
    }

    /// Sets the distance between neighbouring points of the profile.
    pub fn spacing(mut self, distance: f64) -> Self {
        self.spacing = distance;
        self
    }

    /// Stores for each point of `profile` whether it is seen from the first one. Two passes; on CUDA nothing waits.
    ///
    /// # Errors
    /// - [`Error::Number`]: the distance is not above 0; a height or the curvature is no finite number
    /// - [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place); CUDA's own
    pub fn run<X, Y>(&self, device: &Device, profile: &X, visible: &mut Y) -> Result<()>
    where
        X: Input<Item = f32> + ?Sized,
        Y: Output<Item = bool> + ?Sized,
    {
        let Self { spacing, curvature, .. } = *self;
        if !(spacing > 0.0 && spacing.is_finite()) {
            let rule = "it is a finite number above 0";
            return Err(Error::Number { what: "the distance between points", value: spacing, rule });
        }
        let observer = finite_height("the observer's height", self.observer)?;
        let heights = (observer, finite_height("the target's height", self.target)?);
        let (profile, drop) = (&Part::all(profile), drop_of(curvature)?);
        let points = 0..profile.view().len() as u64;
        let first = || Gather::of(profile).at(Repeat(0u64));
        let mut hidden = device.filled(profile.view().len(), 0.0f64)?;
        let hiding = Hiding { spacing, drop, observer };
        Scan::new(Max).exclusive().map(hiding).run(device, (profile, first(), points.clone()), &mut hidden)?;
        let inputs = (Apply(Both, (profile, first())), &hidden, points);
        Ok(Transform::new(Seen { spacing, drop, heights }).run(device, inputs, visible)?)
    }
}
