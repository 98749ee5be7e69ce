//! Methods that the builders of stream compaction share, and their call on a device.

use crate::count::Count;
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Output, ViewMut};
use upsweep_core::call::select::{Choose, Choosing, Yields, flags_of};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::Element;

/// Defines the `run` methods of a builder that selects elements; it has the fields `choice` and `yields`. Their
/// documentation begins with `$Does`.
macro_rules! runs {
    ($Builder:ident, $Does:literal) => {
        impl<C, V> $Builder<C, V> {
            #[doc = concat!($Does, " from `input` into `output`, from its beginning on, and returns how many elements that are. On CUDA the work is")]
            /// enqueued on the device's stream and the call returns at once.
            ///
            /// # Errors
            /// - [`Error::Capacity`](crate::Error::Capacity): more elements are selected than `output` has room for; on
            ///   CUDA the next call that waits returns it
            /// - [`Error::Length`](crate::Error::Length): there are not as many flags as elements
            /// - [`Error::Options`](crate::Error::Options): the type of `output` cannot hold the indices of that many
            ///   elements
            /// - [`Error::Place`](crate::Error::Place), [`Error::Overlap`](crate::Error::Overlap): a buffer is not
            ///   where the device computes, or overlaps the output
            /// - [`Error::Compile`](crate::Error::Compile), [`Error::Driver`](crate::Error::Driver),
            ///   [`Error::OutOfMemory`](crate::Error::OutOfMemory): failures of CUDA itself
            pub fn run<I, O>(&self, device: &Device, input: &I, output: &mut O) -> Result<Count>
            where
                I: CountedInput + ?Sized,
                O: Output + ?Sized,
                C: Choose<I::Item>,
                V: Yields<I::Item, O::Item>,
            {
                let mut count = Count::new(device)?;
                self.run_counted(device, input, output, &mut count)?;
                Ok(count)
            }

            /// Runs like [`run`](Self::run) with a count of the caller's, which can be reused, so that a CUDA graph can
            /// capture the call.
            ///
            /// # Errors
            /// As [`run`](Self::run).
            pub fn run_counted<I, O>(&self, device: &Device, input: &I, output: &mut O, count: &mut Count) -> Result<()>
            where
                I: CountedInput + ?Sized,
                O: Output + ?Sized,
                C: Choose<I::Item>,
                V: Yields<I::Item, O::Item>,
            {
                self.dispatch(device, (input.room(), input.length()), Some(Target::new(output.view_mut())), count)
            }

            #[doc = concat!($Does, " from `data` into its beginning; what lies behind is of no meaning then.")]
            ///
            /// # Errors
            /// As [`run`](Self::run).
            pub fn run_in_place<B>(&self, device: &Device, data: &mut B) -> Result<Count>
            where
                B: Output + ?Sized,
                C: Choose<B::Item>,
                Values: Yields<B::Item, B::Item>,
            {
                let mut count = Count::new(device)?;
                let output = Some(Target::new(data.view_mut()));
                let call = Choosing { choice: &self.choice, input: Elements::OfOutput, length: None, output, others: Others::Dropped };
                $crate::compaction::choose::<C, Values, B::Item, B::Item>(device, call, &mut count)?;
                Ok(count)
            }

            #[doc = concat!($Does, " from `input` into a new array on the device, with exactly as many elements. On CUDA this waits until their number is")]
            /// known, for which the input is read once more.
            ///
            /// # Errors
            /// As [`run`](Self::run).
            pub fn run_to_array<I, O>(&self, device: &Device, input: &I) -> Result<Array<O>>
            where
                I: CountedInput + ?Sized,
                O: Element,
                C: Choose<I::Item>,
                V: Yields<I::Item, O>,
            {
                device.refuse_in_capture("an array whose length depends on the data")?;
                let mut count = Count::new(device)?;
                // Read once: an input that the program implements could return another length the second time.
                let (room, length) = (input.room(), input.length());
                let input = || (room.view(), length.as_ref().map(View::view));
                if device.is_cpu() {
                    return device.compute_some(room.len(), |output| {
                        self.dispatch(device, input(), Some(output), &mut count)?;
                        count.get()
                    });
                }
                self.dispatch::<_, O>(device, input(), None, &mut count)?;
                let len = count.get()?;
                device.compute_array(len, |output| self.dispatch(device, input(), Some(output), &mut count))
            }

            #[doc = concat!($Does, " from `input` into a vector on the host. On CUDA this waits for it.")]
            ///
            /// # Errors
            /// As [`run`](Self::run).
            pub fn run_to_vec<I, O>(&self, device: &Device, input: &I) -> Result<Vec<O>>
            where
                I: CountedInput + ?Sized,
                O: Element,
                C: Choose<I::Item>,
                V: Yields<I::Item, O>,
            {
                self.run_to_array(device, input)?.into_vec()
            }

            fn dispatch<I, O>(
                &self,
                device: &Device,
                (input, length): (View<'_, I>, Option<View<'_, u64>>),
                output: Option<Target<'_, O>>,
                count: &mut Count,
            ) -> Result<()>
            where
                I: Element,
                O: Element,
                C: Choose<I>,
                V: Yields<I, O>,
            {
                let call = Choosing { choice: &self.choice, input: Elements::Given(input), length, output, others: Others::Dropped };
                $crate::compaction::choose::<C, V, I, O>(device, call, count)
            }
        }
    };
}
pub(crate) use runs;

/// Runs the selection `call` on `device`, which stores the number of selected elements in `count`.
pub(crate) fn choose<C, V, I, O>(device: &Device, call: Choosing<'_, C, I, O>, count: &mut Count) -> Result<()>
where
    I: Element,
    O: Element,
    C: Choose<I>,
    V: Yields<I, O>,
{
    let len = call.len();
    flags_of(call.choice, len)?;
    if V::INDEX && len.saturating_sub(1) > V::MOST {
        let reason = "the output's type cannot hold the indices of so many elements: take u64 or usize";
        return Err(Error::Options { options: "indices", reason });
    }
    match (&device.0, count.view_mut()) {
        (Backend::Cpu, ViewMut::Host([count, ..])) => {
            *count = upsweep_cpu::select::run::<C, V, I, O>(call, *count)?;
            Ok(())
        }
        (Backend::Cpu, _) => Err(Error::Place { what: "count", found: "CUDA", expected: "host" }),
        #[cfg(feature = "cuda")]
        (Backend::Cuda(cuda), mut count) => upsweep_cuda::select::run::<C, V, I, O>(cuda, call, &mut count),
    }
}
