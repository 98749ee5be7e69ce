//! A buffer as an input.

use super::{Faults, Inputs, Read, Streams};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading};
use crate::buffer::{Input, View};
use crate::error::Result;
use crate::operator::Element;

impl<'a, B: Input + ?Sized> Inputs<'a> for &'a B {
    type Value = B::Item;
    type Args = (B::Item,);
    type Item = B::Item;

    fn given(self) -> View<'a, B::Item> {
        self.view()
    }
}

// SAFETY: only elements of the buffer are read, as the method `len` returns their number.
unsafe impl<T: Element> Read for T {
    type Given<'a> = View<'a, T>;
    type Place = *const T;

    const PLAIN: bool = true;

    fn buffer<'g>(given: &'g View<'_, T>) -> Option<View<'g, T>> {
        Some(given.view())
    }

    fn again<'g>(given: &'g View<'_, T>) -> View<'g, T> {
        given.view()
    }

    fn len(given: &View<'_, T>, _: &'static str) -> Result<Option<usize>> {
        Ok(Some(given.len()))
    }

    fn place(given: &View<'_, T>, what: &'static str, _: &Faults) -> Result<*const T> {
        Ok(given.on_host(what)?.as_ptr())
    }

    fn in_place(start: *const u8) -> Option<*const T> {
        Some(start.cast())
    }

    #[inline(always)]
    unsafe fn read(place: &*const T, at: usize) -> T {
        // SAFETY: the caller guarantees that `place` points to the buffer and `at` is less than its number of elements.
        unsafe { place.add(at).read() }
    }

    #[inline(always)]
    fn address(place: &*const T, at: usize) -> (*const u8, usize) {
        (place.wrapping_add(at).cast(), size_of::<T>())
    }

    #[inline(always)]
    fn fetch(place: &*const T, at: usize, len: usize, fetch: impl Fn(*const u8, usize) + Copy) {
        fetch(place.wrapping_add(at).cast(), len * size_of::<T>());
    }

    const STREAMS: Streams = Streams::of::<T>();

    #[cfg(feature = "cuda")]
    type Functions = ();
    #[cfg(feature = "cuda")]
    fn functions(_: &Self::Given<'_>) {}
    #[cfg(feature = "cuda")]
    fn functions_in_place() -> Option<()> {
        Some(())
    }

    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(given: &'a View<'_, T>, what: &'static str, opening: &mut Opening<'_, L>) -> Result<()> {
        opening.stream(what, given)
    }

    #[cfg(feature = "cuda")]
    fn text((): &(), reading: &mut Reading<'_>, at: &str) -> String {
        reading.stream::<T>(at)
    }
}
