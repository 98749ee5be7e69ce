//! Oracle of histograms, element by element.

use super::support::place::Place;
use super::support::sample::Sample;
use upsweep::histogram::{Amounts, Bins, Count};
use upsweep::{Element, Histogram};

/// Bin of `x`: each bin has its lower edge, and the last one its upper edge, too.
pub(crate) fn between<T: PartialOrd + Copy>(edges: &[T], x: T) -> Option<usize> {
    let last = edges.len() - 1;
    if !(edges[0] <= x && x <= edges[last]) {
        return None;
    }
    Some((0..last).rev().find(|&k| edges[k] <= x).unwrap())
}

/// Returns `numpy.linspace(low, high, bins + 1)`.
pub(crate) fn linspace(low: f64, high: f64, bins: usize) -> Vec<f64> {
    let step = (high - low) / bins as f64;
    let mut edges: Vec<f64> = (0..=bins).map(|k| k as f64 * step + low).collect();
    edges[bins] = high;
    edges
}

/// Number of elements in each bin; element i is in the bin `bin(i)` of its channel.
pub(crate) fn counts<C: Count + From<u32>>(
    len: usize,
    bins: usize,
    (of, counted): (usize, usize),
    bin: impl Fn(usize) -> Option<usize>,
) -> Vec<C> {
    let mut counts = vec![0u32; bins * counted];
    for i in (0..len).filter(|i| i % of < counted) {
        if let Some(bin) = bin(i).filter(|&bin| bin < bins) {
            counts[i % of * bins + bin] += 1;
        }
    }
    counts.into_iter().map(C::from).collect()
}

/// Runs a histogram into poisoned memory.
pub(crate) fn run<T: Sample, O: Sample, B: Bins<T>, W: Amounts<O>>(
    place: &Place,
    histogram: &Histogram<B, W>,
    input: &[T],
    len: usize,
    offset: usize,
) -> Vec<O> {
    let input = place.upload(input, offset);
    let mut output = place.poisoned::<O>(len, offset % 3);
    histogram.run(&place.device, &input, &mut output).unwrap();
    place.device.synchronize().unwrap();
    output.check_guards()
}

/// Compares two results, and reports the first few places where they differ.
#[track_caller]
pub(crate) fn same<T: Sample + Element>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let wrong: Vec<_> = (0..found.len()).filter(|&k| !found[k].same(&expected[k])).take(4).collect();
    let shown: Vec<_> = wrong.iter().map(|&k| (k, &found[k], &expected[k])).collect();
    assert!(wrong.is_empty(), "{what}: (bin, found, expected) {shown:?}");
}
