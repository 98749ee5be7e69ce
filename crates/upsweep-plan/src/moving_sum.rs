//! Plans of moving sums: windows over an image, the order in which values are added, and a block's work on a CUDA
//! device. See `moving_sum/moving_sum.cuh`.

use super::constants::{Constants, constants};
use upsweep_core::error::{Error, Result};

/// Number of columns of a chunk: the neighbouring columns whose sums one thread holds. Windows of more columns than
/// this are added by chunks.
pub const CHUNK: usize = 8;

/// Windows of a moving sum over an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Number of planes, height, width, and number of channels of the image.
    pub shape: [usize; 4],
    /// Number of rows of the window above and below the value, clipped to the image's rows.
    pub rows: [usize; 2],
    /// Number of columns of the window to the left and to the right of the value, clipped to the image's columns.
    pub columns: [usize; 2],
}

impl Windows {
    /// Clips the windows to the image.
    ///
    /// # Errors
    /// [`Error::Shape`] when the shape does not have `len` values.
    pub fn new(shape: [usize; 4], len: usize, rows: [usize; 2], columns: [usize; 2]) -> Result<Self> {
        let values = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        if values != Some(len) && !(shape.contains(&0) && len == 0) {
            return Err(Error::Shape { shape: shape.to_vec(), len });
        }
        let [_, height, width, _] = shape;
        let within = |reach: [usize; 2], size: usize| reach.map(|n| n.min(size.saturating_sub(1)));
        Ok(Self { shape, rows: within(rows, height), columns: within(columns, width) })
    }

    /// Whether the window has a single row, the value's own.
    #[must_use]
    pub fn has_one_row(&self) -> bool {
        self.rows == [0, 0]
    }

    /// Whether the columns of a window are so few that they are added one by one, not by chunks of columns.
    #[must_use]
    pub fn has_few_columns(&self) -> bool {
        self.columns[0] + self.columns[1] < CHUNK
    }

    /// Returns the number of rows of a part of the image: the rows that a block processes. A part begins with sums of
    /// its own. The number depends on the shape, the window and the bytes of a sum alone, and so does the order of
    /// additions.
    #[must_use]
    pub fn part(&self, sum_size: usize) -> usize {
        let [planes, height, width, channels] = self.shape;
        let (across, threads) = match MovingSumPlan::new(self, sum_size) {
            Ok(plan) => (plan.strips(width).saturating_mul(channels.div_ceil(plan.channels)), plan.threads),
            Err(_) => (channels, THREADS[0]),
        };
        let across = planes.saturating_mul(across).max(1);
        // A part reads the halo above it, too: so it has at least a quarter as many rows as the window.
        let least = ((self.rows[0] + self.rows[1] + 1) / 4).max(LEAST_ROWS);
        let parts = (AT_ONCE / threads / across).min(height / least).max(height.div_ceil(MOST_ROWS)).max(1);
        height.div_ceil(parts)
    }

    /// Returns the number of chunks of columns, to the left and to the right of a chunk, that the windows of its
    /// columns reach.
    #[must_use]
    pub fn reach(&self) -> [usize; 2] {
        self.columns.map(|n| n.div_ceil(CHUNK))
    }
}

/// Largest and smallest number of rows of a part of the image. Below them, the number of threads that a device (an
/// H200) runs at once: with one part more than fits, all others would wait for it.
const MOST_ROWS: usize = 1024;
const LEAST_ROWS: usize = 16;
const AT_ONCE: usize = 132 * RESIDENT;

/// Candidates for the number of threads of a block, in ascending order. A plan takes the first candidate with which at
/// least three quarters of the threads have results. If there is none, it takes the largest whose sums fit in shared
/// memory.
const THREADS: [usize; 3] = [128, 256, 512];
/// Number of threads that a multiprocessor has registers for, with sums of up to 8 bytes; with larger sums half as
/// many.
const RESIDENT: usize = 512;
/// Largest number of channels of a block.
const MOST_CHANNELS: usize = 4;
/// Largest number of bytes of shared memory of a block.
const MOST_SHARED_BYTES: usize = 200 << 10;
/// Number of sums per column in shared memory: two for this row and two for the next.
const SUMS: usize = 4;

/// Plan of a block of the kernel of moving sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovingSumPlan {
    /// Number of threads of a block that the kernel is compiled for.
    pub threads: usize,
    /// Number of channels of the image that a block processes.
    pub channels: usize,
    /// Number of chunks (of [`CHUNK`] columns) of a block that have results. Other chunks of a block only take part in
    /// sums of windows.
    pub strip: usize,
    one_row: bool,
    /// Number of columns of a window, if they are added one by one; else 0.
    few_columns: usize,
    /// Column, within its chunk, at which the window of a chunk's first column begins. Below it, the column, within its
    /// chunk, at which that window ends.
    first: usize,
    last: usize,
    sum_size: usize,
    reach: usize,
}

impl MovingSumPlan {
    /// Plans the moving sums of `windows`, with sums of `sum_size` bytes.
    ///
    /// # Errors
    /// [`Error::Window`] when a window has more columns than a block.
    pub fn new(windows: &Windows, sum_size: usize) -> Result<Self> {
        let [_, _, width, channels] = windows.shape;
        let reach = windows.reach().iter().sum::<usize>();
        let fits = |threads: usize| threads * CHUNK * SUMS * sum_size <= MOST_SHARED_BYTES;
        let together = if channels <= MOST_CHANNELS { channels.max(1) } else { 1 };
        let found = [together, 1].into_iter().find_map(|channels| {
            let room = |threads: usize| (threads / channels).saturating_sub(reach);
            let most = THREADS.into_iter().rfind(|&threads| fits(threads)).filter(|&most| room(most) > 0);
            // At least three of four threads must have a chunk with results.
            let good =
                THREADS.into_iter().find(|&threads| fits(threads) && room(threads) * channels * 4 >= threads * 3);
            good.or(most).map(|threads| (channels, threads, room(threads)))
        });
        let Some((channels, threads, room)) = found else {
            let most = THREADS.into_iter().rfind(|&threads| fits(threads)).unwrap_or(0).saturating_sub(3) * CHUNK;
            return Err(Error::Window { columns: windows.columns[0] + windows.columns[1] + 1, most });
        };
        // All strips have equal width.
        let chunks = width.div_ceil(CHUNK).max(1);
        let strip = chunks.div_ceil(chunks.div_ceil(room));
        let [left, right] = windows.columns;
        let few_columns = if windows.has_few_columns() { left + right + 1 } else { 0 };
        let (first, last) = (left.next_multiple_of(CHUNK) - left, right % CHUNK);
        let one_row = windows.has_one_row();
        Ok(Self { threads, channels, strip, one_row, few_columns, first, last, sum_size, reach })
    }

    /// Returns the number of strips (the neighbouring columns of one block) side by side in an image of `width`
    /// columns.
    #[must_use]
    pub fn strips(&self, width: usize) -> usize {
        width.div_ceil(self.strip * CHUNK)
    }

    /// Returns the number of threads per block that a launch needs.
    #[must_use]
    pub fn launched(&self) -> usize {
        ((self.strip + self.reach) * self.channels).next_multiple_of(32)
    }

    /// Returns the number of bytes of shared memory of a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.threads * CHUNK * SUMS * self.sum_size
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let Self { threads, channels, one_row, few_columns, first, last, sum_size, .. } = *self;
        let mut constants = Constants::default();
        constants!(
            constants;
            "THREADS" = threads,
            "BLOCK_CHANNELS" = channels,
            "CHUNK_COLUMNS" = CHUNK,
            "ONE_ROW" = usize::from(one_row),
            "FEW_COLUMNS" = few_columns,
            "WINDOW_FIRST" = first,
            "WINDOW_LAST" = last,
            "MOVING_BLOCKS" = (if sum_size > 8 { RESIDENT / 2 } else { RESIDENT } / threads).max(1),
        );
        constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_room_for_what_its_windows_reach() {
        for size in [1, 4, 8, 16] {
            for channels in [1, 2, 3, 4, 5, 100] {
                for width in [1, 7, 8, 9, 1000, 16384] {
                    for radius in [0, 1, 3, 4, 50, 700, 1700, 2000] {
                        let shape = [1, 3, width, channels];
                        let len = shape.iter().product();
                        let windows = Windows::new(shape, len, [1, 1], [radius, radius + 1]).unwrap();
                        match MovingSumPlan::new(&windows, size) {
                            Ok(plan) => {
                                assert!(plan.strip > 0 && plan.launched() <= plan.threads, "{plan:?}");
                                assert!((plan.strip + plan.reach) * plan.channels <= plan.launched(), "{plan:?}");
                                assert!(plan.shared_bytes() <= MOST_SHARED_BYTES, "{plan:?}");
                            }
                            Err(Error::Window { columns, most }) => assert!(columns > most, "{columns} {most}"),
                            Err(other) => panic!("{other}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn parts_keep_a_device_at_work() {
        let part = |side: usize, radius: usize| {
            Windows::new([1, side, side, 1], side * side, [radius; 2], [radius; 2]).unwrap().part(8)
        };
        // 18 strips of 29 parts are 522 blocks; 528 blocks have room.
        assert_eq!(part(16384, 50), 565);
        assert_eq!(part(1024, 5), 16);
        assert_eq!(part(16384, 4000), 1024);
    }
}
