//! Reduction by runs of equal keys, with the keys as a second output.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let (towns, sales) = ([3u8, 3, 1, 7, 7, 7], [10u64, 20, 5, 1, 2, 4]);
//! let (mut keys, mut sums) = ([0u8; 6], [0u64; 6]);
//! let by_town = Reduce::new(Sum).segments(Segments::Keys(&towns));
//! let runs = by_town.run_with_keys(&device, &sales, (&mut keys, &mut sums))?;
//! assert_eq!(runs.get()?, 3);
//! assert_eq!((&keys[..3], &sums[..3]), (&[3, 1, 7][..], &[30, 5, 7][..]));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! A key that occurs in two runs has two results: [`Sort::pairs`](crate::Sort::pairs) brings equal keys together. Few keys
//! that are small numbers need no sort: [`Reduce::by_code`](crate::Reduce::by_code).
//!
//! **Order.** Sums of floats have the same bits in every run, as for every [`Reduce`].
//!
//! **Cost.** One pass over keys and elements; on the CPU the keys are read twice.

use crate::count::Count;
use crate::dedup::Dedup;
use crate::device::{Backend, Device};
use crate::reduce::{Beside, Reduce};
use upsweep_core::buffer::{Input, Output, ViewMut};
use upsweep_core::call::select::{Choose, FirstOf, Values, Yields};
use upsweep_core::error::Result;
use upsweep_core::init::Init;
use upsweep_core::inputs::{Inputs, Read, len_on_host};
use upsweep_core::operator::{Function, Map, Operator, Stores};
#[cfg(feature = "cuda")]
use upsweep_core::outputs::Target;
use upsweep_core::outputs::{Outputs, Write};
use upsweep_core::segments::Keys;

impl<Op, M, F, B, E, V> Reduce<'_, Op, M, F, Keys<'_, B, E>, V>
where
    B: Input + ?Sized,
    E: Function<(B::Item, B::Item), Output = bool>,
{
    /// Runs like [`run`](Self::run), and stores the first key of each run in the first output. Returns the number of
    /// runs. On CUDA the work is enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Capacity`](crate::Error::Capacity) when the output of the keys has too little
    /// room; on CUDA the next call that waits returns it.
    pub fn run_with_keys<'x, 'y, X, K, Y>(&self, device: &Device, input: X, outputs: (&mut K, Y)) -> Result<Count>
    where
        X: Inputs<'x>,
        K: Output<Item = B::Item> + ?Sized,
        Y: Outputs<'y>,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        Y::Value: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Value>,
        FirstOf<E>: Choose<B::Item>,
        Values: Yields<B::Item, B::Item>,
        V: Init<M::Output>,
    {
        let mut count = Count::new(device)?;
        self.run_with_keys_counted(device, input, outputs, &mut count)?;
        Ok(count)
    }

    /// Runs like [`run_with_keys`](Self::run_with_keys) with a count of the caller's, which can be reused, so that a
    /// CUDA graph can capture the call.
    ///
    /// # Errors
    /// As [`run_with_keys`](Self::run_with_keys).
    pub fn run_with_keys_counted<'x, 'y, X, K, Y>(
        &self,
        device: &Device,
        input: X,
        (keys, output): (&mut K, Y),
        count: &mut Count,
    ) -> Result<()>
    where
        X: Inputs<'x>,
        K: Output<Item = B::Item> + ?Sized,
        Y: Outputs<'y>,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        Y::Value: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Value>,
        FirstOf<E>: Choose<B::Item>,
        Values: Yields<B::Item, B::Item>,
        V: Init<M::Output>,
    {
        let (input, output) = (input.given(), output.given());
        self.dispatch_with_keys::<X::Item, Y::Item>(device, input, (keys.view_mut(), output), count)
    }

    /// Runs on a device, and stores also the first key of each run, and their number.
    pub(crate) fn dispatch_with_keys<I, O>(
        &self,
        device: &Device,
        input: I::Given<'_>,
        (mut keys, output): (ViewMut<'_, B::Item>, O::Given<'_>),
        count: &mut Count,
    ) -> Result<()>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O::Value>,
        FirstOf<E>: Choose<B::Item>,
        Values: Yields<B::Item, B::Item>,
        V: Init<M::Output>,
    {
        let segments = &self.options.segments;
        match &device.0 {
            Backend::Cpu => {
                let Keys(of_elements, same) = segments;
                self.dispatch::<I, O, _>(device, I::again(&input), output, segments, Beside::NOTHING)?;
                // The keys of the elements that there are: of a counted input, the first ones.
                let of_elements = of_elements.view();
                let of_elements = of_elements.on_host("keys")?;
                let number = len_on_host::<I>(&input, of_elements.len())?;
                let of_elements = of_elements.get(..number).unwrap_or(of_elements);
                Dedup::by(*same).run_counted(device, of_elements, &mut keys, count)
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => {
                let beside = Beside { count: Some(count.view_mut()), keys: Some(Target::new(keys)) };
                self.dispatch::<I, O, _>(device, input, output, segments, beside)
            }
        }
    }
}
