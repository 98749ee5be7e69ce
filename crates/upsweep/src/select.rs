//! Select: the elements that a predicate or flags choose, in their order (stream compaction, filter).
//!
//! ```text
//! new(p)         out = the x[i] with p(x[i])
//! flags(f)       out = the x[i] whose flag f[i] is set
//! indices        out = the i instead
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn odd(x: u32) -> bool {
//!     x % 2 == 1
//! }
//!
//! let device = Device::cpu();
//! let x = [3u32, 1, 7, 0, 4, 1, 6, 3];
//! let mut out = [0u32; 8];
//! let kept = Select::new(Odd).run(&device, &x, &mut out)?;
//! assert_eq!(out[..kept.get()?], [3, 1, 7, 1, 3]);
//! assert_eq!(Select::new(Odd).indices().run_to_vec::<_, u32>(&device, &x)?, [0, 1, 2, 5, 7]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Results of unknown length.** How many elements are kept depends on the data. A call stores them at the beginning of its output
//! and leaves the rest of it as it is; their number is a [`Count`], which lives where the device computes. An output as long as
//! the input always suffices; where a shorter one does not, the call fails with both numbers ([`Error::Capacity`]), and has
//! stored as many as there is room for.
//!
//! **Cost.** One pass over memory: each element, and each flag, is read once and each result written once. The predicate is
//! applied once to each element. Elements are copied as they are, to the bit.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3 (pack).

use crate::buffer::{Array, Input, Output, ViewMut};
use crate::choosing::{Choose, Choosing, Flag, Flagged, Indices, Others, Values, Where, Yields};
use crate::count::{Count, CountedInput};
use crate::cpu;
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::job::{Elements, Target};
use crate::operator::Element;
use std::marker::PhantomData;

/// A selection with its options: see the [module](self) for what they compute. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a selection does nothing until it is run"]
pub struct Select<C, V = Values> {
    choice: C,
    yields: PhantomData<V>,
}

impl<P> Select<Where<P>> {
    /// Keeps the elements of which `predicate` holds: a `#[function]` that returns `bool`.
    pub fn new(predicate: P) -> Self {
        Self { choice: Where(predicate), yields: PhantomData }
    }
}

impl<'a, B: Input<Item: Flag> + ?Sized> Select<Flagged<'a, B>> {
    /// Keeps the elements whose flag is set: a `bool`, or a byte that is not 0, for each element.
    pub fn flags(flags: &'a B) -> Self {
        Self { choice: Flagged(flags), yields: PhantomData }
    }
}

impl<C> Select<C> {
    /// Stores the indices of the elements instead of the elements: `u32`, `u64`, `usize`, `i32` or `i64`, as the output has them.
    pub fn indices(self) -> Select<C, Indices> {
        Select { choice: self.choice, yields: PhantomData }
    }
}

impl<C, V> Select<C, V> {
    /// Selects from `input` into `output`, from its beginning on, and returns how many elements that are. On CUDA the work is
    /// enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Capacity`]: more elements are kept than `output` has room for; on CUDA the next call that waits returns it
    /// - [`Error::Length`]: there are not as many flags as elements
    /// - [`Error::Options`]: `output` cannot hold the indices of so many elements
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: CUDA's own
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

    /// As [`run`](Self::run), with a count of the caller's, which may be used again: so the call can be captured in a CUDA graph.
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
        self.dispatch(device, input, Some(Target::new(output.view_mut())), count)
    }

    /// Selects from `data` into its beginning; what lies behind is of no meaning then.
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
        let data = Target::new(data.view_mut());
        let len = data.len();
        let call = Choosing { choice: &self.choice, input: Elements::OfOutput, len, length: None, output: Some(data), others: Others::Dropped };
        choose::<C, Values, B::Item, B::Item>(device, call, &mut count)?;
        Ok(count)
    }

    /// Selects from `input` into a new array on the device, with exactly as many elements. On CUDA this waits until their number is
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
        if let Backend::Cpu = device.0 {
            let room = input.room().len();
            return device.compute_some(room, |output| {
                self.dispatch(device, input, Some(output), &mut count)?;
                count.get()
            });
        }
        self.dispatch::<I, O>(device, input, None, &mut count)?;
        let len = count.get()?;
        device.compute_array(len, |output| self.dispatch(device, input, Some(output), &mut count))
    }

    /// Selects from `input` into a vector on the host. On CUDA this waits for it.
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
        input: &I,
        output: Option<Target<'_, O>>,
        count: &mut Count,
    ) -> Result<()>
    where
        I: CountedInput + ?Sized,
        O: Element,
        C: Choose<I::Item>,
        V: Yields<I::Item, O>,
    {
        let (room, length) = (input.room(), input.length());
        let len = room.len();
        let call = Choosing { choice: &self.choice, input: Elements::Buffer(room), len, length, output, others: Others::Dropped };
        choose::<C, V, I::Item, O>(device, call, count)
    }
}

/// Runs a call on its device.
pub(crate) fn choose<C, V, I, O>(device: &Device, call: Choosing<'_, C, I, O>, count: &mut Count) -> Result<()>
where
    I: Element,
    O: Element,
    C: Choose<I>,
    V: Yields<I, O>,
{
    let len = call.len;
    if let Some(found) = call.choice.flags().map(|flags| flags.len()).filter(|&found| found != len) {
        return Err(Error::Length { what: "flags", found, expected: len });
    }
    if V::INDEX && len.saturating_sub(1) > V::MOST {
        let reason = "the output's type cannot hold the indices of so many elements: take u64 or usize";
        return Err(Error::Options { options: "indices", reason });
    }
    match (&device.0, count.view_mut()) {
        (Backend::Cpu, ViewMut::Host([count, ..])) => {
            *count = cpu::select::run::<C, V, I, O>(call, *count)?;
            Ok(())
        }
        (Backend::Cpu, _) => Err(Error::Place { what: "count", found: "CUDA", expected: "host" }),
        #[cfg(feature = "cuda")]
        (Backend::Cuda(cuda), mut count) => crate::cuda::select::run::<C, V, I, O>(cuda, call, &mut count),
    }
}
