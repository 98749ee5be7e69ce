//! Summed-area tables (integral images).

use super::areas::{Area, AreaOf, CornerOf, Enclosed, Places, around, pixels, radius};
use super::extent::Extent;
use super::pixel::{Accumulator, Pixel};
use crate::error::{Error, Result};
use crate::part::Part;
use upsweep::operator::WidenFrom;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// Summed-area table: the sums of an image over all rectangles from its first pixel on. The sum over any rectangle
/// takes four reads.
///
/// ```text
/// table[v][u] = the sum of pixel[y][x] over y < v and x < u
/// sum over rows a..b and columns c..d = table[b][d] - table[a][d] - table[b][c] + table[a][c]
/// ```
///
/// The table has a row and a column more than the image, both of zeros, like OpenCV's `integral`; each channel and
/// plane has a table of its own. `A` holds the sums: [`u32`, `u64`, `f32` or `f64`](Accumulator). Sums of whole numbers
/// are exact; a table that its type cannot hold is an error. Sums of floats are rounded, in `f32` to about 2^-24 of the
/// sum from the first pixel on, however small the rectangle: `f64` is the safe choice.
///
/// A table with as many sums as pixels, like scikit-image's `integral_image`, is
/// `Scan::new(Sum).axes(&[height, width], &[1, 0])`.
///
/// **Cost.** The [scan along both axes](upsweep::scan_axes): one pass over memory for one to a few channels. A sum is
/// four reads, whatever its size.
///
/// Source: Crow, "Summed-Area Tables for Texture Mapping", 1984.
#[derive(Debug)]
pub struct SummedArea<A> {
    table: Array<A>,
    extent: Extent,
}

/// Mean of the values in the window around the value `at`, from their sum.
#[function]
fn mean_around(#[param] places: Places, sum: f64, radius: u32, at: u64) -> f64 {
    sum / pixels(places, radius, at)
}

impl<A: Accumulator> SummedArea<A> {
    /// Builds the table of an image. On CUDA the work is enqueued and the call returns at once, unless an image of the
    /// largest values would overflow: then it waits for the actual sums.
    ///
    /// # Errors
    /// - [`Shape`](upsweep::Error::Shape): the number of the image's values is not that of the extent
    /// - [`Error::Overflow`]: the sum over the image is more than `A` holds exactly
    /// - [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn build<X, P>(device: &Device, image: &X, extent: Extent) -> Result<Self>
    where
        X: Input<Item = P> + ?Sized,
        P: Pixel,
        A: WidenFrom<P>,
    {
        let image = &Part::all(image);
        let values = extent.check(image.view().len())?;
        if let Some(most) = P::MOST {
            let pixels = extent.height.saturating_mul(extent.width);
            if most.checked_mul(pixels).is_none_or(|sum| sum > A::MOST) {
                let sum = P::largest_sum(device, image, extent)?;
                if sum > A::MOST {
                    let accumulator = std::any::type_name::<A>();
                    return Err(Error::Overflow { values, sum, most: A::MOST, accumulator });
                }
            }
        }
        let shape = extent.shape();
        let scan = Scan::new(Sum).exclusive().with_total().accumulate::<A>();
        Ok(Self { table: scan.axes(&shape, &[2, 1]).run_to_array(device, image)?, extent })
    }

    /// Builds the table in f64 of values in f64.
    ///
    /// # Errors
    /// As [`build`](Self::build), but sums are not checked: they fit into f64.
    pub(super) fn of(device: &Device, values: &Array<f64>, extent: Extent) -> Result<SummedArea<f64>> {
        let scan = Scan::new(Sum).exclusive().with_total();
        Ok(SummedArea { table: scan.axes(&extent.shape(), &[2, 1]).run_to_array(device, values)?, extent })
    }

    /// Table of sums: planes of `height + 1` rows of `width + 1` sums of each channel.
    #[must_use]
    pub fn table(&self) -> &Array<A> {
        &self.table
    }

    /// Converts into the table of sums, without the image's size.
    #[must_use]
    pub fn into_table(self) -> Array<A> {
        self.table
    }

    /// Sums over areas, ordered by plane, then by area, then by channel. Empty areas have 0.
    ///
    /// # Errors
    /// - [`Length`](upsweep::Error::Length): the length of the output is not the number of sums
    /// - [`Index`](upsweep::Error::Index), with the position of its sum: an area that is not in the image, or ends
    ///   before it begins; on CUDA the next call that waits returns it
    /// - [`Place`](upsweep::Error::Place); CUDA's own
    pub fn sums<B, Y>(&self, device: &Device, areas: &B, sums: &mut Y) -> Result<()>
    where
        B: Input<Item = Area> + ?Sized,
        Y: Output<Item = A> + ?Sized,
    {
        let (areas, extent) = (&Part::all(areas), self.extent);
        let count = areas.view().len() as u64;
        let results = 0..extent.planes.saturating_mul(count).saturating_mul(extent.channels);
        let corner = |lower, right| {
            let area = Apply(AreaOf { areas: count.max(1), channels: extent.channels }, results.clone());
            let corner = CornerOf { extent, areas: count.max(1), lower, right };
            Gather::of(&self.table).at(Apply(corner, (Gather::of(areas).at(area), results.clone())))
        };
        let corners = (corner(true, true), corner(false, true), corner(true, false), corner(false, false));
        Ok(Transform::new(Enclosed).run(device, corners, sums)?)
    }

    /// Stores the box blur of this radius, as a [`BoxBlur`](super::BoxBlur) computes it.
    ///
    /// # Errors
    /// As of [`box_blur_by`](Self::box_blur_by).
    pub(super) fn box_blur<Y, P>(&self, device: &Device, radius: u32, blurred: &mut Y) -> Result<()>
    where
        Y: Output<Item = P> + ?Sized,
        P: Pixel,
    {
        let radius = device.upload(&[radius])?;
        self.store_means(device, &Part::all(&radius), blurred)
    }

    /// Returns, for each value, the mean of the values in the window of this radius around it, not rounded to pixels.
    ///
    /// # Errors
    /// As of [`box_blur_by`](Self::box_blur_by).
    pub(super) fn means(&self, device: &Device, radius: u32) -> Result<Array<f64>> {
        let mut means = device.filled(self.extent.values(), 0.0)?;
        self.box_blur(device, radius, &mut means)?;
        Ok(means)
    }

    /// Box blur with a radius for each pixel, which is that of all its channels: the mean of the square of
    /// `2 radius + 1` rows and columns around the pixel, clipped at the image's borders without padding. A pixel costs
    /// the same whatever the radius.
    ///
    /// # Errors
    /// - [`Length`](upsweep::Error::Length): the output is not as large as the image, or the number of radii is not
    ///   that of the pixels
    /// - [`Place`](upsweep::Error::Place); CUDA's own
    pub fn box_blur_by<R, Y, P>(&self, device: &Device, radii: &R, blurred: &mut Y) -> Result<()>
    where
        R: Input<Item = u32> + ?Sized,
        Y: Output<Item = P> + ?Sized,
        P: Pixel,
    {
        let (found, expected) = (radii.view().len(), self.extent.channels(1).values());
        if found != expected {
            return Err(upsweep::Error::Length { what: "radii", found, expected }.into());
        }
        self.store_means(device, &Part::all(radii), blurred)
    }

    fn store_means<Y, P>(&self, device: &Device, radii: &Part<'_, u32>, blurred: &mut Y) -> Result<()>
    where
        Y: Output<Item = P> + ?Sized,
        P: Pixel,
    {
        let (extent, values) = (self.extent, self.extent.values());
        let sums = around!(&self.table, radii, extent, values);
        let inputs = (sums, radius!(radii, extent, values), 0..values as u64);
        Ok(Transform::new(P::STORE).run(device, Apply(MeanAround { places: Places::of(extent) }, inputs), blurred)?)
    }
}
