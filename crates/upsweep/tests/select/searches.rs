//! Cases of searches in sorted arrays.

use crate::support::place::Place;
use crate::support::random::Rng;
use crate::support::{expect_beginning, on_each_backend};
use half::f16;
use upsweep::prelude::*;
use upsweep::{Error, Ordered};

on_each_backend! { places_of_numbers, every_length, places_by_an_order, nan_and_zeros, searches_refused, long_arrays }

fn naive<T: Copy>(sorted: &[T], x: T, upper: bool, less: impl Fn(T, T) -> bool) -> usize {
    sorted.iter().filter(|&&element| if upper { !less(x, element) } else { less(element, x) }).count()
}

/// Compares both bounds of `x` in `sorted` with a loop.
fn check<T: Ordered + crate::support::sample::Sample>(
    place: &Place,
    sorted: &[T],
    x: &[T],
    less: fn(T, T) -> bool,
    case: &str,
) {
    let (on_device, values) = (place.upload(sorted, x.len() % 3), place.upload(x, sorted.len() % 3));
    let mut lower = place.poisoned::<u32>(x.len(), 1);
    Search::lower(&on_device).run(&place.device, &values, &mut lower).unwrap();
    let expected: Vec<u32> = x.iter().map(|&x| naive(sorted, x, false, less) as u32).collect();
    expect_beginning(&lower, &expected, &format!("lower of {case}"));
    let mut upper = place.poisoned::<u64>(x.len(), 0);
    Search::upper(&on_device).run(&place.device, &values, &mut upper).unwrap();
    let expected: Vec<u64> = x.iter().map(|&x| naive(sorted, x, true, less) as u64).collect();
    expect_beginning(&upper, &expected, &format!("upper of {case}"));
}

fn places_of_numbers(place: &Place) {
    let mut rng = Rng::new(1);
    macro_rules! of {
        ($($t:ident)*) => { $({
            let mut sorted: Vec<$t> = (0..300).map(|_| rng.next() as $t).collect();
            sorted.extend([$t::MIN, $t::MAX, 0, 0, 1]);
            sorted.sort_unstable();
            let mut x: Vec<$t> = (0..200).map(|_| rng.next() as $t).collect();
            x.extend(&sorted);
            x.extend([$t::MIN, $t::MAX, 0, 2]);
            check(place, &sorted, &x, |a, b| a < b, stringify!($t));
        })* };
    }
    of! { i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 }
    check(place, &[false, true, true], &[true, false], |a, b| !a & b, "bool");
}

/// Every length around powers of two, where steps begin, and values between, before and after the elements.
fn every_length(place: &Place) {
    for len in (0..70).chain([127, 128, 129, 1023, 1024, 1025]) {
        let sorted: Vec<u32> = (0..len).map(|i| 2 * i + 1).collect();
        let x: Vec<u32> = (0..2 * len + 3).rev().collect();
        check(place, &sorted, &x, |a, b| a < b, &format!("{len} elements"));
    }
    check(place, &[7u32; 1000], &[6, 7, 8], |a, b| a < b, "one value");
}

#[function]
fn second_descends(a: (u8, u32), b: (u8, u32)) -> bool {
    a.1 > b.1
}

fn places_by_an_order(place: &Place) {
    let sorted: Vec<(u8, u32)> = (0..500u32).map(|i| (i as u8, 1000 - i / 3 * 3)).collect();
    let x: Vec<(u8, u32)> = (0..1100).map(|i| (0, i)).collect();
    let less = |a: (u8, u32), b: (u8, u32)| a.1 > b.1;
    let (on_device, values) = (place.upload(&sorted, 1), place.upload(&x, 0));
    for upper in [false, true] {
        let search = if upper { Search::upper(&on_device) } else { Search::lower(&on_device) };
        let found: Vec<i64> = search.by(SecondDescends).run_to_vec(&place.device, &values).unwrap();
        let expected: Vec<i64> = x.iter().map(|&x| naive(&sorted, x, upper, less) as i64).collect();
        assert_eq!(found, expected, "upper: {upper}");
    }
}

/// NaN comes after all else, whatever its sign, and both zeros are one value.
fn nan_and_zeros(place: &Place) {
    let less = |a: f32, b: f32| a < b || (b.is_nan() && !a.is_nan());
    let sorted = [f32::NEG_INFINITY, -1.0, -0.0, 0.0, -0.0, 2.5, f32::INFINITY, f32::NAN, -f32::NAN];
    let x = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-45, -3.0];
    check(place, &sorted, &x, less, "f32");
    let halves = |x: &[f32]| -> Vec<f16> { x.iter().map(|&x| f16::from_f32(x)).collect() };
    check(place, &halves(&sorted), &halves(&x), |a, b| a < b || (b.is_nan() && !a.is_nan()), "f16");
}

fn searches_refused(place: &Place) {
    let (sorted, x) = (place.upload(&[1u32, 2], 0), place.upload(&[1u32; 5], 0));
    let mut output = place.poisoned::<u32>(4, 0);
    let error = Search::lower(&sorted).run(&place.device, &x, &mut output);
    assert_eq!(error, Err(Error::Length { what: "output", found: 4, expected: 5 }));
    expect_beginning(&output, &[], "no call");
    let none: Vec<u32> = Search::upper(&sorted).run_to_vec(&place.device, &place.upload(&[0u32; 0], 0)).unwrap();
    assert!(none.is_empty());
}

/// More values than one round of all blocks looks up, with results of a closed form.
fn long_arrays(place: &Place) {
    let reduced = std::env::var("UPSWEEP_TEST_SIZES").is_ok_and(|sizes| sizes == "reduced");
    let (len, n) = if reduced { (1 << 10, 1 << 12) } else { (3 << 20, 5 << 20) };
    let sorted: Vec<u64> = (0..len as u64).map(|i| 10 * i).collect();
    let x: Vec<u64> = (0..n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (11 * len as u64)).collect();
    let found: Vec<u32> =
        Search::lower(&place.upload(&sorted, 0)).run_to_vec(&place.device, &place.upload(&x, 0)).unwrap();
    let expected = |x: u64| x.div_ceil(10).min(len as u64) as u32;
    let wrong = x.iter().zip(&found).position(|(&x, &found)| found != expected(x));
    assert_eq!(wrong, None);
}
