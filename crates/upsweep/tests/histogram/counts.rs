//! Counts: lengths, distributions, edges, functions, channels.

use super::oracle::{between, counts, run, same};
use super::support::on_each_backend;
use super::support::place::Place;
use super::support::random::Rng;
use super::support::sample::Sample;
use half::f16;
use upsweep::operator::Same;
use upsweep::prelude::*;

on_each_backend!(
    lengths_and_alignments,
    distributions_of_bytes,
    distributions_over_few_and_many_bins,
    bins_between_edges,
    bins_by_function,
    channels,
    elements_that_are_no_numbers,
);

/// Small multiplicative generator: the same numbers everywhere, cheap in builds without optimisation.
fn noise(n: usize) -> impl Iterator<Item = u32> {
    let mut rng = Rng::new(n as u64);
    (0..n).map(move |_| (rng.next() >> 32) as u32)
}

fn lengths_and_alignments(place: &Place) {
    for len in [0, 1, 2, 3, 15, 16, 17, 31, 100, 511, 513, 4095, 16_384, 16_385, 70_001] {
        for offset in [0, 1, 5] {
            let bytes: Vec<u8> = noise(len).map(|x| x as u8).collect();
            let expected: Vec<u64> = counts(len, 256, (1, 1), |i| Some(usize::from(bytes[i])));
            same(
                &run(place, &Histogram::by(Same, 256), &bytes, 256, offset),
                &expected,
                &format!("{len} bytes at {offset}"),
            );
            let floats: Vec<f32> = noise(len).map(|x| (x % 1000) as f32).collect();
            let expected: Vec<u32> = counts(len, 10, (1, 1), |i| Some(floats[i] as usize / 100));
            same(
                &run(place, &Histogram::even(0.0..=1000.0, 10), &floats, 10, offset),
                &expected,
                &format!("{len} floats"),
            );
        }
    }
}

/// Distributions of values: one value, two values, sorted, a few frequent ones, uniform.
fn distributions(n: usize, values: usize) -> Vec<(&'static str, Vec<u32>)> {
    let values = values as u32;
    let zipf = |x: u32| (f64::from(values).powf(f64::from(x) / 4_294_967_296.0) - 1.0) as u32;
    vec![
        ("one value", vec![values - 1; n]),
        ("two values", noise(n).map(|x| x % 2 * (values - 1)).collect()),
        ("sorted", (0..n).map(|i| (i * values as usize / n) as u32).collect()),
        ("Zipf", noise(n).map(zipf).collect()),
        ("random", noise(n).map(|x| x % values).collect()),
        ("half of them outside", noise(n).map(|x| x % (2 * values)).collect()),
    ]
}

fn distributions_of_bytes(place: &Place) {
    for (name, values) in distributions(300_000, 256) {
        let bytes: Vec<u8> = values.iter().map(|&x| x as u8).collect();
        let expected: Vec<u32> = counts(bytes.len(), 256, (1, 1), |i| Some(usize::from(bytes[i])));
        same(&run(place, &Histogram::even(0.0..=256.0, 256), &bytes, 256, 3), &expected, name);
    }
}

/// Bin counts that cover every number of columns of counters, and slices.
fn distributions_over_few_and_many_bins(place: &Place) {
    for bins in [1, 2, 256, 1800, 3600, 7200, 14_400, 28_800, 57_600, 65_536, 120_000] {
        for (name, values) in distributions(40_000, bins) {
            let what = format!("{name}, {bins} bins");
            let expected: Vec<u32> = counts(values.len(), bins, (1, 1), |i| Some(values[i] as usize));
            same(&run(place, &Histogram::by(Same, bins), &values, bins, 1), &expected, &what);
            // In the middle of bins, and where they begin; the last one has its end, too.
            for begin in [0.5, 0.0] {
                let within = |x: u32| if x < bins as u32 { begin } else { 0.5 };
                let floats: Vec<f32> = values.iter().map(|&x| x as f32 + within(x)).collect();
                same(&run(place, &Histogram::even(0.0..=bins as f64, bins), &floats, bins, 1), &expected, &what);
            }
        }
    }
    // Counters of 16 bits that are full several times in a block, and two neighbours of them in a word.
    let element = |i: u32| if i.is_multiple_of(7) { i % 65_536 } else { 40_000 + u32::from(i.is_multiple_of(3)) };
    let values: Vec<u32> = (0..40_000_000).map(element).collect();
    let expected: Vec<u32> = counts(values.len(), 65_536, (1, 1), |i| Some(values[i] as usize));
    same(&run(place, &Histogram::by(Same, 65_536), &values, 65_536, 1), &expected, "two full counters");
    let values: Vec<u32> = noise(100_000).map(|x| x % (1 << 20)).collect();
    let expected: Vec<u64> = counts(values.len(), 1 << 20, (1, 1), |i| Some(values[i] as usize));
    same(&run(place, &Histogram::by(Same, 1 << 20), &values, 1 << 20, 0), &expected, "2^20 bins");
}

fn check_edges<T: Sample + PartialOrd + upsweep::operator::Number>(place: &Place, edges: &[T], extra: &[T]) {
    let mut rng = Rng::new(7);
    let mut input: Vec<T> = edges.iter().chain(extra).copied().collect();
    input.extend((0..5000).map(|_| T::random(&mut rng)));
    let bins = edges.len() - 1;
    let expected: Vec<u32> = counts(input.len(), bins, (1, 1), |i| between(edges, input[i]));
    let edges = place.upload(edges, 1);
    same(&run(place, &Histogram::edges(&edges), &input, bins, 1), &expected, std::any::type_name::<T>());
}

fn bins_between_edges(place: &Place) {
    check_edges(place, &[0.0f32, 1.0], &[-0.0, f32::NAN, 1.0f32.next_up()]);
    check_edges(place, &[-1.5f32, 0.0, 0.0, 0.0, 2.0, 77.0, 77.0], &[]);
    check_edges(place, &[f64::NEG_INFINITY, -1.0, 0.5, f64::INFINITY], &[f64::INFINITY, f64::MAX, f64::NAN]);
    check_edges(place, &[3u8, 7, 100, 100, 200], &[]);
    check_edges(place, &[-100i8, -1, 0, 127], &[]);
    check_edges(place, &[i64::MIN, -5, 12, i64::MAX], &[]);
    check_edges(place, &[-(1i128 << 100), 0, 1 << 100], &[]);
    let ramp: Vec<f32> = (0..1000).map(|k| (k as f32).sqrt() * 4.0 - 50.0).collect();
    check_edges(place, &ramp, &[]);
    let halves: Vec<f16> = (0..20).map(|k| f16::from_f32(k as f32 * 3.0 - 20.0)).collect();
    check_edges(place, &halves, &[]);
}

/// Position of the highest bit, relative to a value that the function captures.
#[function]
fn magnitude(#[param] from: u32, x: u64) -> i32 {
    (63 - x.leading_zeros()) as i32 - from as i32
}

fn bins_by_function(place: &Place) {
    let input: Vec<u64> = noise(50_000).map(|x| u64::from(x) << (x % 32)).collect();
    let bin = |x: u64| if x == 0 { None } else { usize::try_from(x.ilog2() as i32 - 20).ok() };
    let expected: Vec<u32> = counts(input.len(), 30, (1, 1), |i| bin(input[i]));
    same(&run(place, &Histogram::by(Magnitude { from: 20 }, 30), &input, 30, 1), &expected, "magnitudes");
    let input: Vec<i32> = noise(10_000).map(|x| x as i32 % 50).collect();
    let expected: Vec<u64> = counts(input.len(), 40, (1, 1), |i| usize::try_from(input[i]).ok());
    same(&run(place, &Histogram::by(Same, 40), &input, 40, 1), &expected, "negative bins");
    let input: Vec<i8> = noise(10_000).map(|x| x as i8).collect();
    let expected: Vec<u64> = counts(input.len(), 100, (1, 1), |i| usize::try_from(input[i]).ok());
    same(&run(place, &Histogram::by(Same, 100), &input, 100, 1), &expected, "negative bytes");
    // Beyond 32 bits, where the low ones would be a bin.
    let input = vec![1u64 << 32, (1 << 32) + 1, u64::MAX, 2, u64::from(u32::MAX)];
    same(&run(place, &Histogram::by(Same, 4), &input, 4, 0), &[0u32, 0, 1, 0], "large numbers of bins");
}

fn channels(place: &Place) {
    for (of, counted) in [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (7, 2)] {
        let input: Vec<u8> = noise(of * 10_001).map(|x| (x >> (x % 8)) as u8).collect();
        let expected: Vec<u32> = counts(input.len(), 256, (of, counted), |i| Some(usize::from(input[i])));
        let histogram = Histogram::by(Same, 256).channels(of, counted);
        same(
            &run(place, &histogram, &input, 256 * counted, 1),
            &expected,
            &format!("{counted} of {of} channels of u8"),
        );
        let input: Vec<f32> = noise(of * 10_001).map(|x| (x % 777) as f32).collect();
        let expected: Vec<u32> = counts(input.len(), 70, (of, counted), |i| Some(input[i] as usize / 10));
        let histogram = Histogram::even(0.0..=700.0, 70).channels(of, counted);
        let close = |i: usize| (input[i] <= 700.0).then(|| (input[i] as usize / 10).min(69));
        let with_edge: Vec<u32> = counts(input.len(), 70, (of, counted), close);
        assert_ne!(expected, with_edge);
        same(
            &run(place, &histogram, &input, 70 * counted, 1),
            &with_edge,
            &format!("{counted} of {of} channels of f32"),
        );
    }
    let input: Vec<u16> = noise(30_000).map(|x| x as u16).collect();
    let expected: Vec<u32> = counts(input.len(), 65_536, (3, 3), |i| Some(usize::from(input[i])));
    let histogram = Histogram::by(Same, 65_536).channels(3, 3);
    same(&run(place, &histogram, &input, 3 * 65_536, 0), &expected, "channels in slices");
}

#[function]
fn first_of(x: (u8, u8, u8)) -> u8 {
    x.0
}

fn elements_that_are_no_numbers(place: &Place) {
    let input: Vec<(u8, u8, u8)> = noise(20_000).map(|x| (x as u8, 1, 2)).collect();
    let expected: Vec<u32> = counts(input.len(), 200, (1, 1), |i| Some(usize::from(input[i].0)));
    same(&run(place, &Histogram::by(FirstOf, 200), &input, 200, 1), &expected, "triples");
}
