//! A constant as an input.

use super::{Faults, Inputs, Read};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading};
use crate::error::Result;
use crate::operator::{Element, Item, Single};
use std::marker::PhantomData;

/// Input with one value at every position, for use in a tuple with inputs that have a length.
#[derive(Clone, Copy, Debug)]
pub struct Repeat<T>(pub T);

/// Type that stands for the values of a [`Repeat`] at each position (its `Item`).
#[derive(Clone, Copy, Debug)]
pub struct Repeated<T>(PhantomData<T>);

impl<T: Element> Item for Repeated<T> {
    type Value = T;
    type Args = (T,);
}
impl<T: Element> Single for Repeated<T> {}

impl<'a, T: Element> Inputs<'a> for Repeat<T> {
    type Value = T;
    type Args = (T,);
    type Item = Repeated<T>;

    fn given(self) -> T {
        self.0
    }
}

// SAFETY: no memory is read.
unsafe impl<T: Element> Read for Repeated<T> {
    type Given<'a> = T;
    type Place = T;

    const SIDE_BY_SIDE: bool = true;

    fn again(given: &T) -> T {
        *given
    }

    fn len(_: &T, _: &'static str) -> Result<Option<usize>> {
        Ok(None)
    }

    fn place(given: &T, _: &'static str, _: &Faults) -> Result<T> {
        Ok(*given)
    }

    #[inline(always)]
    unsafe fn read(place: &T, _: usize) -> T {
        *place
    }

    #[cfg(feature = "cuda")]
    type Functions = ();
    #[cfg(feature = "cuda")]
    fn functions(_: &Self::Given<'_>) {}

    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(given: &'a T, _: &'static str, opening: &mut Opening<'_, L>) -> Result<()> {
        opening.number(*given);
        Ok(())
    }

    #[cfg(feature = "cuda")]
    fn text((): &(), reading: &mut Reading<'_>, _: &str) -> String {
        reading.number::<T>()
    }
}
