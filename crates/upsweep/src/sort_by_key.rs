//! Sort by a key: elements in the order of a key that a function computes from each, or from several columns.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn remainder(x: u32) -> u32 {
//!     x % 10
//! }
//!
//! let device = Device::cpu();
//! let mut sorted = [0; 4];
//! Sort::by_key(Remainder).run(&device, &[17u32, 3, 21, 13], &mut sorted)?;
//! assert_eq!(sorted, [21, 3, 13, 17]);
//!
//! // Rows of a table by two of its columns: the higher bits of a key go first.
//! #[function]
//! fn town_and_street(town: u16, street: u32) -> u64 {
//!     ((town as u64) << 32) | (street as u64)
//! }
//!
//! let mut order = [0u32; 3];
//! Sort::by_key(TownAndStreet).indices().run(&device, (&[2u16, 1, 2], &[7u32, 9, 3]), &mut order)?;
//! assert_eq!(order, [1, 2, 0]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! A range of a key's bits is a key as well: `(x >> 8) & 0xffff`.
//!
//! **Order.** By [`Key`]. A sort is stable: elements with equal keys keep their order, in both directions.
//!
//! **Cost.** One pass over the elements that stores their keys, and the [`Sort`] of pairs of keys and elements. Memory
//! for two arrays of keys and one of elements. Elements that are no buffer are computed into memory first, by a pass of a
//! [`Transform`].

use crate::array::Array;
use crate::buffered::{Buffered, of_known_length};
use crate::device::Device;
use crate::sort::{Indices, Keys, Sort};
use crate::transform::{Transform, evaluated};
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output, View};
use upsweep_core::call::Unsorted;
use upsweep_core::error::Result;
use upsweep_core::inputs::{Inputs, Read};
use upsweep_core::key::{Index, Key};
use upsweep_core::operator::{Element, Map, MapWith};
use upsweep_core::outputs::Target;

/// Sort by a key, with its options: see the [module](self). Build it once, run it often.
///
/// `W` is the kind of its results: [`Keys`], the elements, or [`Indices`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a sort does nothing until it is run"]
pub struct SortByKey<F, W = Keys> {
    key: F,
    descending: bool,
    makes: PhantomData<W>,
}

impl Sort {
    /// Makes the sort by the key that `key` computes from each element. [`#[function]`](crate::function) makes such a
    /// function. See [`sort_by_key`](crate::sort_by_key).
    pub fn by_key<F>(key: F) -> SortByKey<F> {
        SortByKey { key, descending: false, makes: PhantomData }
    }
}

impl<F> SortByKey<F> {
    /// Stores the positions of the sorted elements in the input instead of the elements: `u32`, `u64` or `usize`. Then
    /// several inputs are possible: the function takes one element of each.
    pub fn indices(self) -> SortByKey<F, Indices> {
        SortByKey { key: self.key, descending: self.descending, makes: PhantomData }
    }
}

impl<F, W> SortByKey<F, W> {
    /// Sorts in descending order. Elements with equal keys keep their order, and NaN stay at the end.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }
}

impl<F: Copy> SortByKey<F> {
    /// Sorts `input` into `output`, which has as many elements. On CUDA the work is enqueued on the device's stream and
    /// the call returns at once; it cannot be captured in a graph.
    ///
    /// # Errors
    /// As [`Sort::run`]; [`Error::Driver`](crate::Error::Driver) in a capture; those of a [`Transform`] of the input.
    pub fn run<'x, X, O, K>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output<Item = X::Value> + ?Sized,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Key,
    {
        let (input, keys) = self.keyed::<X, K>(device, input)?;
        self.sorted(device, (keys.view(), input.room()), Target::new(output.view_mut()))
    }

    /// Sorts `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, K>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x>,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Key,
    {
        let (input, keys) = self.keyed::<X, K>(device, input)?;
        device.compute_array(input.room().len(), |output| self.sorted(device, (keys.view(), input.room()), output))
    }

    /// Sorts `input` into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, K>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x>,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Key,
    {
        self.run_to_array(device, input)?.into_vec()
    }

    /// Returns the elements in a buffer, and their keys.
    fn keyed<'x, X, K>(&self, device: &Device, input: X) -> Result<(Buffered<'x, X::Item>, Array<K>)>
    where
        X: Inputs<'x>,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Key,
    {
        device.refuse_in_capture("a sort by a key")?;
        let input = of_known_length(device, input)?;
        let keys = evaluated::<X::Item, _>(device, X::Item::again(input.given()), MapWith(self.key))?;
        Ok((input, keys))
    }

    fn sorted<T: Element, K: Key>(
        &self,
        device: &Device,
        (keys, values): (View<'_, K>, View<'_, T>),
        output: Target<'_, T>,
    ) -> Result<()> {
        let sort = if self.descending { Sort::pairs().descending() } else { Sort::pairs() };
        let (len, input) = (keys.len(), (Unsorted::Buffer(keys), Unsorted::Buffer(values)));
        device.compute_array::<K>(len, |keys| sort.dispatch(device, input, (keys, output))).map(|_| ())
    }
}

impl<F: Copy> SortByKey<F, Indices> {
    /// Stores the positions in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O, K>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x>,
        O: Index,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Key,
    {
        device.refuse_in_capture("a sort by a key")?;
        let keys: Array<K> = Transform::new(self.key).run_to_array(device, input)?;
        let sort = Sort::new().indices();
        if self.descending { sort.descending() } else { sort }.run_to_array(device, &keys)
    }

    /// Stores the positions in a vector on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O, K>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x>,
        O: Index,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Key,
    {
        self.run_to_array(device, input)?.into_vec()
    }

    /// Stores in `output` the positions that the sorted elements have in `input`. On CUDA the work is enqueued on the device's stream and the call returns at once; it cannot be captured in a graph.
    ///
    /// # Errors
    /// As [`Sort::run`](Sort::run) of positions, and those of a [`Transform`] of the input;
    /// [`Error::Driver`](crate::Error::Driver) in a capture.
    pub fn run<'x, X, O, K>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output<Item: Index> + ?Sized,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Key,
    {
        device.refuse_in_capture("a sort by a key")?;
        let keys: Array<K> = Transform::new(self.key).run_to_array(device, input)?;
        let sort = Sort::new().indices();
        if self.descending { sort.descending() } else { sort }.run(device, &keys, output)
    }
}
