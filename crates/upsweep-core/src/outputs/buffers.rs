//! A buffer as an output.

#[cfg(feature = "cuda")]
use super::{LendMut, Storing, WritingText};
use super::{Outputs, Target, Write};
use crate::buffer::Output;
use crate::error::Result;
use crate::inputs::Faults;
use crate::operator::Element;

impl<'a, B: Output + ?Sized> Outputs<'a> for &'a mut B {
    type Value = B::Item;
    type Item = B::Item;

    fn given(self) -> Target<'a, B::Item> {
        Target::new(self.view_mut())
    }
}

// SAFETY: only elements of the buffer are written, as the method `len` returns their number.
unsafe impl<T: Element> Write for T {
    type Given<'a> = Target<'a, T>;
    type Place = *mut T;

    const PLAIN: bool = true;

    fn len(given: &Target<'_, T>, _: &'static str) -> Result<Option<usize>> {
        Ok(Some(given.len()))
    }

    fn place(given: &Target<'_, T>, what: &'static str, _: &Faults) -> Result<*mut T> {
        Ok(given.on_host(what)?.0)
    }

    #[inline(always)]
    fn start(place: &*mut T) -> *mut T {
        *place
    }

    #[inline(always)]
    unsafe fn write(place: &*mut T, at: usize, value: T) {
        // SAFETY: the caller guarantees that `place` points to the buffer and `at` is less than its number of elements.
        unsafe { place.add(at).write(value) };
    }

    #[cfg(feature = "cuda")]
    type Functions = ();
    #[cfg(feature = "cuda")]
    fn functions(_: &Self::Given<'_>) {}

    #[cfg(feature = "cuda")]
    fn open<'a, L: LendMut<'a>>(
        given: &'a mut Target<'_, T>,
        what: &'static str,
        storing: &mut Storing<'_, L>,
    ) -> Result<()> {
        storing.stream(what, given)
    }

    #[cfg(feature = "cuda")]
    fn text((): &(), writing: &mut WritingText<'_>, value: &str) {
        writing.stream::<T>(value);
    }
}
