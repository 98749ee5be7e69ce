//! Methods that the builders of stream compaction share, and their call on a device.

use crate::array::Array;
use crate::buffered::Buffered;
use crate::count::Count;
use crate::device::{Backend, Device};
#[cfg(feature = "cuda")]
use crate::transform::evaluated;
use std::marker::PhantomData;
use upsweep_core::buffer::{Output, ViewMut};
#[cfg(feature = "cuda")]
use upsweep_core::call::select::Flagged;
use upsweep_core::call::select::{Among, Choose, Choosing, Computed, Others, Yields, flags_of};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::{Faults, Read, len_of};
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;

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
            /// - [`Error::Length`](crate::Error::Length): there are not as many flags as elements, or inputs side by
            ///   side differ in length
            /// - [`Error::Index`](crate::Error::Index): an index of a gather is out of bounds; on CUDA the next call that
            ///   waits returns it
            /// - [`Error::Options`](crate::Error::Options): the type of `output` cannot hold the indices of that many
            ///   elements
            /// - [`Error::Place`](crate::Error::Place), [`Error::Overlap`](crate::Error::Overlap): a buffer is not
            ///   where the device computes, or overlaps the output
            /// - [`Error::Compile`](crate::Error::Compile), [`Error::Driver`](crate::Error::Driver),
            ///   [`Error::OutOfMemory`](crate::Error::OutOfMemory): failures of CUDA itself
            pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<Count>
            where
                X: Inputs<'x>,
                O: Output + ?Sized,
                C: Choose<X::Value, X::Args>,
                V: Yields<X::Value, O::Item>,
            {
                let mut count = Count::new(device)?;
                self.run_counted(device, input, output, &mut count)?;
                Ok(count)
            }

            /// Runs like [`run`](Self::run) with a count of the caller's, which can be reused, so that a CUDA graph can
            /// capture the call.
            ///
            /// # Errors
            /// As [`run`](Self::run); [`Error::Driver`](crate::Error::Driver) in a capture for an input that is computed
            /// into memory first.
            pub fn run_counted<'x, X, O>(&self, device: &Device, input: X, output: &mut O, count: &mut Count) -> Result<()>
            where
                X: Inputs<'x>,
                O: Output + ?Sized,
                C: Choose<X::Value, X::Args>,
                V: Yields<X::Value, O::Item>,
            {
                let chosen = Chosen::<C, V, X::Item, O::Item>::new(device, &self.choice, input.given())?;
                chosen.run(device, Some(Target::new(output.view_mut())), Others::Dropped, count)
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
                let call = Choosing { choice: &self.choice, input: Among::OfOutput, length: None, output, others: Others::Dropped };
                $crate::compaction::choose::<(B::Item,), C, Values, B::Item, B::Item>(device, call, &mut count)?;
                Ok(count)
            }

            #[doc = concat!($Does, " from `input` into a new array on the device, with exactly as many elements. On CUDA this waits until their number is")]
            /// known, for which the input is read once more.
            ///
            /// # Errors
            /// As [`run`](Self::run).
            pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
            where
                X: Inputs<'x>,
                O: Element,
                C: Choose<X::Value, X::Args>,
                V: Yields<X::Value, O>,
            {
                device.refuse_in_capture("an array whose length depends on the data")?;
                let mut count = Count::new(device)?;
                let chosen = Chosen::<C, V, X::Item, O>::new(device, &self.choice, input.given())?;
                if device.is_cpu() {
                    return device.compute_some(chosen.room(), |output| {
                        chosen.run(device, Some(output), Others::Dropped, &mut count)?;
                        count.get()
                    });
                }
                chosen.run(device, None, Others::Dropped, &mut count)?;
                let len = count.get()?;
                device.compute_array(len, |output| chosen.run(device, Some(output), Others::Dropped, &mut count))
            }

            #[doc = concat!($Does, " from `input` into a vector on the host. On CUDA this waits for it.")]
            ///
            /// # Errors
            /// As [`run`](Self::run).
            pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
            where
                X: Inputs<'x>,
                O: Element,
                C: Choose<X::Value, X::Args>,
                V: Yields<X::Value, O>,
            {
                self.run_to_array(device, input)?.into_vec()
            }
        }
    };
}
pub(crate) use runs;

/// A selection among the values of an input, which its kernels can read.
///
/// Elements that lie in a buffer are read from there. If indices are stored, the values of any other input are not
/// stored: on the CPU a predicate reads them in the pass that selects, on CUDA it makes flags of them first. If values
/// are stored, or if neighbours decide, they are computed into memory first.
pub(crate) struct Chosen<'c, 'x, C, V, I: Read, O> {
    choice: &'c C,
    input: Buffered<'x, I>,
    /// Number of values that there is room for.
    room: usize,
    /// Flags of the values for which a predicate holds, on CUDA.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "on the CPU the predicate reads the values"))]
    flags: Option<Array<bool>>,
    stores: PhantomData<fn() -> (V, O)>,
}

/// Function that runs a selection on a device.
type Way<'c, 'x, C, V, I, O> =
    fn(&Chosen<'c, 'x, C, V, I, O>, &Device, Option<Target<'_, O>>, Others<'_, O>, &mut Count) -> Result<()>;

impl<'c, 'x, C, V, I, O> Chosen<'c, 'x, C, V, I, O>
where
    I: Read,
    O: Element,
    C: Choose<I::Value, I::Args>,
    V: Yields<I::Value, O>,
{
    /// Makes the values of the input readable.
    ///
    /// # Errors
    /// Errors of a [`Transform`](crate::Transform) of an input that is no buffer.
    pub(crate) fn new(device: &Device, choice: &'c C, given: I::Given<'x>) -> Result<Self> {
        (const { Self::maker() })(device, choice, given)
    }

    /// Returns the number of values that there is room for.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// Stores the selected ones in `output`, the others in `others`, and the number of selected ones in `count`.
    ///
    /// # Errors
    /// Errors of the builders' `run`.
    pub(crate) fn run(
        &self,
        device: &Device,
        output: Option<Target<'_, O>>,
        others: Others<'_, O>,
        count: &mut Count,
    ) -> Result<()> {
        (const { Self::way() })(self, device, output, others, count)
    }

    /// Whether the values of the input are not stored anywhere, neither by this selection nor before it.
    const UNREAD: bool = V::INDEX && !I::BUFFER && C::NEIGHBOUR.is_none();

    /// Is chosen as a constant, as [`way`](Self::way) is: otherwise the compiler would compile the branches that are
    /// never taken, too, for each job.
    const fn maker() -> fn(&Device, &'c C, I::Given<'x>) -> Result<Self> {
        if Self::UNREAD { Self::unread } else { Self::read }
    }

    fn read(device: &Device, choice: &'c C, given: I::Given<'x>) -> Result<Self> {
        let input = Buffered::new(device, given)?;
        let room = input.room().len();
        Ok(Self { choice, input, room, flags: None, stores: PhantomData })
    }

    fn unread(device: &Device, choice: &'c C, given: I::Given<'x>) -> Result<Self> {
        let room = len_of::<I>(&given)?;
        let flags = match &device.0 {
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) if C::ALONE => {
                Some(evaluated::<I, C::Predicate>(device, I::again(&given), choice.predicate())?)
            }
            _ => None,
        };
        Ok(Self { choice, input: Buffered::unmade(given), room, flags, stores: PhantomData })
    }

    const fn way() -> Way<'c, 'x, C, V, I, O> {
        match (Self::UNREAD, C::ALONE) {
            (false, _) => |this, device, output, others, count| {
                let input = Among::Buffer(this.input.room());
                let call = Choosing { choice: this.choice, input, length: this.input.length(), output, others };
                choose::<I::Args, C, V, I::Value, O>(device, call, count)
            },
            (true, false) => |this, device, output, others, count| {
                this.choose_unread::<I::Args, C>(device, this.choice, (output, others), count)
            },
            (true, true) => |this, device, output, others, count| {
                #[cfg(feature = "cuda")]
                if let Some(flags) = &this.flags {
                    return this.choose_unread::<I::Args, _>(device, &Flagged(flags), (output, others), count);
                }
                let faults = Faults::default();
                let choice =
                    Computed::<I, _> { input: this.input.given(), predicate: this.choice.predicate(), faults: &faults };
                let chosen = this.choose_unread::<I::Args, _>(device, &choice, (output, others), count);
                faults.check()?;
                chosen
            },
        }
    }

    /// Selects by a choice that does not read the values where they are.
    fn choose_unread<A, D: Choose<I::Value, A>>(
        &self,
        device: &Device,
        choice: &D,
        (output, others): (Option<Target<'_, O>>, Others<'_, O>),
        count: &mut Count,
    ) -> Result<()> {
        let (input, length) = (Among::Unread(self.room), self.input.length());
        choose::<A, D, V, I::Value, O>(device, Choosing { choice, input, length, output, others }, count)
    }
}

/// Runs the selection `call` on `device`, which stores the number of selected elements in `count`.
pub(crate) fn choose<A, C, V, I, O>(device: &Device, call: Choosing<'_, C, I, O>, count: &mut Count) -> Result<()>
where
    I: Element,
    O: Element,
    C: Choose<I, A>,
    V: Yields<I, O>,
{
    let len = call.len();
    flags_of::<I, A, C>(call.choice, len)?;
    if V::INDEX && len.saturating_sub(1) > V::MOST {
        let reason = "the output's type cannot hold the indices of so many elements: take u64 or usize";
        return Err(Error::Options { options: "indices", reason });
    }
    match (&device.0, count.view_mut()) {
        (Backend::Cpu, ViewMut::Host([count, ..])) => {
            *count = upsweep_cpu::select::run::<A, C, V, I, O>(call, *count)?;
            Ok(())
        }
        (Backend::Cpu, _) => Err(Error::Place { what: "count", found: "CUDA", expected: "host" }),
        #[cfg(feature = "cuda")]
        (Backend::Cuda(cuda), mut count) => upsweep_cuda::select::run::<A, C, V, I, O>(cuda, call, &mut count),
    }
}
