//! Sets: union, intersection and difference of two sorted arrays.
//!
//! ```text
//! an element that is m times in a and k times in b
//! union           is max(m, k) times in the results:    all of a, and what b has more
//! intersection    min(m, k) times:                      the first of a
//! difference      m - min(m, k) times:                  the last of a
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let (device, a, b) = (Device::cpu(), [1, 2, 2, 5], [2, 3, 5]);
//! assert_eq!(Sets::union().run_to_vec(&device, (&a, &b))?, [1, 2, 2, 3, 5]);
//! assert_eq!(Sets::intersection().run_to_vec(&device, (&a, &b))?, [2, 5]);
//! assert_eq!(Sets::difference().run_to_vec(&device, (&a, &b))?, [1, 2]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! Without repeated elements the inputs are sets, as in NumPy; with them they are multisets, as for `std::set_union`
//! and its like in C++. Both inputs ascend in the order of [`Key`], as after a [`Sort`](crate::Sort); from inputs that
//! do not, the results are some of their elements. Of floats all NaN are equal, and so are `-0` and `+0`.
//!
//! **Cost.** Three [searches](crate::search) for each element that may be left out, a pass over the elements, and for a
//! union a [`Merge`]. The call waits for the number of elements. Inputs that are no buffer are computed into memory of
//! the device first, by a pass of a [`Transform`] each.

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::Device;
use crate::merge::Merge;
use crate::search::Search;
use crate::select::Select;
use crate::transform::Transform;
use upsweep_core::buffer::View;
use upsweep_core::call::search::Ordered;
use upsweep_core::error::Result;
use upsweep_core::inputs::Inputs;
use upsweep_core::key::Key;
use upsweep_core::operator::function;

/// Operation on two sorted arrays: see the [module](self).
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is computed until it is run"]
pub struct Sets {
    operation: Operation,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Union,
    Intersection,
    Difference,
}

/// Whether element `at`, whose run of equal elements begins at `first`, is matched by one of `low..high`, its equals in
/// the other array.
#[function]
fn common(at: u64, first: u64, low: u64, high: u64) -> bool {
    at - first < high - low
}
#[function]
fn more(at: u64, first: u64, low: u64, high: u64) -> bool {
    at - first >= high - low
}

impl Sets {
    /// Makes the union: elements of either array.
    pub fn union() -> Self {
        Self { operation: Operation::Union }
    }

    /// Makes the intersection: elements of both arrays.
    pub fn intersection() -> Self {
        Self { operation: Operation::Intersection }
    }

    /// Makes the difference: elements of the first array that are not in the second one.
    pub fn difference() -> Self {
        Self { operation: Operation::Difference }
    }

    /// Returns the results in a new array on the device. On CUDA this waits until their number is known.
    ///
    /// # Errors
    /// Errors of a [`Search`], a [`Select`] and a [`Merge`] to new arrays; [`Error::Driver`](crate::Error::Driver) in a
    /// capture.
    pub fn run_to_array<'x, A, B>(&self, device: &Device, (a, b): (A, B)) -> Result<Array<A::Value>>
    where
        A: Inputs<'x, Value: Key + Ordered>,
        B: Inputs<'x, Value = A::Value>,
    {
        device.refuse_in_capture("an array whose length depends on the data")?;
        let (a, b) = (of_known_length(device, a)?, of_known_length(device, b)?);
        let (a, b) = (&a.room(), &b.room());
        match self.operation {
            Operation::Union => {
                let rest = kept(device, b, a, false)?;
                Merge::new().run_to_array(device, (a, &rest))
            }
            Operation::Intersection => kept(device, a, b, true),
            Operation::Difference => kept(device, a, b, false),
        }
    }

    /// Returns the results in a vector on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run_to_array`](Self::run_to_array).
    pub fn run_to_vec<'x, A, B>(&self, device: &Device, inputs: (A, B)) -> Result<Vec<A::Value>>
    where
        A: Inputs<'x, Value: Key + Ordered>,
        B: Inputs<'x, Value = A::Value>,
    {
        self.run_to_array(device, inputs)?.into_vec()
    }
}

/// Selects the elements of `x` that `other` also has, each as often as it is in `other` at most. If not `wanted`,
/// selects all other elements of `x` instead.
fn kept<T: Key + Ordered>(device: &Device, x: &View<'_, T>, other: &View<'_, T>, wanted: bool) -> Result<Array<T>> {
    let first: Array<u64> = Search::lower(x).run_to_array(device, x)?;
    let low: Array<u64> = Search::lower(other).run_to_array(device, x)?;
    let high: Array<u64> = Search::upper(other).run_to_array(device, x)?;
    let places = (0..x.len() as u64, &first, &low, &high);
    let flags: Array<bool> = if wanted {
        Transform::new(Common).run_to_array(device, places)?
    } else {
        Transform::new(More).run_to_array(device, places)?
    };
    Select::flags(&flags).run_to_array(device, x)
}
