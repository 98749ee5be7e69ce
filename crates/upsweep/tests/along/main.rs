//! Scans along linked lists, up-sweeps, pyramids and moving sums: one set of cases, run against each backend and
//! compared with sequential loops.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod moving_sums;
mod pyramids;
mod up_sweeps;

use half::f16;
use upsweep::prelude::*;
use upsweep::{Error, Result};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::{Buffer, Place};
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend! { every_length_and_order, of_all_sizes, maps_and_computed_elements, circles_are_cut, what_is_no_list, wrong_options }

/// Composes `x -> m x + c` in u32, first `f`, then `g`.
#[operator(identity = (1, 0))]
fn then(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
    (f.0 * g.0, f.1 * g.0 + g.1)
}

#[function]
fn place_times(#[param] by: u64, x: u32, at: u64) -> u64 {
    x as u64 * by + at
}

#[function]
fn half_of(x: u64) -> u64 {
    x / 2
}

/// Checks that the results are the expected ones, and that the guards around them are unchanged.
fn expect<T: Sample>(found: &Buffer<T>, expected: &[T], case: &str) {
    let found = found.check_guards();
    if let Some(at) = (0..expected.len()).find(|&at| !found[at].same(&expected[at])) {
        panic!("{case}: result {at} is {:?} and must be {:?}", found[at], expected[at]);
    }
}

/// Orders of a list's elements: in memory order, backwards, by steps (which could be those of the pieces), and random.
fn orders(n: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let by = |step: usize| (0..step).flat_map(|first| (first..n).step_by(step)).collect::<Vec<_>>();
    let mut anywhere = by(1);
    for i in (1..n).rev() {
        anywhere.swap(i, rng.next() as usize % (i + 1));
    }
    vec![by(1), (0..n).rev().collect(), by(16), by(17), anywhere]
}

fn next_of(order: &[usize]) -> Vec<u32> {
    let mut next = vec![0; order.len()];
    for (place, &e) in order.iter().enumerate() {
        next[e] = *order.get(place + 1).unwrap_or(&e) as u32;
    }
    next
}

/// Compares both scans of `x` along the list with a sequential loop.
fn check<T, Op>(place: &Place, operator: Op, x: &[T], order: &[usize], case: &str)
where
    T: Sample,
    Op: Operator<T>,
{
    let n = x.len();
    let (values, next) = (place.upload(x, n % 3), place.upload(&next_of(order), n % 2));
    let first = order.first().copied().unwrap_or(0);
    let (mut inclusive, mut exclusive) = (x.to_vec(), x.to_vec());
    let mut acc = None;
    for &e in order {
        exclusive[e] = acc.or(operator.identity()).unwrap_or(x[e]);
        acc = Some(acc.map_or(x[e], |acc| operator.combine(acc, x[e])));
        inclusive[e] = acc.unwrap();
    }
    let mut found = place.poisoned::<T>(n, 1);
    Scan::new(operator).along(&next, first).run(&place.device, &values, &mut found).unwrap();
    expect(&found, &inclusive, &format!("{case}, {n} elements"));
    if operator.identity().is_some() {
        let mut found = place.poisoned::<T>(n, 0);
        Scan::new(operator).exclusive().along(&next, first).run(&place.device, &values, &mut found).unwrap();
        expect(&found, &exclusive, &format!("exclusive, {case}, {n} elements"));
    }
}

fn every_length_and_order(place: &Place) {
    let mut rng = Rng::new(1);
    for n in (0..40).chain([255, 256, 257, 511, 512, 513, 4095, 4096, 8191, 8193, 20_000, 140_000]) {
        let x: Vec<(u32, u32)> = (0..n).map(|_| (rng.next() as u32 | 1, rng.next() as u32)).collect();
        for (which, order) in orders(n, &mut rng).iter().enumerate() {
            check(place, Then, &x, order, &format!("order {which}"));
        }
    }
}

fn of_all_sizes(place: &Place) {
    let mut rng = Rng::new(2);
    for n in [1, 100, 9000] {
        let order = &orders(n, &mut rng)[4];
        macro_rules! of {
            ($($t:ty)*) => { $(check(place, Sum, &(0..n).map(|_| rng.next() as $t).collect::<Vec<_>>(), order, stringify!($t));)* };
        }
        of! { u8 i16 u32 i64 u128 }
        check(place, Max, &(0..n).map(|_| rng.next() as i32 as f64).collect::<Vec<_>>(), order, "f64 max");
        // Combined in f32: 1, 2, .., 2048 and no more in halves.
        check(place, Sum, &vec![f16::ONE; n.min(2000)], &orders(n.min(2000), &mut rng)[4], "f16");
        check(place, First, &(0..n).map(|_| (rng.next() as u8, 0u8, 1u8)).collect::<Vec<_>>(), order, "3 bytes");
        check(place, Xor, &(0..n).map(|_| rng.next()).collect::<Vec<u64>>(), order, "xor");
    }
}

fn maps_and_computed_elements(place: &Place) {
    let mut rng = Rng::new(3);
    let n = 5000;
    let order = &orders(n, &mut rng)[4];
    let x: Vec<u32> = (0..n).map(|_| rng.next() as u32).collect();
    let (values, next) = (place.upload(&x, 0), place.upload(&next_of(order), 0));
    let (mut expected, mut sum) = (vec![0; n], 0u64);
    for &e in order {
        sum = sum.wrapping_add(u64::from(x[e]) * 3 + e as u64);
        expected[e] = sum / 2;
    }
    let scan = Scan::new(Sum).map(PlaceTimes { by: 3 }).finish(HalfOf).along(&next, order[0]);
    let found: Array<u64> = scan.run_to_array(&place.device, (&values, 0..n as u64)).unwrap();
    assert!(found.to_vec().unwrap() == expected);
    // Elements of a table, and results that go elsewhere.
    let table: Vec<u64> = (0..n as u64).map(|i| i * i).collect();
    let on_device = place.upload(&table, 0);
    let mut turned = place.device.filled(n, 0u64).unwrap();
    let elements = Gather::of(&on_device).at(Apply(Backwards { last: n as u64 - 1 }, 0..n as u64));
    let results = Scatter::to(&mut turned).at(Apply(Backwards { last: n as u64 - 1 }, 0..n as u64));
    Scan::new(Sum).along(&next, order[0]).run(&place.device, elements, results).unwrap();
    let (mut expected, mut sum) = (vec![0; n], 0u64);
    for &e in order {
        sum += table[n - 1 - e];
        expected[n - 1 - e] = sum;
    }
    assert!(turned.to_vec().unwrap() == expected);
}

#[function]
fn backwards(#[param] last: u64, at: u64) -> u64 {
    last - at
}

fn circles_are_cut(place: &Place) {
    for n in [1usize, 2, 100, 3000] {
        let next: Vec<u32> = (0..n).map(|e| ((e + 1) % n) as u32).collect();
        let next = place.upload(&next, 0);
        let ones = place.upload(&vec![1u32; n], 0);
        let found: Array<u32> = Scan::new(Sum).along(&next, n / 2).run_to_array(&place.device, &ones).unwrap();
        let expected: Vec<u32> = (0..n).map(|e| ((e + n - n / 2) % n) as u32 + 1).collect();
        assert_eq!(found.to_vec().unwrap(), expected);
    }
}

/// Returns the sums of ones along a list, or the error of the scan.
fn ranked(place: &Place, next: &[u32], first: usize) -> Result<Vec<u32>> {
    let (next, ones) = (place.upload(next, 0), place.upload(&vec![1u32; next.len()], 0));
    let ranks: Array<u32> = Scan::new(Sum).along(&next, first).run_to_array(&place.device, &ones)?;
    ranks.to_vec()
}

fn what_is_no_list(place: &Place) {
    let mut rng = Rng::new(4);
    assert_eq!(ranked(place, &[1, 2, 2], 0), Ok(vec![1, 2, 3]));
    assert_eq!(ranked(place, &[1, 2, 2], 1), Err(Error::List { len: 3 }));
    assert_eq!(ranked(place, &[0, 2, 1], 0), Err(Error::List { len: 3 }));
    assert_eq!(ranked(place, &[1, 3, 0], 0), Err(Error::Index { at: 1, index: 3, len: 3 }));
    for n in [40usize, 1000, 30_000] {
        for order in orders(n, &mut rng) {
            let next = next_of(&order);
            let cut = n / 3;
            // The first third is a list, and the others go round; two have one behind them.
            let mut circle = next.clone();
            circle[order[cut]] = order[cut] as u32;
            circle[order[n - 1]] = order[cut + 1] as u32;
            assert_eq!(ranked(place, &circle, order[0]), Err(Error::List { len: n }));
            let mut joined = next.clone();
            joined[order[cut]] = order[2 * cut] as u32;
            assert_eq!(ranked(place, &joined, order[0]), Err(Error::List { len: n }));
            // All go to one; and a circle that is come to from outside.
            assert_eq!(ranked(place, &vec![order[0] as u32; n], order[1]), Err(Error::List { len: n }));
            let mut lasso = next.clone();
            lasso[order[n - 1]] = order[cut] as u32;
            assert_eq!(ranked(place, &lasso, order[0]), Err(Error::List { len: n }));
            // As many elements twice as there are that nobody comes to.
            lasso[order[cut]] = order[2 * cut] as u32;
            lasso[order[n - 1]] = order[n - cut] as u32;
            assert_eq!(ranked(place, &lasso, order[0]), Err(Error::List { len: n }));
            assert_eq!(ranked(place, &next, order[0]).map(|ranks| ranks[order[n - 1]]), Ok(n as u32));
        }
    }
}

fn wrong_options(place: &Place) {
    let (next, x) = (place.upload(&[1u32, 1], 0), place.upload(&[1u32, 2], 0));
    let run = |scan: Scan<'_, Sum>| scan.along(&next, 0).run_to_array::<_, u32>(&place.device, &x).err();
    assert!(matches!(run(Scan::new(Sum).reverse()), Some(Error::Options { .. })));
    assert!(matches!(run(Scan::new(Sum).with_total()), Some(Error::Options { .. })));
    assert!(matches!(run(Scan::new(Sum).axis(&[2], 0)), Some(Error::Options { .. })));
    let first = Scan::new(Sum).along(&next, 2).run_to_array::<_, u32>(&place.device, &x).err();
    assert_eq!(first, Some(Error::Index { at: usize::MAX, index: 2, len: 2 }));
    let longer = place.upload(&[1u32, 2, 2], 0);
    let length = Scan::new(Sum).along(&longer, 0).run_to_array::<_, u32>(&place.device, &x).err();
    assert_eq!(length, Some(Error::Length { what: "list", found: 3, expected: 2 }));
}
