//! Sums of weights.

use super::oracle::{run, same};
use super::support::on_each_backend;
use super::support::place::Place;
use super::support::random::Rng;
use super::support::sample::Sample;
use upsweep::histogram::Weight;
use upsweep::operator::Same;
use upsweep::prelude::*;

on_each_backend!(
    whole_weights_wrap,
    float_weights_are_exact,
    float_weights_do_not_depend_on_the_order,
    float_weights_over_many_bins,
    weights_of_other_bins_make_no_difference,
    weights_that_are_not_finite,
    weights_with_channels_and_edges,
);

/// Elements that are the numbers of their bins, some of them outside.
fn elements(len: usize, bins: usize) -> Vec<u32> {
    let mut rng = Rng::new(len as u64);
    (0..len).map(|_| rng.below(bins + bins / 8 + 1) as u32).collect()
}

fn sums<W: Sample + Weight>(place: &Place, input: &[u32], weights: &[W], bins: usize) -> Vec<W> {
    let weights = place.upload(weights, 1);
    run(place, &Histogram::by(Same, bins).weights(&weights), input, bins, 1)
}

fn whole_weights_wrap(place: &Place) {
    macro_rules! check {
        ($($t:ident)*) => { $(for (len, bins) in [(0, 1), (1, 3), (30_000, 1), (30_000, 100), (30_000, 70_000)] {
            let input = elements(len, bins);
            let mut rng = Rng::new(1);
            let weights: Vec<$t> = (0..len).map(|_| <$t as Sample>::random(&mut rng)).collect();
            let mut expected = vec![0; bins];
            for (&x, &weight) in input.iter().zip(&weights) {
                if let Some(sum) = expected.get_mut(x as usize) {
                    *sum = $t::wrapping_add(*sum, weight);
                }
            }
            same(&sums(place, &input, &weights, bins), &expected, stringify!($t));
        })* };
    }
    check! { u32 i32 u64 i64 }
}

/// Multiples of 2^-10 below 2^40, whose sums `f64` holds.
fn float_weights_are_exact(place: &Place) {
    for (len, bins) in [(0, 2), (1, 1), (1000, 1), (60_000, 50), (60_000, 20_000)] {
        let input = elements(len, bins);
        let mut rng = Rng::new(2);
        let weights: Vec<f64> = (0..len).map(|_| (rng.below(1 << 40) as f64 - f64::from(1 << 30)) / 1024.0).collect();
        let mut expected = vec![0.0; bins];
        for (&x, &weight) in input.iter().zip(&weights) {
            if let Some(sum) = expected.get_mut(x as usize) {
                *sum += weight;
            }
        }
        same(&sums(place, &input, &weights, bins), &expected, &format!("{len} f64 in {bins} bins"));
        let single: Vec<f32> = (0..len).map(|k| (k % 100) as f32 - 50.0).collect();
        let mut expected = vec![0.0f32; bins];
        for (&x, &weight) in input.iter().zip(&single) {
            if let Some(sum) = expected.get_mut(x as usize) {
                *sum += weight;
            }
        }
        same(&sums(place, &input, &single, bins), &expected, &format!("{len} f32 in {bins} bins"));
    }
}

/// Weights of very different sizes that cancel out: the exact sum, rounded once, in any order.
fn float_weights_do_not_depend_on_the_order(place: &Place) {
    let mut pairs: Vec<(u32, f64)> = Vec::new();
    for k in 0..4000u32 {
        let large = f64::from(k % 77 + 1) * 1e9;
        pairs.extend([(k % 5, large), (k % 5, 0.1 * f64::from(k % 13)), (k % 5, -large)]);
    }
    // What is left is the exact sum of the small ones: a multiple of 2^-60, of less than 2^20.
    let mut exact = [0i128; 5];
    for &(bin, weight) in pairs.iter().filter(|(_, weight)| weight.abs() < 1e8) {
        exact[bin as usize] += (weight * 2f64.powi(60)) as i128;
    }
    let expected: Vec<f64> = exact.iter().map(|&sum| sum as f64 / 2f64.powi(60)).collect();
    let mut rng = Rng::new(3);
    for _ in 0..3 {
        for k in (1..pairs.len()).rev() {
            pairs.swap(k, rng.below(k + 1));
        }
        let (input, weights): (Vec<u32>, Vec<f64>) = pairs.iter().copied().unzip();
        same(&sums(place, &input, &weights, 5), &expected, "weights that cancel out");
    }
}

fn float_weights_over_many_bins(place: &Place) {
    let bins = 40_000;
    let input = elements(100_000, bins);
    let weights: Vec<f32> = input.iter().map(|&x| x as f32 * 0.25).collect();
    let mut expected = vec![0.0f64; bins];
    for (&x, &weight) in input.iter().zip(&weights) {
        if let Some(sum) = expected.get_mut(x as usize) {
            *sum += f64::from(weight);
        }
    }
    let expected: Vec<f32> = expected.iter().map(|&sum| sum as f32).collect();
    same(&sums(place, &input, &weights, bins), &expected, "slices");
}

fn weights_of_other_bins_make_no_difference(place: &Place) {
    let edges = place.upload(&[0.0, 1.0, 2.0, 3.0], 0);
    let weights = place.upload(&[1e30, 0.001, 0.002, 1.0], 0);
    let found = run(place, &Histogram::edges(&edges).weights(&weights), &[0.5, 1.5, 1.5, 2.5], 3, 1);
    same(&found, &[1e30, 0.003, 1.0], "beside 1e30");
    // A bin of each power of ten that f64 has, and several parts and slices of them.
    for (len, bins) in [(6000, 600), (200_000, 600), (60_000, 20_000)] {
        let input = elements(len, bins);
        let weights: Vec<f64> = input.iter().map(|&x| 10f64.powi((x % 600) as i32 - 300)).collect();
        let mut counts = vec![0u32; bins];
        for &x in &input {
            if let Some(count) = counts.get_mut(x as usize) {
                *count += 1;
            }
        }
        let found = sums(place, &input, &weights, bins);
        for (bin, (&count, &found)) in counts.iter().zip(&found).enumerate() {
            // The sum of a number with itself, rounded once.
            let expected = f64::from(count) * 10f64.powi((bin % 600) as i32 - 300);
            assert_eq!(found, expected, "{len} in {bins} bins: bin {bin}");
        }
    }
}

fn weights_that_are_not_finite(place: &Place) {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let input = [0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 9];
    let weights = [inf, 1.0, -inf, 1.0, inf, -inf, nan, 5e-324, f64::MAX, f64::MAX, 2.5, nan];
    let expected = [inf, -inf, nan, nan, 5e-324, inf, 2.5, 0.0];
    same(&sums(place, &input, &weights, 8), &expected, "beside the largest");
    let found = sums(place, &[1, 1, 1], &[5e-324, 5e-324, -1e-320], 2);
    same(&found, &[0.0, 5e-324 * 2.0 - 1e-320], "subnormal");
    let found = sums(place, &[1, 0], &[f32::NAN, f32::INFINITY], 2);
    same(&found, &[f32::INFINITY, f32::NAN], "f32");
}

fn weights_with_channels_and_edges(place: &Place) {
    let input: Vec<u8> = (0..3 * 5000u32).map(|k| (k * k % 251) as u8).collect();
    let weights: Vec<i64> = (0..input.len() as i64).map(|k| k * k - 1000).collect();
    let edges = [10u8, 20, 100, 250];
    let mut expected = vec![0i64; 2 * 3];
    for (i, &x) in input.iter().enumerate().filter(|(i, _)| i % 3 < 2) {
        if let Some(bin) = super::oracle::between(&edges, x) {
            expected[i % 3 * 3 + bin] += weights[i];
        }
    }
    let (edges, weights) = (place.upload(&edges, 0), place.upload(&weights, 2));
    same(&run(place, &Histogram::edges(&edges).weights(&weights).channels(3, 2), &input, 6, 1), &expected, "channels");
}
