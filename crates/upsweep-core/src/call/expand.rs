//! What results of counts are, apart from where they lie; and a call that expands counts, with its buffers.

use crate::buffer::{Input, View};
use crate::call::select::{Indices, Yields};
use crate::operator::Element;
use crate::outputs::Target;
use crate::sealed::Sealed;

/// Results are the indices of their counts.
#[derive(Clone, Copy, Debug)]
pub struct Owners;
/// Results are their places among those of their count.
#[derive(Clone, Copy, Debug)]
pub struct Ranks;
/// Results are values of their counts.
#[derive(Debug)]
pub struct ValuesOf<'a, B: ?Sized>(pub &'a B);

impl<B: ?Sized> Clone for ValuesOf<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized> Copy for ValuesOf<'_, B> {}

/// A number of results: `u32`, `u64` or `usize`. It is implemented for these types alone.
pub trait Tally: Element + Sealed {
    /// The number.
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

/// What a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expanded {
    /// The index of its count.
    Owner,
    /// Its place among the results of its count.
    Rank,
    /// The value beside its count.
    Value,
}

/// What is stored of a result. It is implemented for what `Expand` is made of alone.
pub trait Fills<O>: Sealed<O> {
    /// What stands beside a count.
    #[doc(hidden)]
    type Beside: Element;
    /// What results are.
    #[doc(hidden)]
    const EXPANDED: Expanded;
    /// The largest number that a result can hold.
    #[doc(hidden)]
    const MOST: usize;
    /// What stands beside the counts.
    #[doc(hidden)]
    fn beside(&self) -> Option<View<'_, Self::Beside>>;
    /// The result that is this number, or this value.
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
    /// Where the number of counts lies, if not all are meant.
    pub length: Option<View<'a, u64>>,
    pub values: Option<View<'a, T>>,
    /// Where the results go; nowhere if only their number is asked for.
    pub output: Option<Target<'a, O>>,
    pub expanded: Expanded,
}
