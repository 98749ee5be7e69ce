//! Counts: numbers of elements in the memory of the device that computes.
//!
//! The number of elements that a [`Select`](crate::Select) selects depends on the data. On CUDA the host would have to
//! wait for it, so a call returns a [`Count`] instead, which the device fills in. A later call can use it:
//! [`Count::of`] is the first elements of a buffer, as many as counted, and the next kernel reads the number by itself.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn odd(x: u32) -> bool {
//!     x % 2 == 1
//! }
//! #[function]
//! fn above(#[param] least: u32, x: u32) -> bool {
//!     x > least
//! }
//!
//! let device = Device::best()?;
//! let x = device.upload(&[3u32, 1, 7, 0, 4, 1, 6, 3])?;
//! let (mut some, mut few) = (device.filled(8, 0u32)?, device.filled(8, 0u32)?);
//! let kept = Select::new(Odd).run(&device, &x, &mut some)?; // 3 1 7 1 3; nothing waits
//! let left = Select::new(Above { least: 2 }).run(&device, &kept.of(&some), &mut few)?;
//! assert_eq!((kept.get()?, left.get()?), (5, 3)); // waits
//! assert_eq!(few.to_vec()?[..3], [3, 7, 3]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Faults.** Where a count is larger than the buffer that it is [`of`](Count::of), or than the room of an output, the
//! device reports [`Error::Capacity`] with both numbers, and reads and writes nothing beyond. On CUDA the next call
//! that waits returns the error: `get`, `to_vec`, `synchronize`. On the CPU the call itself does.

use crate::array::{Array, Storage};
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Input, Output, ViewMut};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Counted;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;

/// Number of elements, in the memory of the device that computes: see the [module](self).
#[derive(Debug)]
pub struct Count(Array<u64>);

impl Count {
    /// Makes a count of 0 for calls on `device` to fill in.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn new(device: &Device) -> Result<Self> {
        match &device.0 {
            Backend::Cpu => Ok(Self(Array(Storage::Host(vec![0])))),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.zeroed_number().map(|number| Self(Array(Storage::Cuda(number)))),
        }
    }

    /// Makes a count of a number that the host knows.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn known(device: &Device, number: u64) -> Result<Self> {
        device.filled(1, number).map(Self)
    }

    /// Returns the number. On CUDA this waits until it is known.
    ///
    /// # Errors
    /// The fault of an earlier call on the device: [`Error::Capacity`] when an output was too small, [`Error::Driver`]
    /// from CUDA.
    pub fn get(&self) -> Result<usize> {
        let number = self.0.to_vec()?.first().copied().unwrap_or(0);
        usize::try_from(number).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })
    }

    /// Makes a new array of the `len` elements that were counted: `compute` stores them while it counts them again. On
    /// the host the array has at most `len` elements, fewer if a function of the program returns other values than the
    /// first time.
    pub(crate) fn array_of<T: Element>(
        &mut self,
        device: &Device,
        len: usize,
        compute: impl FnOnce(Target<'_, T>, &mut Self) -> Result<()>,
    ) -> Result<Array<T>> {
        if !device.is_cpu() {
            return device.compute_array(len, |target| compute(target, self));
        }
        device.compute_some(len, |target| {
            compute(target, self)?;
            self.get()
        })
    }

    /// Returns the number as an array of one element, which calls on the same device read.
    #[cfg(feature = "cuda")]
    pub(crate) fn number(&self) -> &Array<u64> {
        &self.0
    }

    /// Returns the first elements of `buffer`, as many as counted, as an input of calls on the same device.
    pub fn of<'a, B: Input + ?Sized>(&'a self, buffer: &'a B) -> Counted<'a, B> {
        Counted { count: self.0.view(), buffer }
    }
}

/// Output of one number: calls whose results are numbers can fill in counts.
impl Output for Count {
    type Item = u64;
    fn view_mut(&mut self) -> ViewMut<'_, u64> {
        self.0.view_mut()
    }
}
