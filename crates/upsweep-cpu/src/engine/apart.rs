//! Parallel loop over independent parts of a call.

use rayon::prelude::*;
use upsweep_core::error::Result;

/// Calls `part(i)`, which does an independent part of the work, for `i` in `0 .. parts`: on all threads of the
/// pool if there is much work (`many`), otherwise on this thread, in order.
///
/// The function is not generic, so that rayon's splitting and joining is compiled once and not for each call.
pub(crate) fn run(parts: usize, many: bool, part: &(dyn Fn(usize) + Sync)) {
    if many && parts > 1 {
        (0..parts).into_par_iter().for_each(part);
    } else {
        (0..parts).for_each(part);
    }
}

/// Calls `part(i, alone)` for `i` in `0 .. parts`, on all threads if there is much work (`many`). Part `i` has `size(i)` of
/// all `total` elements. A part of more than a thread's share is not `alone`: no other part is processed meanwhile, and it
/// may use all threads.
pub(crate) fn run_uneven(
    parts: usize,
    (total, many): (usize, bool),
    size: &(dyn Fn(usize) -> usize + Sync),
    part: &(dyn Fn(usize, bool) -> Result<()> + Sync),
) -> Result<()> {
    if !many {
        return (0..parts).try_for_each(|i| part(i, true));
    }
    let is_long = |i: usize| size(i) as u128 * rayon::current_num_threads() as u128 > total as u128;
    (0..parts).into_par_iter().filter(|&i| !is_long(i)).try_for_each(|i| part(i, true))?;
    (0..parts).filter(|&i| is_long(i)).try_for_each(|i| part(i, false))
}
