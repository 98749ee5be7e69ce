//! Oracle of the tree of float reductions: one element after the other, as `upsweep_core::lanes` defines it. Its constant
//! is written here again, so that a change of it shows.

/// Number of rows of a chunk.
const ROWS: usize = 8;

/// Returns the total of `elements` in chunks of rows of `lanes` elements, after `init`; `init` if there are none.
pub fn reduce<T: Copy>(
    elements: impl IntoIterator<Item = T>,
    lanes: usize,
    init: Option<T>,
    combine: impl Fn(T, T) -> T,
) -> Option<T> {
    let join = |a: Option<T>, b: Option<T>| match (a, b) {
        (Some(a), Some(b)) => Some(combine(a, b)),
        (a, b) => a.or(b),
    };
    let mut totals = Vec::new();
    let mut chains = vec![None; lanes];
    let mut fold = |chains: &mut Vec<Option<T>>| {
        while chains.len() > 1 {
            let upper = chains.split_off(chains.len() / 2);
            for (lower, upper) in chains.iter_mut().zip(upper) {
                *lower = join(*lower, upper);
            }
        }
        totals.push(chains[0]);
        *chains = vec![None; lanes];
    };
    let mut len = 0;
    for x in elements {
        let chain = &mut chains[len % lanes];
        *chain = join(*chain, Some(x));
        len += 1;
        if len == ROWS * lanes {
            fold(&mut chains);
            len = 0;
        }
    }
    if len > 0 {
        fold(&mut chains);
    }
    while totals.len() > 1 {
        totals = totals.chunks(2).map(|pair| join(pair[0], pair.get(1).copied().flatten())).collect();
    }
    join(init, totals.first().copied().flatten())
}

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
