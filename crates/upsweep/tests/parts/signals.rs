//! Recurrences on signals in parts.

use crate::support::cuts;
use upsweep::{Carry, Device, Error, Recurrence};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;

on_each_backend!(signals_of_parts, signals_of_lines, signals_by_way_of_bytes, signals_that_are_refused);

/// Checks that numbers differ in their last digits at most.
fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-12 * y.abs().max(1.0);
    let wrong = found.iter().zip(expected).position(|pair| !close(pair));
    assert!(found.len() == expected.len() && wrong.is_none(), "{what}: result {wrong:?} of {}", found.len());
}

fn signals_of_parts(place: &Place) {
    let mut rng = Rng::new(1);
    let (b, a) = ([3u32, 5, 7], [1u32, 2, u32::MAX]);
    let (fb, fa) = ([1.0f64], [1.0f64, -1.7, 0.75]);
    let sections = [[1.0f64, 0.0, 0.5, 1.0, -0.9, 0.25], [1.0, 1.0, 0.0, 1.0, 0.5, 0.0]];
    for len in [0, 1, 2, 100, 4097, 70_001, 300_000] {
        let x: Vec<u32> = (0..len).map(|_| rng.next() as u32).collect();
        let f: Vec<f64> = x.iter().map(|&x| f64::from(x % 16)).collect();
        let (whole, floats) = (Recurrence::new(&b, &a), Recurrence::new(&fb, &fa));
        let cascade = Recurrence::sections(&sections);
        let cpu = Device::cpu();
        let expected = whole.run_to_vec(&cpu, &x).unwrap();
        let expected_floats = floats.run_to_vec(&cpu, &f).unwrap();
        let expected_cascade = cascade.run_to_vec(&cpu, &f).unwrap();
        let cuts = cuts(&mut rng, len);
        let (mut all, mut all_floats, mut all_cascade) = (Vec::new(), Vec::new(), Vec::new());
        let mut carries = [(); 3].map(|()| Carry::new());
        for pair in cuts.windows(2) {
            let range = pair[0]..pair[1];
            let part = place.upload(&x[range.clone()], rng.below(3));
            let of_floats = place.upload(&f[range.clone()], rng.below(3));
            let mut y = place.poisoned::<u32>(range.len(), rng.below(3));
            whole.run_with_carry(&place.device, &part, &mut y, &mut carries[0]).unwrap();
            all.extend(y.check_guards());
            let mut y = place.poisoned::<f64>(range.len(), rng.below(3));
            floats.run_with_carry(&place.device, &of_floats, &mut y, &mut carries[1]).unwrap();
            all_floats.extend(y.check_guards());
            cascade.run_with_carry(&place.device, &of_floats, &mut y, &mut carries[2]).unwrap();
            all_cascade.extend(y.check_guards());
        }
        assert!(all == expected, "{len} elements cut at {cuts:?}");
        assert_close(&all_floats, &expected_floats, &format!("{len} floats cut at {cuts:?}"));
        assert_close(&all_cascade, &expected_cascade, &format!("{len} floats through sections, cut at {cuts:?}"));
        assert!(carries.iter().all(|carry| carry.position() == len as u64));
    }
}

/// Channels that are interleaved, and initial states before the first part.
fn signals_of_lines(place: &Place) {
    let mut rng = Rng::new(2);
    let (b, a) = ([1u64, 2], [1u64, 3, 1]);
    for (len, channels) in [(1, 1), (40, 3), (3000, 2), (500, 70)] {
        let x: Vec<u64> = (0..len * channels).map(|_| rng.next()).collect();
        let states: Vec<u64> = (0..2 * channels).map(|_| rng.next()).collect();
        let shape = [len, channels];
        let whole = Recurrence::new(&b, &a).axis(&shape, 0).state(&states);
        let expected = whole.run_to_vec(&Device::cpu(), &x).unwrap();
        let first = place.upload(&states, 0);
        let (cuts, mut all, mut carry) = (cuts(&mut rng, len), Vec::new(), Carry::new());
        for pair in cuts.windows(2) {
            let part = place.upload(&x[pair[0] * channels..pair[1] * channels], rng.below(3));
            let mut y = place.poisoned::<u64>((pair[1] - pair[0]) * channels, rng.below(3));
            let shape = [pair[1] - pair[0], channels];
            let recurrence = Recurrence::new(&b, &a).axis(&shape, 0).state(&first);
            recurrence.run_with_carry(&place.device, &part, &mut y, &mut carry).unwrap();
            all.extend(y.check_guards());
        }
        assert!(all == expected, "{len} x {channels} cut at {cuts:?}");
    }
}

/// A carry goes from one device to the other by way of bytes.
fn signals_by_way_of_bytes(place: &Place) {
    let (b, a, x) = ([1i32], [1i32, -1, -1], [1i32; 9]);
    let fibonacci = Recurrence::new(&b, &a);
    let expected = fibonacci.run_to_vec(&Device::cpu(), &x).unwrap();
    let (part, mut y, mut carry) = (place.upload(&x[..4], 0), place.poisoned::<i32>(4, 0), Carry::new());
    fibonacci.run_with_carry(&place.device, &part, &mut y, &mut carry).unwrap();
    assert_eq!(y.check_guards(), expected[..4]);
    let mut carry = Carry::from_bytes(&carry.to_bytes().unwrap()).unwrap();
    let mut rest = [0; 5];
    fibonacci.run_with_carry(&Device::cpu(), &x[4..], &mut rest, &mut carry).unwrap();
    assert_eq!(rest, expected[4..]);
}

fn signals_that_are_refused(place: &Place) {
    let (x, mut y, mut carry) = (place.upload(&[1.0f32, 2.0], 0), place.poisoned::<f32>(2, 0), Carry::new());
    let (b, a, other) = ([1.0f32], [1.0f32, -0.5], [1.0f32, -0.25]);
    let average = Recurrence::new(&b, &a);
    average.run_with_carry(&place.device, &x, &mut y, &mut carry).unwrap();
    let said = Recurrence::new(&b, &other).run_with_carry(&place.device, &x, &mut y, &mut carry).unwrap_err();
    assert!(
        matches!(said, Error::Carry { .. }) && said.to_string().contains("recurrence of 1 signals of f32"),
        "{said}"
    );
    let shape = [1, 2];
    let lines = average.axis(&shape, 0);
    let said = lines.run_with_carry(&place.device, &x, &mut y, &mut carry).unwrap_err();
    assert!(said.to_string().contains("2 signals"), "{said}");
    let said = average.reverse().run_with_carry(&place.device, &x, &mut y, &mut carry).unwrap_err();
    assert!(said.to_string().contains("forward"), "{said}");
    let mut short = place.poisoned::<f32>(1, 0);
    let said = average.run_with_carry(&place.device, &x, &mut short, &mut carry).unwrap_err();
    assert!(matches!(said, Error::Length { what: "output", found: 1, expected: 2 }), "{said}");
    assert_eq!(carry.position(), 2, "a call that fails leaves the carry");
    average.run_with_carry(&place.device, &x, &mut y, &mut carry).unwrap();
    assert_eq!(y.check_guards(), [1.0 + 2.5 * 0.5, 2.0 + 2.25 * 0.5]);
}
