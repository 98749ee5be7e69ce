//! Parts of buffers, and the small calls that all applications make.

use std::ops::Range;
use upsweep::prelude::*;
use upsweep::{Error, Input, Inputs, Result, View, operator::Map, operator::MapWith};

/// Neighbouring elements of a buffer, where they lie.
#[derive(Debug)]
pub(crate) struct Part<'a, T> {
    whole: View<'a, T>,
    range: Range<usize>,
}

impl<'a, T: Element> Part<'a, T> {
    /// Those at `range`.
    ///
    /// # Errors
    /// [`Error::Index`] when the buffer has not so many.
    pub(crate) fn of<B: Input<Item = T> + ?Sized>(buffer: &'a B, range: Range<usize>) -> Result<Self> {
        let whole = buffer.view();
        if range.start > range.end || range.end > whole.len() {
            let index = i128::try_from(range.end).unwrap_or(i128::MAX);
            return Err(Error::Index { at: 0, index, len: whole.len() });
        }
        Ok(Self { whole, range })
    }
}

impl<T: Element> Input for Part<'_, T> {
    type Item = T;
    fn view(&self) -> View<'_, T> {
        match &self.whole {
            View::Host(x) => View::Host(x.get(self.range.clone()).unwrap_or(&[])),
            #[cfg(feature = "cuda")]
            View::Cuda(x) => View::Cuda(x.slice(self.range.clone())),
        }
    }
}

/// A new array of a function of each value of an input.
pub(crate) fn map<'x, F, X, O>(device: &Device, function: F, input: X) -> Result<Array<O>>
where
    X: Inputs<'x>,
    O: Element,
    MapWith<F>: Map<X::Value, X::Args, Output = O>,
    F: Copy + Send + Sync + 'static,
{
    Scan::new(Last).map(function).run_to_array(device, input)
}

/// The elements on the host. On CUDA this waits for them.
pub(crate) fn to_host<B: Input + ?Sized>(device: &Device, buffer: &B) -> Result<Vec<B::Item>> {
    match buffer.view() {
        View::Host(x) => Device::cpu().upload(x)?.into_vec(),
        #[cfg(feature = "cuda")]
        View::Cuda(_) => Scan::new(Last).run_to_vec(device, buffer),
    }
}

/// One element on the host. On CUDA this waits for it.
pub(crate) fn element<B: Input + ?Sized>(device: &Device, buffer: &B, at: usize) -> Result<B::Item> {
    Reduce::new(First).run_to_host(device, &Part::of(buffer, at..at + 1)?)
}
