//! Closures where functions may stand: on the CPU they are functions, on CUDA they are refused.

use std::fmt::Debug;
use upsweep::prelude::*;
use upsweep::{Error, Result};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sample::random_values;

on_each_backend! { scans_and_reductions, selections_and_groups, orders, inputs_and_transforms }

/// Checks that a call with a closure has a result on the CPU, and is refused on CUDA.
#[track_caller]
fn check<T: PartialEq + Debug>(place: &Place, found: Result<T>, expected: T) {
    if place.is_cuda() {
        assert!(matches!(found, Err(Error::Options { options, .. }) if options.contains("a closure")), "{found:?}");
    } else {
        assert_eq!(found, Ok(expected));
    }
}

fn scans_and_reductions(place: &Place) {
    let device = &place.device;
    let (a, b) = (random_values::<u32>(5_003), random_values::<u16>(5_003));
    let (on_a, on_b) = (place.upload(&a, 1), place.upload(&b, 0));
    // A closure that captures a number, as a map of two inputs, and one that captures nothing, as a finish.
    let by = a[0] | 1;
    let scan = Scan::new(Sum).map(host(move |a: u32, b: u16| u64::from(a / by) + u64::from(b)));
    let mut sum = 0;
    let mut added = |(a, b): (&u32, &u16)| {
        sum += u64::from(a / by) + u64::from(*b);
        sum
    };
    let sums: Vec<u64> = a.iter().zip(&b).map(&mut added).collect();
    let halves: Vec<f64> = sums.iter().map(|&x| x as f64 / 2.0).collect();
    check(place, scan.run_to_vec(device, (&on_a, &on_b)), sums);
    check(place, scan.finish(host(|x: u64| x as f64 / 2.0)).run_to_vec(device, (&on_a, &on_b)), halves);
    let odd = a.iter().filter(|x| **x % 2 == 1).count() as u64;
    let reduce = Reduce::new(Sum).map(host(|x: u32| u64::from(x % 2)));
    check(place, reduce.run_to_host(device, &on_a), odd);
    let sorted: Vec<u32> = (0..5_003).map(|i| i / 7).collect();
    let keys = place.upload(&sorted, 1);
    let lengths =
        Reduce::new(Sum).map(host(|_: u32| 1u32)).segments(Segments::KeysBy(&keys, host(|a: u32, b: u32| a == b)));
    let mut found = place.poisoned::<u32>(715, 1);
    let status = lengths.run(device, &keys, &mut found);
    check(place, status.map(|()| found.check_guards()), [vec![7; 714], vec![5]].concat());
}

fn selections_and_groups(place: &Place) {
    let device = &place.device;
    let x = random_values::<u32>(4_099);
    let on = place.upload(&x, 1);
    let least = x[1];
    let above = host(move |x: u32| x > least);
    let kept: Vec<u32> = x.iter().copied().filter(|&x| x > least).collect();
    let left: Vec<u32> = x.iter().copied().filter(|&x| x <= least).collect();
    check(place, Select::new(above).run_to_vec(device, &on), kept.clone());
    check(place, Partition::new(above).run_to_vecs(device, &on), (kept, left));
    let (mut counts, mut sums) = (vec![0u32; 5], vec![0u32; 5]);
    for &x in &x {
        counts[x as usize % 5] += 1;
        sums[x as usize % 5] = sums[x as usize % 5].wrapping_add(x);
    }
    let code = host(|x: u32| x % 5);
    check(place, Histogram::by(code, 5).run_to_vec(device, &on), counts);
    check(place, Reduce::new(Sum).by_code(Apply(code, &on), 5).run_to_vec(device, &on), sums);
    let same = host(|a: u32, b: u32| a / 1_000_000 == b / 1_000_000);
    let mut firsts = vec![x[0]];
    firsts.extend(x.windows(2).filter(|x| x[0] / 1_000_000 != x[1] / 1_000_000).map(|x| x[1]));
    check(place, Dedup::by(same).run_to_vec(device, &on), firsts);
}

fn orders(place: &Place) {
    let device = &place.device;
    let x = random_values::<i32>(3_001);
    let on = place.upload(&x, 1);
    let to = x[5];
    let distance = move |x: i32| x.wrapping_sub(to).unsigned_abs();
    let mut near = x.clone();
    near.sort_by_key(|&x| distance(x));
    check(place, Sort::by(host(move |a: i32, b: i32| distance(a) < distance(b))).run_to_vec(device, &on), near.clone());
    check(place, Sort::by_key(host(distance)).run_to_vec(device, &on), near.clone());
    let sorted = place.upload(&near, 0);
    let places: Vec<u32> = x.iter().map(|&x| near.partition_point(|&y| distance(y) < distance(x)) as u32).collect();
    let search = Search::lower(&sorted).by(host(move |a: i32, b: i32| distance(a) < distance(b)));
    check(place, search.run_to_vec(device, &on), places);
}

fn inputs_and_transforms(place: &Place) {
    let device = &place.device;
    let x = random_values::<u16>(1_025);
    let on = place.upload(&x, 1);
    let doubled: Vec<u32> = x.iter().map(|&x| u32::from(x) * 2).collect();
    let double = host(|x: u16| u32::from(x) * 2);
    check(place, Transform::new(double).run_to_vec(device, &on), doubled.clone());
    check(place, Transform::copy().run_to_vec(device, Apply(double, &on)), doubled);
    let reversed: Vec<u16> = x.iter().rev().copied().collect();
    let from_the_end = Apply(host(|i: u32| 1_024 - i), 0..1_025u32);
    check(place, Transform::copy().run_to_vec(device, Gather::of(&on).at(from_the_end)), reversed);
}
