//! Binary search of many values on the CPU: each thread takes a part of the values.

use rayon::prelude::*;
use upsweep_core::call::search::Searching;
use upsweep_core::call::select::{Indices, Yields};
use upsweep_core::error::Result;
use upsweep_core::operator::{Element, Function};

/// Least number of values that a thread takes at a time.
const VALUES: usize = 1 << 12;

pub fn run<L, I, O>(call: &Searching<'_, I, O>, less: L) -> Result<()>
where
    L: Function<(I, I), Output = bool>,
    I: Element,
    O: Element,
    Indices: Yields<I, O>,
{
    let (sorted, values) = (call.sorted.on_host("sorted array")?, call.values.on_host("input")?);
    let (to, room) = call.output.on_host("output")?;
    let (to, upper) = (Results(to), call.upper);
    let before = |x: I| {
        if upper {
            sorted.partition_point(|&element| !less.call((x, element)))
        } else {
            sorted.partition_point(|&element| less.call((element, x)))
        }
    };
    values.par_iter().take(room).enumerate().with_min_len(VALUES).for_each(|(index, &x)| {
        // SAFETY: `index` is below `room`, and each result is written by one thread.
        unsafe { to.at(index).write(<Indices as Yields<I, O>>::of(x, before(x))) };
    });
    Ok(())
}

/// Address of the output of a search.
struct Results<O>(*mut O);

// SAFETY: the pointer is that of a call, which borrows the output exclusively for as long as it runs. Each result is
// written by one thread.
unsafe impl<O: Send> Sync for Results<O> {}

impl<O> Results<O> {
    fn at(&self, index: usize) -> *mut O {
        self.0.wrapping_add(index)
    }
}
