//! Results of counts, whatever their buffers; and the call that expands counts, with its buffers.

use crate::buffer::{Input, View};
use crate::call::select::{Indices, Yields};
use crate::operator::Element;
use crate::outputs::Target;
use crate::sealed::Sealed;

/// Stores for each result the index of the count that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Owners;
/// Stores for each result its rank among the results of its count: 0 to the count less 1.
#[derive(Clone, Copy, Debug)]
pub struct Ranks;
/// Stores for each result the value that belongs to its count: the element of the buffer at the count's index.
#[derive(Debug)]
pub struct ValuesOf<'a, B: ?Sized>(pub &'a B);

impl<B: ?Sized> Clone for ValuesOf<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized> Copy for ValuesOf<'_, B> {}

/// An element type of counts: `u32`, `u64` or `usize`. It is implemented for these types alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a count that upsweep can expand",
    label = "not a count",
    note = "counts are u32, u64 or usize: `Apply(F, input)` makes them with a function `F` of yours"
)]
pub trait Tally: Element + Sealed {
    /// Returns the count as a `u64`.
    #[doc(hidden)]
    fn number(self) -> u64;
}
macro_rules! tallies {
    ($($t:ty)*) => { $(impl Tally for $t {
        #[inline(always)]
        fn number(self) -> u64 { self as u64 }
    })* };
}
tallies! { u32 u64 usize }

/// Kind of the results of an expansion, in which a count `c` yields `c` results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expanded {
    /// Index of the result's count.
    Owner,
    /// Rank of the result among the results of its count.
    Rank,
    /// Value that belongs to the result's count.
    Value,
}

/// Kind of the results that an expansion stores in elements `O`. It is implemented for the kinds of `Expand` alone.
pub trait Fills<O>: Sealed<O> {
    /// Element type of the values that belong to counts.
    #[doc(hidden)]
    type Beside: Element;
    /// Kind of the results that are stored.
    #[doc(hidden)]
    const EXPANDED: Expanded;
    /// Largest index or rank that a result can hold.
    #[doc(hidden)]
    const MOST: usize;
    /// Returns the buffer that has a value for each count, if the results are such values; else `None`.
    #[doc(hidden)]
    fn beside(&self) -> Option<View<'_, Self::Beside>>;
    /// Returns the result that is stored: `number`, an index or rank, or else `value`, the value of the result's count.
    #[doc(hidden)]
    fn of(number: usize, value: Option<Self::Beside>) -> Option<O>;
}

macro_rules! numbers {
    ($($Which:ident $expanded:ident),*) => { $(
    impl<O> Sealed<O> for $Which where Indices: Yields<u32, O> {}
    impl<O> Fills<O> for $Which
    where
        Indices: Yields<u32, O>,
    {
        type Beside = u32;
        const EXPANDED: Expanded = Expanded::$expanded;
        const MOST: usize = <Indices as Yields<u32, O>>::MOST;
        fn beside(&self) -> Option<View<'_, u32>> {
            None
        }
        #[inline(always)]
        fn of(number: usize, _: Option<u32>) -> Option<O> {
            Some(<Indices as Yields<u32, O>>::of(|| 0, number))
        }
    })* };
}
numbers! { Owners Owner, Ranks Rank }

impl<B: Input + ?Sized> Sealed<B::Item> for ValuesOf<'_, B> {}
impl<B: Input + ?Sized> Fills<B::Item> for ValuesOf<'_, B> {
    type Beside = B::Item;
    const EXPANDED: Expanded = Expanded::Value;
    const MOST: usize = usize::MAX;
    fn beside(&self) -> Option<View<'_, B::Item>> {
        Some(self.0.view())
    }
    #[inline(always)]
    fn of(_: usize, value: Option<B::Item>) -> Option<B::Item> {
        value
    }
}

/// Call that expands counts, with its buffers.
pub struct Expanding<'a, C, T: Element, O: Element> {
    pub counts: View<'a, C>,
    /// Number of counts to be expanded, in device memory; `None` expands all of `counts`.
    pub length: Option<View<'a, u64>>,
    pub values: Option<View<'a, T>>,
    /// Output of the results; none if only their number is computed.
    pub output: Option<Target<'a, O>>,
    pub expanded: Expanded,
}
