//! Merge: one sorted array from two or more.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn shorter(a: (u32, u32), b: (u32, u32)) -> bool {
//!     a.1 - a.0 < b.1 - b.0
//! }
//!
//! let device = Device::cpu();
//! assert_eq!(Merge::new().run_to_vec(&device, (&[1, 4, 9], &[2, 4]))?, [1, 2, 4, 4, 9]);
//!
//! let (mut times, mut ids) = ([0.0f32; 4], [0u8; 4]);
//! Merge::new().pairs().run(&device, ((&[0.5, 2.0], &[1, 2]), (&[1.5, 2.0], &[7, 8])), (&mut times, &mut ids))?;
//! assert_eq!((times, ids), ([0.5, 1.5, 2.0, 2.0], [1, 7, 2, 8]));
//!
//! let (a, b) = ([(5, 6), (0, 9)], [(3, 5)]);
//! assert_eq!(Merge::by(Shorter).run_to_vec(&device, (&a, &b))?, [(5, 6), (3, 5), (0, 9)]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** [`Merge::new`] takes inputs sorted by [`Key`](crate::Key): of floats `-0` equals `+0`, and NaN is last.
//! [`Merge::by`] takes a function that returns whether its first argument comes before the second one: `a < b`, not
//! `a <= b`. A merge is stable: of equal elements those of the first input come first, and the elements of each input
//! keep their order. From inputs that are not sorted the results are some of their elements, in no order.
//!
//! **Cost.** Both inputs are read once and the results written once. The results are divided evenly among the threads,
//! so the order in which the inputs interleave makes no difference. Inputs and values that are no buffer are computed
//! into memory of the device first, by a pass of a [`Transform`](crate::Transform) each.
//!
//! Source: Green, McColl and Bader, "GPU Merge Path - A GPU Merging Algorithm", 2012.

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use crate::options::expect_length;
use crate::sort::{Keys, Pairs};
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output, View};
use upsweep_core::call::merge::Merging;
use upsweep_core::error::Result;
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::Target;

pub use upsweep_core::call::merge::{Ascending, Descending};

/// Merge with its options: see the [module](self) for their formulas. Build it once, run it often.
///
/// `W` is the kind of its inputs: [`Keys`] or [`Pairs`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a merge does nothing until it is run"]
pub struct Merge<F = Ascending, W = Keys> {
    less: F,
    merges: PhantomData<W>,
}

impl Merge {
    /// Makes a merge of inputs in ascending order.
    #[allow(clippy::new_without_default, reason = "a type parameter would have to be written out")]
    pub fn new() -> Self {
        Self { less: Ascending, merges: PhantomData }
    }

    /// Takes inputs in descending order.
    pub fn descending(self) -> Merge<Descending> {
        Merge { less: Descending, merges: PhantomData }
    }
}

impl<F> Merge<F> {
    /// Makes a merge of inputs that are sorted by `less`, a function that returns whether its first argument comes
    /// before the second one. [`#[function]`](crate::function) makes such a function.
    pub fn by(less: F) -> Self {
        Self { less, merges: PhantomData }
    }

    /// Merges pairs: a value moves with each element of the inputs.
    pub fn pairs(self) -> Merge<F, Pairs> {
        Merge { less: self.less, merges: PhantomData }
    }
}

impl<F, W> Merge<F, W> {
    fn dispatch<T, V>(&self, device: &Device, call: Merging<'_, T, V>) -> Result<()>
    where
        T: Element,
        V: Element,
        F: Function<(T, T), Output = bool>,
    {
        let expected = call.inputs.0.len().saturating_add(call.inputs.1.len());
        expect_length("output", call.output.len(), expected)?;
        if let Some((first, second)) = &call.values {
            expect_length("first values", first.len(), call.inputs.0.len())?;
            expect_length("second values", second.len(), call.inputs.1.len())?;
        }
        if let Some(values) = &call.values_output {
            expect_length("output values", values.len(), expected)?;
        }
        match &device.0 {
            Backend::Cpu => upsweep_cpu::merge::run(&call, self.less),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => upsweep_cuda::merge::run(cuda, call, self.less),
        }
    }
}

impl<F> Merge<F> {
    /// Merges the two inputs into `output`, which has as many elements as both together. On CUDA the work is enqueued
    /// on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`](crate::Error::Length): `output` has another length
    /// - [`Error::Place`](crate::Error::Place), [`Error::Overlap`](crate::Error::Overlap): a buffer is not where the
    ///   device computes, or overlaps the output
    /// - [`Error::Compile`](crate::Error::Compile), [`Error::Driver`](crate::Error::Driver): failures of CUDA itself
    pub fn run<'x, A, B, O>(&self, device: &Device, inputs: (A, B), output: &mut O) -> Result<()>
    where
        A: Inputs<'x>,
        B: Inputs<'x, Value = A::Value>,
        O: Output<Item = A::Value> + ?Sized,
        F: Function<(A::Value, A::Value), Output = bool>,
    {
        let (first, second) = (of_known_length(device, inputs.0)?, of_known_length(device, inputs.1)?);
        let (inputs, output) = ((first.room(), second.room()), Target::new(output.view_mut()));
        self.dispatch::<A::Value, u8>(device, Merging { inputs, values: None, output, values_output: None })
    }

    /// Merges the two inputs into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, A, B>(&self, device: &Device, inputs: (A, B)) -> Result<Array<A::Value>>
    where
        A: Inputs<'x>,
        B: Inputs<'x, Value = A::Value>,
        F: Function<(A::Value, A::Value), Output = bool>,
    {
        let (first, second) = (of_known_length(device, inputs.0)?, of_known_length(device, inputs.1)?);
        let inputs = (first.room(), second.room());
        let len = inputs.0.len().saturating_add(inputs.1.len());
        device.compute_array(len, |output| {
            self.dispatch::<A::Value, u8>(device, Merging { inputs, values: None, output, values_output: None })
        })
    }

    /// Merges the two inputs into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, A, B>(&self, device: &Device, inputs: (A, B)) -> Result<Vec<A::Value>>
    where
        A: Inputs<'x>,
        B: Inputs<'x, Value = A::Value>,
        F: Function<(A::Value, A::Value), Output = bool>,
    {
        device.refuse_in_capture("reading the results of a merge")?;
        self.run_to_array(device, inputs)?.into_vec()
    }
}

impl<F> Merge<F> {
    /// Merges any number of inputs into a new array on the device; no inputs make an empty array. Of equal elements
    /// those of earlier inputs come first. Neighbouring inputs are merged in rounds until one is left, so each element
    /// is moved log2 of the number of inputs times.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let merged = Merge::new().run_all_to_array(&Device::cpu(), &[&[1, 8][..], &[], &[2, 9], &[0, 8]])?;
    /// assert_eq!(merged.to_vec()?, [0, 1, 2, 8, 8, 9]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_all_to_array<A>(&self, device: &Device, inputs: &[&A]) -> Result<Array<A::Item>>
    where
        A: Input + ?Sized,
        F: Function<(A::Item, A::Item), Output = bool>,
    {
        let none = device.upload::<A::Item>(&[])?;
        let mut merged: Vec<Array<A::Item>> = inputs
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => self.run_to_array(device, (*a, *b)),
                [a, ..] => self.run_to_array(device, (*a, &none)),
                [] => device.upload(&[]),
            })
            .collect::<Result<_>>()?;
        while merged.len() > 1 {
            let mut rest = merged.into_iter();
            let mut next = Vec::new();
            while let Some(a) = rest.next() {
                next.push(match rest.next() {
                    Some(b) => self.run_to_array(device, (&a, &b))?,
                    None => a,
                });
            }
            merged = next;
        }
        Ok(merged.pop().unwrap_or(none))
    }
}

impl<F> Merge<F, Pairs> {
    /// Merges the elements of both inputs, with their values, into the outputs, which have as many elements as both
    /// inputs together. On CUDA the work is enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// As [`Merge::run`]; [`Error::Length`](crate::Error::Length) when there are not as many values as elements.
    pub fn run<'x, A, U, B, V, O, W>(
        &self,
        device: &Device,
        ((a, a_values), (b, b_values)): ((A, U), (B, V)),
        output: (&mut O, &mut W),
    ) -> Result<()>
    where
        A: Inputs<'x>,
        U: Inputs<'x>,
        B: Inputs<'x, Value = A::Value>,
        V: Inputs<'x, Value = U::Value>,
        O: Output<Item = A::Value> + ?Sized,
        W: Output<Item = U::Value> + ?Sized,
        F: Function<(A::Value, A::Value), Output = bool>,
    {
        let (a, a_values) = (of_known_length(device, a)?, of_known_length(device, a_values)?);
        let (b, b_values) = (of_known_length(device, b)?, of_known_length(device, b_values)?);
        let output = (Target::new(output.0.view_mut()), Target::new(output.1.view_mut()));
        self.pairs_of(device, (a.room(), b.room()), (a_values.room(), b_values.room()), output)
    }

    /// Merges into two new arrays on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_arrays<'x, A, U, B, V>(
        &self,
        device: &Device,
        ((a, a_values), (b, b_values)): ((A, U), (B, V)),
    ) -> Result<(Array<A::Value>, Array<U::Value>)>
    where
        A: Inputs<'x>,
        U: Inputs<'x>,
        B: Inputs<'x, Value = A::Value>,
        V: Inputs<'x, Value = U::Value>,
        F: Function<(A::Value, A::Value), Output = bool>,
    {
        let (a, a_values) = (of_known_length(device, a)?, of_known_length(device, a_values)?);
        let (b, b_values) = (of_known_length(device, b)?, of_known_length(device, b_values)?);
        let (inputs, values) = ((a.room(), b.room()), (a_values.room(), b_values.room()));
        let len = inputs.0.len().saturating_add(inputs.1.len());
        device.compute_two(len, |output, values_output| self.pairs_of(device, inputs, values, (output, values_output)))
    }

    /// Merges into two vectors on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vecs<'x, A, U, B, V>(
        &self,
        device: &Device,
        inputs: ((A, U), (B, V)),
    ) -> Result<(Vec<A::Value>, Vec<U::Value>)>
    where
        A: Inputs<'x>,
        U: Inputs<'x>,
        B: Inputs<'x, Value = A::Value>,
        V: Inputs<'x, Value = U::Value>,
        F: Function<(A::Value, A::Value), Output = bool>,
    {
        device.refuse_in_capture("reading the results of a merge")?;
        let (elements, values) = self.run_to_arrays(device, inputs)?;
        Ok((elements.into_vec()?, values.into_vec()?))
    }

    fn pairs_of<T, V>(
        &self,
        device: &Device,
        inputs: (View<'_, T>, View<'_, T>),
        values: (View<'_, V>, View<'_, V>),
        (output, values_output): (Target<'_, T>, Target<'_, V>),
    ) -> Result<()>
    where
        T: Element,
        V: Element,
        F: Function<(T, T), Output = bool>,
    {
        let (values, values_output) = (Some(values), Some(values_output));
        self.dispatch(device, Merging { inputs, values, output, values_output })
    }
}
