//! Parallel loops over independent parts of a call.
//!
//! What is called is a `dyn Fn`, so that rayon's splitting, joining and unwinding is compiled once and not for each call,
//! operator and type. A call of a part costs a nanosecond more.

use rayon::prelude::*;
use std::ops::Range;
use upsweep_core::error::Result;

/// Calls `part(i)`, which does an independent part of the work, for `i` in `0 .. parts`: on all threads of the
/// pool if there is much work (`many`), otherwise on this thread, in order.
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

/// Calls `of(i, &mut items[i])` for each item, as [`run`] does.
pub(crate) fn each<T: Send>(items: &mut [T], many: bool, of: &(dyn Fn(usize, &mut T) + Sync)) {
    let (own, len) = (Items(items.as_mut_ptr()), items.len());
    // SAFETY: each index is below the length and given to one call.
    run(len, many, &|i| of(i, unsafe { own.at(i) }));
}

/// Returns `of(0)`, `of(1)`, .. for all `parts`, computed as [`run`] does.
pub(crate) fn collect<R: Send>(parts: usize, many: bool, of: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<_> = (0..parts).map(|_| None).collect();
    each(&mut results, many, &|i, result| *result = Some(of(i)));
    results.into_iter().flatten().collect()
}

/// Calls `of(0)`, `of(1)`, .. for all `threads`, each on a thread of the pool if it has so many (fork-join). The calling
/// thread runs `of(0)`.
pub(crate) fn fork(threads: usize, of: &(dyn Fn(usize) + Sync)) {
    match threads {
        0 => (),
        1 => of(0),
        _ => rayon::in_place_scope(|scope| {
            (1..threads).for_each(|thread| scope.spawn(move |_| of(thread)));
            of(0);
        }),
    }
}

/// Returns what [`fork`] computes, in the order of the threads' numbers.
pub(crate) fn forked<R: Send>(threads: usize, of: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<_> = (0..threads).map(|_| None).collect();
    let own = Items(results.as_mut_ptr());
    // SAFETY: each index is below the length and given to one call.
    fork(threads, &|i| unsafe { *own.at(i) = Some(of(i)) });
    results.into_iter().flatten().collect()
}

/// Returns the indices of part `part` if `len` elements are divided into `parts` equal parts.
pub(crate) fn part_of(len: usize, parts: usize, part: usize) -> Range<usize> {
    let begin = |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
    begin(part)..begin(part + 1)
}

/// Address of items of which each is used by one thread.
struct Items<T>(*mut T);

// SAFETY: an item is used by one thread at a time, which may be another one than the owner's.
unsafe impl<T: Send> Sync for Items<T> {}

impl<T> Items<T> {
    /// # Safety
    /// There is an item with this index, which nobody else uses as long as the reference lives.
    #[allow(clippy::mut_from_ref, reason = "each index is given to one thread, which is what this function demands")]
    unsafe fn at(&self, index: usize) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.0.add(index) }
    }
}
