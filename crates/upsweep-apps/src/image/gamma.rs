//! Gamma correction.

use super::pixel::Pixel;
use crate::error::{Error, Result};
use crate::part::Part;
use upsweep::operator::Cast;
use upsweep::prelude::*;
use upsweep::{Input, Output};

#[function]
fn raised<P: Cast<f64>>(#[param] white: f64, #[param] exponent: f64, x: P) -> f64 {
    ((x as f64) / white).powf(exponent) * white
}

/// Gamma correction: raises each value to a power, `white (x / white)^exponent`, where `white` is the brightest value,
/// 255, 65535, or 1 for floats. An exponent below 1 brightens the dark values; a picture for a screen of gamma g gets 1
/// / g.
///
/// ```
/// use upsweep::Device;
///
/// let mut brighter = [0; 3];
/// upsweep_apps::image::gamma(&Device::cpu(), &[0u8, 64, 255], 0.5, &mut brighter)?;
/// assert_eq!(brighter, [0, 128, 255]);
/// # Ok::<(), upsweep_apps::Error>(())
/// ```
///
/// # Errors
/// - [`Error::Number`]: the exponent is not above 0
/// - [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place); CUDA's own
pub fn gamma<X, Y, P>(device: &Device, image: &X, exponent: f64, output: &mut Y) -> Result<()>
where
    X: Input<Item = P> + ?Sized,
    Y: Output<Item = P> + ?Sized,
    P: Pixel,
{
    if !(exponent > 0.0 && exponent.is_finite()) {
        let rule = "it is a finite number above 0";
        return Err(Error::Number { what: "the exponent of gamma", value: exponent, rule });
    }
    let raised = Apply(Raised { white: P::WHITE, exponent }, &Part::all(image));
    Ok(Transform::new(P::STORE).run(device, raised, output)?)
}
