//! A stencil of three: each element with its neighbours.

use super::{Faults, Inputs, Read};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading, type_of};
use crate::buffer::{Input, View};
use crate::error::Result;
use crate::operator::{Element, Item, Single};
use std::marker::PhantomData;

/// Each element with its neighbours: `[x[i - 1], x[i], x[i + 1]]` at position `i`. Beyond an end of the array, the
/// neighbour is the end element itself, or the value given to [`outside`](Neighbours::outside). Neighbours are
/// neighbours in memory, whatever the axis or segments.
#[derive(Debug)]
pub struct Neighbours<'a, B: Input + ?Sized> {
    x: &'a B,
    outside: Option<B::Item>,
}

impl<'a, B: Input + ?Sized> Neighbours<'a, B> {
    /// Creates the stencil over the elements of `x`.
    pub fn of(x: &'a B) -> Self {
        Self { x, outside: None }
    }

    /// Sets the neighbour beyond both ends to `value`.
    #[must_use]
    pub fn outside(mut self, value: B::Item) -> Self {
        self.outside = Some(value);
        self
    }
}

/// Type that stands for the values of [`Neighbours`] at each position (their `Item`), with elements `T`.
#[derive(Clone, Copy, Debug)]
pub struct Near<T>(PhantomData<T>);

impl<T: Element> Item for Near<T> {
    type Value = [T; 3];
    type Args = ([T; 3],);
}
impl<T: Element> Single for Near<T> {}

impl<'a, B: Input + ?Sized> Inputs<'a> for Neighbours<'a, B> {
    type Value = [B::Item; 3];
    type Args = ([B::Item; 3],);
    type Item = Near<B::Item>;

    fn given(self) -> (View<'a, B::Item>, Option<B::Item>) {
        (self.x.view(), self.outside)
    }
}

/// An array in host memory, and the value of the neighbours beyond its ends.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Array<T> {
    start: *const T,
    len: usize,
    outside: Option<T>,
}

// SAFETY: only elements of the buffer are read; a neighbour beyond an end is not read.
unsafe impl<T: Element> Read for Near<T> {
    type Given<'a> = (View<'a, T>, Option<T>);
    type Place = Array<T>;

    fn again<'g>((x, outside): &'g Self::Given<'_>) -> Self::Given<'g> {
        (x.view(), *outside)
    }

    fn len((x, _): &Self::Given<'_>, _: &'static str) -> Result<Option<usize>> {
        Ok(Some(x.len()))
    }

    fn place((x, outside): &Self::Given<'_>, what: &'static str, _: &Faults) -> Result<Array<T>> {
        let x = x.on_host(what)?;
        Ok(Array { start: x.as_ptr(), len: x.len(), outside: *outside })
    }

    #[inline(always)]
    unsafe fn read(place: &Array<T>, at: usize) -> [T; 3] {
        // SAFETY: the caller guarantees that `place` points to a live array and `at` is less than its number of
        // elements; a neighbour is read only if it exists.
        unsafe {
            let own = place.start.add(at).read();
            let end = place.outside.unwrap_or(own);
            let before = if at > 0 { place.start.add(at - 1).read() } else { end };
            let after = if at + 1 < place.len { place.start.add(at + 1).read() } else { end };
            [before, own, after]
        }
    }

    #[cfg(feature = "cuda")]
    const APART: bool = true;

    #[cfg(feature = "cuda")]
    type Functions = ();
    #[cfg(feature = "cuda")]
    fn functions(_: &Self::Given<'_>) {}

    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(
        (x, outside): &'a Self::Given<'_>,
        what: &'static str,
        opening: &mut Opening<'_, L>,
    ) -> Result<()> {
        opening.buffer(what, x)?;
        opening.number(x.len() as u64);
        opening.number(u32::from(outside.is_some()));
        match outside {
            Some(outside) => opening.number(*outside),
            None => opening.no_number::<T>(),
        }
        Ok(())
    }

    #[cfg(feature = "cuda")]
    fn text((): &(), reading: &mut Reading<'_>, at: &str) -> String {
        let ty = type_of::<T>(reading);
        let (x, len, has) = (reading.number::<u64>(), reading.number::<u64>(), reading.number::<u32>());
        let outside = reading.number::<T>();
        format!("near((const {ty}*){x}, {len}, {has} != 0, {outside}, {at})")
    }
}
