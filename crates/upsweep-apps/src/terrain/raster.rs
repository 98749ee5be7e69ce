//! Sizes of rasters, and the distances between their cells.

use crate::error::{Error, Result};
use upsweep::Element;

/// Raster of altitudes, row by row from north to south: its size, and the distances between its cells.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Raster {
    pub(super) rows: u64,
    pub(super) columns: u64,
    pub(super) dx: f64,
    pub(super) dy: f64,
}

impl Raster {
    /// Raster of this size, with a distance of 1 between neighbours.
    #[must_use]
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { rows: rows as u64, columns: columns as u64, dx: 1.0, dy: 1.0 }
    }

    /// Raster with these distances between neighbouring columns and rows.
    #[must_use]
    pub fn spacing(self, dx: f64, dy: f64) -> Self {
        Self { dx, dy, ..self }
    }

    /// Checks that the raster has `len` cells and valid distances between them.
    ///
    /// # Errors
    /// [`Shape`](upsweep::Error::Shape): the raster has not `len` cells; [`Error::Number`]: a distance is not above 0,
    /// or there are more than 2^31 - 1 rows or columns.
    pub(super) fn check(&self, len: usize) -> Result<()> {
        let shape = [self.rows, self.columns].map(|n| n as usize);
        if shape[0].checked_mul(shape[1]) != Some(len) {
            return Err(upsweep::Error::Shape { shape: shape.to_vec(), len }.into());
        }
        if shape.iter().any(|&n| n > i32::MAX as usize) {
            let value = shape[0].max(shape[1]) as f64;
            return Err(Error::Number {
                what: "the number of rows or columns",
                value,
                rule: "it is at most 2147483647",
            });
        }
        for value in [self.dx, self.dy] {
            if !(value > 0.0 && value.is_finite()) {
                let rule = "it is a finite number above 0";
                return Err(Error::Number { what: "the distance between cells", value, rule });
            }
        }
        Ok(())
    }

    /// Checks that the raster has a cell in this row and column.
    ///
    /// # Errors
    /// [`Error::Outside`]: there is no such cell.
    pub(super) fn expect(&self, row: usize, column: usize) -> Result<()> {
        let (rows, columns) = (self.rows as usize, self.columns as usize);
        if row < rows && column < columns { Ok(()) } else { Err(Error::Outside { row, column, rows, columns }) }
    }
}

/// Radius of the earth at the equator, in metres: GDAL's value, of WGS 84.
const EARTH: f64 = 6_378_137.0;

/// Distance by which the earth's curvature, less refraction, lowers a point that is at the distance 1. It grows with
/// the square of the distance.
///
/// # Errors
/// [`Error::Number`]: the coefficient is no finite number.
pub(super) fn drop_of(curvature: f64) -> Result<f64> {
    if !curvature.is_finite() {
        return Err(Error::Number { what: "the curvature", value: curvature, rule: "it is a finite number" });
    }
    Ok(curvature / (2.0 * EARTH))
}

/// Returns the height `value`, after checking that it is a finite number.
///
/// # Errors
/// [`Error::Number`]: a height is no finite number.
pub(super) fn finite_height(what: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::Number { what, value, rule: "it is a finite number" }) }
}

/// Defines the options of whatever computes visibility: the heights of the eye and of the targets, and the earth's
/// curvature.
macro_rules! looks {
    ($Who:ident, $eye:literal, $target:literal) => {
        impl $Who {
            #[doc = concat!("The eye is so high above ", $eye, ".")]
            pub fn observer(mut self, height: f64) -> Self {
                self.observer = height;
                self
            }

            #[doc = concat!("What is looked at is so high above ", $target, ".")]
            pub fn target(mut self, height: f64) -> Self {
                self.target = height;
                self
            }

            /// The earth's curvature, less refraction: 1 is the curvature alone, 0.85714 that of GDAL's `-cc` with
            /// light's usual refraction, 0 a plane. Distances are in metres then.
            pub fn curvature(mut self, coefficient: f64) -> Self {
                self.curvature = coefficient;
                self
            }
        }
    };
}
pub(super) use looks;
