//! Inputs that divide an array into lines: head flags, keys, offsets and axes.

use crate::oracle::Cut;
use crate::random::Rng;

/// Returns divisions of `len` elements into lines, at least one of each kind that the length allows.
pub fn one_of_each(len: usize) -> Vec<Cut> {
    let mut cuts = vec![Cut::Whole, head_flags(len, 40), keys(len, 17), Cut::Offsets(offsets(len, len / 50))];
    for inner in [1, 3, 64] {
        if len.is_multiple_of(inner) {
            cuts.extend([Cut::Axis(vec![len / inner, inner], 0), Cut::Axis(vec![len / inner, inner], 1)]);
        }
    }
    cuts
}

/// Random head flags, of which on average one in `mean` is set. The first flag is set for even lengths only: element 0
/// begins a segment either way.
pub fn head_flags(len: usize, mean: usize) -> Cut {
    let mut rng = Rng::new((len ^ mean) as u64);
    let mut flags: Vec<bool> = (0..len).map(|_| rng.once_in(mean)).collect();
    if let Some(first) = flags.first_mut() {
        *first = len.is_multiple_of(2);
    }
    Cut::HeadFlags(flags)
}

/// Keys in runs of 1 to `2 mean` equal ones. A key recurs after others: only neighbours form a segment.
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

/// Ascending offsets that cut `len` elements at `inner` random indices. There are empty segments at both ends, and
/// between them at the offsets that occur twice: a quarter of the random ones, and others by chance.
pub fn offsets(len: usize, inner: usize) -> Vec<u64> {
    let mut rng = Rng::new((len ^ inner) as u64);
    let mut offsets: Vec<u64> = (0..inner).map(|_| rng.below(len + 1) as u64).collect();
    offsets.extend_from_within(..inner / 4);
    offsets.extend([0, 0, len as u64, len as u64]);
    offsets.sort_unstable();
    offsets
}
