//! Rectangles of an image, and the indices of their corners in a summed-area table.

use super::extent::Extent;
use std::ops::Range;
use upsweep::operator::{Cast, Number};
use upsweep::prelude::*;

/// Rectangle of pixels: rows `top..bottom` and columns `left..right`.
#[derive(Element, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Area {
    /// First row of the rectangle.
    pub top: u32,
    /// First column of the rectangle.
    pub left: u32,
    /// Row after the last one of the rectangle.
    pub bottom: u32,
    /// Column after the last one of the rectangle.
    pub right: u32,
}

impl Area {
    /// Rectangle of these rows and columns.
    #[must_use]
    pub fn new(rows: Range<u32>, columns: Range<u32>) -> Self {
        Self { top: rows.start, left: columns.start, bottom: rows.end, right: columns.end }
    }
}

/// Index of the area whose sum is the result with index `result`. Results are ordered by plane, then by area, then by
/// channel.
#[function]
pub(super) fn area_of(#[param] areas: u64, #[param] channels: u64, result: u64) -> u64 {
    result / channels % areas
}

/// Index, in the summed-area table, of the corner of an area that `lower` and `right` name; `u64::MAX` for an area that
/// is not in the image.
#[function]
pub(super) fn corner_of(
    #[param] extent: Extent,
    #[param] areas: u64,
    #[param] lower: bool,
    #[param] right: bool,
    area: Area,
    result: u64,
) -> u64 {
    let inside = area.top <= area.bottom
        && area.left <= area.right
        && (area.bottom as u64) <= extent.height
        && (area.right as u64) <= extent.width;
    let row = if lower { area.bottom as u64 } else { area.top as u64 };
    let column = if right { area.right as u64 } else { area.left as u64 };
    let plane = result / (areas * extent.channels);
    let at = ((plane * (extent.height + 1) + row) * (extent.width + 1) + column) * extent.channels
        + result % extent.channels;
    if inside { at } else { u64::MAX }
}

/// Layout of an image's values: its extent, and the reciprocals of its numbers of channels, columns and rows, with
/// which divisions are multiplications.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Places {
    extent: Extent,
    of_channels: f64,
    of_width: f64,
    of_height: f64,
}

impl Places {
    pub(super) fn of(extent: Extent) -> Self {
        let [of_height, of_width, of_channels] = [extent.height, extent.width, extent.channels].map(|n| 1.0 / n as f64);
        Self { extent, of_channels, of_width, of_height }
    }
}

/// Whole quotient `a / n`, computed with the reciprocal `inverse` of `n`, for `a` below 2^50. One half is added to `a`:
/// that is far more than the error of `f64`, so rounding down gives the quotient.
#[function]
fn quotient(a: u64, n: u64, inverse: f64) -> u64 {
    if n == 1 { a } else { ((a as f64 + 0.5) * inverse) as u64 }
}

/// Returns the plane, the row, the column and the channel of the value with the index `at` of an image.
#[function]
fn place(places: Places, at: u64) -> (u64, u64, u64, u64) {
    let extent = places.extent;
    let pixel = quotient(at, extent.channels, places.of_channels);
    let line = quotient(pixel, extent.width, places.of_width);
    let plane = if extent.planes == 1 { 0 } else { quotient(line, extent.height, places.of_height) };
    (plane, line - plane * extent.height, pixel - line * extent.width, at - pixel * extent.channels)
}

/// Square of `2 radius + 1` rows and columns around a pixel, clipped at the image's borders.
#[function]
fn window(extent: Extent, radius: u32, row: u64, column: u64) -> Area {
    let radius = radius as u64;
    Area {
        top: (if row > radius { row - radius } else { 0 }) as u32,
        left: (if column > radius { column - radius } else { 0 }) as u32,
        bottom: (row + radius + 1).min(extent.height) as u32,
        right: (column + radius + 1).min(extent.width) as u32,
    }
}

/// Number of pixels in the clipped window around the value with index `at`.
#[function]
pub(super) fn pixels(places: Places, radius: u32, at: u64) -> f64 {
    let (_, row, column, _) = place(places, at);
    let window = window(places.extent, radius, row, column);
    (window.bottom - window.top) as f64 * (window.right - window.left) as f64
}

/// Index, in the summed-area table, of one corner of the window around the value `at`: the corner that `lower` and
/// `right` name.
#[function]
pub(super) fn corner_around(
    #[param] places: Places,
    #[param] lower: bool,
    #[param] right: bool,
    radius: u32,
    at: u64,
) -> u64 {
    let extent = places.extent;
    let (plane, row, column, channel) = place(places, at);
    let window = window(extent, radius, row, column);
    let row = if lower { window.bottom } else { window.top };
    let column = if right { window.right } else { window.left };
    ((plane * (extent.height + 1) + row as u64) * (extent.width + 1) + column as u64) * extent.channels + channel
}

/// Index, in the list of radii, of the radius for the value `at`: the number of the value's pixel, or 0 if there is
/// only `one` radius for all pixels.
#[function]
pub(super) fn radius_at(#[param] one: bool, #[param] channels: u64, #[param] of_channels: f64, at: u64) -> u64 {
    if one { 0 } else { quotient(at, channels, of_channels) }
}

/// Sum over a rectangle, from the table's sums at its corners: `d` lower right, `b` upper right, `c` lower left, `a`
/// upper left.
#[function]
pub(super) fn enclosed<T: Number>(d: T, b: T, c: T, a: T) -> T {
    (d - b) - (c - a)
}

/// Sum over a rectangle, as `enclosed` computes it, converted to f64.
#[function]
pub(super) fn enclosed_wide<T: Number + Cast<f64>>(d: T, b: T, c: T, a: T) -> f64 {
    ((d - b) - (c - a)) as f64
}

/// Input that has, for each value of an image, the sum of `$table` over the window around it.
macro_rules! around {
    ($table:expr, $radii:expr, $extent:expr, $values:expr) => {{
        let (extent, values) = ($extent, $values as u64);
        let places = $crate::image::areas::Places::of(extent);
        let corner = |lower, right| {
            let index = upsweep::Apply(
                $crate::image::areas::CornerAround { places, lower, right },
                ($crate::image::areas::radius!($radii, extent, values), 0..values),
            );
            upsweep::Gather::of($table).at(index)
        };
        let corners = (corner(true, true), corner(false, true), corner(true, false), corner(false, false));
        upsweep::Apply($crate::image::areas::EnclosedWide, corners)
    }};
}
/// Input that has, for each value of an image, the radius of its window.
macro_rules! radius {
    ($radii:expr, $extent:expr, $values:expr) => {{
        let one = upsweep::Input::view($radii).len() == 1;
        let channels = $extent.channels;
        let index = $crate::image::areas::RadiusAt { one, channels, of_channels: 1.0 / channels as f64 };
        upsweep::Gather::of($radii).at(upsweep::Apply(index, 0..$values as u64))
    }};
}
pub(super) use {around, radius};
