//! Ranges of buffers, and the small calls that all applications make.

use std::ops::Range;
use upsweep::prelude::*;
use upsweep::{Error, Input, Inputs, Output, Result, View, ViewMut, operator::Map, operator::MapWith};

/// Contiguous range of a buffer.
#[derive(Debug)]
pub(crate) struct Part<'a, T> {
    whole: View<'a, T>,
    range: Range<usize>,
}

impl<'a, T: Element> Part<'a, T> {
    /// Part with all elements of a buffer. Applications are written for parts, so that they are compiled once for all
    /// kinds of buffers.
    pub(crate) fn all<B: Input<Item = T> + ?Sized>(buffer: &'a B) -> Self {
        let whole = buffer.view();
        Self { range: 0..whole.len(), whole }
    }

    /// Part with the elements at `range` of a buffer.
    ///
    /// # Errors
    /// [`Error::Index`] when the buffer is shorter.
    pub(crate) fn of<B: Input<Item = T> + ?Sized>(buffer: &'a B, range: Range<usize>) -> Result<Self> {
        let whole = buffer.view();
        if range.start > range.end || range.end > whole.len() {
            let index = i128::try_from(range.end).unwrap_or(i128::MAX);
            return Err(Error::Index { at: 0, index, len: whole.len() });
        }
        Ok(Self { whole, range })
    }

    /// Part with the elements at `range` of this part.
    ///
    /// # Errors
    /// [`Error::Index`] when the part is shorter.
    pub(crate) fn part(&self, range: Range<usize>) -> Result<Part<'_, T>> {
        Part::of(self, range)
    }

    /// The part as words, with the numbers of elements before and after the words: [`View::words`].
    pub(crate) fn words(&self) -> Option<(usize, Part<'_, u64>, usize)> {
        let (before, whole, after) = self.view().words()?;
        Some((before, Part { range: 0..whole.len(), whole }, after))
    }

    /// Chunks of `N` elements, and the rest after the last whole chunk: [`View::as_chunks`].
    pub(crate) fn chunks<const N: usize>(&self) -> (Part<'_, [T; N]>, Part<'_, T>) {
        let (chunks, rest) = self.view().as_chunks();
        (Part { range: 0..chunks.len(), whole: chunks }, Part { range: 0..rest.len(), whole: rest })
    }

    /// Whether the elements of the part are in the host's memory.
    pub(crate) fn on_host(&self) -> bool {
        in_host_memory(&self.whole).is_some()
    }
}

impl<T: Element> Input for Part<'_, T> {
    type Item = T;
    fn view(&self) -> View<'_, T> {
        // The range is within the buffer: all functions that make a part see to it.
        match &self.whole {
            View::Host(x) => View::Host(x.get(self.range.clone()).unwrap_or(&[])),
            #[cfg(feature = "cuda")]
            View::Cuda(x) => View::Cuda(x.slice(self.range.clone())),
        }
    }
}

/// Contiguous range of an array, to which results are written.
#[derive(Debug)]
pub(crate) struct PartMut<'a, T> {
    whole: ViewMut<'a, T>,
    range: Range<usize>,
}

impl<'a, T: Element> PartMut<'a, T> {
    /// Part with the elements at `range` of an array.
    ///
    /// # Errors
    /// [`Error::Index`] when the array is shorter.
    pub(crate) fn of(whole: &'a mut Array<T>, range: Range<usize>) -> Result<Self> {
        Part::of(whole, range.clone())?;
        Ok(Self { whole: whole.view_mut(), range })
    }

    /// Calls `call` with the first `at` elements, to be read, and with the rest, to be written.
    pub(crate) fn split<O>(
        &mut self,
        at: usize,
        call: impl FnOnce(&Part<'_, T>, &mut PartMut<'_, T>) -> Result<O>,
    ) -> Result<O> {
        let missing = Error::Index { at: 0, index: at as i128, len: self.range.len() };
        match self.view_mut() {
            ViewMut::Host(x) => {
                let (low, high) = x.split_at_mut_checked(at).ok_or(missing)?;
                let range = 0..high.len();
                call(
                    &Part { range: 0..low.len(), whole: View::Host(low) },
                    &mut PartMut { whole: ViewMut::Host(high), range },
                )
            }
            #[cfg(feature = "cuda")]
            ViewMut::Cuda(mut x) => {
                let (low, high) = x.try_split_at_mut(at).ok_or(missing)?;
                let range = 0..high.len();
                call(
                    &Part { range: 0..low.len(), whole: View::Cuda(low.as_view()) },
                    &mut PartMut { whole: ViewMut::Cuda(high), range },
                )
            }
        }
    }
}

impl<T: Element> Output for PartMut<'_, T> {
    type Item = T;
    fn view_mut(&mut self) -> ViewMut<'_, T> {
        // The range is within the array: all functions that make a part see to it.
        match &mut self.whole {
            ViewMut::Host(x) => ViewMut::Host(x.get_mut(self.range.clone()).unwrap_or(&mut [])),
            #[cfg(feature = "cuda")]
            ViewMut::Cuda(x) => ViewMut::Cuda(x.slice_mut(self.range.clone())),
        }
    }
}

/// Creates an array with the value of `function` for each element of an input.
pub(crate) fn map<'x, F, X, O>(device: &Device, function: F, input: X) -> Result<Array<O>>
where
    X: Inputs<'x>,
    O: Element,
    MapWith<F>: Map<X::Value, X::Args, Output = O>,
{
    Transform::new(function).run_to_array(device, input)
}

/// Returns the elements of a view in the host's memory; `None` for a view on a device.
fn in_host_memory<'v, T: Element>(view: &'v View<'_, T>) -> Option<&'v [T]> {
    match view {
        View::Host(x) => Some(x),
        #[cfg(feature = "cuda")]
        View::Cuda(_) => None,
    }
}

/// Copies the elements to the host. On CUDA this waits for them.
pub(crate) fn to_host<B: Input + ?Sized>(device: &Device, buffer: &B) -> Result<Vec<B::Item>> {
    match in_host_memory(&buffer.view()) {
        Some(x) => Device::cpu().upload(x)?.into_vec(),
        None => Transform::copy().run_to_array(device, &Part::all(buffer))?.into_vec(),
    }
}

/// Copies one element to the host. On CUDA this waits for it.
pub(crate) fn element<B: Input + ?Sized>(device: &Device, buffer: &B, at: usize) -> Result<B::Item> {
    let one = Part::of(buffer, at..at + 1)?;
    let missing = Error::Index { at: 0, index: at as i128, len: 0 };
    match in_host_memory(&one.view()) {
        Some(x) => x.first().copied().ok_or(missing),
        None => Transform::copy().run_to_array(device, &one)?.to_vec()?.first().copied().ok_or(missing),
    }
}
