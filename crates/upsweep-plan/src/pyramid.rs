//! Plans of image pyramids: the levels, and a block's work on a CUDA device. See `pyramid/pyramid.cuh`.

use super::constants::{Constants, constants};
use upsweep_core::error::{Error, Result};

/// Shape of an image, and the number of times it is halved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halvings {
    /// Number of planes, height, width, and number of channels of the image.
    pub shape: [usize; 4],
    /// Number of halvings.
    pub levels: usize,
}

impl Halvings {
    /// Returns the number of values of the image.
    ///
    /// # Errors
    /// [`Error::Shape`] when `len`, if it is given, is another number.
    pub fn image(&self, len: Option<usize>) -> Result<usize> {
        let image = if self.shape.contains(&0) {
            Some(0)
        } else {
            self.shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n))
        };
        image
            .filter(|&image| len.is_none_or(|len| len == image))
            .ok_or_else(|| Error::Shape { shape: self.shape.to_vec(), len: len.unwrap_or(usize::MAX) })
    }

    /// Returns the number of values of all levels after the image, saturating.
    ///
    /// # Errors
    /// [`Error::Halves`] when a size that is to be halved is odd and not 1.
    pub fn results(&self) -> Result<usize> {
        let [planes, mut height, mut width, channels] = self.shape;
        let of_pixel = planes.saturating_mul(channels);
        let mut results = 0usize;
        for level in 0..self.levels {
            for (what, size) in [("height", height), ("width", width)] {
                if size > 1 && !size.is_multiple_of(2) {
                    return Err(Error::Halves { what, size, level });
                }
            }
            if height <= 1 && width <= 1 {
                // All further levels have the same size.
                let each = of_pixel.saturating_mul(height).saturating_mul(width);
                return Ok(results.saturating_add(each.saturating_mul(self.levels - level)));
            }
            (height, width) = (halved(height), halved(width));
            results = results.saturating_add(of_pixel.saturating_mul(height).saturating_mul(width));
        }
        Ok(results)
    }
}

/// Returns half of a size; 0 for 0, and 1 for 1.
#[must_use]
pub fn halved(size: usize) -> usize {
    if size == 1 { 1 } else { size / 2 }
}

/// Number of threads of a block.
pub const THREADS: usize = 256;
/// Limits above which pixels are processed value by value: bytes of a pixel, and number of channels.
const MOST_PIXEL_BYTES: usize = 32;
const MOST_CHANNELS: usize = 8;
/// Limits up to which a thread's patch (its pixels of the image, held in registers) has four rows, for two levels; else
/// it has two: bytes of a pixel, and number of channels.
const MOST_BYTES_OF_FOUR_ROWS: usize = 8;
const MOST_CHANNELS_OF_FOUR_ROWS: usize = 4;
/// Number of threads side by side along a row of a tile.
const ACROSS: usize = 16;
/// Limits of a block's tile of pixels that are processed value by value: channels, values of level 1 (the image halved
/// once), and bytes of these values.
const MOST_BLOCK_CHANNELS: usize = 32;
const MOST_VALUES: usize = 4096;
const MOST_SHARED_BYTES: usize = 8192;
/// Largest number of bytes that a thread loads before it uses them, if it processes value by value. Below it, the
/// largest number of values of level 1 (the image halved once) that these bytes yield.
const LOADED_BYTES: usize = 64;
const MOST_AT_ONCE: usize = 2;

/// Returns the number of blocks that a multiprocessor has room for, if each thread holds a patch of `values` values of
/// `size` bytes in registers.
fn blocks(size: usize, values: usize) -> usize {
    match size {
        ..=4 if values <= 64 => 5,
        ..=16 => 4,
        _ => 2,
    }
}

/// Largest number of levels of a launch, which the kernel's parameters name.
pub const MOST_LEVELS: usize = 6;

/// Plan of a block of the kernel that computes levels of a pyramid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PyramidPlan {
    /// Whether a thread's patch (its pixels of the image) has all channels of its pixels.
    pub whole_pixels: bool,
    /// Number of channels of the image that a block processes.
    pub channels: usize,
    /// Number of pixels of a thread's patch: across and down.
    pub patch: [usize; 2],
    /// Number of pixels of a block's tile: across and down.
    pub tile: [usize; 2],
    /// Number of values of level 1 whose elements a thread loads before it uses them, where there are no patches.
    pub values_at_once: usize,
}

impl PyramidPlan {
    /// Plans a pyramid of elements of `size` bytes with `channels` channels, at least one.
    #[must_use]
    pub fn new(size: usize, channels: usize) -> Self {
        let size = size.max(1);
        let pixel = size.saturating_mul(channels);
        let values_at_once = (LOADED_BYTES / (4 * size)).clamp(1, MOST_AT_ONCE);
        if pixel <= MOST_PIXEL_BYTES && channels <= MOST_CHANNELS {
            let small = pixel <= MOST_BYTES_OF_FOUR_ROWS && channels <= MOST_CHANNELS_OF_FOUR_ROWS;
            let rows = if small { 4 } else { 2 };
            // A row of a patch has 16 bytes or more. Rows of pixels of 3 bytes are longer, so that level 1 is stored by
            // words, too.
            let width = match pixel {
                1 => 16,
                2 | 3 => 8,
                4..=12 => 4,
                _ => 2,
            };
            let tile = [ACROSS * width, THREADS / ACROSS * rows];
            return Self { whole_pixels: true, channels, patch: [width, rows], tile, values_at_once };
        }
        let channels = channels.min(MOST_BLOCK_CHANNELS).next_power_of_two();
        let fits = |side: usize| {
            let values = side * side / 4 * channels;
            values <= MOST_VALUES && values * size <= MOST_SHARED_BYTES
        };
        let side = [64, 32, 16, 8, 4].into_iter().find(|&side| fits(side)).unwrap_or(2);
        Self { whole_pixels: false, channels, patch: [2, 2], tile: [side, side], values_at_once }
    }

    /// Returns the number of levels that one launch computes.
    #[must_use]
    pub fn levels(&self) -> usize {
        (self.tile[0].min(self.tile[1]).ilog2() as usize).min(MOST_LEVELS)
    }

    /// Constants that the kernel is compiled with, for elements of `size` bytes.
    #[must_use]
    pub fn constants(&self, size: usize, with_input: bool) -> Constants {
        let Self { whole_pixels, channels, patch: [patch_width, patch_rows], tile: [width, rows], values_at_once } =
            *self;
        let values = patch_width * patch_rows * if whole_pixels { channels } else { 1 };
        let mut constants = Constants::default();
        constants!(
            constants;
            "THREADS" = THREADS,
            "WHOLE_PIXELS" = usize::from(whole_pixels),
            "BLOCK_CHANNELS" = channels,
            "PATCH_WIDTH" = patch_width,
            "PATCH_ROWS" = patch_rows,
            "TILE_WIDTH" = width,
            "TILE_ROWS" = rows,
            "TILE_LEVELS" = self.levels(),
            "VALUES_AT_ONCE" = values_at_once,
            "PYRAMID_BLOCKS" = blocks(size, values),
            "WITH_INPUT" = usize::from(with_input),
        );
        constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_halve_to_the_last_level() {
        for size in 1..=64 {
            for channels in (1..40).chain([1000]) {
                let plan = PyramidPlan::new(size, channels);
                for side in 0..2 {
                    assert!(plan.patch[side] >= 2 && plan.tile[side].is_multiple_of(plan.patch[side]), "{plan:?}");
                    assert!((plan.tile[side] >> plan.levels()) >= 1, "{plan:?}");
                }
                // Checks the levels of the patch, and the shared memory of the tile.
                assert!(plan.patch[1].ilog2() as usize <= plan.levels(), "{plan:?}");
                let shared = plan.tile[0] * plan.tile[1] / 4 * plan.channels * size;
                assert!(shared + shared / 4 <= 32 << 10, "{plan:?}");
                let registers = plan.patch[0] * plan.patch[1] * size;
                assert!(!plan.whole_pixels || registers * channels <= 128, "{plan:?}");
            }
        }
        assert_eq!(PyramidPlan::new(1, 4).tile, [64, 64]);
    }
}
