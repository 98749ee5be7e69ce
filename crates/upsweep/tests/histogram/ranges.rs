//! Ranges of bins and quantiles.

use super::support::on_each_backend;
use super::support::place::Place;
use super::support::random::Rng;
use upsweep::Error;
use upsweep::operator::Same;
use upsweep::prelude::*;

on_each_backend!(the_slides_example, ranges_of_bins, shares_of_elements, wrong_queries);

fn counts(place: &Place, ranges: &RangeHistogram, queries: &[(u64, u64)]) -> Vec<u64> {
    let queries = place.upload(queries, 1);
    let mut output = place.poisoned::<u64>(queries_len(&queries), 2);
    ranges.counts(&place.device, &queries, &mut output).unwrap();
    output.check_guards()
}

fn queries_len<T: Element>(queries: &impl upsweep::Input<Item = T>) -> usize {
    queries.view().len()
}

fn quantiles(place: &Place, ranges: &RangeHistogram, shares: &[f64]) -> Vec<u64> {
    let shares = place.upload(shares, 1);
    let mut output = place.poisoned::<u64>(queries_len(&shares), 2);
    ranges.quantiles(&place.device, &shares, &mut output).unwrap();
    output.check_guards()
}

/// The range [1, 4] of 3 1 7 0 4 1 6 3 has 5 elements, both ends included.
fn the_slides_example(place: &Place) {
    let x = place.upload(&[3u32, 1, 7, 0, 4, 1, 6, 3], 0);
    let mut histogram = place.poisoned::<u32>(8, 0);
    Histogram::by(Same, 8).run(&place.device, &x, &mut histogram).unwrap();
    let ranges = RangeHistogram::build(&place.device, &histogram).unwrap();
    assert_eq!(histogram.check_guards(), [1, 2, 0, 2, 1, 0, 1, 1]);
    assert_eq!(ranges.prefixes().to_vec().unwrap(), [0, 1, 3, 3, 5, 6, 6, 7, 8]);
    assert_eq!(ranges.bins(), 8);
    assert_eq!(ranges.count(&place.device, 1, 4), Ok(5));
    assert_eq!(ranges.total(&place.device), Ok(8));
    let queries =
        [(0, 7), (0, 0), (2, 2), (3, 3), (4, 1), (7, 7), (7, 8), (8, 8), (0, u64::MAX), (u64::MAX, u64::MAX), (5, 4)];
    assert_eq!(counts(place, &ranges, &queries), [8, 1, 0, 2, 0, 1, 1, 0, 8, 0, 0]);
    // The elements in order are 0 1 1 3 3 4 6 7.
    let shares = [0.0, 0.125, 0.126, 0.375, 0.376, 0.5, 0.875, 0.876, 1.0, -3.0, 2.0, f64::NAN];
    assert_eq!(quantiles(place, &ranges, &shares), [0, 0, 1, 1, 3, 3, 6, 7, 7, 0, 7, 8]);
}

fn ranges_of_bins(place: &Place) {
    for bins in [1usize, 2, 3, 100, 5000] {
        let mut rng = Rng::new(bins as u64);
        // Sums past 2^32.
        let host: Vec<u64> = (0..bins).map(|_| if rng.once_in(3) { 0 } else { rng.next() >> 24 }).collect();
        let ranges = RangeHistogram::build(&place.device, &place.upload(&host, 1)).unwrap();
        let bin = |rng: &mut Rng| rng.below(bins + 2) as u64;
        let queries: Vec<(u64, u64)> = (0..3000).map(|_| (bin(&mut rng), bin(&mut rng))).collect();
        let naive = |&(a, b): &(u64, u64)| (a..=b).filter_map(|bin| host.get(bin as usize)).sum();
        let expected: Vec<u64> = queries.iter().map(naive).collect();
        assert_eq!(counts(place, &ranges, &queries), expected, "{bins} bins");
    }
}

fn shares_of_elements(place: &Place) {
    for (elements, bins) in [(1, 1), (1, 10), (10, 10), (1000, 7), (1000, 3000)] {
        let mut rng = Rng::new(bins as u64);
        let mut host = vec![0u32; bins];
        (0..elements).for_each(|_| host[rng.below(bins)] += 1);
        let sorted: Vec<u64> = (0..bins).flat_map(|bin| vec![bin as u64; host[bin] as usize]).collect();
        let shares: Vec<f64> = (0..=200).map(|k| f64::from(k) / 200.0).collect();
        let rank = |share: f64| (share * sorted.len() as f64).ceil().max(1.0) as usize;
        let expected: Vec<u64> = shares.iter().map(|&share| sorted[rank(share) - 1]).collect();
        let ranges = RangeHistogram::build(&place.device, &place.upload(&host, 0)).unwrap();
        assert_eq!(quantiles(place, &ranges, &shares), expected, "{elements} elements in {bins} bins");
    }
    // Nothing is nowhere.
    let ranges = RangeHistogram::build(&place.device, &place.upload(&[0u32; 4], 0)).unwrap();
    assert_eq!(quantiles(place, &ranges, &[0.0, 0.5, 1.0]), [4; 3]);
    let ranges = RangeHistogram::build(&place.device, &place.upload(&[0u32; 0], 0)).unwrap();
    assert_eq!(quantiles(place, &ranges, &[0.5]), [0]);
    assert_eq!(ranges.total(&place.device), Ok(0));
}

fn wrong_queries(place: &Place) {
    let ranges = RangeHistogram::build(&place.device, &place.upload(&[1u32, 2], 0)).unwrap();
    let queries = place.upload(&[(0, 1), (1, 1)], 0);
    let found = ranges.counts(&place.device, &queries, &mut place.poisoned::<u64>(3, 0));
    assert_eq!(found, Err(Error::Length { what: "output", found: 3, expected: 2 }));
    let found = ranges.quantiles(&place.device, &place.upload(&[0.5], 0), &mut place.poisoned::<u64>(0, 0));
    assert_eq!(found, Err(Error::Length { what: "output", found: 0, expected: 1 }));
}
