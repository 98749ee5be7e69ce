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
//! a key that varies. Scratch memory for as many elements and values as there are. Elements and values that are no
//! buffer are computed into memory of the device first, by a pass of a [`Transform`](crate::Transform) each.

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use crate::options::expect_length;
use crate::sort::{Indices, Keys, Pairs, Sort};
use std::marker::PhantomData;
use upsweep_core::buffer::{Output, View};
use upsweep_core::call::Unsorted;
use upsweep_core::call::merge::{Beside, Sorting};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
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
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps another one
    /// - [`Error::OutOfMemory`]: there is no scratch memory for as many elements
    /// - [`Error::Compile`], [`Error::Driver`]: failures of CUDA itself
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output<Item = X::Value> + ?Sized,
        F: Function<(X::Value, X::Value), Output = bool>,
    {
        let input = of_known_length(device, input)?;
        self.dispatch(device, Sorting::keys(Unsorted::Buffer(input.room()), Target::new(output.view_mut())))
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
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x>,
        F: Function<(X::Value, X::Value), Output = bool>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        device
            .compute_array(input.len(), |output| self.dispatch(device, Sorting::keys(Unsorted::Buffer(input), output)))
    }

    /// Sorts `input` into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x>,
        F: Function<(X::Value, X::Value), Output = bool>,
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
    pub fn run<'x, X, V, O, W>(&self, device: &Device, input: (X, V), output: (&mut O, &mut W)) -> Result<()>
    where
        X: Inputs<'x>,
        V: Inputs<'x>,
        O: Output<Item = X::Value> + ?Sized,
        W: Output<Item = V::Value> + ?Sized,
        F: Function<(X::Value, X::Value), Output = bool>,
    {
        let (input, values) = (of_known_length(device, input.0)?, of_known_length(device, input.1)?);
        let output = (Target::new(output.0.view_mut()), Target::new(output.1.view_mut()));
        self.pairs_of(device, (input.room(), values.room()), output)
    }

    /// Sorts elements and values into two new arrays on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_arrays<'x, X, V>(&self, device: &Device, input: (X, V)) -> Result<(Array<X::Value>, Array<V::Value>)>
    where
        X: Inputs<'x>,
        V: Inputs<'x>,
        F: Function<(X::Value, X::Value), Output = bool>,
    {
        let (input, values) = (of_known_length(device, input.0)?, of_known_length(device, input.1)?);
        let (input, values) = (input.room(), values.room());
        device.compute_two(input.len(), |output, values_output| {
            self.pairs_of(device, (input, values), (output, values_output))
        })
    }

    /// Sorts elements and values into two vectors on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vecs<'x, X, V>(&self, device: &Device, input: (X, V)) -> Result<(Vec<X::Value>, Vec<V::Value>)>
    where
        X: Inputs<'x>,
        V: Inputs<'x>,
        F: Function<(X::Value, X::Value), Output = bool>,
    {
        device.refuse_in_capture("reading the results of a sort")?;
        let (elements, values) = self.run_to_arrays(device, input)?;
        Ok((elements.into_vec()?, values.into_vec()?))
    }

    fn pairs_of<T, V>(
        &self,
        device: &Device,
        (input, values): (View<'_, T>, View<'_, V>),
        (output, values_output): (Target<'_, T>, Target<'_, V>),
    ) -> Result<()>
    where
        T: Element,
        V: Element,
        F: Function<(T, T), Output = bool>,
    {
        let (input, beside) = (Unsorted::Buffer(input), Beside::Values(Unsorted::Buffer(values)));
        let (output, values_output) = (Some(output), Some(values_output));
        self.dispatch(device, Sorting { input, output, beside, values_output })
    }
}

impl<F> SortBy<F, Indices> {
    /// Stores in `output` the positions that the sorted elements have in `input`. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once.
    ///
    /// # Errors
    /// As [`SortBy::run`]; [`Error::Options`] when there are more elements than the positions' type counts.
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output<Item: Index> + ?Sized,
        F: Function<(X::Value, X::Value), Output = bool>,
    {
        self.positions(device, of_known_length(device, input)?.room(), Target::new(output.view_mut()))
    }

    /// Stores the positions in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x>,
        O: Index,
        F: Function<(X::Value, X::Value), Output = bool>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        device.compute_array(input.len(), |output| self.positions(device, input, output))
    }

    /// Stores the positions in a vector on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x>,
        O: Index,
        F: Function<(X::Value, X::Value), Output = bool>,
    {
        device.refuse_in_capture("reading the results of a sort")?;
        self.run_to_array(device, input)?.into_vec()
    }

    fn positions<T, O>(&self, device: &Device, input: View<'_, T>, output: Target<'_, O>) -> Result<()>
    where
        T: Element,
        O: Index,
        F: Function<(T, T), Output = bool>,
    {
        if input.len() as u64 > O::MOST {
            let reason = "there are more elements than the positions' type counts: take u64";
            return Err(Error::Options { options: "indices", reason });
        }
        let (input, beside) = (Unsorted::Buffer(input), Beside::Positions(O::at));
        self.dispatch(device, Sorting { input, output: None, beside, values_output: Some(output) })
    }
}
