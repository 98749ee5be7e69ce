//! Numbers of elements that live where the device computes.
//!
//! How many elements a [`Select`](crate::Select) keeps depends on the data. On CUDA the host would have to wait to know it, so a
//! call returns a [`Count`] instead, which the device fills in. It can be handed on: [`Count::of`] is the first so many
//! elements of a buffer, whose number the next kernel reads by itself.
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
//! **Faults.** Where a count is larger than the buffer that it is [`of`](Count::of), or than the room of an output, the device
//! reports [`Error::Capacity`] with both numbers; it reads and writes nothing beyond. On CUDA the next call
//! that waits returns it: `get`, `to_vec`, `synchronize`. On the CPU the call itself does.

use crate::array::{Array, Storage};
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Input, Output, ViewMut};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Counted;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;

/// A number of elements, where the device computes: see the [module](self).
#[derive(Debug)]
pub struct Count(Array<u64>);

impl Count {
    /// A count of 0 for calls on `device` to fill in.
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

    /// The number. On CUDA this waits until it is known.
    ///
    /// # Errors
    /// What went wrong on the device before: [`Error::Capacity`] when an output was too small, [`Error::Driver`] from CUDA.
    pub fn get(&self) -> Result<usize> {
        let number = self.0.to_vec()?.first().copied().unwrap_or(0);
        usize::try_from(number).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })
    }

    /// A new array of the `len` elements that were counted, which `compute` stores while it counts them again. On the host it has no more
    /// than were counted then: a function of the program's own may answer otherwise than before.
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

    /// The first so many elements of `buffer`, as an input of calls on the same device.
    pub fn of<'a, B: Input + ?Sized>(&'a self, buffer: &'a B) -> Counted<'a, B> {
        Counted { count: self.0.view(), buffer }
    }
}

/// What is stored there is the number: calls whose results are numbers can make counts.
impl Output for Count {
    type Item = u64;
    fn view_mut(&mut self) -> ViewMut<'_, u64> {
        self.0.view_mut()
    }
}
