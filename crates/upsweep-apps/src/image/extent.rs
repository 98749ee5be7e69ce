//! The size of images, and how their channels lie.

use upsweep::{Element, Error, Result};

/// The size of an image in memory, row by row: `[planes, height, width, channels]`.
///
/// The channels of a pixel are side by side (`channels`), or each is an image of its own (`planes`). Several images of one size are planes,
/// too.
#[derive(Element, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Extent {
    /// How many images there are, one behind the other.
    pub planes: u64,
    /// The number of rows.
    pub height: u64,
    /// The number of pixels in a row.
    pub width: u64,
    /// How many values a pixel has, side by side.
    pub channels: u64,
}

impl Extent {
    /// One image, of one value a pixel.
    #[must_use]
    pub fn new(height: usize, width: usize) -> Self {
        Self { planes: 1, height: height as u64, width: width as u64, channels: 1 }
    }

    /// With so many values a pixel, side by side.
    #[must_use]
    pub fn channels(self, channels: usize) -> Self {
        Self { channels: channels as u64, ..self }
    }

    /// With so many images, one behind the other.
    #[must_use]
    pub fn planes(self, planes: usize) -> Self {
        Self { planes: planes as u64, ..self }
    }

    /// The axes of the array.
    #[must_use]
    pub fn shape(&self) -> [usize; 4] {
        [self.planes, self.height, self.width, self.channels].map(|n| usize::try_from(n).unwrap_or(usize::MAX))
    }

    /// The number of values.
    ///
    /// # Errors
    /// [`Error::Shape`] when it is another one than `len`.
    pub(super) fn check(&self, len: usize) -> Result<usize> {
        let values = self.values();
        if values == len { Ok(values) } else { Err(Error::Shape { shape: self.shape().to_vec(), len }) }
    }

    /// The number of values: 0 where a size is 0, however large the others are; `usize::MAX` where there are more.
    pub(super) fn values(&self) -> usize {
        self.shape().iter().fold(1, |product: usize, &n| product.saturating_mul(n))
    }
}
