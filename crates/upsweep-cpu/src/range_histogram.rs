//! Queries of a histogram's prefix sums, of which there is one more than there are bins.

use rayon::prelude::*;

/// Queries that are worth waking another thread.
const QUERIES: usize = 1 << 14;

/// Stores how many elements each range of bins has.
pub fn counts(prefixes: &[u64], ranges: &[(u64, u64)], output: &mut [u64]) {
    let bins = prefixes.len() - 1;
    let before = |bin: u64| prefixes[usize::try_from(bin).map_or(bins, |bin| bin.min(bins))];
    let count = |(first, last): (u64, u64)| {
        if first > last { 0 } else { before(last.saturating_add(1)) - before(first) }
    };
    let queries = ranges.par_iter().with_min_len(QUERIES);
    output.par_iter_mut().with_min_len(QUERIES).zip(queries).for_each(|(to, &range)| *to = count(range));
}

/// Stores the bin where each share of the elements ends.
pub fn quantiles(prefixes: &[u64], shares: &[f64], output: &mut [u64]) {
    let total = prefixes.last().copied().unwrap_or(0);
    let bin = |share: f64| {
        if total == 0 || share.is_nan() {
            return prefixes.len() as u64 - 1;
        }
        // The elements up to the one that is asked for.
        let rank = ((share.clamp(0.0, 1.0) * total as f64).ceil() as u64).clamp(1, total);
        prefixes.partition_point(|&before| before < rank) as u64 - 1
    };
    let queries = shares.par_iter().with_min_len(QUERIES);
    output.par_iter_mut().with_min_len(QUERIES).zip(queries).for_each(|(to, &share)| *to = bin(share));
}
