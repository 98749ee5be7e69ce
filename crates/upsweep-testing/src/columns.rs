//! Oracle of the tree of columns of float reductions, as `upsweep_core::lanes` defines it. Its constant is written here
//! again, so that a change of it shows.

/// Number of elements of a chain of a column, and of chains of a leaf.
const CHAIN: usize = 8;

/// Returns the total of a column of `elements`, after `init`; `init` if there are none.
pub fn reduce_column<T: Copy>(
    elements: impl IntoIterator<Item = T>,
    init: Option<T>,
    combine: impl Fn(T, T) -> T,
) -> Option<T> {
    let elements: Vec<T> = elements.into_iter().collect();
    let chain = |chain: &[T]| chain.iter().copied().reduce(&combine);
    let mut totals: Vec<T> = elements
        .chunks(CHAIN * CHAIN)
        .filter_map(|leaf| leaf.chunks(CHAIN).filter_map(chain).reduce(&combine))
        .collect();
    while totals.len() > 1 {
        totals = totals.chunks(2).filter_map(chain).collect();
    }
    init.into_iter().chain(totals).reduce(combine)
}
