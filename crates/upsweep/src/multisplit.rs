//! Multisplit: elements by the bucket that a function returns for each (a partition into many buckets, a counting
//! sort).
//!
//! ```text
//! ways(f, k)     the x[i] with f(x[i]) = 0, those with f(x[i]) = 1, and so on, each in their order
//! indices        the i instead
//! offsets        where each of the k ways begins, and where the last one ends
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn against_five(x: u32) -> u8 {
//!     if x < 5 { 0 } else if x == 5 { 1 } else { 2 }
//! }
//!
//! let device = Device::cpu();
//! let x = [7u32, 5, 2, 9, 5, 1];
//! let (mut out, mut offsets) = ([0u32; 6], [0u32; 4]);
//! Partition::ways(AgainstFive, 3).run(&device, &x, &mut out, &mut offsets)?;
//! assert_eq!((out, offsets), ([2, 1, 5, 5, 7, 9], [0, 2, 4, 6]));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! No element is lost: elements whose bucket is `k` or more come after all others, in the order of their numbers, from
//! the last offset on. `Segments::Offsets(&offsets)` makes segments of the results. Edges partitioned by their source
//! vertex are a graph in compressed rows.
//!
//! **Cost.** A pass over the elements that stores the number of their bucket, a pass over these numbers that counts,
//! and a [`Sort`] of pairs by 8 bits, or by 16 for numbers in `u16`. Memory for two arrays of bucket numbers and one of
//! elements. Elements that are no buffer are computed into memory first, by a pass of a [`Transform`](crate::Transform);
//! indices do without.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3; counting sort is Seward's, 1954.

use crate::array::Array;
use crate::buffered::{known_length, of_known_length};
use crate::device::Device;
use crate::histogram::{BinNumber, Count, Histogram};
use crate::options::expect_length;
use crate::partition::Partition;
use crate::scan::Scan;
use crate::sort::Sort;
use crate::transform::evaluated;
use std::marker::PhantomData;
use upsweep_core::bins::check_bins;
use upsweep_core::buffer::{Input, Output};
use upsweep_core::call::Unsorted;
use upsweep_core::call::select::{Indices, Values};
use upsweep_core::error::Result;
use upsweep_core::inputs::{Inputs, Read};
use upsweep_core::key::{Index, Key};
use upsweep_core::operator::builtin::Sum;
use upsweep_core::operator::{Map, MapWith, Operator, Same};
use upsweep_core::outputs::Target;

/// Partition into many buckets, with its options: see the [module](self). Build it once, run it often.
///
/// `V` is the kind of its results: [`Values`], the elements, or [`Indices`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a partition does nothing until it is run"]
pub struct Ways<F, V = Values> {
    function: F,
    ways: usize,
    yields: PhantomData<V>,
}

/// Type of the number of a bucket: `u8` or `u16`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the number of a way",
    label = "the function of a partition returns `u8` or `u16`"
)]
pub trait Way: Key + BinNumber {}
impl Way for u8 {}
impl Way for u16 {}

impl<F> Partition<Ways<F>> {
    /// Makes a partition into `ways` buckets. `function`, made by [`#[function]`](crate::function), returns the bucket
    /// of an element: 0, 1 and so on, as `u8` or `u16`. Of several inputs it takes an element each. See [`multisplit`](crate::multisplit).
    pub fn ways(function: F, ways: usize) -> Ways<F> {
        Ways { function, ways, yields: PhantomData }
    }
}

impl<F> Ways<F> {
    /// Stores the indices of the elements instead of the elements: `u32`, `u64` or `usize`.
    pub fn indices(self) -> Ways<F, Indices> {
        Ways { function: self.function, ways: self.ways, yields: PhantomData }
    }
}

impl<F: Copy, V> Ways<F, V> {
    /// Stores the start of each bucket in `offsets`, and returns the number of the bucket of each element. `output` is
    /// the length of the output, which must be that of the input.
    fn store_offsets<I, N, K>(
        &self,
        device: &Device,
        input: &I::Given<'_>,
        output: usize,
        offsets: &mut N,
    ) -> Result<Array<K>>
    where
        I: Read,
        N: Output<Item: Count> + ?Sized,
        MapWith<F>: Map<I::Value, I::Args, Output = K>,
        K: Way,
        Sum: Operator<N::Item>,
    {
        check_bins(self.ways)?;
        expect_length("offsets", offsets.view_mut().len(), self.ways + 1)?;
        let numbers = evaluated::<I, _>(device, I::again(input), MapWith(self.function))?;
        expect_length("output", output, numbers.view().len())?;
        let mut counts = device.filled(self.ways, N::Item::ZERO)?;
        Histogram::by(Same, self.ways).run(device, &numbers, &mut counts)?;
        Scan::new(Sum).exclusive().with_total().run(device, &counts, offsets)?;
        Ok(numbers)
    }
}

impl<F: Copy> Ways<F> {
    /// Stores the elements of `input`, bucket by bucket, in `output`, which is as long. Stores the start of each bucket
    /// in `offsets`, of `u32` or `u64` and one longer than the number of buckets. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once; it cannot be captured in a graph.
    ///
    /// # Errors
    /// - [`Error::Bins`](crate::Error::Bins) for no bucket or more than 2^20, [`Error::Length`](crate::Error::Length)
    ///   when the output or the offsets have another length, [`Error::Options`](crate::Error::Options) for offsets of
    ///   `u32` of more than `u32::MAX` elements
    /// - those of a [`Sort::run`] of pairs, and of a [`Transform`](crate::Transform) of the input; [`Error::Driver`](crate::Error::Driver) in a capture
    pub fn run<'x, X, O, N, K>(&self, device: &Device, input: X, output: &mut O, offsets: &mut N) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output<Item = X::Value> + ?Sized,
        N: Output<Item: Count> + ?Sized,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Way,
        Sum: Operator<N::Item>,
    {
        device.refuse_in_capture("a partition of many ways")?;
        let input = of_known_length(device, input)?;
        let numbers = self.store_offsets::<X::Item, N, K>(device, input.given(), output.view_mut().len(), offsets)?;
        let (pairs, output) =
            ((Unsorted::Buffer(numbers.view()), Unsorted::Buffer(input.room())), Target::new(output.view_mut()));
        device
            .compute_array::<K>(numbers.view().len(), |sorted| Sort::pairs().dispatch(device, pairs, (sorted, output)))
            .map(drop)
    }
}

impl<F: Copy> Ways<F, Indices> {
    /// Runs like [`Ways::run`], but stores the indices of the elements in `input` instead of the elements.
    ///
    /// # Errors
    /// As [`Ways::run`].
    pub fn run<'x, X, O, N, K>(&self, device: &Device, input: X, output: &mut O, offsets: &mut N) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output<Item: Index> + ?Sized,
        N: Output<Item: Count> + ?Sized,
        MapWith<F>: Map<X::Value, X::Args, Output = K>,
        K: Way,
        Sum: Operator<N::Item>,
    {
        device.refuse_in_capture("a partition of many ways")?;
        known_length::<X>()?;
        let numbers = self.store_offsets::<X::Item, N, K>(device, &input.given(), output.view_mut().len(), offsets)?;
        Sort::new().indices().run(device, &numbers, output)
    }
}
