//! Histogram equalisation.

use crate::error::Result;
use crate::part::Part;
use upsweep::operator::Same;
use upsweep::prelude::*;
use upsweep::{Input, Output};

#[function]
fn or_most(count: u64) -> u64 {
    if count == 0 { 18446744073709551615 } else { count }
}

/// New value, from 0 to 255, of the pixels with a certain old value in a histogram equalisation: of `values` pixels,
/// `up_to` have at most this old value, and `lowest` have the lowest value that occurs.
#[function]
fn spread(#[param] values: u64, up_to: u64, lowest: u64) -> u8 {
    let above = if up_to > lowest { up_to - lowest } else { 0 };
    // If all pixels have one value, there is no quotient: `kept` then keeps the old value.
    let share = if values > lowest { (above as f64) * 255.0 / ((values - lowest) as f64) } else { 0.0 };
    (share + 0.5).floor() as u8
}

#[function]
fn kept(#[param] values: u64, new: u8, old: u8, lowest: u64) -> u8 {
    if lowest == values { old } else { new }
}

#[function]
fn index(x: u8) -> u64 {
    x as u64
}

/// Equalises the histogram of an image: the number of values below each new value is about proportional to it. OpenCV's
/// `equalizeHist`.
///
/// ```text
/// c[v] = how many values are at most v,   first = c of the lowest value that there is
/// v becomes 255 (c[v] - first) / (values - first), rounded half up
/// ```
///
/// All channels of all pixels are counted together. An image of one value stays as it is.
///
/// ```
/// use upsweep::Device;
///
/// let mut spread = [0; 4];
/// upsweep_apps::image::equalise(&Device::cpu(), &[100u8, 101, 101, 103], &mut spread)?;
/// assert_eq!(spread, [0, 170, 170, 255]);
/// # Ok::<(), upsweep_apps::Error>(())
/// ```
///
/// **Cost.** A histogram, and a pass that reads and writes each value. On CUDA nothing waits.
///
/// # Errors
/// [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place); CUDA's own
pub fn equalise<X, Y>(device: &Device, image: &X, output: &mut Y) -> Result<()>
where
    X: Input<Item = u8> + ?Sized,
    Y: Output<Item = u8> + ?Sized,
{
    let image = &Part::all(image);
    let values = image.view().len() as u64;
    let mut counts = device.filled(256, 0u64)?;
    Histogram::by(Same, 256).run(device, image, &mut counts)?;
    Scan::new(Sum).run_in_place(device, &mut counts)?;
    let mut lowest = device.filled(1, values)?;
    Reduce::new(Min).map(OrMost).run(device, &counts, &mut lowest)?;
    let mut table = device.filled(256, 0u8)?;
    let first = || Gather::of(&lowest).at(Repeat(0u64));
    Transform::new(Spread { values }).run(device, (&counts, first()), &mut table)?;
    let new = Gather::of(&table).at(Apply(Index, image));
    Ok(Transform::new(Kept { values }).run(device, (new, image, first()), output)?)
}
