//! Values and positions that follow their keys: both show whether a sort is stable.

use crate::check::{check_indices, check_pairs};
use half::f16;
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys, lengths, long_lengths, longest_lengths, some};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::sizes::reduced;

on_each_backend!(
    pairs_lengths,
    pairs_distributions,
    pairs_of_each_size,
    pairs_misaligned,
    pairs_many_tiles,
    pairs_of_trees,
    indices_lengths,
    indices_distributions,
    indices_many_tiles,
    indices_of_trees,
);

/// Positions: they show whether equal keys kept their order.
fn positions(len: usize) -> Vec<u32> {
    (0..len as u32).collect()
}

fn pairs_lengths(place: &Place) {
    for len in lengths(place.is_cuda()) {
        check_pairs::<u32, u32>(place, &keys(Kind::Zipf, len), &positions(len), (0, 0), "Zipf");
    }
}

fn pairs_distributions(place: &Place) {
    for kind in KINDS {
        let (len, what) = (some(place, 30_011), format!("{kind:?}"));
        check_pairs::<u8, u32>(place, &keys(kind, len), &positions(len), (0, 0), &what);
        check_pairs::<f16, u32>(place, &keys(kind, len), &positions(len), (0, 0), &what);
        check_pairs::<f32, u32>(place, &keys(kind, len), &positions(len), (0, 0), &what);
        check_pairs::<i64, u32>(place, &keys(kind, len), &positions(len), (0, 0), &what);
        check_pairs::<u128, u32>(place, &keys(kind, len), &positions(len), (0, 0), &what);
    }
}

fn pairs_of_each_size(place: &Place) {
    fn of<K: SortKey, V: Sample>(place: &Place) {
        for len in [100, some(place, 25_003)] {
            check_pairs::<K, V>(place, &keys(Kind::LowDigit, len), &random_values(len), (0, 0), "low digit");
            check_pairs::<K, V>(place, &keys(Kind::Random, len), &random_values(len), (0, 0), "random");
        }
    }
    of::<u32, u8>(place);
    of::<u32, bool>(place);
    of::<u32, f16>(place);
    of::<u32, f32>(place);
    of::<u32, u64>(place);
    of::<u64, u8>(place);
    of::<u8, u64>(place);
    of::<i16, f64>(place);
    of::<u128, u64>(place);
    of::<u32, u128>(place);
    of::<f32, (u8, u8, u8)>(place);
    of::<i64, [f32; 3]>(place);
    of::<u8, [u64; 8]>(place);
}

fn pairs_misaligned(place: &Place) {
    for offset in [1, 2, 3, 7, 31] {
        let len = some(place, 21_003);
        check_pairs::<u32, u32>(place, &keys(Kind::Random, len), &positions(len), (offset, 0), "misaligned");
        check_pairs::<u16, u64>(place, &keys(Kind::Random, len), &random_values(len), (3, offset), "misaligned");
    }
}

fn pairs_many_tiles(place: &Place) {
    for len in long_lengths(place.is_cuda()) {
        for kind in [Kind::TwoValues, Kind::Reversed] {
            check_pairs::<u32, u32>(place, &keys(kind, len), &positions(len), (0, 0), &format!("{kind:?}"));
        }
        check_pairs::<u64, u32>(place, &keys(Kind::Random, len), &positions(len), (0, 0), "random");
    }
    for len in longest_lengths(place.is_cuda()) {
        check_pairs::<u32, u32>(place, &keys(Kind::Random, len), &positions(len), (0, 0), "random");
    }
}

fn indices_lengths(place: &Place) {
    for len in lengths(place.is_cuda()) {
        check_indices::<u32, u32>(place, &keys(Kind::Zipf, len), (0, 0), "Zipf");
        check_indices::<f32, u64>(place, &keys(Kind::Special, len), (1, 3), "special");
    }
}

fn indices_distributions(place: &Place) {
    for kind in KINDS {
        let what = format!("{kind:?}");
        check_indices::<u8, u32>(place, &keys(kind, some(place, 30_011)), (0, 0), &what);
        check_indices::<f16, u32>(place, &keys(kind, some(place, 30_011)), (0, 0), &what);
        check_indices::<i32, u32>(place, &keys(kind, some(place, 30_011)), (0, 0), &what);
        check_indices::<f64, usize>(place, &keys(kind, some(place, 30_011)), (0, 0), &what);
        check_indices::<u128, u32>(place, &keys(kind, 3011), (0, 0), &what);
    }
}

fn indices_many_tiles(place: &Place) {
    for len in long_lengths(place.is_cuda()) {
        check_indices::<f32, u32>(place, &keys(Kind::Random, len), (0, 0), "random");
        check_indices::<u64, u64>(place, &keys(Kind::OneDigitConstant, len), (0, 0), "one digit constant");
    }
}

/// Keys of trees, with few of the lowest bits used: of lengths around those that a block, a cluster and the highest
/// bits sort.
const TREES: [Kind; 4] = [Kind::Halves, Kind::Parents, Kind::Arcs, Kind::Hanging];
fn lengths_of_trees(on_cuda: bool) -> Vec<usize> {
    let short = [700, 1024, 1025, 3000, 4608, 4609, 5120, 5121];
    let long: &[usize] = if on_cuda { &[20_001, 65_536, 65_537, 100_000, 199_998, 400_003] } else { &[] };
    if reduced() { vec![1025, 70_001] } else { [&short[..], long].concat() }
}

fn pairs_of_trees(place: &Place) {
    for len in lengths_of_trees(place.is_cuda()) {
        for kind in TREES {
            let what = format!("{kind:?}");
            check_pairs::<u32, u32>(place, &keys(kind, len), &positions(len), (0, 0), &what);
            check_pairs::<u64, u64>(place, &keys(kind, len), &random_values(len), (0, 0), &what);
        }
    }
}

fn indices_of_trees(place: &Place) {
    for len in lengths_of_trees(place.is_cuda()) {
        for kind in TREES {
            let what = format!("{kind:?}");
            check_indices::<u32, u32>(place, &keys(kind, len), (0, 0), &what);
            check_indices::<u64, u32>(place, &keys(kind, len), (0, 0), &what);
        }
    }
}
