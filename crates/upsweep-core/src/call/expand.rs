//! Results of counts, whatever their buffers; and the call that expands counts, with its buffers.

use crate::buffer::{Input, View};
use crate::call::select::{Indices, Yields};
use crate::operator::Element;
use crate::outputs::Target;
use crate::sealed::Sealed;

/// Stores the index of each result's count.
#[derive(Clone, Copy, Debug)]
pub struct Owners;
/// Stores each result's rank among the results of its count.
#[derive(Clone, Copy, Debug)]
pub struct Ranks;
/// Stores the value of each result's count.
#[derive(Debug)]
pub struct ValuesOf<'a, B: ?Sized>(pub &'a B);

impl<B: ?Sized> Clone for ValuesOf<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized> Copy for ValuesOf<'_, B> {}

/// An element type of counts: `u32`, `u64` or `usize`. It is implemented for these types alone.
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

/// Kind of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expanded {
    /// Index of its count.
    Owner,
    /// Rank among the results of its count.
    Rank,
    /// Value of its count.
    Value,
}

/// Kind of stored result. It is implemented for the kinds of `Expand` alone.
pub trait Fills<O>: Sealed<O> {
    /// Element type of the values of counts.
    #[doc(hidden)]
    type Beside: Element;
    /// Kind of result.
    #[doc(hidden)]
    const EXPANDED: Expanded;
    /// Largest number that a result can hold.
    #[doc(hidden)]
    const MOST: usize;
    /// Returns the values of the counts, if they are stored.
    #[doc(hidden)]
    fn beside(&self) -> Option<View<'_, Self::Beside>>;
    /// Makes a result of this number or this value.
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
            Some(<Indices as Yields<u32, O>>::of(0, number))
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

/// A call with its buffers.
pub struct Expanding<'a, C, T: Element, O: Element> {
    pub counts: View<'a, C>,
    /// Number of counts in device memory, if not all are meant.
    pub length: Option<View<'a, u64>>,
    pub values: Option<View<'a, T>>,
    /// Output of the results; none if only their number is computed.
    pub output: Option<Target<'a, O>>,
    pub expanded: Expanded,
}
