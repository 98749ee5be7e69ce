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
//! for two arrays of keys and one of elements.

use crate::array::Array;
use crate::device::Device;
use crate::scan::Scan;
use crate::sort::{Indices, Keys, Sort};
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output};
use upsweep_core::call::Unsorted;
use upsweep_core::error::Result;
use upsweep_core::inputs::Inputs;
use upsweep_core::key::{Index, Key};
use upsweep_core::operator::builtin::Last;
use upsweep_core::operator::{Map, MapWith};
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
    /// As [`Sort::run`]; [`Error::Driver`](crate::Error::Driver) in a capture.
    pub fn run<'x, I, O, K>(&self, device: &Device, input: &'x I, output: &mut O) -> Result<()>
    where
        I: Input + ?Sized,
        O: Output<Item = I::Item> + ?Sized,
        &'x I: Inputs<'x, Value = I::Item>,
        MapWith<F>: Map<I::Item, <&'x I as Inputs<'x>>::Args, Output = K>,
        K: Key,
    {
        self.dispatch(device, input, Target::new(output.view_mut()))
    }

    fn dispatch<'x, I, K>(&self, device: &Device, input: &'x I, output: Target<'_, I::Item>) -> Result<()>
    where
        I: Input + ?Sized,
        &'x I: Inputs<'x, Value = I::Item>,
        MapWith<F>: Map<I::Item, <&'x I as Inputs<'x>>::Args, Output = K>,
        K: Key,
    {
        device.refuse_in_capture("a sort by a key")?;
        let keys: Array<K> = Scan::new(Last).map(self.key).run_to_array(device, input)?;
        let sort = if self.descending { Sort::pairs().descending() } else { Sort::pairs() };
        let input = (Unsorted::Buffer(keys.view()), Unsorted::Buffer(input.view()));
        device.compute_array::<K>(keys.view().len(), |keys| sort.dispatch(device, input, (keys, output))).map(|_| ())
    }
}

impl<F: Copy> SortByKey<F> {
    /// Sorts `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, I, K>(&self, device: &Device, input: &'x I) -> Result<Array<I::Item>>
    where
        I: Input + ?Sized,
        &'x I: Inputs<'x, Value = I::Item>,
        MapWith<F>: Map<I::Item, <&'x I as Inputs<'x>>::Args, Output = K>,
        K: Key,
    {
        let view = input.view();
        device.compute_array(view.len(), |output| self.dispatch(device, input, output))
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
        let keys: Array<K> = Scan::new(Last).map(self.key).run_to_array(device, input)?;
        let sort = Sort::new().indices();
        if self.descending { sort.descending() } else { sort }.run_to_array(device, &keys)
    }

    /// Stores in `output` the positions that the sorted elements have in `input`, which may be any input of a scan. On
    /// CUDA the work is enqueued on the device's stream and the call returns at once; it cannot be captured in a graph.
    ///
    /// # Errors
    /// As [`Sort::run`](Sort::run) of positions, and those of a [`Scan`] of the input;
    /// [`Error::Driver`](crate::Error::Driver) in a capture.
    pub fn run<'x, X, O, K>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output<Item: Index> + ?Sized,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Key,
    {
        device.refuse_in_capture("a sort by a key")?;
        let keys: Array<K> = Scan::new(Last).map(self.key).run_to_array(device, input)?;
        let sort = Sort::new().indices();
        if self.descending { sort.descending() } else { sort }.run(device, &keys, output)
    }
}
