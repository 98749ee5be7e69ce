//! Range and quantile queries of a histogram, by its exclusive prefix sums: one more than there are bins.

use super::engine::apart;

/// Number of queries that a thread takes at a time.
const QUERIES: usize = 1 << 14;

/// Stores the number of elements of each range of bins.
pub fn counts(prefixes: &[u64], ranges: &[(u64, u64)], output: &mut [u64]) {
    let bins = prefixes.len() - 1;
    let before = |bin: u64| prefixes[usize::try_from(bin).map_or(bins, |bin| bin.min(bins))];
    let count = |(first, last): (u64, u64)| {
        if first > last { 0 } else { before(last.saturating_add(1)) - before(first) }
    };
    answer(ranges, output, &count);
}

/// Stores the bin in which each share of the elements ends (quantiles).
pub fn quantiles(prefixes: &[u64], shares: &[f64], output: &mut [u64]) {
    let total = prefixes.last().copied().unwrap_or(0);
    let bin = |share: f64| {
        if total == 0 || share.is_nan() {
            return prefixes.len() as u64 - 1;
        }
        // Rank of the wanted element, from 1 on.
        let rank = ((share.clamp(0.0, 1.0) * total as f64).ceil() as u64).clamp(1, total);
        prefixes.partition_point(|&before| before < rank) as u64 - 1
    };
    answer(shares, output, &bin);
}

/// Stores the answer of each query.
fn answer<Q: Copy + Sync>(queries: &[Q], output: &mut [u64], of: &(impl Fn(Q) -> u64 + Sync)) {
    let mut parts: Vec<_> = output.chunks_mut(QUERIES).zip(queries.chunks(QUERIES)).collect();
    apart::each(&mut parts, true, &|_, (output, queries)| {
        output.iter_mut().zip(*queries).for_each(|(to, &query)| *to = of(query));
    });
}
