//! Cases of sorts by a comparison.

use upsweep::{Element, Error, Sort, function};
use upsweep_testing::inputs::{KINDS, Kind, keys};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sizes::reduced;

on_each_backend!(
    sort_by_lengths,
    sort_by_distributions,
    sort_by_structs,
    sort_by_many_tiles,
    sort_by_what_is_no_order,
    sort_by_refused,
);

/// Order by the highest bits alone, so that many elements are equal.
#[function]
fn above(#[param] shift: u32, a: u32, b: u32) -> bool {
    (a >> shift) < (b >> shift)
}

#[track_caller]
fn check(place: &Place, x: &[u32], shift: u32, offset: usize, what: &str) {
    let what = format!("{} by the bits from {shift} on, {what}", x.len());
    let mut order: Vec<u32> = (0..x.len() as u32).collect();
    order.sort_by_key(|&i| x[i as usize] >> shift);
    let expected: Vec<u32> = order.iter().map(|&i| x[i as usize]).collect();
    let (sort, device, input) = (Sort::by(Above { shift }), &place.device, place.upload(x, offset));
    let mut output = place.poisoned::<u32>(x.len(), 1);
    assert_eq!(sort.run(device, &input, &mut output), Ok(()), "{what}");
    assert!(output.check_guards() == expected, "{what}");
    let mut data = place.upload(x, offset);
    assert_eq!(sort.run_in_place(device, &mut data), Ok(()), "{what}");
    assert!(data.check_guards() == expected, "{what}, in place");
    let mut places = place.poisoned::<u32>(x.len(), offset);
    assert_eq!(sort.indices().run(device, &input, &mut places), Ok(()), "{what}");
    assert!(places.check_guards() == order, "{what}, positions");
    let values: Vec<u64> = (0..x.len() as u64).map(|i| i << 33 | 5).collect();
    let (mut output, mut beside) = (place.poisoned::<u32>(x.len(), 0), place.poisoned::<u64>(x.len(), 0));
    let pairs = sort.pairs().run(device, (&input, &place.upload(&values, 0)), (&mut output, &mut beside));
    assert_eq!(pairs, Ok(()), "{what}");
    let moved: Vec<u64> = order.iter().map(|&i| u64::from(i) << 33 | 5).collect();
    assert!(output.check_guards() == expected && beside.check_guards() == moved, "{what}, pairs");
    assert!(input.check_guards() == x, "the input of {what}");
}

fn sort_by_lengths(place: &Place) {
    for len in [0, 1, 2, 3, 16, 17, 18, 33, 511, 513, 7680, 7681, 8703, 8704, 8705, 17_408, 17_409, 40_001, 100_003] {
        if !reduced() || len < 20_000 {
            check(place, &keys(Kind::Random, len), 20, 0, "random");
        }
    }
}

fn sort_by_distributions(place: &Place) {
    for kind in KINDS {
        check(place, &keys(kind, 30_011), 0, 3, &format!("{kind:?}"));
    }
}

fn sort_by_many_tiles(place: &Place) {
    let len = if reduced() { 60_001 } else { 2_000_003 };
    check(place, &keys(Kind::Random, len), 12, 0, "random");
}

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Interval {
    low: f64,
    high: f64,
    name: u32,
}

#[function]
fn shorter(a: Interval, b: Interval) -> bool {
    a.high - a.low < b.high - b.low
}

fn sort_by_structs(place: &Place) {
    let x: Vec<Interval> = keys::<u32>(Kind::Random, 20_011)
        .iter()
        .zip(0..)
        .map(|(&x, name)| Interval { low: f64::from(x % 1000), high: f64::from(x % 1000 + x % 77), name })
        .collect();
    let mut expected = x.clone();
    expected.sort_by(|a, b| (a.high - a.low).total_cmp(&(b.high - b.low)));
    let input = place.device.upload(&x).unwrap();
    assert!(Sort::by(Shorter).run_to_vec(&place.device, &input) == Ok(expected));
}

#[function]
fn less(a: f32, b: f32) -> bool {
    a < b
}
#[function]
fn never_equal(_a: u32, _b: u32) -> bool {
    true
}

/// A sort by a function that is no order ends, and touches nothing else.
fn sort_by_what_is_no_order(place: &Place) {
    let x = keys::<f32>(Kind::Special, 40_001);
    let mut output = place.poisoned::<f32>(x.len(), 0);
    assert_eq!(Sort::by(Less).run(&place.device, &place.upload(&x, 0), &mut output), Ok(()));
    output.check_guards();
    let x = keys::<u32>(Kind::Random, 40_001);
    let mut output = place.poisoned::<u32>(x.len(), 0);
    assert_eq!(Sort::by(NeverEqual).run(&place.device, &place.upload(&x, 0), &mut output), Ok(()));
    output.check_guards();
}

fn sort_by_refused(place: &Place) {
    let (x, device) = (place.upload(&[5u32, 3, 4], 0), &place.device);
    let (mut two, mut three) = (place.poisoned::<u32>(2, 0), place.poisoned::<u32>(3, 0));
    let length = |what, found, expected| Err(Error::Length { what, found, expected });
    let sort = Sort::by(Above { shift: 0 });
    assert_eq!(sort.run(device, &x, &mut two), length("output", 2, 3));
    assert_eq!(sort.indices().run(device, &x, &mut two), length("output values", 2, 3));
    let values = place.upload(&[1u8, 2], 0);
    let mut beside = place.poisoned::<u8>(3, 0);
    assert_eq!(sort.pairs().run(device, (&x, &values), (&mut three, &mut beside)), length("values", 2, 3));
    assert_eq!(three.check_guards(), [0xABAB_ABAB; 3]);
}
