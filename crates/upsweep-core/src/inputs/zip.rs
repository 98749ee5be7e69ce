//! Tuples of inputs of one length, side by side.

use super::{Faults, Inputs, Read, Streams};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading};
use crate::buffer::View;
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use crate::operator::Element;
use crate::operator::{Item, Single, Zip};

/// Returns the common length of the first inputs of a tuple: `len` is the length of one input, `before` the common
/// length of the inputs before it. `None` means that any length will do. If the two differ, this is an error, in which
/// `what` names the input.
pub fn same_length(before: Option<usize>, len: Option<usize>, what: &'static str) -> Result<Option<usize>> {
    match (before, len) {
        (Some(expected), Some(found)) if expected != found => Err(Error::Length { what, found, expected }),
        (before, len) => Ok(before.or(len)),
    }
}

/// Checks that all inputs of a tuple whose number of values is a count in device memory, at `lengths`, share one count.
fn same_count<'g>(lengths: impl IntoIterator<Item = Option<&'g View<'g, u64>>>) -> Result<()> {
    let mut counts = lengths.into_iter().flatten();
    let first = counts.next();
    if counts.all(|count| first.is_some_and(|first| first.is_at(count))) {
        return Ok(());
    }
    Err(Error::Options {
        options: "inputs side by side with counts of their own",
        reason: "the device cannot know which of them holds: give all of them one count",
    })
}

macro_rules! zips {
    ($($($P:ident $i:tt $name:literal),*;)*) => { $(
        impl<'a, $($P),*> Inputs<'a> for ($($P,)*)
        where
            $($P: Inputs<'a, Item: Single>,)*
        {
            type Value = ($($P::Value,)*);
            type Args = ($($P::Value,)*);
            type Item = Zip<($($P::Item,)*)>;

            fn given(self) -> <Self::Item as Read>::Given<'a> {
                ($(self.$i.given(),)*)
            }
        }

        // SAFETY: the method `len` returns an error unless all inputs have one length.
        unsafe impl<$($P: Single + Read),*> Read for Zip<($($P,)*)> {
            type Given<'a> = ($($P::Given<'a>,)*);
            type Place = ($($P::Place,)*);

            const SIDE_BY_SIDE: bool = $($P::SIDE_BY_SIDE)&&*;

            fn again<'g>(given: &'g Self::Given<'_>) -> Self::Given<'g> {
                ($($P::again(&given.$i),)*)
            }

            fn len(given: &Self::Given<'_>, _: &'static str) -> Result<Option<usize>> {
                let mut len = None;
                $(len = same_length(len, $P::len(&given.$i, $name)?, $name)?;)*
                if const { $($P::COUNTED as usize +)* 0 > 1 } {
                    same_count([$($P::length(&given.$i)),*])?;
                }
                Ok(len)
            }

            const COUNTED: bool = $($P::COUNTED)||*;

            fn length<'g>(given: &'g Self::Given<'_>) -> Option<&'g View<'g, u64>> {
                [$($P::length(&given.$i)),*].into_iter().flatten().next()
            }

            fn place(given: &Self::Given<'_>, _: &'static str, faults: &Faults) -> Result<Self::Place> {
                Ok(($($P::place(&given.$i, $name, faults)?,)*))
            }

            #[inline(always)]
            unsafe fn read(place: &Self::Place, at: usize) -> <Self as Item>::Value {
                // SAFETY: the caller guarantees that the pointers of each input's `place` are valid, and that `at` is
                // less than the number of values, which is the length of every input.
                unsafe { ($($P::read(&place.$i, at),)*) }
            }

            #[inline(always)]
            fn address(place: &Self::Place, at: usize) -> (*const u8, usize) {
                let all = [$($P::address(&place.$i, at)),*];
                all.into_iter().find(|(_, size)| *size > 0).unwrap_or((std::ptr::null(), 0))
            }

            #[inline(always)]
            fn fetch(place: &Self::Place, at: usize, len: usize, fetch: impl Fn(*const u8, usize) + Copy) {
                $($P::fetch(&place.$i, at, len, fetch);)*
            }

            #[inline(always)]
            fn gathered_from(place: &Self::Place) -> usize {
                0$(.max($P::gathered_from(&place.$i)))*
            }

            #[inline(always)]
            unsafe fn fetch_gathered(place: &Self::Place, at: usize, fetch: impl Fn(*const u8) + Copy) {
                // SAFETY: as in `read`.
                unsafe { $($P::fetch_gathered(&place.$i, at, fetch);)* }
            }

            const STREAMS: Streams = Streams::NONE$(.and($P::STREAMS))*;
            #[cfg(feature = "cuda")]
            const MAY_FAULT: bool = $($P::MAY_FAULT)||*;
            #[cfg(feature = "cuda")]
            const APART: bool = $($P::APART)||*;

            #[cfg(feature = "cuda")]
            type Functions = ($($P::Functions,)*);
            #[cfg(feature = "cuda")]
            fn functions(given: &Self::Given<'_>) -> Self::Functions {
                ($($P::functions(&given.$i),)*)
            }

            #[cfg(feature = "cuda")]
            fn open<'a, L: Lend<'a>>(
                given: &'a Self::Given<'_>,
                _: &'static str,
                opening: &mut Opening<'_, L>,
            ) -> Result<()> {
                $($P::open(&given.$i, $name, opening)?;)*
                Ok(())
            }

            #[cfg(feature = "cuda")]
            fn text(functions: &Self::Functions, reading: &mut Reading<'_>, at: &str) -> String {
                let values = [$($P::text(&functions.$i, reading, at)),*];
                format!("{}::make({})", <Self as Item>::Value::cuda_type(reading.source), values.join(", "))
            }
        }
    )* };
}
zips! {
    A 0 "input", B 1 "second input";
    A 0 "input", B 1 "second input", C 2 "third input";
    A 0 "input", B 1 "second input", C 2 "third input", D 3 "fourth input";
}
