//! Order statistics of lines and segments, whose oracle is that of each line alone.

use crate::segments::offsets;
use upsweep::prelude::*;
use upsweep::{Error, Interpolate};
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys, some};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend!(nth_along_axes, nth_of_segments, nth_between_along_axes, nth_between_of_segments, nth_lines_refused);

/// Keys of the lines of `shape` along `axis`, in the order of the lines.
fn lines<K: Copy>(keys: &[K], shape: [usize; 3], axis: usize) -> Vec<Vec<K>> {
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let line = |o: usize, i: usize| (0..shape[axis]).map(|k| keys[(o * shape[axis] + k) * inner + i]).collect();
    (0..outer).flat_map(|o| (0..inner).map(move |i| line(o, i))).collect()
}

fn along_axes<K: SortKey + Interpolate>(place: &Place, kind: Kind, shape: [usize; 3]) {
    let keys: Vec<K> = keys(kind, shape.iter().product());
    let input = place.upload(&keys, 1);
    for axis in 0..3 {
        let (len, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
        let places = [len / 2, 0, len - 1, len / 2];
        let what = format!("{kind:?} {shape:?} along {axis}");
        let mut expected = vec![0; keys.len() / len * places.len()];
        for (line, mut sorted) in lines(&keys, shape, axis).into_iter().enumerate() {
            sorted.sort_by(|a, b| a.compare(*b, false));
            for (p, &at) in places.iter().enumerate() {
                expected[(line / inner * places.len() + p) * inner + line % inner] = sorted[at].bits();
            }
        }
        let mut output = place.poisoned::<K>(expected.len(), 1);
        assert_eq!(Nth::at(&places).axis(&shape, axis).run(&place.device, &input, &mut output), Ok(()), "{what}");
        let found: Vec<u128> = output.check_guards().into_iter().map(SortKey::bits).collect();
        assert!(found == expected, "{what}");
    }
}

fn nth_along_axes(place: &Place) {
    for kind in KINDS {
        along_axes::<f32>(place, kind, [3, 17, 5]);
    }
    for shape in [[1, 1, 1], [2, 1000, 3], [40, 7, 41], [1, 5, 100], [100, 5, 1], [1, 1, 700]] {
        along_axes::<f64>(place, Kind::Special, shape);
        along_axes::<u8>(place, Kind::Random, shape);
    }
    let many = if place.is_cuda() { 4 } else { 70 };
    along_axes::<i64>(place, Kind::Random, [3, 1000, many]);
    let device = &place.device;
    let nothing = place.upload::<u16>(&[], 0);
    assert_eq!(Nth::median().axis(&[0, 5], 1).run_to_vec(device, &nothing), Ok(vec![]));
    let none = Nth::median().axis(&[5, 0], 1).run_to_vec(device, &nothing);
    assert_eq!(none, Err(Error::Rank { what: "place", rank: 0, len: 0 }));
    assert_eq!(Nth::at(&[]).axis(&[5, 0], 1).run_to_vec(device, &nothing), Ok(vec![]));
    assert_eq!(Nth::at(&[]).axis(&[1 << 40, 0], 1).run_to_vec(device, &nothing), Ok(vec![]));
}

fn of_segments<K: SortKey>(place: &Place, kind: Kind, len: usize, count: usize) {
    let (keys, offsets) = (keys::<K>(kind, len), offsets(len, count));
    let (input, on_device) = (place.upload(&keys, 1), place.upload(&offsets, 0));
    let instead = upsweep_testing::inputs::keys::<K>(Kind::Random, 1)[0];
    let (places, shares) = ([3, 0, 40], [0.9, 0.0, 0.5]);
    let (mut at, mut quantiles) = (Vec::new(), Vec::new());
    for range in offsets.windows(2) {
        let mut sorted = keys[range[0] as usize..range[1] as usize].to_vec();
        sorted.sort_by(|a, b| a.compare(*b, false));
        let key = |at: usize| sorted.get(at).copied().unwrap_or(instead).bits();
        at.extend(places.map(key));
        quantiles.extend(shares.map(|share: f64| key(((share * sorted.len() as f64).ceil() as usize).max(1) - 1)));
    }
    let bits = |found: Vec<K>| found.into_iter().map(SortKey::bits).collect::<Vec<_>>();
    let what = format!("{kind:?} {len} in {count}");
    let nth = Nth::at(&places).segments(Segments::Offsets(&on_device)).or(instead);
    let mut output = place.poisoned::<K>(at.len(), 1);
    assert_eq!(nth.run(&place.device, &input, &mut output), Ok(()), "{what}");
    assert!(bits(output.check_guards()) == at, "{what}");
    let nth = Nth::quantiles(&shares).segments(Segments::Offsets(&on_device)).or(instead);
    assert!(bits(nth.run_to_vec(&place.device, &input).unwrap()) == quantiles, "{what}");
}

fn nth_of_segments(place: &Place) {
    for kind in KINDS {
        of_segments::<f32>(place, kind, 300, 9);
    }
    for (len, count) in [(0, 4), (1, 1), (50, 50), (some(place, 20_000), 30)] {
        of_segments::<f64>(place, Kind::FewZeros, len, count);
        of_segments::<u16>(place, Kind::Random, len, count);
    }
    // Segments that threads share on the CPU, and one that all threads have together.
    let len = if place.is_cuda() { 5000 } else { 150_000 };
    of_segments::<u128>(place, Kind::Random, len, 100);
}

/// The same values as of each line alone.
fn nth_between_along_axes(place: &Place) {
    let device = &place.device;
    for (kind, shape) in [(Kind::Random, [3, 10, 4]), (Kind::Special, [2, 33, 7]), (Kind::FewZeros, [5, 1, 3])] {
        let keys: Vec<f32> = keys(kind, shape.iter().product());
        let (input, shares) = (place.upload(&keys, 0), [0.25, 0.5, 1.0]);
        for axis in 0..3 {
            let inner: usize = shape[axis + 1..].iter().product();
            let mut expected = vec![0.0; keys.len() / shape[axis] * 3];
            for (line, keys) in lines(&keys, shape, axis).into_iter().enumerate() {
                let alone = Nth::quantiles(&shares).interpolated().run_to_vec(&Device::cpu(), &keys).unwrap();
                for (p, value) in alone.into_iter().enumerate() {
                    expected[(line / inner * 3 + p) * inner + line % inner] = value;
                }
            }
            let found = Nth::quantiles(&shares).interpolated().axis(&shape, axis).run_to_vec(device, &input).unwrap();
            let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
            assert!(
                found.len() == expected.len() && found.iter().zip(&expected).all(same),
                "{kind:?} {shape:?} {axis}"
            );
        }
    }
    let table = place.upload(&[i64::MAX, 1, i64::MIN, 2], 0);
    let found = Nth::median().interpolated().axis(&[2, 2], 0).run_to_neighbours(device, &table).unwrap();
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["-0.5", "1.5"]);
}

fn nth_between_of_segments(place: &Place) {
    let device = &place.device;
    let (keys, offsets) = (keys::<f64>(Kind::Special, 500), offsets(500, 40));
    let (input, on_device) = (place.upload(&keys, 0), place.upload(&offsets, 0));
    let shares = [0.5, 0.1];
    let mut expected = Vec::new();
    for range in offsets.windows(2) {
        let own = &keys[range[0] as usize..range[1] as usize];
        if own.is_empty() {
            expected.extend([-7.0; 2]);
        } else {
            expected.extend(Nth::quantiles(&shares).interpolated().run_to_vec(&Device::cpu(), own).unwrap());
        }
    }
    let nth = Nth::quantiles(&shares).interpolated().segments(Segments::Offsets(&on_device));
    let empty = offsets.windows(2).position(|range| range[0] == range[1]).unwrap();
    let refused = Err(Error::Segment { segment: empty, len: 0, needed: 1 });
    assert_eq!(nth.run_to_vec(device, &input), refused);
    let found = nth.or(-7.0).run_to_vec(device, &input).unwrap();
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    assert!(found.len() == expected.len() && found.iter().zip(&expected).all(same), "{found:?}, not {expected:?}");
}

fn nth_lines_refused(place: &Place) {
    let (device, input) = (&place.device, place.upload(&[4u8, 1, 3, 2], 0));
    let offsets = place.upload(&[0u32, 1, 4], 0);
    let of_segments = Nth::at(&[0, 2]).segments(Segments::Offsets(&offsets));
    let short = Err(Error::Segment { segment: 0, len: 1, needed: 3 });
    assert_eq!(of_segments.run_to_vec(device, &input), short);
    assert_eq!(of_segments.or(9).run_to_vec(device, &input), Ok(vec![4, 9, 1, 3]));
    let mut three = place.poisoned::<u8>(3, 0);
    let length = |expected| Err(Error::Length { what: "output", found: 3, expected });
    assert_eq!(of_segments.or(9).run(device, &input, &mut three), length(4));
    assert_eq!(Nth::median().axis(&[2, 2], 0).run(device, &input, &mut three), length(2));
    assert_eq!(Nth::median().axis(&[2, 2], 2).run(device, &input, &mut three), Err(Error::Axis { axis: 2, axes: 2 }));
    let shape = Nth::median().axis(&[2, 3], 0).run(device, &input, &mut three);
    assert_eq!(shape, Err(Error::Shape { shape: vec![2, 3], len: 4 }));
    let place_of = Nth::at(&[2]).axis(&[2, 2], 0).run_to_vec(device, &input);
    assert_eq!(place_of, Err(Error::Rank { what: "place", rank: 2, len: 2 }));
    let share = Nth::quantiles(&[2.0]).segments(Segments::Offsets(&offsets)).or(0).run_to_vec(device, &input);
    assert!(matches!(share, Err(Error::Options { options: "quantiles", .. })));
}
