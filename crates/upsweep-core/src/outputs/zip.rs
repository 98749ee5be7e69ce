//! Tuples of outputs of one length, side by side.

#[cfg(feature = "cuda")]
use super::{LendMut, Storing, WritingText};
use super::{Outputs, Write};
use crate::error::Result;
use crate::inputs::{Faults, same_length};
use crate::operator::{Item, Single, Zip};

macro_rules! zips {
    ($($($P:ident $i:tt $name:literal),*;)*) => { $(
        impl<'a, $($P),*> Outputs<'a> for ($($P,)*)
        where
            $($P: Outputs<'a, Item: Single>,)*
        {
            type Value = ($($P::Value,)*);
            type Item = Zip<($($P::Item,)*)>;

            fn given(self) -> <Self::Item as Write>::Given<'a> {
                ($(self.$i.given(),)*)
            }
        }

        // SAFETY: the method `len` returns an error unless all outputs have one length.
        unsafe impl<$($P: Single + Write),*> Write for Zip<($($P,)*)> {
            type Given<'a> = ($($P::Given<'a>,)*);
            type Place = ($($P::Place,)*);

            fn len(given: &Self::Given<'_>, _: &'static str) -> Result<Option<usize>> {
                let mut len = None;
                $(len = same_length(len, $P::len(&given.$i, $name)?, $name)?;)*
                Ok(len)
            }

            fn place(given: &Self::Given<'_>, _: &'static str, faults: &Faults) -> Result<Self::Place> {
                Ok(($($P::place(&given.$i, $name, faults)?,)*))
            }

            #[inline(always)]
            unsafe fn write(place: &Self::Place, at: usize, value: <Self as Item>::Value) {
                // SAFETY: the caller guarantees that the pointers of each output's `place` are valid, and that `at` is
                // less than the number of results, which is the length of every output.
                unsafe { $($P::write(&place.$i, at, value.$i);)* }
            }

            #[cfg(feature = "cuda")]
            const MAY_FAULT: bool = $($P::MAY_FAULT)||*;

            #[cfg(feature = "cuda")]
            type Functions = ($($P::Functions,)*);
            #[cfg(feature = "cuda")]
            fn functions(given: &Self::Given<'_>) -> Self::Functions {
                ($($P::functions(&given.$i),)*)
            }

            #[cfg(feature = "cuda")]
            fn open<'a, L: LendMut<'a>>(
                given: &'a mut Self::Given<'_>,
                _: &'static str,
                storing: &mut Storing<'_, L>,
            ) -> Result<()> {
                $($P::open(&mut given.$i, $name, storing)?;)*
                Ok(())
            }

            #[cfg(feature = "cuda")]
            fn text(functions: &Self::Functions, writing: &mut WritingText<'_>, value: &str) {
                $($P::text(&functions.$i, writing, &format!(concat!("{}.f", stringify!($i)), value));)*
            }
        }
    )* };
}
zips! {
    A 0 "output", B 1 "second output";
    A 0 "output", B 1 "second output", C 2 "third output";
    A 0 "output", B 1 "second output", C 2 "third output", D 3 "fourth output";
}
