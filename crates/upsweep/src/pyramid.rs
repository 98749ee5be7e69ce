//! Pyramid (mipmap): an image at half its height and width, halved again and again; a function makes each pixel from 2
//! x 2.
//!
//! ```text
//! level[l][y, x] = f(level[l-1][2y, 2x], level[l-1][2y, 2x+1], level[l-1][2y+1, 2x], level[l-1][2y+1, 2x+1])     level 0 is the image
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! /// The mean of a block of 2 x 2, rounded half up: of its upper left value, upper right, lower left and lower right.
//! #[function]
//! fn mean(a: u8, b: u8, c: u8, d: u8) -> u8 {
//!     ((a as u32 + b as u32 + c as u32 + d as u32 + 2) / 4) as u8
//! }
//!
//! let device = Device::cpu();
//! let image = [10u8, 20, 30, 40, 50, 60, 70, 81];
//! let [planes, height, width, channels] = [1, 2, 4, 1];
//! let mut levels = [0; 3];
//! Pyramid::new(Mean, [planes, height, width, channels], 2).run(&device, &image, &mut levels)?;
//! assert_eq!(levels, [35, 55, 45]); // level 1 is 35 55, and level 2 the mean of both
//!
//! // The image before them.
//! let pyramid = Pyramid::new(Mean, [planes, height, width, channels], 2).with_input();
//! assert_eq!(pyramid.run_to_array(&device, &image)?.to_vec()?, [10, 20, 30, 40, 50, 60, 70, 81, 35, 55, 45]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Layout.** An image is row by row, `[planes, height, width, channels]`; each channel of each plane is by itself.
//! The levels lie one after the other, each like the image. Shape and number of levels belong to the pyramid, not to
//! the call, because they determine the number of results.
//!
//! **Sizes.** A size to be halved is even, or 1: 1 stays 1, and then the one row, or column, stands for both.
//!
//! **Order.** Each level is computed from the stored values of the level before, by one application of the function for
//! each value. Results have the same bits on every device.
//!
//! **Cost.** On CUDA a launch computes up to 6 levels while it reads the level before them once: 3 launches for 16,384
//! x 16,384. Levels that begin at multiples of 16 bytes, with rows of a multiple of 16 bytes, are read and stored by
//! vectors. Pixels of more than 8 channels or 32 bytes are processed a channel at a time, which is slower. On the CPU
//! one pass over each level. An input that is no buffer is computed into memory of the device first, by a pass of a
//! [`Transform`](crate::Transform).
//!
//! Source: Williams, "Pyramidal Parametrics", 1983.

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Output, View};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::Target;
use upsweep_plan::pyramid::Halvings;

/// Pyramid: see the [module](self). Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a pyramid does nothing until it is run"]
pub struct Pyramid<F> {
    of_four: F,
    halvings: Halvings,
    with_input: bool,
}

impl<F> Pyramid<F> {
    /// Makes a pyramid of `levels` levels of images of the shape `[planes, height, width, channels]`, by a function of
    /// the upper left, the upper right, the lower left and the lower right value of 2 x 2.
    pub fn new(of_four: F, shape: [usize; 4], levels: usize) -> Self {
        Self { of_four, halvings: Halvings { shape, levels }, with_input: false }
    }

    /// Stores the image, too, before the levels. On CUDA it is read once for both.
    pub fn with_input(self) -> Self {
        Self { with_input: true, ..self }
    }

    /// Returns the number of results.
    ///
    /// # Errors
    /// - [`Error::Shape`]: the number of results exceeds `usize`
    /// - [`Error::Halves`]: a size that is to be halved is odd, and not 1
    pub fn results(&self) -> Result<usize> {
        let image = self.halvings.image(None)?;
        let (results, image) = (self.halvings.results()?, if self.with_input { image } else { 0 });
        Ok(results.saturating_add(image))
    }

    /// Stores the levels of `input` in `output`, one after the other. On CUDA the work is enqueued on the device's
    /// stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Shape`]: the input has another number of elements than the shape
    /// - [`Error::Halves`]: a size that is to be halved is odd, and not 1
    /// - [`Error::Length`]: the output has not [as many elements](Self::results) as there are results
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Values`]: the function captures too much
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, X, Y>(&self, device: &Device, input: X, output: &mut Y) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Output<Item = X::Value> + ?Sized,
        F: Function<(X::Value, X::Value, X::Value, X::Value), Output = X::Value>,
    {
        self.dispatch(device, Some(&of_known_length(device, input)?.room()), Target::new(output.view_mut()))
    }

    /// Stores the levels after the image that `data` begins with: `data` has as many elements as the image and all
    /// levels. So one pyramid can continue where another one has ended, in the same buffer.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<B>(&self, device: &Device, data: &mut B) -> Result<()>
    where
        B: Output + ?Sized,
        F: Function<(B::Item, B::Item, B::Item, B::Item), Output = B::Item>,
    {
        self.with_input_as(true).dispatch(device, None, Target::new(data.view_mut()))
    }

    /// Stores the levels in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x>,
        F: Function<(X::Value, X::Value, X::Value, X::Value), Output = X::Value>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        self.halvings.image(Some(input.len()))?;
        device.compute_array(self.results()?, |output| self.dispatch(device, Some(&input), output))
    }

    /// Stores the levels in a vector on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x>,
        F: Function<(X::Value, X::Value, X::Value, X::Value), Output = X::Value>,
    {
        device.refuse_in_capture("reading a pyramid")?;
        self.run_to_array(device, input)?.into_vec()
    }

    fn with_input_as(&self, with_input: bool) -> Self
    where
        F: Copy,
    {
        Self { with_input, ..*self }
    }

    /// Checks the lengths, and runs on `device`. Without `input`, the image is what `output` begins with.
    #[cfg_attr(not(feature = "cuda"), allow(unused_mut, reason = "CUDA borrows the output for itself"))]
    fn dispatch<T>(&self, device: &Device, input: Option<&View<'_, T>>, mut output: Target<'_, T>) -> Result<()>
    where
        T: Element,
        F: Function<(T, T, T, T), Output = T>,
    {
        self.halvings.image(input.map(View::len))?;
        let (found, expected) = (output.len(), self.results()?);
        if found != expected {
            return Err(Error::Length { what: "output", found, expected });
        }
        let Self { of_four, halvings, with_input } = self;
        match &device.0 {
            Backend::Cpu => upsweep_cpu::pyramid::run(*of_four, input, &output, halvings, *with_input),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                upsweep_cuda::pyramid::run(cuda, *of_four, input, &mut output, halvings, *with_input)
            }
        }
    }
}
