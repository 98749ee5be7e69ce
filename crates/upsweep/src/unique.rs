//! Unique: the distinct values of an array, in order, with their counts, their first positions, and the value number of
//! each element.
//!
//! ```text
//! values      v[0] < v[1] < ...                   each value of x once
//! counts      c[j] = how many x[i] are v[j]
//! firsts      f[j] = the least i with x[i] = v[j]
//! inverse     x[i] = v[inverse[i]]
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let x = [7u32, 3, 7, 1, 3, 7];
//! assert_eq!(Unique::new().run_to_vec(&device, &x)?, [1, 3, 7]);
//! assert_eq!(Unique::new().counts().run_to_vecs(&device, &x)?, (vec![1, 3, 7], vec![1, 2, 3]));
//!
//! let found = Unique::new().places().run(&device, &x)?;
//! assert_eq!(found.firsts.to_vec()?, [3, 1, 0]);
//! assert_eq!(found.inverse.to_vec()?, [2, 1, 2, 0, 1, 2]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** By [`Key`], ascending. As in NumPy, all NaN are one value, the last, and `-0` and `+0` are one value,
//! with the sign of its first occurrence.
//!
//! [`Dedup`] removes equal neighbours, also from an array that is not sorted.
//!
//! **Cost.** A [`Sort`] and a pass or two over its results. With places, a sort of pairs of elements and 64-bit
//! positions, and an expansion that is scattered. The call waits for the number of values. An input that is no buffer is
//! computed into memory of the device first, by a pass of a [`Transform`].

use crate::array::Array;
use crate::dedup::Dedup;
use crate::device::Device;
use crate::expand::Expand;
use crate::reduce::Reduce;
use crate::runs::Runs;
use crate::scan::Scan;
use crate::sort::Sort;
use crate::transform::Transform;
use half::{bf16, f16};
use std::marker::PhantomData;
use upsweep_core::buffer::Input;
use upsweep_core::error::Result;
use upsweep_core::inputs::Inputs;
use upsweep_core::key::Key;
use upsweep_core::operator::builtin::{Min, Sum};
use upsweep_core::operator::{Function, function};
use upsweep_core::outputs::Scatter;
use upsweep_core::segments::{Equal, Segments};

/// Search for the distinct values of an array: see the [module](self). Build it once, run it often.
///
/// `W` is the kind of its results: [`Alone`], [`Counted`] or [`Placed`].
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is computed until it is run"]
pub struct Unique<W = Alone> {
    finds: PhantomData<W>,
}

/// Results of a [`Unique`]: values.
#[derive(Clone, Copy, Debug)]
pub struct Alone;
/// Results of a [`Unique`]: values, and their counts.
#[derive(Clone, Copy, Debug)]
pub struct Counted;
/// Results of a [`Unique`]: everything in [`Found`].
#[derive(Clone, Copy, Debug)]
pub struct Placed;

/// Results of a [`Unique`] with [`places`](Unique::places), in arrays on the device.
#[derive(Debug)]
pub struct Found<T> {
    /// Distinct values, in order.
    pub values: Array<T>,
    /// Number of occurrences of each value.
    pub counts: Array<u64>,
    /// Index in the input of each value's first occurrence.
    pub firsts: Array<u64>,
    /// Index in `values` of each element's value.
    pub inverse: Array<u64>,
}

impl Unique {
    /// Finds the distinct values.
    #[allow(clippy::new_without_default, reason = "as of the other builders, whose options change the type")]
    pub fn new() -> Self {
        Self { finds: PhantomData }
    }

    /// Finds also the number of occurrences of each value.
    pub fn counts(self) -> Unique<Counted> {
        Unique { finds: PhantomData }
    }

    /// Finds also the number of occurrences of each value, the index of its first occurrence, and for each element the
    /// index of its value among the distinct ones.
    pub fn places(self) -> Unique<Placed> {
        Unique { finds: PhantomData }
    }

    /// Finds the distinct values of `input`, in a new array on the device. On CUDA this waits until their number is
    /// known.
    ///
    /// # Errors
    /// Errors of a [`Sort`] to a new array and of a [`Dedup`]; [`Error::Driver`](crate::Error::Driver) in a capture.
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x, Value: Distinct>,
    {
        let sorted = Sort::new().run_to_array(device, input)?;
        Dedup::by(X::Value::SAME).run_to_array(device, &sorted)
    }

    /// Runs like [`run_to_array`](Self::run_to_array), into a vector on the host.
    ///
    /// # Errors
    /// As [`run_to_array`](Self::run_to_array).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x, Value: Distinct>,
    {
        self.run_to_array(device, input)?.into_vec()
    }
}

impl Unique<Counted> {
    /// Finds the distinct values of `input` and their counts, in new arrays on the device. On CUDA this waits until
    /// their number is known.
    ///
    /// # Errors
    /// As [`Unique::run_to_array`].
    pub fn run_to_arrays<'x, X>(&self, device: &Device, input: X) -> Result<(Array<X::Value>, Array<u64>)>
    where
        X: Inputs<'x, Value: Distinct>,
    {
        let sorted = Sort::new().run_to_array(device, input)?;
        Runs::by(X::Value::SAME).run_to_arrays(device, &sorted)
    }

    /// Runs like [`run_to_arrays`](Self::run_to_arrays), into vectors on the host.
    ///
    /// # Errors
    /// As [`Unique::run_to_array`].
    pub fn run_to_vecs<'x, X>(&self, device: &Device, input: X) -> Result<(Vec<X::Value>, Vec<u64>)>
    where
        X: Inputs<'x, Value: Distinct>,
    {
        let (values, counts) = self.run_to_arrays(device, input)?;
        Ok((values.into_vec()?, counts.into_vec()?))
    }
}

impl Unique<Placed> {
    /// Finds the distinct values of `input`, their counts, the index of each first occurrence, and for each element the
    /// index of its value. On CUDA this waits until their number is known.
    ///
    /// # Errors
    /// As [`Unique::run_to_array`].
    pub fn run<'x, X>(&self, device: &Device, input: X) -> Result<Found<X::Value>>
    where
        X: Inputs<'x, Value: Distinct>,
    {
        device.refuse_in_capture("arrays whose length depends on the data")?;
        let mut sorted = Transform::copy().run_to_array(device, input)?;
        let len = sorted.len();
        let mut order: Array<u64> = Transform::copy().run_to_array(device, 0..len as u64)?;
        Sort::pairs().run_in_place(device, (&mut sorted, &mut order))?;
        let (values, counts) = Runs::by(X::Value::SAME).run_to_arrays::<_, u64>(device, &sorted)?;
        let begins: Array<u64> = Scan::new(Sum).exclusive().with_total().run_to_array(device, &counts)?;
        // The first occurrence of a value is its least index: NaN, which are one value, are sorted by their bits and
        // not by their indices.
        let mut firsts = device.filled(values.view().len(), 0)?;
        Reduce::new(Min).segments(Segments::Offsets(&begins)).run(device, &order, &mut firsts)?;
        let owners: Array<u64> = Expand::new().run_to_array(device, &counts)?;
        let mut inverse = device.filled(len, 0)?;
        Transform::copy().run(device, &owners, Scatter::to(&mut inverse).at(&order))?;
        Ok(Found { values, counts, firsts, inverse })
    }
}

/// Key whose distinct values can be found: every [`Key`].
#[diagnostic::on_unimplemented(message = "`{Self}` is not a key that upsweep can sort by", label = "not a key")]
pub trait Distinct: Key {
    /// Type of the function that compares two neighbours of the sorted array.
    #[doc(hidden)]
    type Same: Function<(Self, Self), Output = bool>;
    /// Function that returns whether two neighbours of the sorted array are one value.
    #[doc(hidden)]
    const SAME: Self::Same;
}

macro_rules! exact {
    ($($t:ty)*) => { $(impl Distinct for $t {
        type Same = Equal;
        const SAME: Equal = Equal;
    })* };
}
exact! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize bool char }

macro_rules! floats {
    ($($name:ident $same:ident $t:ident;)*) => { $(
        #[function]
        #[doc(hidden)]
        pub fn $name(a: $t, b: $t) -> bool {
            a == b || (a.is_nan() && b.is_nan())
        }
        impl Distinct for $t {
            type Same = $same;
            const SAME: $same = $same;
        }
    )* };
}
floats! { same_f16 SameF16 f16; same_bf16 SameBf16 bf16; same_f32 SameF32 f32; same_f64 SameF64 f64; }
