//! Sizes of images, with channels interleaved or in planes.

use upsweep::{Element, Error, Result};

/// Size of an image in memory, row by row: `[planes, height, width, channels]`.
///
/// The channels of a pixel are interleaved (`channels`), or each is an image of its own (`planes`). Several images of
/// one size are planes, too.
#[derive(Element, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Extent {
    /// Number of images, one after the other.
    pub planes: u64,
    /// Number of rows.
    pub height: u64,
    /// Number of pixels in a row.
    pub width: u64,
    /// Number of interleaved values of a pixel.
    pub channels: u64,
}

impl Extent {
    /// Extent of one image of `height` rows and `width` columns, with one value a pixel.
    #[must_use]
    pub fn new(height: usize, width: usize) -> Self {
        Self { planes: 1, height: height as u64, width: width as u64, channels: 1 }
    }

    /// Extent with this number of interleaved values a pixel.
    #[must_use]
    pub fn channels(self, channels: usize) -> Self {
        Self { channels: channels as u64, ..self }
    }

    /// Extent with this number of images, one after the other.
    #[must_use]
    pub fn planes(self, planes: usize) -> Self {
        Self { planes: planes as u64, ..self }
    }

    /// Lengths of the axes of the array: `[planes, height, width, channels]`.
    #[must_use]
    pub fn shape(&self) -> [usize; 4] {
        [self.planes, self.height, self.width, self.channels].map(|n| usize::try_from(n).unwrap_or(usize::MAX))
    }

    /// Returns the number of values of the image, after checking that it is `len`.
    ///
    /// # Errors
    /// [`Error::Shape`] when it is not `len`.
    pub(super) fn check(&self, len: usize) -> Result<usize> {
        let values = self.values();
        if values == len { Ok(values) } else { Err(Error::Shape { shape: self.shape().to_vec(), len }) }
    }

    /// Number of values: 0 if a size is 0, however large the others are; `usize::MAX` if the product overflows.
    pub(super) fn values(&self) -> usize {
        self.shape().iter().fold(1, |product: usize, &n| product.saturating_mul(n))
    }
}
