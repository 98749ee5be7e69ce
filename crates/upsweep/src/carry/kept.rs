//! State of calls whose number of results the data say, and what is computed with it where the device computes.
//!
//! ```text
//! bytes of a state      what
//! 0 .. 8                number of results so far
//! at multiples of 16    the values that the call keeps: of the group that is open, and of the last element
//! ```
//!
//! Values move bit by bit, so that those in the results of parts are those in the results of one call, NaN included.

use super::results::Results;
use crate::array::Array;
#[cfg(feature = "cuda")]
use crate::array::Storage;
use crate::count::Count;
use crate::device::Device;
#[cfg(feature = "cuda")]
use crate::transform::Transform;
#[cfg(feature = "cuda")]
use cudarc::driver::{CudaView, CudaViewMut};
use std::ops::Range;
use upsweep_core::buffer::{Input, Output, View, ViewMut};
use upsweep_core::call::carry::{self, Carried};
use upsweep_core::error::{Error, Result};
#[cfg(feature = "cuda")]
use upsweep_core::inputs::{Apply, Gather};
use upsweep_core::operator::Element;

/// First byte of the values that a call keeps.
pub(super) const VALUES: usize = 16;

/// Returns the byte after a value of type `T` at byte `at` at which the next one begins.
pub(super) const fn after<T>(at: usize) -> usize {
    (at + size_of::<T>()).next_multiple_of(16)
}

/// State before and after a call on a part that has elements.
pub(super) struct Kept<'a> {
    pub(super) device: &'a Device,
    pub(super) carried: Carried<'a>,
}

/// Index of the last of so many elements.
#[cfg(feature = "cuda")]
#[crate::function]
fn last_of(len: u64) -> u64 {
    len.max(1) - 1
}

/// Index of the first result of a part: `runs` is 1 where the part goes on with the last result before, else 2.
#[cfg(feature = "cuda")]
#[crate::function]
fn place_of_first(results: u64, runs: u64) -> u64 {
    (results + runs).max(2) - 2
}

/// Number of results after so many.
#[cfg(feature = "cuda")]
#[crate::function]
fn sum_of(first: u64, len: u64) -> u64 {
    first + len
}

/// Number of results after a part without those of its end.
#[cfg(feature = "cuda")]
#[crate::function]
fn number_of(first: u64, len: u64, ends: u64) -> u64 {
    (first + len).max(ends) - ends
}

/// Number of the others of `all`.
#[cfg(feature = "cuda")]
#[crate::function]
fn rest_of(#[param] all: u64, count: u64) -> u64 {
    all - count.min(all)
}

impl Kept<'_> {
    /// Whether there are elements before the part.
    pub(super) fn goes_on(&self) -> bool {
        self.carried.position > 0
    }

    /// Returns an array of the kept value at byte `at` and of the first of `x`.
    pub(super) fn pair<T: Element>(&self, at: usize, x: &View<'_, T>) -> Result<Array<T>> {
        match (&self.carried.before, x) {
            (View::Host(words), View::Host([x, ..])) => {
                // SAFETY: the carry is one of calls of these types, whose state has this value there.
                let kept = unsafe { carry::read::<T>(words, at) }.ok_or_else(missing)?;
                Ok(vec![kept, *x].into())
            }
            #[cfg(feature = "cuda")]
            (View::Cuda(words), View::Cuda(x)) => {
                let mut pair = self.device.to_be_written::<T>(2)?;
                let Storage::Cuda(memory) = &mut pair.0 else { return Err(missing()) };
                // SAFETY: what is copied to the pair are bits of elements, and any bits are a value of the carrier.
                let mut pair_bits = unsafe { memory.transmute_mut::<T::Carrier>(2) }.ok_or_else(missing)?;
                let (mut first, mut second) = pair_bits.try_split_at_mut(1).ok_or_else(missing)?;
                let words = words.try_slice(at / 8..).ok_or_else(missing)?;
                // SAFETY: any bits are a value of the carrier, which has the element's size.
                let (kept, x) = unsafe { (words.transmute::<T::Carrier>(1), x.transmute::<T::Carrier>(1)) };
                Transform::copy().run(self.device, &kept.ok_or_else(missing)?, &mut first)?;
                Transform::copy().run(self.device, &x.ok_or_else(missing)?, &mut second)?;
                Ok(pair)
            }
            _ => Err(missing()),
        }
    }

    /// Stores the last of the first `len` elements of `from` as the first of `to`.
    pub(super) fn put<T: Element>(&self, from: &Array<T>, len: &Count, to: ViewMut<'_, T>) -> Result<()> {
        match (from.view(), to) {
            (View::Host(from), ViewMut::Host([to, ..])) => {
                *to = last_of_first(from, Some(len))?;
                Ok(())
            }
            #[cfg(feature = "cuda")]
            (View::Cuda(from), ViewMut::Cuda(mut to)) => {
                // SAFETY: bits of an element are copied to an element.
                let mut to = unsafe { to.transmute_mut::<T::Carrier>(1) }.ok_or_else(missing)?;
                copy_last(self.device, &from, Some(len), &mut to)
            }
            _ => Err(missing()),
        }
    }

    /// Keeps the last of the first `len` elements of `from`, or of all, as the value at byte `at` of the next state.
    pub(super) fn keep<T: Element>(&mut self, at: usize, from: &View<'_, T>, len: Option<&Count>) -> Result<()> {
        match (from, &mut self.carried.after) {
            (View::Host(from), ViewMut::Host(words)) => {
                carry::write(words, at, last_of_first(from, len)?);
                Ok(())
            }
            #[cfg(feature = "cuda")]
            (View::Cuda(from), ViewMut::Cuda(words)) => {
                let mut words = words.try_slice_mut(at / 8..).ok_or_else(missing)?;
                // SAFETY: words may have any bits, and there is room for the carrier, which has the element's size.
                let mut to = unsafe { words.transmute_mut::<T::Carrier>(1) }.ok_or_else(missing)?;
                copy_last(self.device, from, len, &mut to)
            }
            #[cfg(feature = "cuda")]
            _ => Err(missing()),
        }
    }

    /// Counts the part's results, `len`, into the next state, and returns where they stand. `runs` is 1 where the first
    /// of them is that of the group that was open, else 2; nobody counted where there are no groups.
    pub(super) fn count(mut self, len: Count, runs: Option<&Count>) -> Result<Results> {
        let mut first = Count::new(self.device)?;
        match (&self.carried.before, &mut self.carried.after, first.view_mut()) {
            (View::Host([before, ..]), ViewMut::Host([after, ..]), ViewMut::Host([first])) => {
                let runs = runs.map_or(Ok(2), Count::get)? as u64;
                *first = (before + runs).saturating_sub(2);
                *after = *first + len.get()? as u64;
            }
            #[cfg(feature = "cuda")]
            (View::Cuda(before), ViewMut::Cuda(after), ViewMut::Cuda(mut first)) => {
                let before = before.try_slice(..1).ok_or_else(missing)?;
                match runs {
                    Some(runs) => {
                        Transform::new(PlaceOfFirst).run(self.device, (&before, runs.number()), &mut first)?
                    }
                    None => Transform::copy().run(self.device, &before, &mut first)?,
                }
                let mut after = after.try_slice_mut(..1).ok_or_else(missing)?;
                Transform::new(SumOf).run(self.device, (&first, len.number()), &mut after)?;
            }
            _ => return Err(missing()),
        }
        Ok(Results { first, len })
    }

    /// Counts the results of a part of a text, `len`, into the next state without those of the text's end, whose number a
    /// call has stored in word `ends` of that. Returns where they stand.
    pub(super) fn count_but_ends(mut self, len: Count, ends: usize) -> Result<Results> {
        let mut first = Count::new(self.device)?;
        match (&self.carried.before, &mut self.carried.after, first.view_mut()) {
            (View::Host([before, ..]), ViewMut::Host(after), ViewMut::Host([first])) => {
                *first = *before;
                let ends = after.get(ends).copied().unwrap_or(0);
                let number = (*before + len.get()? as u64).saturating_sub(ends);
                *after.first_mut().ok_or_else(missing)? = number;
            }
            #[cfg(feature = "cuda")]
            (View::Cuda(before), ViewMut::Cuda(after), ViewMut::Cuda(mut first)) => {
                let before = before.try_slice(..1).ok_or_else(missing)?;
                Transform::copy().run(self.device, &before, &mut first)?;
                let (mut number, rest) = after.try_split_at_mut(ends).ok_or_else(missing)?;
                let mut number = number.try_slice_mut(..1).ok_or_else(missing)?;
                let ends = rest.try_slice(..1).ok_or_else(missing)?;
                Transform::new(NumberOf).run(self.device, (&first, len.number(), &ends), &mut number)?;
            }
            _ => return Err(missing()),
        }
        Ok(Results { first, len })
    }
}

/// Copies the last of the first `len` elements of `from`, or of all, to `to`.
#[cfg(feature = "cuda")]
fn copy_last<T: Element>(
    device: &Device,
    from: &CudaView<'_, T>,
    len: Option<&Count>,
    to: &mut CudaViewMut<'_, T::Carrier>,
) -> Result<()> {
    // SAFETY: any bits are a value of the carrier, which has the element's size.
    let from = unsafe { from.transmute::<T::Carrier>(from.len()) }.ok_or_else(missing)?;
    match len {
        Some(len) => Transform::copy().run(device, Gather::of(&from).at(Apply(LastOf, len.number())), to),
        None => Transform::copy().run(device, &from.try_slice(from.len().saturating_sub(1)..).ok_or_else(missing)?, to),
    }
}

/// Returns the last of the first `len` elements of `from`, or of all.
fn last_of_first<T: Copy>(from: &[T], len: Option<&Count>) -> Result<T> {
    let len = len.map_or(Ok(from.len()), Count::get)?;
    len.checked_sub(1).and_then(|at| from.get(at)).copied().ok_or_else(missing)
}

/// Returns where the results of a part without elements stand: `first` are those before it.
pub(super) fn nothing(device: &Device, carried: &Carried<'_>) -> Result<Results> {
    let mut first = Count::new(device)?;
    match (&carried.before, first.view_mut()) {
        (View::Host([before, ..]), ViewMut::Host([first])) => *first = *before,
        #[cfg(feature = "cuda")]
        (View::Cuda(before), ViewMut::Cuda(mut first)) => {
            let before = before.try_slice(..1).ok_or_else(missing)?;
            Transform::copy().run(device, &before, &mut first)?;
        }
        _ => return Err(missing()),
    }
    Ok(Results { first, len: Count::new(device)? })
}

/// Returns how many of `all` are not counted, where the device computes.
pub(super) fn rest(device: &Device, all: u64, count: &Count) -> Result<Count> {
    let mut rest = Count::new(device)?;
    match rest.view_mut() {
        ViewMut::Host([rest]) => *rest = all.saturating_sub(count.get()? as u64),
        ViewMut::Host(_) => return Err(missing()),
        #[cfg(feature = "cuda")]
        ViewMut::Cuda(mut rest) => Transform::new(RestOf { all }).run(device, count.number(), &mut rest)?,
    }
    Ok(rest)
}

/// Returns the number of results that a call has written, if it was on the host: on CUDA nobody waits for it.
pub(super) fn written(device: &Device, count: &Count) -> Result<usize> {
    if device.is_cpu() { count.get() } else { Ok(0) }
}

/// Returns the elements of a buffer that a call writes.
pub(super) fn read<'a, T>(view: &'a ViewMut<'_, T>) -> View<'a, T> {
    match view {
        ViewMut::Host(x) => View::Host(x),
        #[cfg(feature = "cuda")]
        ViewMut::Cuda(x) => View::Cuda(x.as_view()),
    }
}

/// Returns the elements of a buffer from `range`.
pub(super) fn part_of<'a, T>(view: &'a View<'_, T>, range: Range<usize>) -> Result<View<'a, T>> {
    view.part(range).ok_or_else(missing)
}

/// Returns the elements of a buffer that a call writes from `range`.
pub(super) fn part_of_mut<'a, T>(view: &'a mut ViewMut<'_, T>, range: Range<usize>) -> Result<ViewMut<'a, T>> {
    view.part_mut(range).ok_or_else(missing)
}

/// Returns the error of a buffer that is elsewhere, or too short. Calls have checked theirs before.
pub(super) fn missing() -> Error {
    Error::Carry { reason: "has not the values of this call".to_owned() }
}

/// Returns the first `len` of the numbers that words are.
pub(super) fn numbers_of<'a, T: Element>(words: &View<'a, u64>, len: usize) -> Result<View<'a, T>> {
    const { assert!(are_words::<T>(), "words may be read as the type") };
    let found = match words {
        // SAFETY: any bits are a value of the type, and words are aligned as it is.
        View::Host(words) => unsafe { words.align_to::<T>() }.1.get(..len).map(View::Host),
        #[cfg(feature = "cuda")]
        // SAFETY: any bits are a value of the type; the length is checked.
        View::Cuda(words) => unsafe { words.transmute::<T>(len) }.map(View::Cuda),
    };
    found.ok_or_else(missing)
}

/// Returns the first `len` of the numbers that words are, to be written.
pub(super) fn numbers_of_mut<'a, T: Element>(words: &'a mut ViewMut<'_, u64>, len: usize) -> Result<ViewMut<'a, T>> {
    const { assert!(are_words::<T>(), "words may be read as the type") };
    let found = match words {
        // SAFETY: any bits are a value of the type and a word, and words are aligned as the type is.
        ViewMut::Host(words) => unsafe { words.align_to_mut::<T>() }.1.get_mut(..len).map(ViewMut::Host),
        #[cfg(feature = "cuda")]
        // SAFETY: any bits are a value of the type and a word; the length is checked.
        ViewMut::Cuda(words) => unsafe { words.transmute_mut::<T>(len) }.map(ViewMut::Cuda),
    };
    found.ok_or_else(missing)
}

/// Whether any bits are a value of the type, and words are aligned as it is.
const fn are_words<T: Element>() -> bool {
    T::NUMBERS > 0 && align_of::<T>() <= align_of::<u64>()
}
