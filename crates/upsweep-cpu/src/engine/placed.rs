//! Host memory of a job's elements and results.

use crate::tile::run::Memory;
use upsweep_core::call::{Elements, NOT_IN_PLACE};
use upsweep_core::error::Result;
use upsweep_core::init::InitSource;
use upsweep_core::inputs::{Faults, Read, len_on_host};
use upsweep_core::operator::Element;
use upsweep_core::outputs::Write;
use upsweep_core::shape::Shape;

/// Memory of a job, its shape with a known length, and its initial value.
pub(crate) struct Placed<I: Read, O: Write, T> {
    pub(crate) memory: Memory<I, O>,
    pub(crate) shape: Shape,
    pub(crate) init: Option<T>,
}

/// Finds the memory of a job: resolves its buffers to host addresses, and reads its length and initial value. The
/// result is valid as long as the inputs, the output and `faults` live. The function does not depend on the operator:
/// with `small-loops` it is compiled once for many.
///
/// # Errors
/// [`Error::Place`](upsweep_core::error::Error::Place) when a buffer is not in host memory.
/// [`Error::Capacity`](upsweep_core::error::Error::Capacity) when a count is larger than the number of elements.
/// [`Error::Options`](upsweep_core::error::Error::Options) when the input is the output's memory but cannot be.
#[cfg_attr(not(feature = "small-loops"), inline(always))]
#[cfg_attr(feature = "small-loops", inline(never))]
pub(crate) fn placed<I: Read, O: Write, T: Element>(
    input: &Elements<'_, I>,
    output: &O::Given<'_>,
    mut shape: Shape,
    init: &InitSource<'_, T>,
    reverse: bool,
    faults: &Faults,
) -> Result<Placed<I, O, T>> {
    let sink = O::place(output, "output", faults)?;
    let start = O::start(&sink);
    let input = match input {
        Elements::Given(given) => {
            if I::COUNTED {
                shape.len = len_on_host::<I>(given, shape.len)?;
            }
            I::place(given, "input", faults)?
        }
        Elements::OfOutput => I::in_place(start.cast_const().cast()).ok_or(NOT_IN_PLACE)?,
    };
    let init = init.on_host()?;
    let memory = Memory { input, sink, output: start, len: shape.lines() * shape.len, reverse };
    Ok(Placed { memory, shape, init })
}
