//! Parallel loop over independent parts of a call.

use rayon::prelude::*;

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
