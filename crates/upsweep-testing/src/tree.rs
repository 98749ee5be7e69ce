//! Oracle of the tree of float scans: one element after the other, as `upsweep_core::tree` defines it. Its constants are
//! written here again, so that a change of theirs shows.

/// Number of rows in a group, of groups in a tile, and of tiles in a span.
const ROWS: usize = 8;
const GROUPS: usize = 24;
const TILES: usize = 32;

/// Number of levels with a chain: elements of a row, rows, groups, tiles, spans.
const LEVELS: usize = 5;

/// Returns the inclusive scan of `elements`, each with whether it is a head, in rows of `row` elements. `init` comes
/// before the first element and before each head.
pub fn scan<T: Copy>(
    elements: impl IntoIterator<Item = (T, bool)>,
    row: usize,
    init: Option<T>,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let lengths = [row, ROWS, GROUPS, TILES];
    let mut chains: [Option<T>; LEVELS] = [None; LEVELS];
    let join = |a: Option<T>, b: T| a.map_or(b, |a| combine(a, b));
    let mut results = Vec::new();
    for (i, (x, head)) in elements.into_iter().enumerate() {
        let x = if head || i == 0 {
            chains = [None; LEVELS];
            join(init, x)
        } else {
            x
        };
        chains[0] = Some(join(chains[0], x));
        // The chain of the row, with the base of each level added in turn.
        let inner = chains[0].expect("an element has just been added");
        results.push(chains[1..].iter().fold(inner, |result, &base| join(base, result)));
        let mut whole = 1;
        for (level, length) in lengths.into_iter().enumerate() {
            whole *= length;
            if (i + 1).is_multiple_of(whole) {
                let total = chains[level].take().expect("a level that ends has an element");
                chains[level + 1] = Some(join(chains[level + 1], total));
            }
        }
    }
    results
}
