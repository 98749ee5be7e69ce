//! Lines and segments as the host knows them, for calls with some results for each of them.

use crate::device::{Backend, Device};
use crate::transform::Transform;
use upsweep_core::call::bounds::Bounds;
use upsweep_core::call::sort::{Cut, Parting};
use upsweep_core::error::{Error, Result};
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
    if let Backend::Cpu = device.0 {
        return on_host(offsets.on_host("offsets")?, len);
    }
    device.refuse_in_capture("reading the offsets of segments")?;
    if offsets.on_host("offsets").is_ok() {
        return Err(Error::Place { what: "offsets", found: "host", expected: "CUDA" });
    }
    on_host(&Transform::copy().run_to_vec(device, &offsets)?, len)
}

fn on_host<I: Offset>(offsets: &[I], len: usize) -> Result<Bounds> {
    check_offsets(offsets, len)?;
    Ok(Bounds::Segments(memory::collected(offsets.len(), offsets.iter().filter_map(|offset| offset.to_usize()))?))
}

/// Results by gathers from arrays on the device, for calls that CUDA makes of a sort.
#[cfg(feature = "cuda")]
pub(crate) mod gathered {
    use super::{Device, Result, Transform};
    use crate::array::Array;
    use upsweep_core::buffer::Output;
    use upsweep_core::error::Error;
    use upsweep_core::inputs::{Gather, Inputs};
    use upsweep_core::memory;
    use upsweep_core::operator::Element;
    use upsweep_core::outputs::Target;

    /// Uploads numbers of elements.
    pub(crate) fn upload(device: &Device, numbers: impl ExactSizeIterator<Item = usize>) -> Result<Array<u64>> {
        device.upload(&memory::collected(numbers.len(), numbers.map(|number| number as u64))?)
    }

    /// Makes an array of what `write` stores, and `last` behind it.
    pub(crate) fn with_last<T: Element>(
        device: &Device,
        len: usize,
        last: Option<T>,
        write: impl FnOnce(&mut Array<T>) -> Result<()>,
    ) -> Result<Array<T>> {
        let mut all = device.to_be_written(len)?;
        write(&mut all)?;
        let Some(last) = last else { return Ok(all) };
        let mut longer = device.to_be_written(len + 1)?;
        let mut view = longer.view_mut();
        let missing = || Error::Length { what: "output", found: len, expected: len + 1 };
        Transform::copy().run(device, &all, &mut view.part_mut(0..len).ok_or_else(missing)?)?;
        let last = device.upload(&[last])?;
        Transform::copy().run(device, &last, &mut view.part_mut(len..len + 1).ok_or_else(missing)?)?;
        Ok(longer)
    }

    /// Stores the elements of `table` at `places`.
    pub(crate) fn store<T: Element>(
        device: &Device,
        table: &Array<T>,
        places: &Array<u64>,
        output: Target<'_, T>,
    ) -> Result<()> {
        store_of(device, Gather::of(table).at(places), places.len(), output)
    }

    /// Stores the values of an input.
    pub(crate) fn store_of<'x, X>(device: &Device, input: X, len: usize, output: Target<'_, X::Value>) -> Result<()>
    where
        X: Inputs<'x, Args = (<X as Inputs<'x>>::Value,)>,
    {
        Transform::copy().dispatch::<X::Item, X::Value>(device, input.given(), output, len)
    }
}
