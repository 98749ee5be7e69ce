//! A bit mask as an input of `bool`s.

use super::{Faults, Inputs, Read};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading, type_of};
use crate::buffer::{Input, View};
use crate::error::{Error, Result};
use crate::operator::{Element, Item, Single};
use crate::sealed::Sealed;
use std::marker::PhantomData;

/// The first `len` bits of a mask, as `bool`s: bit `i % b` of word `i / b` for words of `b` bits, the lowest first.
#[derive(Debug)]
pub struct Bits<'a, B: ?Sized> {
    words: &'a B,
    /// Number of the first bit.
    first: usize,
    len: usize,
}

impl<'a, B: Input<Item: Word> + ?Sized> Bits<'a, B> {
    /// Creates an input of the first `len` bits of `words`, which are `u8`, `u16`, `u32` or `u64`.
    pub fn of(words: &'a B, len: usize) -> Self {
        Self { words, first: 0, len }
    }

    /// Begins with bit `first` of the mask, and still has as many bits: a slice of an array of Arrow begins anywhere in a
    /// word.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let valid = [0b1110_0000u8, 0b0000_0101];
    /// let slice = Bits::of(&valid, 6).from(5);
    /// let flags = Transform::copy().run_to_vec(&Device::cpu(), slice)?;
    /// assert_eq!(flags, [true, true, true, true, false, true]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    pub fn from(self, first: usize) -> Self {
        Self { first, ..self }
    }
}

/// A word of a mask: `u8`, `u16`, `u32` or `u64`.
pub trait Word: Element + Sealed {
    /// Whether bit `i` is set, for `i` less than the number of bits.
    #[doc(hidden)]
    fn bit(self, i: usize) -> bool;
}
macro_rules! words {
    ($($t:ty)*) => { $(impl Word for $t {
        #[inline(always)]
        fn bit(self, i: usize) -> bool {
            self >> i & 1 == 1
        }
    })* };
}
words! { u8 u16 u32 u64 }

/// Type that stands for the values of [`Bits`] at each position (their `Item`), with words of the type `W`.
#[derive(Clone, Copy, Debug)]
pub struct Bit<W>(PhantomData<W>);

impl<W: Word> Item for Bit<W> {
    type Value = bool;
    type Args = (bool,);
}
impl<W: Word> Single for Bit<W> {}

impl<'a, B: Input<Item: Word> + ?Sized> Inputs<'a> for Bits<'a, B> {
    type Value = bool;
    type Args = (bool,);
    type Item = Bit<B::Item>;

    fn given(self) -> (View<'a, B::Item>, usize, usize) {
        (self.words.view(), self.first, self.len)
    }
}

// SAFETY: the method `len` returns an error unless there is a word for each bit.
unsafe impl<W: Word> Read for Bit<W> {
    type Given<'a> = (View<'a, W>, usize, usize);
    type Place = (*const W, usize);

    fn again<'g>((words, first, len): &'g Self::Given<'_>) -> Self::Given<'g> {
        (words.view(), *first, *len)
    }

    fn len((words, first, len): &Self::Given<'_>, _: &'static str) -> Result<Option<usize>> {
        // More bits than `usize` counts need more words than there are.
        let expected = first.saturating_add(*len).div_ceil(8 * size_of::<W>());
        if words.len() < expected {
            return Err(Error::Length { what: "words of the bit mask", found: words.len(), expected });
        }
        Ok(Some(*len))
    }

    fn place((words, first, _): &Self::Given<'_>, what: &'static str, _: &Faults) -> Result<Self::Place> {
        Ok((words.on_host(what)?.as_ptr(), *first))
    }

    #[inline(always)]
    unsafe fn read((words, first): &Self::Place, at: usize) -> bool {
        let (bits, at) = (8 * size_of::<W>(), first + at);
        // SAFETY: the caller guarantees that `at` is less than the number of bits, and each bit has a word.
        unsafe { words.add(at / bits).read() }.bit(at % bits)
    }

    #[cfg(feature = "cuda")]
    const APART: bool = true;

    #[cfg(feature = "cuda")]
    type Functions = ();
    #[cfg(feature = "cuda")]
    fn functions(_: &Self::Given<'_>) {}

    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(
        (words, first, _): &'a Self::Given<'_>,
        what: &'static str,
        opening: &mut Opening<'_, L>,
    ) -> Result<()> {
        opening.buffer(what, words)?;
        opening.number(*first as u64);
        Ok(())
    }

    #[cfg(feature = "cuda")]
    fn text((): &(), reading: &mut Reading<'_>, at: &str) -> String {
        let (ty, words, first) = (type_of::<W>(reading), reading.number::<u64>(), reading.number::<u64>());
        format!("bit_of((const {ty}*){words}, {first} + {at})")
    }
}
