//! Top-k of whole arrays.

use half::{bf16, f16};
use upsweep::{Index, TopK, Values};
use upsweep_core::call::bounds::Short;
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys, some};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sample::Sample;
use upsweep_testing::sizes::reduced;

on_each_backend!(
    topk_lengths_and_numbers,
    topk_distributions,
    topk_types,
    topk_every_half,
    topk_of_many,
    topk_of_many_ties,
    topk_misaligned,
);

/// Number of keys for which each backend guesses a window. On the CPU, threads share 2 MiB and more: that many keys of
/// 16 bytes.
pub(crate) fn many(place: &Place) -> usize {
    if place.is_cuda() { 1 << 20 } else { 1 << 17 }
}

/// Positions of the first `k` keys of each row, in their own order.
pub(crate) fn expected<K: SortKey>(rows: &[K], len: usize, k: usize, largest: bool) -> Vec<usize> {
    let of_row = |row: &[K]| {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| row[a].compare(row[b], largest));
        order.truncate(k);
        order
    };
    if len == 0 { Vec::new() } else { rows.chunks(len).flat_map(of_row).collect() }
}

/// Runs a top-k of values, of indices, and of both.
#[track_caller]
pub(crate) fn check<K: SortKey, I: Index + Sample + PartialEq>(
    place: &Place,
    keys: &[K],
    shape: Option<[usize; 2]>,
    k: usize,
    offset: usize,
    what: &str,
) {
    match &shape {
        None => check_rows::<K, I, _>(place, keys, ([1, keys.len()], |topk| topk), k, offset, what),
        Some(shape) => check_rows::<K, I, _>(place, keys, (*shape, |topk: TopK| topk.axis(shape, 1)), k, offset, what),
    }
}

#[track_caller]
fn check_rows<K: SortKey, I: Index + Sample + PartialEq, G: Short<K> + Copy>(
    place: &Place,
    keys: &[K],
    ([rows, len], of_rows): ([usize; 2], impl Fn(TopK) -> TopK<Values, G>),
    k: usize,
    offset: usize,
    what: &str,
) {
    let input = place.upload(keys, offset);
    let orders = [true, false].map(|largest| expected(keys, len, k, largest));
    for (largest, sorted) in [(true, false), (true, true), (false, false), (false, true)] {
        let name = std::any::type_name::<K>();
        let what = format!("{k} of {rows} x {len} {name}, {what}, largest: {largest}, sorted: {sorted}");
        let mut order = orders[usize::from(!largest)].clone();
        if !sorted {
            order.chunks_mut(k.max(1)).for_each(<[usize]>::sort_unstable);
        }
        let bits: Vec<u128> = order.iter().enumerate().map(|(i, at)| keys[i / k.max(1) * len + at].bits()).collect();
        let places: Vec<I> = order.iter().map(|&at| I::at(at)).collect();
        let topk = if largest { TopK::largest(k) } else { TopK::smallest(k) };
        let topk = of_rows(if sorted { topk.sorted() } else { topk });
        let mut values = place.poisoned::<K>(rows * k, offset);
        let mut indices = place.poisoned::<I>(rows * k, 1);
        let check = |found: Vec<K>, part: &str| {
            let found: Vec<u128> = found.into_iter().map(SortKey::bits).collect();
            let wrong = found.iter().zip(&bits).position(|(a, b)| a != b);
            assert_eq!((found.len(), wrong), (bits.len(), None), "{part}: {what}");
        };
        assert_eq!(topk.run(&place.device, &input, &mut values), Ok(()), "{what}");
        check(values.check_guards(), "values alone");
        assert_eq!(topk.indices().run(&place.device, &input, &mut indices), Ok(()), "{what}");
        let found = indices.check_guards();
        let wrong = found.iter().zip(&places).position(|(a, b)| a != b);
        assert_eq!(wrong, None, "indices alone: {what}");
        let mut values = place.poisoned::<K>(rows * k, 0);
        let mut indices = place.poisoned::<I>(rows * k, offset);
        assert_eq!(topk.with_indices().run(&place.device, &input, (&mut values, &mut indices)), Ok(()), "{what}");
        check(values.check_guards(), "values");
        assert!(indices.check_guards() == places, "indices: {what}");
    }
    let same = input.check_guards().iter().zip(keys).all(|(a, b)| a.bits() == b.bits());
    assert!(same, "the input of {what}");
}

fn topk_lengths_and_numbers(place: &Place) {
    for len in [1usize, 2, 33, 257, 5003, 16_384, 16_385, 70_001] {
        for k in [0, 1, 2, 100, len / 2, len] {
            if k <= len && (!reduced() || len < 2000) {
                check::<u32, u32>(place, &keys(Kind::Random, len), None, k, 0, "random");
            }
        }
    }
    check::<f64, u64>(place, &keys(Kind::Special, 40_001), None, 700, 0, "special");
}

fn topk_distributions(place: &Place) {
    for kind in KINDS {
        let long = some(place, 20_011);
        for (len, k) in [(3001, 40), (long, 500), (long, long - 1011)] {
            let what = format!("{kind:?}");
            check::<f32, u32>(place, &keys(kind, len), None, k, 0, &what);
            check::<i64, u64>(place, &keys(kind, len), None, k, 0, &what);
            check::<u8, u32>(place, &keys(kind, len), None, k, 0, &what);
        }
    }
}

fn topk_types(place: &Place) {
    fn of<K: SortKey>(place: &Place) {
        for (len, k) in [(500, 3), (some(place, 20_003), 77)] {
            check::<K, u32>(place, &keys(Kind::Random, len), None, k, 0, "random");
            check::<K, usize>(place, &keys(Kind::Special, len), None, k, 0, "special");
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
    of::<f16>(place);
    of::<bf16>(place);
    of::<f32>(place);
    of::<f64>(place);
}

/// Every bit pattern of a half: NaN come last, and all of them keep their bits.
fn topk_every_half(place: &Place) {
    let all: Vec<f16> = (0..=u128::from(u16::MAX)).rev().map(f16::of_bits).collect();
    for k in [10, 63_000, 63_489, 64_000, 65_000, all.len()] {
        check::<f16, u32>(place, &all, None, k, 0, "every value");
    }
}

/// Numbers of keys for which a window is guessed: it holds the results, or only the last of them.
fn topk_of_many(place: &Place) {
    let len = many(place) + 5;
    let x = keys::<f32>(Kind::Random, len);
    for k in [16, 2049, len / 3] {
        check::<f32, u32>(place, &x, None, k, 1, "random");
    }
    if !reduced() {
        check::<u64, u64>(place, &keys(Kind::Sorted, len), None, 1000, 0, "sorted");
        check::<u16, u32>(place, &keys(Kind::OrganPipe, len), None, 40, 0, "organ pipe");
        check::<u128, u32>(place, &keys(Kind::Random, len), None, len / 3, 0, "for threads");
    }
}

/// More equal keys than the room for candidates holds: the first ones are taken.
fn topk_of_many_ties(place: &Place) {
    let len = many(place) + 77;
    for (kind, k) in [(Kind::AllEqual, 500), (Kind::TwoValues, 1), (Kind::TwoValues, len - 3), (Kind::Zipf, len / 2)] {
        check::<u32, u32>(place, &keys(kind, len), None, k, 0, &format!("{kind:?}"));
    }
}

fn topk_misaligned(place: &Place) {
    for offset in [1, 2, 3, 5, 7] {
        check::<u8, u32>(place, &keys(Kind::Random, some(place, 21_003)), None, 77, offset, "misaligned");
        check::<u16, u32>(place, &keys(Kind::Random, some(place, 21_003)), None, 77, offset, "misaligned");
        check::<f32, u32>(place, &keys(Kind::Random, some(place, 21_003)), None, 77, offset, "misaligned");
        check::<u64, u32>(place, &keys(Kind::Random, some(place, 21_003)), None, 77, offset, "misaligned");
    }
}
