//! Fork-join: parts of a loop on the threads of the pool.

use std::ops::Range;

/// Runs `of(0)`, `of(1)`, .. `of(parts - 1)` in parallel on the threads of the pool, and returns the results in this
/// order. The calling thread runs `of(0)`.
pub(super) fn in_parts<T: Send>(parts: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if parts == 1 {
        return vec![of(0)];
    }
    let mut results: Vec<Option<T>> = (0..parts).map(|_| None).collect();
    rayon::in_place_scope(|scope| {
        let mut work = results.iter_mut().enumerate().map(|(part, result)| {
            let of = &of;
            move || *result = Some(of(part))
        });
        let own = work.next();
        work.for_each(|mut work| scope.spawn(move |_| work()));
        own.into_iter().for_each(|mut work| work());
    });
    results.into_iter().flatten().collect()
}

/// Returns the indices of part `part` if `len` elements are divided into `parts` equal parts.
pub(super) fn part_of(len: usize, parts: usize, part: usize) -> Range<usize> {
    let begin = |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
    begin(part)..begin(part + 1)
}
