//! Cases of sorted keys: every type, length and distribution.

use crate::check::{check_keys, expect_keys};
use half::{bf16, f16};
use upsweep::Sort;
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys, lengths, long_lengths, longest_lengths, some};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend!(
    sort_lengths_1_byte,
    sort_lengths_2_bytes,
    sort_lengths_4_bytes,
    sort_lengths_8_bytes,
    sort_lengths_16_bytes,
    sort_distributions,
    sort_types,
    sort_every_half,
    sort_misaligned,
    sort_many_tiles,
    sort_skewed,
    sort_long_runs,
    sort_more_than_buckets_hold,
);

fn sort_lengths<K: SortKey>(place: &Place) {
    for len in lengths(place.is_cuda()) {
        check_keys::<K>(place, &keys(Kind::Random, len), (0, 0), "random");
    }
}
fn sort_lengths_1_byte(place: &Place) {
    sort_lengths::<u8>(place);
}
fn sort_lengths_2_bytes(place: &Place) {
    sort_lengths::<i16>(place);
}
fn sort_lengths_4_bytes(place: &Place) {
    sort_lengths::<u32>(place);
}
fn sort_lengths_8_bytes(place: &Place) {
    sort_lengths::<i64>(place);
}
fn sort_lengths_16_bytes(place: &Place) {
    sort_lengths::<u128>(place);
}

fn sort_distributions(place: &Place) {
    for kind in KINDS {
        for len in [1100, some(place, 30_011)] {
            check_keys::<u32>(place, &keys(kind, len), (0, 0), &format!("{kind:?}"));
            check_keys::<f64>(place, &keys(kind, len), (0, 0), &format!("{kind:?}"));
        }
        check_keys::<u8>(place, &keys(kind, some(place, 40_000)), (0, 0), &format!("{kind:?}"));
        check_keys::<f16>(place, &keys(kind, some(place, 40_000)), (0, 0), &format!("{kind:?}"));
        check_keys::<i16>(place, &keys(kind, some(place, 140_003)), (1, 3), &format!("{kind:?}"));
        check_keys::<i128>(place, &keys(kind, some(place, 40_000)), (0, 0), &format!("{kind:?}"));
    }
}

fn sort_types(place: &Place) {
    fn of<K: SortKey>(place: &Place) {
        for len in [257, some(place, 21_003)] {
            check_keys::<K>(place, &keys(Kind::Random, len), (0, 0), "random");
            check_keys::<K>(place, &keys(Kind::Special, len), (0, 0), "special");
        }
    }
    of::<u8>(place);
    of::<u16>(place);
    of::<u32>(place);
    of::<u64>(place);
    of::<u128>(place);
    of::<i8>(place);
    of::<i16>(place);
    of::<i32>(place);
    of::<i64>(place);
    of::<i128>(place);
    of::<usize>(place);
    of::<bool>(place);
    of::<char>(place);
    of::<f16>(place);
    of::<bf16>(place);
    of::<f32>(place);
    of::<f64>(place);
}

/// Every bit pattern, with each NaN's payload, from the last to the first.
fn sort_every_half(place: &Place) {
    let all: Vec<u128> = (0..=u128::from(u16::MAX)).rev().collect();
    check_keys::<f16>(place, &all.iter().map(|bits| f16::of_bits(*bits)).collect::<Vec<_>>(), (0, 0), "every value");
    let twice: Vec<f16> = all.iter().chain(&all).chain(&all).map(|bits| f16::of_bits(*bits)).collect();
    check_keys::<f16>(place, &twice, (0, 0), "every value three times");
    check_keys::<bf16>(place, &all.iter().map(|bits| bf16::of_bits(*bits)).collect::<Vec<_>>(), (0, 0), "every value");
}

fn sort_misaligned(place: &Place) {
    for offset in [1, 2, 3, 5, 7, 9, 31] {
        check_keys::<u8>(place, &keys(Kind::Random, some(place, 21_003)), (offset, 3), "misaligned");
        check_keys::<u16>(place, &keys(Kind::Random, some(place, 21_003)), (offset, 7), "misaligned");
        check_keys::<f32>(place, &keys(Kind::Random, some(place, 21_003)), (3, offset), "misaligned");
        check_keys::<u64>(place, &keys(Kind::Random, some(place, 21_003)), (offset, 0), "misaligned");
    }
}

fn sort_many_tiles(place: &Place) {
    for len in long_lengths(place.is_cuda()) {
        for kind in [Kind::Random, Kind::Zipf, Kind::OrganPipe] {
            check_keys::<u32>(place, &keys(kind, len), (0, 0), &format!("{kind:?}"));
        }
        check_keys::<f64>(place, &keys(Kind::Random, len), (0, 0), "random");
    }
    for len in longest_lengths(place.is_cuda()) {
        for kind in [Kind::Random, Kind::TwoValues] {
            check_keys::<u32>(place, &keys(kind, len), (0, 0), &format!("{kind:?}"));
        }
        check_keys::<i16>(place, &keys(Kind::Random, len), (1, 0), "random");
        check_keys::<f64>(place, &keys(Kind::Special, len), (0, 1), "special");
    }
    if place.is_cuda() {
        check_keys::<u128>(place, &keys(Kind::Random, some(place, 1_000_003)), (0, 0), "random");
    }
}

/// Skewed keys. For that many keys, GPUs find the buckets of skewed ones by octaves; but not if a sample shows that one
/// bucket is too large for a block, or if the many keys are large.
fn sort_skewed(place: &Place) {
    let len = some(place, 150_001);
    let skewed: Vec<u32> = keys(Kind::Skewed, len);
    let mut outside = skewed.clone();
    outside[len / 3] = u32::MAX;
    let crowded: Vec<u32> =
        skewed.iter().enumerate().map(|(i, &key)| if i % 3 == 0 { key } else { 0x8_0000 + i as u32 % 7 }).collect();
    for (what, keys) in [("skewed", &skewed), ("one outside", &outside), ("a crowded bucket", &crowded)] {
        check_keys::<u32>(place, keys, (0, 1), what);
    }
    // Nearly all keys are in one bucket of an octave, but not those that a GPU looks at first.
    let mut missed: Vec<u32> = (0..len).map(|i| 0x4_0000 + (i * 7919 % 8192) as u32).collect();
    for i in 0..1024u64 {
        let at = (u128::from(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * len as u128) >> 64;
        missed[at as usize] = skewed[i as usize % len];
    }
    check_keys::<u32>(place, &missed, (0, 0), "a sample that misses a bucket");
    let large: Vec<u32> = skewed.iter().map(|key| !key).collect();
    check_keys::<u32>(place, &large, (0, 0), "large");
    check_keys::<i32>(place, &keys(Kind::Skewed, len), (0, 0), "skewed");
    check_keys::<f32>(place, &keys(Kind::Skewed, len), (1, 0), "skewed");
    check_keys::<u64>(place, &keys(Kind::Skewed, len), (0, 0), "skewed");
    check_keys::<u128>(place, &keys(Kind::Skewed, len), (0, 0), "skewed");
}

/// Runs of equal keys. For that many keys, GPUs list the buckets that are too large for a block, here one in three, for
/// larger blocks.
fn sort_long_runs(place: &Place) {
    const RUN: usize = 512;
    let len = some(place, (1 << 25) + 5);
    let of_runs: Vec<u32> = keys(Kind::Random, len.div_ceil(RUN));
    let runs: Vec<u32> = (0..len).map(|i| of_runs[i / RUN]).collect();
    let input = place.upload(&runs, 0);
    let mut output = place.poisoned::<u32>(len, 0);
    assert_eq!(Sort::new().run(&place.device, &input, &mut output), Ok(()));
    let mut expected = runs;
    expected.sort_unstable();
    expect_keys(&output.check_guards(), &expected, "runs");
}

/// More keys than the buckets of the highest 16 bits hold, in the room of a GPU's blocks: keys of four values, and
/// descending keys, also in place.
fn sort_more_than_buckets_hold(place: &Place) {
    const VALUES: [u32; 4] = [7, 1 << 20, 3 << 30, u32::MAX];
    let len = some(place, (1 << 29) + 5);
    let few: Vec<u32> = (0..len).map(|i| VALUES[i * (i + 1) / 2 % 7 % 4]).collect();
    let counts = VALUES.map(|value| few.iter().filter(|&&key| key == value).count());
    let mut output = place.poisoned::<u32>(len, 0);
    assert_eq!(Sort::new().run(&place.device, &place.upload(&few, 0), &mut output), Ok(()));
    let expected: Vec<u32> =
        VALUES.iter().zip(counts).flat_map(|(&value, count)| std::iter::repeat_n(value, count)).collect();
    expect_keys(&output.check_guards(), &expected, "few values");
    drop((few, expected));

    let reversed: Vec<u32> = (0..len as u32).rev().collect();
    let mut output = place.poisoned::<u32>(len, 0);
    let mut input = place.upload(&reversed, 0);
    assert_eq!(Sort::new().run(&place.device, &input, &mut output), Ok(()));
    let expected: Vec<u32> = (0..len as u32).collect();
    expect_keys(&output.check_guards(), &expected, "reversed");
    assert_eq!(Sort::new().run_in_place(&place.device, &mut input), Ok(()));
    expect_keys(&input.check_guards(), &expected, "reversed, in place");
}
