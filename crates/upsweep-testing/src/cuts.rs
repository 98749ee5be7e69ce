//! Cuts of an array into lines.

use crate::oracle::Cut;
use crate::random::Rng;

/// Returns one cut of each kind, for `len` elements.
pub fn one_of_each(len: usize) -> Vec<Cut> {
    let mut cuts = vec![Cut::Whole, head_flags(len, 40), keys(len, 17), Cut::Offsets(offsets(len, len / 50))];
    for inner in [1, 3, 64] {
        if len.is_multiple_of(inner) {
            cuts.extend([Cut::Axis(vec![len / inner, inner], 0), Cut::Axis(vec![len / inner, inner], 1)]);
        }
    }
    cuts
}

/// Head flags, one in `mean` set. The first flag is set in every other array only: it begins a segment either way.
pub fn head_flags(len: usize, mean: usize) -> Cut {
    let mut rng = Rng::new((len ^ mean) as u64);
    let mut flags: Vec<bool> = (0..len).map(|_| rng.once_in(mean)).collect();
    if let Some(first) = flags.first_mut() {
        *first = len.is_multiple_of(2);
    }
    Cut::HeadFlags(flags)
}

/// Keys that recur after others: only neighbours form a segment. Runs have 1 to `2 mean` elements.
pub fn keys(len: usize, mean: usize) -> Cut {
    let mut rng = Rng::new((len ^ mean) as u64);
    let mut keys: Vec<i32> = Vec::with_capacity(len);
    while keys.len() < len {
        let key = [i32::MIN, -1, 0, 1, i32::MAX][rng.below(5)];
        let end = len.min(keys.len() + 1 + rng.below(2 * mean));
        keys.resize(end, key);
    }
    Cut::Keys(keys)
}

/// Ascending offsets that cut `len` elements at `inner` random places, with empty segments at both ends and, by chance
/// or by number, between.
pub fn offsets(len: usize, inner: usize) -> Vec<u64> {
    let mut rng = Rng::new((len ^ inner) as u64);
    let mut offsets: Vec<u64> = (0..inner).map(|_| rng.below(len + 1) as u64).collect();
    offsets.extend_from_within(..inner / 4);
    offsets.extend([0, 0, len as u64, len as u64]);
    offsets.sort_unstable();
    offsets
}
