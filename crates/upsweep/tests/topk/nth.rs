//! Order statistics of all elements.

use crate::whole::many;
use half::f16;
use upsweep::{Error, Nth};
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend!(nth_of_lengths, nth_of_zeros, nth_of_many, nth_quantiles, nth_interpolated, nth_refused);

#[track_caller]
fn check<K: SortKey>(place: &Place, keys: &[K], places: &[usize], what: &str) {
    let mut sorted = keys.to_vec();
    sorted.sort_by(|a, b| a.compare(*b, false));
    let input = place.upload(keys, 1);
    let mut output = place.poisoned::<K>(places.len(), 0);
    assert_eq!(Nth::at(places).run(&place.device, &input, &mut output), Ok(()), "{what}");
    for (found, &at) in output.check_guards().into_iter().zip(places) {
        let what = format!("{at} of {} {}, {what}", keys.len(), std::any::type_name::<K>());
        assert_eq!(found.bits(), sorted[at].bits(), "{what}");
    }
}

fn nth_of_lengths(place: &Place) {
    for len in [1usize, 2, 1000, 70_001] {
        for kind in KINDS {
            let places = [0, len / 3, len / 2, len - 1];
            check::<f32>(place, &keys(kind, len), &places, &format!("{kind:?}"));
            check::<u8>(place, &keys(kind, len), &places, &format!("{kind:?}"));
            check::<i128>(place, &keys(kind, len), &places, &format!("{kind:?}"));
        }
    }
}

/// Zeros of both signs at places that descend and repeat, in the middle of other numbers.
fn nth_of_zeros(place: &Place) {
    for len in [9, 1000, 70_001, many(place)] {
        for kind in [Kind::Zeros, Kind::FewZeros] {
            let middle = len / 2;
            let places = [middle + 1, middle, middle, middle - 1, middle + len / 5, middle - len / 5, 0, len - 1];
            check::<f32>(place, &keys(kind, len), &places, &format!("{kind:?}"));
            check::<f64>(place, &keys(kind, len), &places, &format!("{kind:?}"));
            check::<f16>(place, &keys(kind, len), &places[..1], &format!("{kind:?}"));
        }
        let negative: Vec<i32> = keys::<i32>(Kind::Random, len).into_iter().map(|x| x | i32::MIN).collect();
        check::<i32>(place, &negative, &[len - 1, 0, len / 2], "negative");
    }
}

/// Numbers of keys for which a window is guessed.
fn nth_of_many(place: &Place) {
    let len = many(place) + 11;
    for kind in [Kind::Special, Kind::Reversed, Kind::AllEqual, Kind::Zipf, Kind::Zeros, Kind::FewZeros] {
        let places = [0, len / 1000, len / 2, len - 1];
        check::<f32>(place, &keys(kind, len), &places, &format!("{kind:?}"));
        check::<u64>(place, &keys(kind, len), &places, &format!("{kind:?}"));
    }
    check::<u128>(place, &keys(Kind::Zipf, len), &[len / 2], "for threads");
}

fn nth_quantiles(place: &Place) {
    let x = keys::<i32>(Kind::Random, 1001);
    let mut sorted = x.clone();
    sorted.sort_unstable();
    let device = &place.device;
    let found = Nth::quantiles(&[0.0, 0.25, 0.5, 0.999, 1.0]).run_to_vec(device, &place.upload(&x, 0));
    assert_eq!(found, Ok([0, 250, 500, 999, 1000].map(|at: usize| sorted[at]).to_vec()));
    let even = Nth::median().run_to_vec(device, &place.upload(&[4u8, 1, 3, 2], 0));
    assert_eq!(even, Ok(vec![2]));
}

/// Quantiles that NumPy computes wrongly: infinities beside numbers, halves of large ones, integers of 64 bits.
fn nth_interpolated(place: &Place) {
    let device = &place.device;
    let linear = |shares: &[f64], x: &[f64]| {
        Nth::quantiles(shares).interpolated().run_to_vec(device, &place.upload(x, 0)).unwrap()
    };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_eq!(linear(&[0.5], &[inf, 5.0, 4.0]), [5.0]);
    assert_eq!(linear(&[0.4, 0.6], &[0.0, inf]), [inf, inf]);
    assert_eq!(linear(&[0.5, 0.0, 1.0], &[-1e308, 1e308]), [0.0, -1e308, 1e308]);
    assert!(linear(&[0.0, 0.9], &[3.0, nan, 1.0]).iter().all(|x| x.is_nan()));
    let of_64 = place.upload(&[i64::MAX, i64::MIN], 0);
    let found = Nth::quantiles(&[0.5, 0.0, 1.0]).interpolated().run_to_neighbours(device, &of_64).unwrap();
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["-0.5", "-9223372036854775808", "9223372036854775807"]);
    let even = Nth::median().interpolated().run_to_vec(device, &place.upload(&[4u8, 1, 3, 2], 0));
    assert_eq!(even, Ok(vec![2.5]));
    let at = Nth::at(&[3, 0]).interpolated().run_to_vec(device, &place.upload(&[4u8, 1, 3, 2], 0));
    assert_eq!(at, Ok(vec![4.0, 1.0]));
    let none = Nth::median().interpolated().run_to_vec(device, &place.upload::<u8>(&[], 0));
    assert_eq!(none, Err(Error::Rank { what: "place", rank: 0, len: 0 }));
    let share = Nth::quantiles(&[1.5]).interpolated().run_to_vec(device, &place.upload(&[1u8], 0));
    assert!(matches!(share, Err(Error::Options { options: "quantiles", .. })));
    let x = keys::<f32>(Kind::Random, 100_000);
    let x: Vec<f32> = x.into_iter().filter(|x| x.is_finite()).collect();
    let mut sorted = x.clone();
    sorted.sort_by(f32::total_cmp);
    let found = Nth::quantiles(&[0.25, 0.999]).interpolated().run_to_neighbours(device, &place.upload(&x, 0)).unwrap();
    for (found, share) in found.into_iter().zip([0.25, 0.999]) {
        let at = share * (sorted.len() - 1) as f64;
        let expected = (sorted[at as usize], sorted[at.ceil() as usize], at.fract());
        assert_eq!((found.low, found.high, found.part), expected);
    }
}

fn nth_refused(place: &Place) {
    let input = place.upload(&[4u8, 1, 3], 0);
    let (device, mut one) = (&place.device, place.poisoned::<u8>(1, 0));
    let rank = |rank, len| Err(Error::Rank { what: "place", rank, len });
    assert_eq!(Nth::at(&[3]).run(device, &input, &mut one), rank(3, 3));
    assert_eq!(Nth::median().run(device, &place.upload::<u8>(&[], 0), &mut one), rank(0, 0));
    let words = |what, rank, len| Error::Rank { what, rank, len }.to_string();
    assert_eq!(words("place", 7, 5), "place 7: 5 elements have the places 0 to 4");
    assert_eq!(words("the first", 7, 5), "the first 7: there are 5 elements");
    assert_eq!(words("place", 0, 0), "place 0: there are no elements");
    for share in [-0.1, 1.1, f64::NAN] {
        let refused = Nth::quantiles(&[share]).run(device, &input, &mut one);
        assert!(matches!(refused, Err(Error::Options { options: "quantiles", .. })), "{share}: {refused:?}");
    }
    let expected = Err(Error::Length { what: "output", found: 1, expected: 2 });
    assert_eq!(Nth::at(&[0, 1]).run(device, &input, &mut one), expected);
    assert_eq!(one.check_guards(), [0xAB]);
    assert_eq!(Nth::at(&[]).run_to_vec(device, &input), Ok(vec![]));
}
