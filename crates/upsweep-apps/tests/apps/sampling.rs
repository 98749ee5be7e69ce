//! Tests of the random choice by weights. The oracle adds and searches in loops, and has the generator as Vigna wrote it.

use crate::Random;
use upsweep::Device;
use upsweep_apps::Error;
use upsweep_apps::sampling::{Sampler, Weight};

/// The first numbers of SplitMix64.
fn numbers(seed: u64, n: usize) -> Vec<u64> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..n).map(next).collect()
}

fn running(weights: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let add = |sum: &mut u64, weight| {
        *sum += weight;
        Some(*sum)
    };
    weights.into_iter().scan(0, add).collect()
}

/// `bits below / 2^64`, rounded down.
fn scaled(bits: u64, below: u64) -> u64 {
    ((u128::from(bits) * u128::from(below)) >> 64) as u64
}

/// `bits / 2^64`, rounded down to 53 bits.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// How often each of `len` indices is drawn.
fn counts(draws: &[u64], len: usize) -> Vec<u64> {
    let mut counts = vec![0; len];
    draws.iter().for_each(|&i| counts[i as usize] += 1);
    counts
}

fn check_whole<W: Weight<Sum = u64> + Into<i128>>(weights: &[W], seed: u64) {
    let device = Device::cpu();
    let weights_as_whole = || weights.iter().map(|&w| u64::try_from(w.into()).unwrap());
    let sampler = Sampler::build(&device, weights).unwrap();
    let sums = running(weights_as_whole());
    let total = *sums.last().unwrap();
    assert_eq!((sampler.sums().to_vec().unwrap(), sampler.total()), (sums.clone(), total));
    let drawn = |point: u64| sums.iter().position(|&sum| sum > point).unwrap() as u64;
    for n in [0, 1, 2, 5, 400] {
        let expected: Vec<u64> = numbers(seed, n).into_iter().map(|bits| drawn(scaled(bits, total))).collect();
        assert_eq!(sampler.independent(&device, n, seed).unwrap().to_vec().unwrap(), expected, "{n} of {sums:?}");
        let shift = u128::from(scaled(numbers(seed, 1)[0], total));
        let point = |k: usize| ((k as u128 * u128::from(total) + shift) / n as u128) as u64;
        let expected: Vec<u64> = (0..n).map(|k| drawn(point(k))).collect();
        let draws = sampler.systematic(&device, n, seed).unwrap().to_vec().unwrap();
        assert_eq!(draws, expected, "{n} of {sums:?}");
        assert!(draws.is_sorted());
        for (count, w) in counts(&draws, weights.len()).into_iter().zip(weights_as_whole()) {
            let share = n as u128 * u128::from(w);
            let (low, high) = (share / u128::from(total), share.div_ceil(u128::from(total)));
            assert!((low..=high).contains(&u128::from(count)), "{count} draws of {w} in {total}, {n} in all");
        }
    }
}

#[test]
fn whole_numbers_follow_the_loop() {
    let mut random = Random(1);
    for n in [1usize, 2, 3, 8, 100, 3000] {
        // Few and many zeros, at the ends too.
        for zeros in [1, 2, 9] {
            let mut weights: Vec<u32> =
                (0..n).map(|_| random.below(4) as u32 * (random.below(zeros) == 0) as u32).collect();
            weights[n / 2] = 3;
            let bytes: Vec<u8> = weights.iter().map(|&w| w as u8).collect();
            let signed: Vec<i64> = weights.iter().map(|&w| i64::from(w) << 40).collect();
            let seed = random.next();
            check_whole(&weights, seed);
            check_whole(&bytes, seed + 1);
            check_whole(&signed, seed + 2);
        }
    }
    check_whole(&[0u64, u64::MAX - 3, 0, 2, 0], 5);
}

/// Checks draws by their sums: `s[i - 1] <= point < s[i]`.
fn check_floats<W: Weight<Sum = f64> + Into<f64>>(weights: &[W], draws_each: usize) {
    let device = Device::cpu();
    let sampler = Sampler::build(&device, weights).unwrap();
    let (sums, total) = (sampler.sums().to_vec().unwrap(), sampler.total());
    assert_eq!(sums.last(), Some(&total));
    let seed = weights.len() as u64;
    let below = |point: f64| if point < total { point } else { f64::from_bits(total.to_bits() - 1) };
    let check = |draws: Vec<u64>, points: Vec<f64>| {
        assert_eq!(draws.len(), points.len());
        for (&i, point) in draws.iter().zip(points) {
            let (i, point) = (i as usize, below(point));
            let before = if i == 0 { 0.0 } else { sums[i - 1] };
            assert!(before <= point && point < sums[i], "{before} <= {point} < {}", sums[i]);
            assert!(weights[i].into() > 0.0, "weight {i} is 0");
        }
    };
    let n = draws_each;
    let draws = sampler.independent(&device, n, seed).unwrap().to_vec().unwrap();
    check(draws, numbers(seed, n).into_iter().map(|bits| unit(bits) * total).collect());
    let draws = sampler.systematic(&device, n, seed).unwrap().to_vec().unwrap();
    assert!(draws.is_sorted());
    let u = unit(numbers(seed, 1)[0]);
    check(draws, (0..n).map(|k| (k as f64 + u) / n as f64 * total).collect());
}

#[test]
fn floats_lie_between_their_sums() {
    let mut random = Random(2);
    for n in [1usize, 2, 3, 100, 30_000] {
        let mut weights: Vec<f64> = (0..n).map(|_| random.unit().max(0.0)).collect();
        weights[n / 3] = 0.7;
        check_floats(&weights, 2000);
        check_floats(&weights.iter().map(|&w| w as f32).collect::<Vec<f32>>(), 2000);
    }
    // Products are rounded to sums, and up to the total.
    let least = f64::from_bits(1);
    check_floats(&[0.0, least, 0.0, 0.0, 2.0 * least, least, 0.0], 2000);
    check_floats(&[0.0, least, -0.0], 10);
    // One weight with all but a few of the draws.
    let mut weights = vec![1e-3f32; 5000];
    weights[4000] = 1e30;
    check_floats(&weights, 1000);
    check_floats(&[0.0, f64::MAX, 0.0], 100);
}

#[test]
fn systematic_draws_are_shares() {
    let device = Device::cpu();
    let weights: Vec<f32> = (0..64).map(|i| (i * 37 % 29) as f32 / 8.0).collect();
    let total: f32 = weights.iter().sum();
    for (seed, n) in [0usize, 1, 7, 64, 1000].into_iter().enumerate() {
        let sampler = Sampler::build(&device, &weights).unwrap();
        let draws = sampler.systematic(&device, n, seed as u64).unwrap().to_vec().unwrap();
        assert!(draws.len() == n && draws.is_sorted());
        for (count, w) in counts(&draws, 64).into_iter().zip(&weights) {
            let share = n as f32 * w / total;
            assert!(share.floor() as u64 <= count && count <= share.ceil() as u64, "{count} of {share}");
        }
    }
}

/// Chi-square statistic of counts: of 15 degrees of freedom, one in a thousand is above 37.7.
fn chi_square(counts: &[u64], weights: &[f64]) -> f64 {
    let (n, total) = (counts.iter().sum::<u64>() as f64, weights.iter().sum::<f64>());
    let part = |(&count, w): (&u64, f64)| (count as f64 - n * w / total).powi(2) / (n * w / total);
    counts.iter().zip(weights.iter().copied()).map(part).sum()
}

#[test]
fn frequencies_are_those_of_the_weights() {
    fn check<W: Weight + Into<f64>>(weights: &[W]) {
        let device = Device::cpu();
        let shares: Vec<f64> = weights.iter().map(|&w| w.into()).collect();
        let sampler = Sampler::build(&device, weights).unwrap();
        for seed in [0, 1, u64::MAX] {
            let draws = sampler.independent(&device, 200_000, seed).unwrap().to_vec().unwrap();
            let found = chi_square(&counts(&draws, weights.len()), &shares);
            assert!((2.0..37.7).contains(&found), "chi-square {found} of seed {seed}");
            // Neighbours in the sequence have nothing to do with each other.
            let pairs: Vec<u64> = draws.windows(2).filter(|pair| pair[0] == 15).map(|pair| pair[1]).collect();
            let found = chi_square(&counts(&pairs, weights.len()), &shares);
            assert!((2.0..37.7).contains(&found), "chi-square {found} behind the last, seed {seed}");
        }
    }
    check(&std::array::from_fn::<u32, 16, _>(|i| i as u32 + 1));
    check(&std::array::from_fn::<f32, 16, _>(|i| 1.0 / (i as f32 + 1.5)));
}

#[test]
fn a_seed_has_one_sequence() {
    let device = Device::cpu();
    let sampler = Sampler::build(&device, &[0.3, 0.0, 0.2, 0.5]).unwrap();
    let draw = |n, seed| sampler.independent(&device, n, seed).unwrap().to_vec().unwrap();
    assert_eq!(draw(1000, 9), draw(1000, 9));
    assert_eq!(draw(1000, 9)[..100], draw(100, 9));
    assert_ne!(draw(100, 9), draw(100, 10));
}

#[test]
fn what_cannot_be_drawn_from() {
    fn says<W: Weight>(weights: &[W]) -> String {
        Sampler::build(&Device::cpu(), weights).unwrap_err().to_string()
    }
    let wrong = |at: usize, weight: &str| {
        format!("the weight at position {at} is {weight}: weights are finite numbers from 0 on, and 0 is never drawn")
    };
    assert_eq!(says(&[1.0, 2.5, -0.25, f64::NAN]), wrong(2, "-0.25"));
    assert_eq!(says(&[1.0f32, f32::NAN, -1.0]), wrong(1, "NaN"));
    assert_eq!(says(&[f64::INFINITY]), wrong(0, "inf"));
    assert_eq!(says(&[1.0f32, f32::NEG_INFINITY]), wrong(1, "-inf"));
    assert_eq!(says(&[4i32, 0, i32::MIN, -1]), wrong(2, "-2147483648"));
    let mut long = vec![0.5f32; 100_000];
    long[77_777] = -1e-30;
    assert_eq!(says(&long), wrong(77_777, "-0.000000000000000000000000000001"));
    assert_eq!(says::<f64>(&[]), "there are no weights, so nothing can be drawn");
    assert_eq!(says::<u32>(&[]), "there are no weights, so nothing can be drawn");
    let none = |n: usize| {
        format!("nothing can be drawn, as every weight is 0 (there are {n}): what is to be drawn has one above 0")
    };
    assert_eq!([says(&[0u8; 3]), says(&[0.0, -0.0])], [none(3), none(2)]);
    let large = |n: usize, sums: &str| {
        format!(
            "the sum of the {n} weights is too large for {sums}: give smaller ones, such as these as f64, divided by the largest"
        )
    };
    assert_eq!(says(&[f64::MAX, 0.0, f64::MAX]), large(3, "f64"));
    assert_eq!(says(&[u64::MAX - 1, 1]), large(2, "u64"));
    assert_eq!(says(&[u64::MAX / 2, u64::MAX / 2, u64::MAX / 2, 5]), large(4, "u64"));
    let error = Sampler::build(&Device::cpu(), &[1i8, -1]).unwrap_err();
    assert_eq!(error, Error::Weight { at: 1, weight: "-1".to_owned() });
}

/// In f32, running sums would stand still at 2^24.
#[test]
#[ignore = "long: 2^25 weights"]
fn many_weights_of_f32_are_all_drawn() {
    let n = 1usize << 25;
    let weights: Vec<f32> = (0..n).map(|i| if i % 3 == 1 { 0.0 } else { 1.0 }).collect();
    let device = Device::cpu();
    let sampler = Sampler::build(&device, &weights).unwrap();
    let ones = weights.iter().filter(|&&w| w > 0.0).count();
    assert_eq!(sampler.total(), ones as f64);
    let draws = sampler.systematic(&device, ones, 1).unwrap().to_vec().unwrap();
    assert!(draws.iter().eq((0..n as u64).filter(|i| i % 3 != 1).collect::<Vec<u64>>().iter()));
    let draws = sampler.independent(&device, 1 << 22, 1).unwrap().to_vec().unwrap();
    assert!(draws.iter().all(|i| i % 3 != 1));
    let upper = draws.iter().filter(|&&i| i >= n as u64 / 2).count() as f64;
    assert!((upper - (1 << 21) as f64).abs() < 5.0 * 1024.0, "{upper}");
}
