//! A range as an input: its numbers.

use super::{Faults, Inputs, Read};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading, type_of};
use crate::error::Result;
use crate::operator::{Element, Item, Single};
use crate::sealed::Sealed;
use std::marker::PhantomData;
use std::ops::Range;

/// Type that stands for the numbers of a range of `T` at each position (the range's `Item`).
#[derive(Clone, Copy, Debug)]
pub struct Counting<T>(PhantomData<T>);

/// An integer type of the numbers of a range.
#[doc(hidden)]
pub trait Count: Element + Sealed {
    /// Returns `self + n`, the number `n` positions later.
    fn after(self, n: usize) -> Self;
    /// Returns `end - self`: 0 if negative, and `usize::MAX` if `usize` does not hold it.
    fn to(self, end: Self) -> usize;
}
macro_rules! counts {
    ($($t:ty)*) => { $(impl Count for $t {
        #[inline(always)]
        fn after(self, n: usize) -> Self {
            self.wrapping_add(n as $t)
        }
        fn to(self, end: Self) -> usize {
            usize::try_from((end as i128 - self as i128).max(0)).unwrap_or(usize::MAX)
        }
    })* };
}
counts! { u32 u64 usize i32 i64 }

impl<T: Count> Item for Counting<T> {
    type Value = T;
    type Args = (T,);
}
impl<T: Count> Single for Counting<T> {}

impl<'a, T: Count> Inputs<'a> for Range<T> {
    type Value = T;
    type Args = (T,);
    type Item = Counting<T>;

    fn given(self) -> Self {
        self
    }
}

// SAFETY: no memory is read.
unsafe impl<T: Count> Read for Counting<T> {
    type Given<'a> = Range<T>;
    type Place = T;

    const SIDE_BY_SIDE: bool = true;

    fn again(given: &Range<T>) -> Range<T> {
        given.clone()
    }

    fn len(given: &Range<T>, _: &'static str) -> Result<Option<usize>> {
        Ok(Some(given.start.to(given.end)))
    }

    fn place(given: &Range<T>, _: &'static str, _: &Faults) -> Result<T> {
        Ok(given.start)
    }

    #[inline(always)]
    unsafe fn read(place: &T, at: usize) -> T {
        place.after(at)
    }

    #[cfg(feature = "cuda")]
    type Functions = ();
    #[cfg(feature = "cuda")]
    fn functions(_: &Self::Given<'_>) {}

    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(given: &'a Range<T>, _: &'static str, opening: &mut Opening<'_, L>) -> Result<()> {
        opening.number(given.start);
        Ok(())
    }

    #[cfg(feature = "cuda")]
    fn text((): &(), reading: &mut Reading<'_>, at: &str) -> String {
        let (ty, start) = (type_of::<T>(reading), reading.number::<T>());
        format!("({ty})((u64){start} + {at})")
    }
}
