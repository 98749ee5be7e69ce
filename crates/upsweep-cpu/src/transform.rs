//! Elementwise transform on the CPU: each thread takes a part of the elements.

use super::engine::apart;
use upsweep_core::error::Result;
use upsweep_core::inputs::{Faults, Read, len_on_host};
use upsweep_core::operator::builtin::Last;
use upsweep_core::operator::{Element, Map, Same};
use upsweep_core::outputs::Write;
use upsweep_core::segments::Whole;
use upsweep_core::steps::{Held, Parts};

/// Number of elements in a part, which one thread transforms at a time.
const PART: usize = 1 << 12;

pub fn run<I, O, M>(
    steps: Parts<I, O, Last, M, Same>,
    input: I::Given<'_>,
    output: O::Given<'_>,
    room: usize,
) -> Result<()>
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args, Output = O::Value>,
{
    Held::nothing().add_all::<_, Whole>(&steps, None)?;
    let faults = Faults::default();
    let len = len_on_host::<I>(&input, room)?;
    let places =
        Places::<I, O> { from: I::place(&input, "input", &faults)?, to: O::place(&output, "output", &faults)? };
    let part = |part: usize| {
        let places = &places;
        for at in part * PART..len.min((part + 1) * PART) {
            // SAFETY: the memory is valid while the call's buffers and faults live, input and output have `len`
            // elements, and each result is written by one thread.
            unsafe {
                let value = steps.map.apply(I::read(&places.from, at), at as u64);
                O::write(&places.to, at, value.canonical());
            }
        }
    };
    apart::run(len.div_ceil(PART), true, &part);
    faults.check()
}

/// Replaces each element by what `function` makes of it.
pub fn run_in_place<T: Element>(elements: &mut [T], function: impl Fn(T) -> T + Sync) {
    let mut parts: Vec<_> = elements.chunks_mut(PART).collect();
    apart::each(&mut parts, true, &|_, part| part.iter_mut().for_each(|x| *x = function(*x)));
}

/// Memory of the elements and of the results.
struct Places<I: Read, O: Write> {
    from: I::Place,
    to: O::Place,
}

// SAFETY: the memory is that of a call, which borrows the buffers for as long as it runs. Values are only read, and
// each result is written by one thread.
unsafe impl<I: Read, O: Write> Sync for Places<I, O> {}
