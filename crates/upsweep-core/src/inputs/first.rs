//! A prefix of a buffer whose length is in device memory.

use super::{Faults, Inputs, Read, Streams};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading};
use crate::buffer::{Input, View};
use crate::error::Result;
use crate::operator::{Element, Item, Single};
use std::marker::PhantomData;

/// A prefix of a buffer, with the length that a `Count` holds: the result of `Count::of`.
#[derive(Debug)]
pub struct Counted<'a, B: ?Sized> {
    pub count: View<'a, u64>,
    pub buffer: &'a B,
}

/// Type that stands for the values of a [`Counted`] buffer of `T` at each position (its `Item`).
#[derive(Clone, Copy, Debug)]
pub struct First<T>(PhantomData<T>);

impl<T: Element> Item for First<T> {
    type Value = T;
    type Args = (T,);
}
impl<T: Element> Single for First<T> {}

impl<'a, B: Input + ?Sized> Inputs<'a> for Counted<'a, B> {
    type Value = B::Item;
    type Args = (B::Item,);
    type Item = First<B::Item>;

    fn given(self) -> (View<'a, B::Item>, View<'a, u64>) {
        (self.buffer.view(), self.count)
    }
}

/// A counted buffer by reference, as buffers are given.
impl<'a, B: Input + ?Sized> Inputs<'a> for &'a Counted<'_, B> {
    type Value = B::Item;
    type Args = (B::Item,);
    type Item = First<B::Item>;

    fn given(self) -> (View<'a, B::Item>, View<'a, u64>) {
        (self.buffer.view(), self.count.view())
    }
}

// SAFETY: only elements of the buffer are read; a count above its length is an error.
unsafe impl<T: Element> Read for First<T> {
    type Given<'a> = (View<'a, T>, View<'a, u64>);
    type Place = *const T;

    const BUFFER: bool = true;

    fn buffer<'g>((room, _): &'g Self::Given<'_>) -> Option<View<'g, T>> {
        Some(room.view())
    }

    fn again<'g>((room, length): &'g Self::Given<'_>) -> Self::Given<'g> {
        (room.view(), length.view())
    }

    fn len((room, _): &Self::Given<'_>, _: &'static str) -> Result<Option<usize>> {
        Ok(Some(room.len()))
    }

    const COUNTED: bool = true;

    fn length<'g>((_, length): &'g Self::Given<'_>) -> Option<&'g View<'g, u64>> {
        Some(length)
    }

    fn place((room, _): &Self::Given<'_>, what: &'static str, faults: &Faults) -> Result<*const T> {
        T::place(room, what, faults)
    }

    #[inline(always)]
    unsafe fn read(place: &*const T, at: usize) -> T {
        // SAFETY: the caller guarantees that `place` points to the buffer and `at` is less than its number of elements.
        unsafe { T::read(place, at) }
    }

    #[inline(always)]
    fn address(place: &*const T, at: usize) -> (*const u8, usize) {
        T::address(place, at)
    }

    #[inline(always)]
    fn fetch(place: &*const T, at: usize, len: usize, fetch: impl Fn(*const u8, usize) + Copy) {
        T::fetch(place, at, len, fetch);
    }

    const STREAMS: Streams = <T as Read>::STREAMS;
    // A kernel may find a count above the number of elements of the buffer.
    #[cfg(feature = "cuda")]
    const MAY_FAULT: bool = true;

    #[cfg(feature = "cuda")]
    type Functions = ();
    #[cfg(feature = "cuda")]
    fn functions(_: &Self::Given<'_>) {}

    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(
        (room, length): &'a Self::Given<'_>,
        what: &'static str,
        opening: &mut Opening<'_, L>,
    ) -> Result<()> {
        opening.stream(what, room)?;
        opening.buffer("count", length)
    }

    #[cfg(feature = "cuda")]
    fn text((): &(), reading: &mut Reading<'_>, at: &str) -> String {
        let element = reading.stream::<T>(at);
        // All inputs of a call have the same number of values, so that one expression of it suffices.
        let length = reading.number::<u64>();
        reading.length.get_or_insert(length);
        element
    }
}
