//! Cases of dedup: removal of equal neighbours.

use crate::support::place::Place;
use crate::support::random::Rng;
use crate::support::sample::{Sample, random_values};
use crate::support::{expect_beginning, lengths, on_each_backend, sizes};
use upsweep::function;
use upsweep::prelude::*;

on_each_backend! { dedup_first, dedup_last, dedup_each_size, dedup_indices, dedup_by, dedup_in_place, dedup_nan, dedup_past_caches }

/// Values in runs of lengths around a mean.
pub(crate) fn in_runs<T: Sample>(len: usize, mean: usize) -> Vec<T> {
    let values = random_values::<T>(len);
    let mut rng = Rng::new(len as u64 * 31 + mean as u64);
    let mut last = values.first().copied();
    let next = |&value: &T| {
        if rng.once_in(mean) {
            last = Some(value);
        }
        last.unwrap_or(value)
    };
    values.iter().map(next).collect()
}

/// Indices of the first of equal neighbours, or of the last.
fn places<T: Sample>(x: &[T], last: bool, same: impl Fn(&T, &T) -> bool) -> Vec<usize> {
    let ends = |i: usize| {
        if last { i + 1 == x.len() || !same(&x[i], &x[i + 1]) } else { i == 0 || !same(&x[i - 1], &x[i]) }
    };
    (0..x.len()).filter(|&i| ends(i)).collect()
}

fn check<T: Sample + PartialEq>(place: &Place, len: usize, mean: usize, last: bool) {
    let x = in_runs::<T>(len, mean);
    let (input, mut output) = (place.upload(&x, len % 4), place.poisoned(len, len % 3));
    let count = if last {
        Dedup::new().last().run(&place.device, &input, &mut output)
    } else {
        Dedup::new().run(&place.device, &input, &mut output)
    };
    let expected: Vec<T> = places(&x, last, |a, b| a == b).into_iter().map(|i| x[i]).collect();
    let case = format!("{len} of {} in runs of {mean}", std::any::type_name::<T>());
    assert_eq!(count.unwrap().get(), Ok(expected.len()), "{case}");
    expect_beginning(&output, &expected, &case);
}

fn dedup_first(place: &Place) {
    for len in lengths(4) {
        for mean in [1, 2, 64, 100_000] {
            check::<u32>(place, len, mean, false);
        }
    }
}

fn dedup_last(place: &Place) {
    for len in lengths(4) {
        for mean in [1, 3, 700] {
            check::<u32>(place, len, mean, true);
        }
    }
}

fn dedup_each_size(place: &Place) {
    for len in sizes::few().into_iter().chain([12_287, 12_289, 33_000]) {
        for last in [false, true] {
            check::<u8>(place, len, 4, last);
            check::<i16>(place, len, 4, last);
            check::<(u8, u8, u8)>(place, len, 4, last);
            check::<u64>(place, len, 4, last);
            check::<[u32; 3]>(place, len, 4, last);
            check::<u128>(place, len, 4, last);
            check::<(u64, u8)>(place, len, 4, last);
        }
    }
}

fn dedup_indices(place: &Place) {
    for len in [0, 1, 2, 3073, 50_000] {
        let x = in_runs::<u16>(len, 5);
        let input = place.upload(&x, 1);
        for last in [false, true] {
            let found: Vec<usize> = if last {
                Dedup::new().last().indices().run_to_vec(&place.device, &input).unwrap()
            } else {
                Dedup::new().indices().run_to_vec(&place.device, &input).unwrap()
            };
            assert_eq!(found, places(&x, last, |a, b| a == b), "{len}");
        }
    }
}

#[function]
fn within(#[param] most: u32, a: u32, b: u32) -> bool {
    b.wrapping_sub(a) <= most
}

/// Equality that is neither symmetric nor transitive: it is evaluated on neighbours only, the earlier first.
fn dedup_by(place: &Place) {
    let x: Vec<u32> = random_values::<u32>(30_000).into_iter().map(|x| x % 64).collect();
    let input = place.upload(&x, 0);
    for most in [0, 7, 40] {
        let mut output = place.poisoned::<u32>(x.len(), 0);
        Dedup::by(Within { most }).run(&place.device, &input, &mut output).unwrap();
        let expected: Vec<u32> =
            places(&x, false, |a, b| b.wrapping_sub(*a) <= most).into_iter().map(|i| x[i]).collect();
        expect_beginning(&output, &expected, &format!("within {most}"));
    }
}

fn dedup_in_place(place: &Place) {
    for len in sizes::few().into_iter().chain(sizes::large(4).into_iter().step_by(3)) {
        for mean in [1, 50] {
            for last in [false, true] {
                let x = in_runs::<u32>(len, mean);
                let mut data = place.upload(&x, 0);
                let count = if last {
                    Dedup::new().last().run_in_place(&place.device, &mut data)
                } else {
                    Dedup::new().run_in_place(&place.device, &mut data)
                };
                let expected: Vec<u32> = places(&x, last, |a, b| a == b).into_iter().map(|i| x[i]).collect();
                assert_eq!(count.unwrap().get(), Ok(expected.len()), "{len} in runs of {mean}");
                assert!(data.check_guards()[..expected.len()] == expected, "{len} in runs of {mean}");
            }
        }
    }
}

fn dedup_nan(place: &Place) {
    let x = [1.0f32, f32::NAN, f32::NAN, 0.0, -0.0, -0.0, 1.0, 1.0];
    let found: Vec<f32> = Dedup::new().run_to_vec(&place.device, &place.upload(&x, 0)).unwrap();
    let bits: Vec<u32> = found.iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits, [1.0, f32::NAN, f32::NAN, 0.0, 1.0].map(f32::to_bits));
}

fn dedup_past_caches(place: &Place) {
    for len in sizes::past_caches(4) {
        for mean in [2, 64] {
            check::<u32>(place, len, mean, false);
        }
    }
}
