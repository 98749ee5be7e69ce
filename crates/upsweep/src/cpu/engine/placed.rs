//! Where a job's elements and results lie in host memory.

use crate::cpu::tile::run::Memory;
use crate::error::Result;
use crate::init::InitSource;
use crate::inputs::{Faults, Read, len_on_host};
use crate::job::{Elements, NOT_IN_PLACE};
use crate::operator::Element;
use crate::outputs::Write;
use crate::plan::Shape;

/// The memory of a job, its shape, whose length is known now, and its initial value.
pub(in crate::cpu) struct Placed<I: Read, O: Write, T> {
    pub(in crate::cpu) memory: Memory<I, O>,
    pub(in crate::cpu) shape: Shape,
    pub(in crate::cpu) init: Option<T>,
}

/// Finds them, for as long as what is given and `faults` live. It knows no operator: with `small-loops` it is compiled once for many.
///
/// # Errors
/// [`Error::Place`](crate::Error::Place) when a buffer is not in host memory, [`Error::Capacity`](crate::Error::Capacity) when a count says more elements
/// than there are, [`Error::Options`](crate::Error::Options) when the input is the output's memory but cannot be.
#[cfg_attr(not(feature = "small-loops"), inline(always))]
#[cfg_attr(feature = "small-loops", inline(never))]
pub(in crate::cpu) fn placed<I: Read, O: Write, T: Element>(
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
