//! Parts of a call that know nothing of each other, so that any thread may do any of them.

use rayon::prelude::*;

/// Calls `part(0)`, `part(1)`, .. to the one before `parts`: on all threads of the pool if they are `many`, or else on this one, in order.
///
/// It is not generic, so that rayon's splitting and joining is compiled once and not for each call.
pub(crate) fn run(parts: usize, many: bool, part: &(dyn Fn(usize) + Sync)) {
    if many && parts > 1 {
        (0..parts).into_par_iter().for_each(part);
    } else {
        (0..parts).for_each(part);
    }
}
