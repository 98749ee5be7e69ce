//! Binary search of many values on the CPU: each thread takes a part of the values.
//!
//! A search waits for each element that it reads, so `TOGETHER` values are searched in turns, step by step. All take
//! equally many steps, and a step chooses a half by arithmetic: a branch would be guessed wrong every other time.

use super::engine::apart;
use upsweep_core::call::search::Searching;
use upsweep_core::call::select::{Indices, Yields};
use upsweep_core::error::Result;
use upsweep_core::operator::{Element, Function};

/// Number of values that a thread takes at a time.
const VALUES: usize = 1 << 12;
/// Number of values that are searched in turns.
const TOGETHER: usize = 16;

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
    let values = &values[..room.min(values.len())];
    apart::run(values.len().div_ceil(VALUES), true, &|part| {
        let mut index = part * VALUES;
        let values = &values[index..values.len().min(index + VALUES)];
        let mut store = |x: I, before: usize| {
            // SAFETY: `index` is below `room`, and each result is written by one thread.
            unsafe { to.at(index).write(<Indices as Yields<I, O>>::of(|| x, before)) };
            index += 1;
        };
        let (groups, rest) = values.as_chunks::<TOGETHER>();
        for group in groups {
            let found: [usize; TOGETHER] = if upper {
                before(sorted, |element, i| !less.call((group[i], element)))
            } else {
                before(sorted, |element, i| less.call((element, group[i])))
            };
            group.iter().zip(found).for_each(|(&x, before)| store(x, before));
        }
        for &x in rest {
            let [before] = if upper {
                before(sorted, |element, _| !less.call((x, element)))
            } else {
                before(sorted, |element, _| less.call((element, x)))
            };
            store(x, before);
        }
    });
    Ok(())
}

/// Returns, for each of `N` values, the number of first elements that are before it: `is_before(element, i)` says so for
/// the value `i`.
#[inline(always)]
fn before<I: Element, const N: usize>(sorted: &[I], is_before: impl Fn(I, usize) -> bool) -> [usize; N] {
    let mut first = [0; N];
    if sorted.is_empty() {
        return first;
    }
    // The number that is searched is from `first` to `first + len`.
    let mut len = sorted.len();
    while len > 1 {
        let half = len / 2;
        for (i, first) in first.iter_mut().enumerate() {
            // SAFETY: `first + len` is at most the number of elements.
            let element = unsafe { *sorted.get_unchecked(*first + half) };
            *first += half * usize::from(is_before(element, i));
        }
        len -= half;
    }
    for (i, first) in first.iter_mut().enumerate() {
        // SAFETY: `first` is below the number of elements.
        let element = unsafe { *sorted.get_unchecked(*first) };
        *first += usize::from(is_before(element, i));
    }
    first
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
