//! Sort: a stable radix sort of keys, also with values that follow the keys, or of positions (argsort).
//!
//! ```text
//! Sort::new()                out[0] <= out[1] <= ...
//! Sort::pairs()              the keys so, and each value where its key is
//! Sort::new().indices()      x[out[0]] <= x[out[1]] <= ...        (argsort)
//! descending                 >= instead
//! axis                       each line along that axis of a row-major array is sorted by itself
//! segments                   each segment is sorted by itself; positions are those in the line or segment
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let (prices, ids) = ([2.5f32, 0.5, 9.0, 0.5], [10u32, 11, 12, 13]);
//! let (mut sorted, mut order) = ([0.0; 4], [0; 4]);
//! Sort::pairs().descending().run(&device, (&prices, &ids), (&mut sorted, &mut order))?;
//! assert_eq!((sorted, order), ([9.0, 2.5, 0.5, 0.5], [12, 10, 11, 13]));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! The inverse permutation of the positions is the rank of each element:
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let (mut order, mut ranks) = ([0u32; 4], [0u32; 4]);
//! Sort::new().indices().run(&device, &[2.5f32, 0.5, 9.0, 0.7], &mut order)?;
//! Scan::new(Last).run(&device, 0u32..4, Scatter::to(&mut ranks).at(&order))?;
//! assert_eq!((order, ranks), ([1, 3, 0, 2], [2, 0, 3, 1]));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** Integers, `bool` and `char` by their values. Floats by their values, `-0` and `+0` equal, and every NaN
//! at the end, ascending and descending: see [`Key`]. Sorts are stable: equal keys keep their order, in both
//! directions. So zeros of both signs keep their order and their signs.
//!
//! **Cost.** Keys that are in order already are read and copied, and so are keys in reverse order. Keys and values that
//! are no buffer are computed into memory of the device first, by a pass of a [`Transform`](crate::Transform) each.
//!
//! On the CPU a large array is read twice and moved once by the highest bits that vary, into some 2,000 parts at most.
//! Each part is sorted in a core's cache by the bits below. Keys of one or two bytes without values are counted.
//! Scratch memory for as many keys and values as there are, where a key with its value takes 8 or 16 bytes; values of
//! more than eight bytes are moved once, by positions of eight bytes. Keys of 4, 8 or 16 bytes without values, sorted
//! into another buffer, need scratch memory only for parts that are partitioned again: that is two to four times as
//! fast as in place for 2^27 keys where the system is slow to provide fresh memory. Short lines and segments of keys
//! without values, of up to 8 bytes, are sorted by a network, as many side by side as a vector has lanes.
//!
//! On CUDA one reading of the keys counts all digits of eight bits. Then each digit that is not the same in all keys
//! takes one pass, which reads keys and values and writes them. Keys that spread evenly over their highest 8 to 16 bits
//! are sorted by these bits in one pass or two, and the rest by blocks in shared memory. Floats without values that
//! contain a `-0` take the passes of all digits, so that zeros keep their order. Lines and segments that fit in shared
//! memory are read once and written once, even if their lengths differ; longer ones take passes, which they share.
//! Lines along another axis than the last are transposed to rows first. Scratch memory for as many keys and values as
//! there are (for positions: twice the keys, and the positions).
//!
//! **Host memory.** On a GPU that is [`streamed`](Device::streamed) keys in host memory are sorted, too: an array is cut
//! into runs, which are sorted one by one, and the sorted array into buckets, each of which has a piece of each run.
//! Where the keys fit in the GPU's memory beside three more runs, they cross the bus once in each direction; otherwise
//! twice, and take as much host memory again. Pairs, positions, lines and segments are refused.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::best()?.streamed();
//! let mut keys = vec![2.5f32, -0.0, f32::NAN, 0.0];
//! Sort::new().run_in_place(&device, &mut keys)?;
//! assert_eq!(format!("{keys:?}"), "[-0.0, 0.0, 2.5, NaN]");
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! Sources: Knuth, "The Art of Computer Programming", volume 3, 5.2.5; Adinets and Merrill, "Onesweep: A Faster Least
//! Significant Digit Radix Sort for GPUs", 2022; Batcher, "Sorting networks and their applications", 1968.

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use crate::options::expect_length;
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output, View};
use upsweep_core::call::Unsorted;
use upsweep_core::call::sort::{Cut, Lines, Parting};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::key::{Index, Key};
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;
use upsweep_core::segments::{Offset, Offsets, Whole};

/// Sort with its options: see the [module](self) for their formulas. Build it once, run it often.
///
/// `W` is the kind of its results: [`Keys`], [`Pairs`] or [`Indices`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a sort does nothing until it is run"]
pub struct Sort<W = Keys, G = Whole> {
    descending: bool,
    parts: G,
    makes: PhantomData<W>,
}

/// Results of a [`Sort`]: sorted keys.
#[derive(Clone, Copy, Debug)]
pub struct Keys;
/// Results of a [`Sort`]: sorted keys, and values that follow them.
#[derive(Clone, Copy, Debug)]
pub struct Pairs;
/// Results of a [`Sort`]: positions of the sorted keys in the input.
#[derive(Clone, Copy, Debug)]
pub struct Indices;

impl Sort {
    /// Makes the ascending sort of keys.
    pub fn new() -> Self {
        Self { descending: false, parts: Whole, makes: PhantomData }
    }

    /// Makes the ascending sort of values by their keys.
    pub fn pairs() -> Sort<Pairs> {
        Sort { descending: false, parts: Whole, makes: PhantomData }
    }
}

impl<G> Sort<Keys, G> {
    /// Stores the positions of the sorted keys in the input instead of the keys: `u32`, `u64` or `usize`. Along an axis
    /// and in segments, positions count within the line or segment.
    pub fn indices(self) -> Sort<Indices, G> {
        Sort { descending: self.descending, parts: self.parts, makes: PhantomData }
    }
}

impl Default for Sort {
    fn default() -> Self {
        Self::new()
    }
}

impl<W, G> Sort<W, G> {
    /// Sorts in descending order. Equal keys keep their order, and NaN stay at the end.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Sorts each segment by itself: segment `s` is the elements `offsets[s] .. offsets[s + 1]`.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let mut sorted = [0; 6];
    /// let offsets = [0u32, 2, 2, 6];
    /// Sort::new().segments(Segments::Offsets(&offsets)).run(&Device::cpu(), &[9, 8, 7, 6, 5, 4], &mut sorted)?;
    /// assert_eq!(sorted, [8, 9, 4, 5, 6, 7]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// A call fails with [`Error::Offsets`] where the offsets do not ascend from 0 to the number of elements. On CUDA,
    /// if only the device finds the error, it leaves the results as they are, and a call that waits for them returns
    /// the error.
    pub fn segments<B: Input<Item: Offset> + ?Sized>(self, segments: Offsets<'_, B>) -> Sort<W, Offsets<'_, B>> {
        Sort { descending: self.descending, parts: segments, makes: PhantomData }
    }

    /// Sorts each line along `axis` (counted from 0) of a row-major array of this `shape`. A call fails with
    /// [`Error::Axis`] if the shape has no such axis, and with [`Error::Shape`] if the input has another number of
    /// elements.
    pub fn axis(self, shape: &[usize], axis: usize) -> Sort<W, Lines<'_>> {
        Sort { descending: self.descending, parts: Lines { shape, axis }, makes: PhantomData }
    }
}

impl<W, G: Parting> Sort<W, G> {
    fn cut(&self, len: usize) -> Result<Cut<'_, G::Offset>> {
        Ok(match self.parts.cut(len)? {
            // An array without elements may have more lines than a loop can visit.
            Cut::Lines(_) if len == 0 => Cut::Whole,
            cut => cut,
        })
    }
}

impl<G: Parting> Sort<Keys, G> {
    /// Sorts `input` into `output`, which has as many elements. On CUDA the work is enqueued on the device's stream and
    /// the call returns at once, unless the keys are in host memory.
    ///
    /// # Errors
    /// - [`Error::Length`]: `output` has another length than `input`
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps another one
    /// - [`Error::Axis`], [`Error::Shape`], [`Error::Offsets`]: a condition of the options is broken
    /// - [`Error::Options`]: lines or segments in host memory, on a [`streamed`](Device::streamed) GPU
    /// - [`Error::OutOfMemory`]: there is no scratch memory for as many keys
    /// - [`Error::Compile`], [`Error::Driver`]: failures of CUDA itself
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value: Key>,
        O: Output<Item = X::Value> + ?Sized,
    {
        let input = of_known_length(device, input)?;
        self.dispatch(device, Unsorted::Buffer(input.room()), Target::new(output.view_mut()))
    }

    /// Sorts `data` in place.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<B: Output<Item: Key> + ?Sized>(&self, device: &Device, data: &mut B) -> Result<()> {
        self.dispatch(device, Unsorted::OfOutput, Target::new(data.view_mut()))
    }

    /// Sorts `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x, Value: Key>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        device.compute_array(input.len(), |output| self.dispatch(device, Unsorted::Buffer(input), output))
    }

    /// Sorts `input` into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x, Value: Key>,
    {
        device.refuse_in_capture("reading the results of a sort")?;
        self.run_to_array(device, input)?.into_vec()
    }

    #[cfg_attr(not(feature = "cuda"), allow(unused_mut, reason = "CUDA borrows the output mutably"))]
    fn dispatch<K: Key>(&self, device: &Device, input: Unsorted<'_, K>, mut output: Target<'_, K>) -> Result<()> {
        if let Unsorted::Buffer(input) = &input {
            expect_length("output", output.len(), input.len())?;
        }
        let cut = self.cut(output.len())?;
        match &device.0 {
            Backend::Cpu => upsweep_cpu::sort::keys(&input, &output, self.descending, &cut),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => upsweep_cuda::sort::keys(cuda, &input, &mut output, self.descending, &cut),
        }
    }
}

impl<G: Parting> Sort<Pairs, G> {
    /// Sorts keys and values into the outputs, each of which has as many elements as there are keys. On CUDA the work
    /// is enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// As [`Sort::run`]; [`Error::Length`] when there are not as many values as keys.
    pub fn run<'x, K, V, K2, V2>(&self, device: &Device, input: (K, V), output: (&mut K2, &mut V2)) -> Result<()>
    where
        K: Inputs<'x, Value: Key>,
        V: Inputs<'x>,
        K2: Output<Item = K::Value> + ?Sized,
        V2: Output<Item = V::Value> + ?Sized,
    {
        let (keys, values) = (of_known_length(device, input.0)?, of_known_length(device, input.1)?);
        let (keys, values) = (Unsorted::Buffer(keys.room()), Unsorted::Buffer(values.room()));
        let (keys_out, values_out) = (Target::new(output.0.view_mut()), Target::new(output.1.view_mut()));
        self.dispatch(device, (keys, values), (keys_out, values_out))
    }

    /// Sorts keys and values into two new arrays on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_arrays<'x, K, V>(&self, device: &Device, input: (K, V)) -> Result<(Array<K::Value>, Array<V::Value>)>
    where
        K: Inputs<'x, Value: Key>,
        V: Inputs<'x>,
    {
        let (keys, values) = (of_known_length(device, input.0)?, of_known_length(device, input.1)?);
        let input = (Unsorted::Buffer(keys.room()), Unsorted::Buffer(values.room()));
        device.compute_two(keys.room().len(), |keys, values| self.dispatch(device, input, (keys, values)))
    }

    /// Sorts keys and values into two vectors on the host. On CUDA this waits for them.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let (prices, names) = ([2.5f32, 0.5, 9.0], [b'a', b'b', b'c']);
    /// let sorted = Sort::pairs().run_to_vecs(&Device::cpu(), (&prices, &names))?;
    /// assert_eq!(sorted, (vec![0.5, 2.5, 9.0], b"bac".to_vec()));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vecs<'x, K, V>(&self, device: &Device, input: (K, V)) -> Result<(Vec<K::Value>, Vec<V::Value>)>
    where
        K: Inputs<'x, Value: Key>,
        V: Inputs<'x>,
    {
        device.refuse_in_capture("reading the results of a sort")?;
        let (keys, values) = self.run_to_arrays(device, input)?;
        Ok((keys.into_vec()?, values.into_vec()?))
    }

    /// Sorts keys and values in place.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<K, V>(&self, device: &Device, data: (&mut K, &mut V)) -> Result<()>
    where
        K: Output<Item: Key> + ?Sized,
        V: Output + ?Sized,
    {
        let (keys, values) = (Target::new(data.0.view_mut()), Target::new(data.1.view_mut()));
        self.dispatch(device, (Unsorted::OfOutput, Unsorted::OfOutput), (keys, values))
    }

    #[cfg_attr(not(feature = "cuda"), allow(unused_mut, reason = "CUDA borrows the outputs mutably"))]
    pub(crate) fn dispatch<K: Key, V: Element>(
        &self,
        device: &Device,
        (keys, values): (Unsorted<'_, K>, Unsorted<'_, V>),
        (mut keys_out, mut values_out): (Target<'_, K>, Target<'_, V>),
    ) -> Result<()> {
        let len = if let Unsorted::Buffer(keys) = &keys { keys.len() } else { keys_out.len() };
        expect_length("output keys", keys_out.len(), len)?;
        expect_length("output values", values_out.len(), len)?;
        if let Unsorted::Buffer(values) = &values {
            expect_length("values", values.len(), len)?;
        }
        let cut = self.cut(len)?;
        match &device.0 {
            Backend::Cpu => upsweep_cpu::sort::pairs((&keys, &values), (&keys_out, &values_out), self.descending, &cut),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                let (input, output) = ((&keys, &values), (&mut keys_out, &mut values_out));
                upsweep_cuda::sort::pairs(cuda, input, output, self.descending, &cut)
            }
        }
    }
}

impl<G: Parting> Sort<Indices, G> {
    /// Stores in `output` the positions that the sorted keys have in `input`. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once.
    ///
    /// # Errors
    /// As [`Sort::run`]; [`Error::Options`] when there are more keys than the positions' type counts.
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value: Key>,
        O: Output<Item: Index> + ?Sized,
    {
        self.dispatch(device, of_known_length(device, input)?.room(), Target::new(output.view_mut()))
    }

    /// Stores the positions in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x, Value: Key>,
        O: Index,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        device.compute_array(input.len(), |output| self.dispatch(device, input, output))
    }

    /// Stores the positions in a vector on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x, Value: Key>,
        O: Index,
    {
        device.refuse_in_capture("reading the results of a sort")?;
        self.run_to_array(device, input)?.into_vec()
    }

    #[cfg_attr(not(feature = "cuda"), allow(unused_mut, reason = "CUDA borrows the output mutably"))]
    fn dispatch<K: Key, O: Index>(&self, device: &Device, input: View<'_, K>, mut output: Target<'_, O>) -> Result<()> {
        expect_length("output", output.len(), input.len())?;
        if input.len() as u64 > O::MOST {
            let reason = "there are more keys than the positions' type counts: take u64";
            return Err(Error::Options { options: "indices", reason });
        }
        let cut = self.cut(input.len())?;
        match &device.0 {
            Backend::Cpu => upsweep_cpu::sort::indices(&input, &output, self.descending, &cut),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => upsweep_cuda::sort::indices(cuda, &input, &mut output, self.descending, &cut),
        }
    }
}
