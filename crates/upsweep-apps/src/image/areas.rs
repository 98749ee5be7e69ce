//! Rectangles of an image, and where a table of sums has their corners.

use super::extent::Extent;
use std::ops::Range;
use upsweep::operator::{Cast, Number};
use upsweep::prelude::*;

/// A rectangle of pixels: rows `top..bottom` and columns `left..right`.
#[derive(Element, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Area {
    /// The first row.
    pub top: u32,
    /// The first column.
    pub left: u32,
    /// The row behind the last one.
    pub bottom: u32,
    /// The column behind the last one.
    pub right: u32,
}

impl Area {
    /// The pixels of these rows and columns.
    #[must_use]
    pub fn new(rows: Range<u32>, columns: Range<u32>) -> Self {
        Self { top: rows.start, left: columns.start, bottom: rows.end, right: columns.end }
    }
}

/// The area that a result is of: for each plane there are all areas, and for each area all channels.
#[function]
pub(super) fn area_of(#[param] areas: u64, #[param] channels: u64, result: u64) -> u64 {
    result / channels % areas
}

/// Where the table has a corner of an area; of one that is not in the image nowhere.
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

/// The quotient; of small numbers by the faster instruction.
#[function]
fn quotient(a: u64, b: u64) -> u64 {
    if (a | b) < 4294967296 { (a as u32 / b as u32) as u64 } else { a / b }
}

/// The square around a pixel, as far as it is in the image, of the value `at` of the image.
#[function]
fn window(extent: Extent, radius: u32, at: u64) -> Area {
    let pixel = quotient(at, extent.channels);
    let line = quotient(pixel, extent.width);
    let column = pixel - line * extent.width;
    let row = line - quotient(line, extent.height) * extent.height;
    let radius = radius as u64;
    Area {
        top: (if row > radius { row - radius } else { 0 }) as u32,
        left: (if column > radius { column - radius } else { 0 }) as u32,
        bottom: (row + radius + 1).min(extent.height) as u32,
        right: (column + radius + 1).min(extent.width) as u32,
    }
}

/// How many pixels a window has.
#[function]
pub(super) fn pixels(extent: Extent, radius: u32, at: u64) -> f64 {
    let window = window(extent, radius, at);
    ((window.bottom - window.top) as u64 * (window.right - window.left) as u64) as f64
}

/// Where the table has a corner of the window of a value.
#[function]
pub(super) fn corner_around(
    #[param] extent: Extent,
    #[param] lower: bool,
    #[param] right: bool,
    radius: u32,
    at: u64,
) -> u64 {
    let window = window(extent, radius, at);
    let row = if lower { window.bottom as u64 } else { window.top as u64 };
    let column = if right { window.right as u64 } else { window.left as u64 };
    let pixel = quotient(at, extent.channels);
    let plane = quotient(quotient(pixel, extent.width), extent.height);
    ((plane * (extent.height + 1) + row) * (extent.width + 1) + column) * extent.channels
        + (at - pixel * extent.channels)
}

/// Which radius is a value's: its pixel's, or the only one.
#[function]
pub(super) fn radius_at(#[param] one: bool, #[param] channels: u64, at: u64) -> u64 {
    if one { 0 } else { at / channels }
}

/// A sum by its corners: lower right, upper right, lower left, upper left.
#[function]
pub(super) fn enclosed<T: Number>(d: T, b: T, c: T, a: T) -> T {
    (d - b) - (c - a)
}

/// The same as f64.
#[function]
pub(super) fn enclosed_wide<T: Number + Cast<f64>>(d: T, b: T, c: T, a: T) -> f64 {
    ((d - b) - (c - a)) as f64
}

/// The sums of `$table` over the windows of all values, as an input.
macro_rules! around {
    ($table:expr, $radii:expr, $extent:expr, $values:expr) => {{
        let (extent, values) = ($extent, $values as u64);
        let corner = |lower, right| {
            let index = upsweep::Apply(
                $crate::image::areas::CornerAround { extent, lower, right },
                ($crate::image::areas::radius!($radii, extent, values), 0..values),
            );
            upsweep::Gather::of($table).at(index)
        };
        let corners = (corner(true, true), corner(false, true), corner(true, false), corner(false, false));
        upsweep::Apply($crate::image::areas::EnclosedWide, corners)
    }};
}
/// The radius of each value, as an input.
macro_rules! radius {
    ($radii:expr, $extent:expr, $values:expr) => {{
        let one = upsweep::Input::view($radii).len() == 1;
        let index = $crate::image::areas::RadiusAt { one, channels: $extent.channels };
        upsweep::Gather::of($radii).at(upsweep::Apply(index, 0..$values as u64))
    }};
}
pub(super) use {around, radius};
