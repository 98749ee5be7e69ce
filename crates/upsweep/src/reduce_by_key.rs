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
//! A key that occurs in two runs has two results: [`Sort::pairs`](crate::Sort::pairs) brings equal keys together.
//!
//! **Order.** Sums of floats have the same bits in every run, as for every [`Reduce`].
//!
//! **Cost.** One pass over keys and elements; on the CPU the keys are read twice.

use crate::count::Count;
use crate::dedup::Dedup;
use crate::device::{Backend, Device};
#[cfg(feature = "cuda")]
use crate::reduce::Beside;
use crate::reduce::Reduce;
use upsweep_core::buffer::{Input, Output};
use upsweep_core::call::select::{Choose, FirstOf, Values, Yields};
use upsweep_core::error::Result;
use upsweep_core::init::Init;
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::{Function, Map, Operator, Stores};
use upsweep_core::outputs::Outputs;
#[cfg(feature = "cuda")]
use upsweep_core::outputs::Target;
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
        match &device.0 {
            Backend::Cpu => {
                let Keys(of_elements, same) = &self.options.segments;
                self.run(device, input, output)?;
                Dedup::by(*same).run_counted(device, *of_elements, keys, count)
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => {
                let beside = Beside { count: Some(count.view_mut()), keys: Some(Target::new(keys.view_mut())) };
                let segments = &self.options.segments;
                self.dispatch::<X::Item, Y::Item, _>(device, input.given(), output.given(), segments, beside)
            }
        }
    }
}
