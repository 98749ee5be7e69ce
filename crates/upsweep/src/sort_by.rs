//! Sort by a comparison (merge sort): any elements, in the order of a function of two elements.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn sooner(a: (u32, f32), b: (u32, f32)) -> bool {
//!     a.0 < b.0 || (a.0 == b.0 && a.1 < b.1)
//! }
//!
//! let device = Device::cpu();
//! let mut events = [(7, 0.5), (2, 1.5), (7, 0.25)];
//! Sort::by(Sooner).run_in_place(&device, &mut events)?;
//! assert_eq!(events, [(2, 1.5), (7, 0.25), (7, 0.5)]);
//!
//! // Where they were.
//! let order: Array<u32> = Sort::by(Sooner).indices().run_to_array(&device, &[(3, 1.0), (1, 1.0), (2, 1.0)])?;
//! assert_eq!(order.to_vec()?, [1, 2, 0]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** The function returns whether its first argument comes before the second one: `a < b`, not `a <= b`. Sorts
//! are stable: if neither of two elements comes before the other, they keep their order. With a function that is no
//! order (`a < b` of floats with NaN) the results are some of the elements, in no order.
//!
//! **Cost.** On CUDA a reading of the elements that sorts tiles, of 8,704 elements of four bytes, and a pass over all
//! of them for each doubling of a tile: 15 for 2^28. A [`Sort`] by [`Key`](crate::Key) takes one pass for each byte of
//! a key that varies. Scratch memory for as many elements and values as there are.

use crate::array::Array;
use crate::device::{Backend, Device};
use crate::options::expect_length;
use crate::sort::{Indices, Keys, Pairs, Sort};
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output};
use upsweep_core::call::Unsorted;
use upsweep_core::call::merge::{Beside, Sorting};
use upsweep_core::error::{Error, Result};
use upsweep_core::key::Index;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::Target;

/// Sort by a comparison, with its options: see the [module](self). Build it once, run it often.
///
/// `W` is the kind of its results: [`Keys`], [`Pairs`] or [`Indices`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a sort does nothing until it is run"]
pub struct SortBy<F, W = Keys> {
    less: F,
    makes: PhantomData<W>,
}

impl Sort {
    /// Makes the sort by `less`, a function that returns whether its first argument comes before the second one.
    /// [`#[function]`](crate::function) makes such a function. See [`sort_by`](crate::sort_by).
    pub fn by<F>(less: F) -> SortBy<F> {
        SortBy { less, makes: PhantomData }
    }
}

impl<F> SortBy<F> {
    /// Sorts pairs: a value moves with each element.
    pub fn pairs(self) -> SortBy<F, Pairs> {
        SortBy { less: self.less, makes: PhantomData }
    }

    /// Stores the positions of the sorted elements in the input instead of the elements: `u32`, `u64` or `usize`.
    pub fn indices(self) -> SortBy<F, Indices> {
        SortBy { less: self.less, makes: PhantomData }
    }
}

impl<F, W> SortBy<F, W> {
    fn dispatch<T, V>(&self, device: &Device, call: Sorting<'_, T, V>) -> Result<()>
    where
        T: Element,
        V: Element,
        F: Function<(T, T), Output = bool>,
    {
        let len = call.len();
        if let Some(output) = &call.output {
            expect_length("output", output.len(), len)?;
        }
        if let Beside::Values(Unsorted::Buffer(values)) = &call.beside {
            expect_length("values", values.len(), len)?;
        }
        if let Some(values) = &call.values_output {
            expect_length("output values", values.len(), len)?;
        }
        match &device.0 {
            Backend::Cpu => upsweep_cpu::sort_by::run(&call, self.less),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => upsweep_cuda::sort_by::run(cuda, call, self.less),
        }
    }
}

impl<F> SortBy<F> {
    /// Sorts `input` into `output`, which has as many elements. On CUDA the work is enqueued on the device's stream and
    /// the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`]: `output` has another length than `input`
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps another one
    /// - [`Error::OutOfMemory`]: there is no scratch memory for as many elements
    /// - [`Error::Compile`], [`Error::Driver`]: failures of CUDA itself
    pub fn run<I, O>(&self, device: &Device, input: &I, output: &mut O) -> Result<()>
    where
        I: Input + ?Sized,
        O: Output<Item = I::Item> + ?Sized,
        F: Function<(I::Item, I::Item), Output = bool>,
    {
        self.dispatch(device, Sorting::keys(Unsorted::Buffer(input.view()), Target::new(output.view_mut())))
    }

    /// Sorts `data` in place.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<B>(&self, device: &Device, data: &mut B) -> Result<()>
    where
        B: Output + ?Sized,
        F: Function<(B::Item, B::Item), Output = bool>,
    {
        self.dispatch(device, Sorting::keys(Unsorted::OfOutput, Target::new(data.view_mut())))
    }

    /// Sorts `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<I>(&self, device: &Device, input: &I) -> Result<Array<I::Item>>
    where
        I: Input + ?Sized,
        F: Function<(I::Item, I::Item), Output = bool>,
    {
        let input = input.view();
        device
            .compute_array(input.len(), |output| self.dispatch(device, Sorting::keys(Unsorted::Buffer(input), output)))
    }

    /// Sorts `input` into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<I>(&self, device: &Device, input: &I) -> Result<Vec<I::Item>>
    where
        I: Input + ?Sized,
        F: Function<(I::Item, I::Item), Output = bool>,
    {
        device.refuse_in_capture("reading the results of a sort")?;
        self.run_to_array(device, input)?.into_vec()
    }
}

impl<F> SortBy<F, Pairs> {
    /// Sorts elements and values into the outputs, each of which has as many elements. On CUDA the work is enqueued on
    /// the device's stream and the call returns at once.
    ///
    /// # Errors
    /// As [`SortBy::run`]; [`Error::Length`] when there are not as many values as elements.
    pub fn run<I, V, O, W>(&self, device: &Device, (input, values): (&I, &V), output: (&mut O, &mut W)) -> Result<()>
    where
        I: Input + ?Sized,
        V: Input + ?Sized,
        O: Output<Item = I::Item> + ?Sized,
        W: Output<Item = V::Item> + ?Sized,
        F: Function<(I::Item, I::Item), Output = bool>,
    {
        let call = Sorting {
            input: Unsorted::Buffer(input.view()),
            output: Some(Target::new(output.0.view_mut())),
            beside: Beside::Values(Unsorted::Buffer(values.view())),
            values_output: Some(Target::new(output.1.view_mut())),
        };
        self.dispatch(device, call)
    }
}

impl<F> SortBy<F, Indices> {
    /// Stores in `output` the positions that the sorted elements have in `input`. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once.
    ///
    /// # Errors
    /// As [`SortBy::run`]; [`Error::Options`] when there are more elements than the positions' type counts.
    pub fn run<I, O>(&self, device: &Device, input: &I, output: &mut O) -> Result<()>
    where
        I: Input + ?Sized,
        O: Output<Item: Index> + ?Sized,
        F: Function<(I::Item, I::Item), Output = bool>,
    {
        self.positions(device, input, Target::new(output.view_mut()))
    }

    /// Stores the positions in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<I, O>(&self, device: &Device, input: &I) -> Result<Array<O>>
    where
        I: Input + ?Sized,
        O: Index,
        F: Function<(I::Item, I::Item), Output = bool>,
    {
        device.compute_array(input.view().len(), |output| self.positions(device, input, output))
    }

    fn positions<I, O>(&self, device: &Device, input: &I, output: Target<'_, O>) -> Result<()>
    where
        I: Input + ?Sized,
        O: Index,
        F: Function<(I::Item, I::Item), Output = bool>,
    {
        let input = input.view();
        if input.len() as u64 > O::MOST {
            let reason = "there are more elements than the positions' type counts: take u64";
            return Err(Error::Options { options: "indices", reason });
        }
        let (input, beside) = (Unsorted::Buffer(input), Beside::Positions(O::at));
        self.dispatch(device, Sorting { input, output: None, beside, values_output: Some(output) })
    }
}
