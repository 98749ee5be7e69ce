//! Image pyramids on the CPU: level by level, each thread halves pieces of rows.
//!
//! The loops over rows are those that the compiler vectorises for one to four channels.

use super::engine::apart;
use super::tile::lanes::{Lanes, Work};
use super::tile::simd::Set;
use upsweep_core::buffer::View;
use upsweep_core::error::Result;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::Target;
use upsweep_core::steps::Held;
use upsweep_plan::pyramid::{Halvings, halved};

/// Number of results of a task, about: a long row is cut into pieces, and short rows are taken together.
const PART: usize = 1 << 13;

/// Computes all levels of image pyramids. Without `input` the images are in the output already. The output has room for
/// all results.
pub fn run<T, F>(
    of_four: F,
    input: Option<&View<'_, T>>,
    output: &Target<'_, T>,
    halvings: &Halvings,
    with_input: bool,
) -> Result<()>
where
    T: Element,
    F: Function<(T, T, T, T), Output = T>,
{
    Held::nothing().add_function::<F>(|values| of_four.values(values))?;
    let (start, _) = output.on_host("output")?;
    let input = input.map(|input| input.on_host("input")).transpose()?;
    let image = halvings.image(None)?;
    if image == 0 {
        return Ok(());
    }
    if let (Some(input), true) = (input, with_input) {
        // SAFETY: the output begins with room for the image, and is borrowed exclusively.
        copy(input, Memory { from: input.as_ptr(), to: start });
    }
    // SAFETY: the output has room for the image, and for the levels after it.
    let mut to = if with_input { unsafe { start.add(image) } } else { start };
    let mut from = match input {
        Some(input) if !with_input => input.as_ptr(),
        _ => start.cast_const(),
    };
    let half = Set::widest().compiled::<Half<'_, F, T>>();
    let [planes, mut height, mut width, channels] = halvings.shape;
    for _ in 0..halvings.levels {
        let above = [height, width];
        (height, width) = (halved(height), halved(width));
        let memory = &Memory { from, to };
        // A row is cut into pieces of this number of pixels.
        let piece = width.div_ceil((width * channels).div_ceil(PART));
        let (pieces, rows) = (width.div_ceil(piece), planes * height);
        let together = (PART / (piece * channels)).max(1);
        let some = |first: usize| {
            for i in first * together..((first + 1) * together).min(rows * pieces) {
                let (row, x) = (i / pieces, i % pieces * piece);
                let (plane, y) = (row / height, row % height);
                let upper = plane * above[0] + if above[0] == 1 { 0 } else { 2 * y };
                let rows = [upper, upper + usize::from(above[0] > 1)];
                let (wide, count) = (above[1] > 1, piece.min(width - x));
                let left = if wide { 2 * x } else { x };
                // SAFETY: the level above has these rows, with two pixels for each result, or its only one. This level
                // has the piece, which is nobody else's. The processor has the instructions of every `Set`.
                unsafe {
                    let [upper, lower] = rows.map(|row| {
                        let pixels = if wide { 2 * count } else { count };
                        std::slice::from_raw_parts(
                            memory.from.add((row * above[1] + left) * channels),
                            pixels * channels,
                        )
                    });
                    let results = memory.to.add((row * width + x) * channels);
                    half(Half { of_four: &of_four, upper, lower, results, wide, channels });
                }
            }
        };
        apart::run((rows * pieces).div_ceil(together), true, &some);
        from = to.cast_const();
        // SAFETY: the output has room for the next level, or this is the end of the last one.
        to = unsafe { to.add(planes * height * width * channels) };
    }
    Ok(())
}

/// Copies the image to the output, as canonical values.
fn copy<T: Element>(image: &[T], memory: Memory<T>) {
    let memory = &memory;
    apart::run(image.len().div_ceil(PART), true, &|part| {
        let begin = part * PART;
        for (at, x) in image.iter().enumerate().take(begin + PART).skip(begin) {
            // SAFETY: the output has room for the image, and each value is stored by one thread.
            unsafe { memory.to.add(at).write(x.canonical()) };
        }
    });
}

/// Memory of a level and of the next one, which is computed from it.
struct Memory<T> {
    from: *const T,
    to: *mut T,
}

// SAFETY: a level is read only after it has been written, and each result is written by one thread.
unsafe impl<T> Sync for Memory<T> {}

/// Kernel that computes neighbouring pixels of a level from two rows of the level above: if `wide`, from pairs of
/// pixels of each row, otherwise from single pixels.
///
/// # Safety
/// `results` has room for all results, and nobody else uses it meanwhile.
struct Half<'a, F, T> {
    of_four: &'a F,
    upper: &'a [T],
    lower: &'a [T],
    results: *mut T,
    wide: bool,
    channels: usize,
}

impl<F, T> Work for Half<'_, F, T>
where
    T: Element,
    F: Function<(T, T, T, T), Output = T>,
{
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        // SAFETY: `results` has room for all results, and nobody else uses it meanwhile.
        unsafe {
            match (self.wide, self.channels) {
                (false, _) => self.narrow(),
                (_, 1) => self.pixels::<1>(),
                (_, 2) => self.pixels::<2>(),
                (_, 3) => self.pixels::<3>(),
                (_, 4) => self.pixels::<4>(),
                _ => self.any_pixels(),
            }
        }
    }
}

impl<F, T> Half<'_, F, T>
where
    T: Element,
    F: Function<(T, T, T, T), Output = T>,
{
    /// Computes pixels of `CHANNELS` channels, each from a pair of pixels of both rows.
    ///
    /// # Safety
    /// The conditions of [`Half`] hold.
    #[inline(always)]
    unsafe fn pixels<const CHANNELS: usize>(self) {
        let (upper, _) = self.upper.as_chunks::<CHANNELS>();
        let (lower, _) = self.lower.as_chunks::<CHANNELS>();
        let ((upper, _), (lower, _)) = (upper.as_chunks::<2>(), lower.as_chunks::<2>());
        let results = self.results.cast::<[T; CHANNELS]>();
        for (x, ([a, b], [c, d])) in upper.iter().zip(lower).enumerate() {
            let pixel = std::array::from_fn(|i| self.of_four.call((a[i], b[i], c[i], d[i])).canonical());
            // SAFETY: there is room for a pixel for each pair.
            unsafe { results.add(x).write(pixel) };
        }
    }

    /// Computes pixels of any number of channels, each from a pair of pixels of both rows.
    ///
    /// # Safety
    /// The conditions of [`Half`] hold.
    #[inline(always)]
    unsafe fn any_pixels(self) {
        let (pair, n) = (2 * self.channels, self.channels);
        for (x, (above, below)) in self.upper.chunks_exact(pair).zip(self.lower.chunks_exact(pair)).enumerate() {
            let ((a, b), (c, d)) = (above.split_at(n), below.split_at(n));
            for (i, ((&a, &b), (&c, &d))) in a.iter().zip(b).zip(c.iter().zip(d)).enumerate() {
                // SAFETY: there is room for a pixel for each pair.
                unsafe { self.results.add(x * n + i).write(self.of_four.call((a, b, c, d)).canonical()) };
            }
        }
    }

    /// Computes the pixels below a level that is one pixel wide: each pixel of that level counts twice.
    ///
    /// # Safety
    /// The conditions of [`Half`] hold.
    #[inline(always)]
    unsafe fn narrow(self) {
        for (i, (&a, &c)) in self.upper.iter().zip(self.lower).enumerate() {
            // SAFETY: there is room for a result for each value of a row.
            unsafe { self.results.add(i).write(self.of_four.call((a, a, c, c)).canonical()) };
        }
    }
}
