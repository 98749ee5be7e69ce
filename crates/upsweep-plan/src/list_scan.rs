//! Plans of list ranking (scans along a linked list): the cut of the list into pieces. See `list_scan/list_scan.cuh`.

use super::constants::{Constants, constants};

/// Number of neighbours in memory of which one begins a piece of the list. A piece has as many elements on average, and
/// the longest piece some 15 times as many. On CUDA a longer piece delays the end of a launch by the latency of as many
/// reads.
pub const SPACING: usize = 16;
/// Largest number of pieces that one block ranks, one thread each.
pub const RANKED: usize = 512;
/// Number of threads of a block that traverses pieces.
pub const THREADS: usize = 256;
/// Largest number of elements: a position in a list, and a piece, is a number of 32 bits, one of which is the sentinel.
pub const MOST: usize = u32::MAX as usize;

/// Returns the lengths of the list, of the list of its pieces, and so on, up to the list that one block ranks.
#[must_use]
pub fn lists(len: usize) -> Vec<usize> {
    let mut lists = vec![len];
    let mut pieces = pieces(len, SPACING);
    lists.push(pieces);
    while pieces > RANKED {
        pieces = self::pieces(pieces, SPACING);
        lists.push(pieces);
    }
    lists
}

/// Returns the number of pieces into which a list of `len` elements is cut: one begins with its first element, and one
/// with one of each `spacing` neighbours in memory.
#[must_use]
pub fn pieces(len: usize, spacing: usize) -> usize {
    len.div_ceil(spacing) + 1
}

/// Returns the index, among `spacing` neighbours in memory, of the one that begins a piece of the list. `slot` numbers
/// these groups of neighbours. The index is pseudo-random, independent of the order of the list.
#[must_use]
pub fn chosen(slot: usize, spacing: usize) -> usize {
    let mixed = (slot as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as usize % spacing
}

/// Returns the constants of a kernel. `stores`: it stores the exclusive prefix of each element. `of_pieces`: its
/// elements are the pieces of a list. `ranks`: one block ranks all of them.
#[must_use]
pub fn constants(stores: bool, of_pieces: bool, ranks: bool) -> Constants {
    let mut constants = Constants::default();
    let (stores, of_pieces, ranks) = (usize::from(stores), usize::from(of_pieces), usize::from(ranks));
    constants!(
        constants; "THREADS" = THREADS, "SPACING" = SPACING, "RANKED" = RANKED, "OF_FEW" = ranks, "STORES" = stores,
        "OF_PIECES" = of_pieces,
    );
    constants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_short() {
        for len in [1, 2, 100, 512 * 16, 1 << 20, 1 << 25, MOST] {
            let lists = lists(len);
            assert!(lists.len() >= 2 && lists[lists.len() - 1] <= RANKED, "{len}: {lists:?}");
            assert!(lists.windows(2).all(|pair| pair[1] == pair[0].div_ceil(SPACING) + 1), "{lists:?}");
        }
        assert_eq!(lists(1 << 25), [1 << 25, (1 << 21) + 1, (1 << 17) + 2, (1 << 13) + 2, (1 << 9) + 2, 34]);
        // For each of the `SPACING` indices, there is a group in which it is chosen.
        let chosen: Vec<usize> = (0..1000).map(|slot| chosen(slot, SPACING)).collect();
        assert!((0..SPACING).all(|place| chosen.contains(&place)));
    }
}
