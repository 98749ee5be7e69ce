//! Lines and segments as the host knows them, for calls with some results for each of them.

use crate::device::{Backend, Device};
#[cfg(feature = "cuda")]
use crate::transform::Transform;
use upsweep_core::call::bounds::Bounds;
use upsweep_core::call::sort::{Cut, Parting};
#[cfg(feature = "cuda")]
use upsweep_core::error::Error;
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::segments::{Offset, check_offsets};
use upsweep_core::shape::Shape;

/// Returns the lines or segments of `len` elements. On CUDA this waits for the offsets of segments.
///
/// # Errors
/// Errors of a wrong shape or axis, or of wrong offsets; [`Error::Place`] for offsets that are not where the device
/// computes; [`Error::Driver`] in a capture.
pub(crate) fn bounds<G: Parting>(device: &Device, parts: &G, len: usize) -> Result<Bounds> {
    let offsets = match parts.cut(len)? {
        Cut::Whole => return Ok(Bounds::Lines(Shape::line(len))),
        Cut::Lines(shape) => return Ok(Bounds::Lines(shape)),
        Cut::Offsets(offsets) => offsets,
    };
    match &device.0 {
        Backend::Cpu => on_host(offsets.on_host("offsets")?, len),
        #[cfg(feature = "cuda")]
        Backend::Cuda(_) => {
            device.refuse_in_capture("reading the offsets of segments")?;
            if offsets.on_host("offsets").is_ok() {
                return Err(Error::Place { what: "offsets", found: "host", expected: "CUDA" });
            }
            on_host(&Transform::copy().run_to_vec(device, &offsets)?, len)
        }
    }
}

fn on_host<I: Offset>(offsets: &[I], len: usize) -> Result<Bounds> {
    check_offsets(offsets, len)?;
    Ok(Bounds::Segments(memory::collected(offsets.len(), offsets.iter().filter_map(|offset| offset.to_usize()))?))
}

/// Results by gathers from arrays on the device, for calls that CUDA makes of a sort. Keys are moved as their bits, as a
/// NaN stays what it is.
#[cfg(feature = "cuda")]
pub(crate) mod gathered {
    use super::{Device, Result, Transform};
    use crate::array::Array;
    use std::ops::Range;
    use upsweep_core::buffer::{Input, Output, View, ViewMut};
    use upsweep_core::error::Error;
    use upsweep_core::inputs::{Gather, Inputs};
    use upsweep_core::key::Key;
    use upsweep_core::memory;
    use upsweep_core::outputs::{Memory, Target};

    /// Uploads numbers of elements.
    pub(crate) fn upload(device: &Device, numbers: impl ExactSizeIterator<Item = usize>) -> Result<Array<u64>> {
        device.upload(&memory::collected(numbers.len(), numbers.map(|number| number as u64))?)
    }

    /// Makes an array of the `len` keys that `write` stores, and `last` behind them.
    pub(crate) fn with_last<K: Key>(
        device: &Device,
        len: usize,
        last: Option<K>,
        write: impl FnOnce(ViewMut<'_, K>) -> Result<()>,
    ) -> Result<Array<K>> {
        let mut all = device.to_be_written(len + usize::from(last.is_some()))?;
        write(part(&mut all.view_mut(), 0..len)?)?;
        if let Some(last) = last {
            let (last, first) = (device.upload(&[last])?, device.upload(&[0])?);
            store(device, &last.view(), &first, Target::new(part(&mut all.view_mut(), len..len + 1)?))?;
        }
        Ok(all)
    }

    fn part<'a, K>(all: &'a mut ViewMut<'_, K>, range: Range<usize>) -> Result<ViewMut<'a, K>> {
        let expected = range.end;
        all.part_mut(range).ok_or(Error::Length { what: "output", found: 0, expected })
    }

    /// Stores the keys of `table` at `places`.
    pub(crate) fn store<K: Key>(
        device: &Device,
        table: &View<'_, K>,
        places: &Array<u64>,
        mut output: Target<'_, K>,
    ) -> Result<()> {
        let (View::Cuda(keys), Memory::Cuda(to)) = (table, &mut output.0) else {
            return Err(Error::Place { what: "output", found: "host", expected: "CUDA" });
        };
        let missing = || Error::Length { what: "output", found: 0, expected: places.len() };
        let (from, len) = (keys.len(), to.len());
        // SAFETY: a key has the bits of its `Bits`, of the same size, and the bits that are stored are those of keys.
        let (keys, to) = unsafe { (keys.transmute::<K::Bits>(from), to.transmute_mut::<K::Bits>(len)) };
        let (keys, to) = (View::Cuda(keys.ok_or_else(missing)?), ViewMut::Cuda(to.ok_or_else(missing)?));
        store_of(device, Gather::of(&keys).at(places), places.len(), Target::new(to))
    }

    /// Stores the values of an input.
    pub(crate) fn store_of<'x, X>(device: &Device, input: X, len: usize, output: Target<'_, X::Value>) -> Result<()>
    where
        X: Inputs<'x, Args = (<X as Inputs<'x>>::Value,)>,
    {
        Transform::copy().dispatch::<X::Item, X::Value>(device, input.given(), output, len)
    }
}
