//! Histograms, expansions and recurrences of each kind of input.

use crate::kinds::{Parts, counted, each_counted_kind, each_kind, lens};
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend! { histograms, expansions, recurrences, windows_and_levels, transforms_and_reductions }

#[function]
fn low_bits(x: u32) -> u32 {
    x % 16
}
#[function]
fn bin_of_pair(a: u32, b: u16) -> i64 {
    i64::from(a % 5) * 3 + i64::from(b % 3) - 2
}
#[function]
fn small(x: u32) -> u32 {
    x % 4
}
#[function]
fn sum_of(a: u32, b: u16) -> u64 {
    u64::from(a) + u64::from(b)
}

fn histograms(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let weights: Vec<i64> = (0..len as i64).map(|i| i * 7 - 1000).collect();
        let on = place.upload(&weights, 1);
        let edges = [0u32, 1000, 1 << 20, 1 << 31, u32::MAX];
        let on_edges = place.upload(&edges, 0);
        each_kind!("histogram", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let (mut counts, mut sums, mut between) = (vec![0u32; 16], vec![0i64; 16], vec![0u64; 4]);
            for (x, weight) in values.iter().zip(&weights) {
                counts[(x % 16) as usize] += 1;
                sums[(x % 16) as usize] += weight;
                between[edges[1..4].partition_point(|edge| edge <= x)] += 1;
            }
            let histogram = Histogram::by(LowBits, 16);
            assert_eq!(histogram.run_to_vec(device, input()), Ok(counts.clone()), "{case}");
            let mut output = place.poisoned::<u32>(16, 1);
            histogram.run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), counts, "{case}");
            assert_eq!(histogram.weights(&on).run_to_vec(device, input()), Ok(sums), "{case}");
            assert_eq!(Histogram::edges(&on_edges).run_to_vec(device, input()), Ok(between), "{case}");
        });
        // A bin of two columns.
        let mut counts = vec![0u64; 13];
        for i in 0..len {
            let bin = i64::from(parts.x[i] % 5) * 3 + i64::from(parts.small[i] % 3) - 2;
            if let Some(count) = usize::try_from(bin).ok().and_then(|bin| counts.get_mut(bin)) {
                *count += 1;
            }
        }
        let pair = (&parts.on.x, &parts.on.small);
        assert_eq!(Histogram::by(BinOfPair, 13).run_to_vec(device, pair), Ok(counts));
    }
}

fn expansions(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("expand", &parts, |name, values, input| {
            let owners: Vec<u32> = (0..len).flat_map(|i| vec![i as u32; (values[i] % 4) as usize]).collect();
            let found = Expand::new().run_to_vec::<_, u32>(device, Apply(Small, input()));
            assert_eq!(found, Ok(owners.clone()), "{name}, {len} counts");
            let mut output = place.poisoned::<u32>(owners.len(), 1);
            let total = Expand::new().run(device, Apply(Small, input()), &mut output).unwrap();
            assert_eq!((total.get(), output.check_guards()), (Ok(owners.len()), owners), "{name}, {len} counts");
        });
        each_counted_kind!("expand", place, &parts, len / 2, |name, values, input| {
            let owners: Vec<u32> = (0..len / 2).flat_map(|i| vec![i as u32; (values[i] % 4) as usize]).collect();
            let found = Expand::new().run_to_vec::<_, u32>(device, Apply(Small, input()));
            assert_eq!(found, Ok(owners), "{name}, {len} counts");
        });
    }
}

fn recurrences(place: &Place) {
    let device = &place.device;
    let (b, a) = ([2u32, 3], [1u32, 5]);
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("recurrence", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let (mut before, mut y, mut expected) = (0u32, 0u32, vec![]);
            for &x in &values {
                y = x.wrapping_mul(2).wrapping_add(before.wrapping_mul(3)).wrapping_sub(y.wrapping_mul(5));
                before = x;
                expected.push(y);
            }
            let recurrence = Recurrence::new(&b, &a);
            assert_eq!(recurrence.run_to_vec(device, input()), Ok(expected.clone()), "{case}");
            let mut output = place.poisoned::<u32>(len, 1);
            recurrence.run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), expected, "{case}");
            let mut state = place.poisoned::<u32>(1, 0);
            recurrence.run_with_state(device, input(), &mut output, &mut state).unwrap();
            assert_eq!(output.check_guards(), expected, "{case}");
        });
    }
}

#[function]
fn mean(a: u32, b: u32, c: u32, d: u32) -> u32 {
    a / 4 + b / 4 + c / 4 + d / 4
}

/// Moving sums, pyramids, upsweeps and scans along axes.
fn windows_and_levels(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("moving_sum, up_sweep, scan_axes", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let at = |i: usize| values.get(i).copied().unwrap_or(0);
            let sums: Vec<u32> = (0..len)
                .map(|i| at(i).wrapping_add(at(i + 1)).wrapping_add(if i > 0 { at(i - 1) } else { 0 }))
                .collect();
            let moving = MovingSum::new([1, 1, len, 1]).columns(1, 1);
            assert_eq!(moving.run_to_vec(device, input()), Ok(sums.clone()), "{case}");
            let mut output = place.poisoned::<u32>(len, 1);
            moving.run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), sums, "{case}");
            let blocks: Vec<u32> = (1..=len)
                .map(|j| values[j - (1 << j.trailing_zeros())..j].iter().fold(0, |a: u32, b| a.wrapping_add(*b)))
                .collect();
            assert_eq!(UpSweep::new(Sum).run_to_vec(device, input()), Ok(blocks.clone()), "{case}");
            UpSweep::new(Sum).run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), blocks, "{case}");
            let running: Vec<u32> = values
                .iter()
                .scan(0, |sum: &mut u32, x| {
                    *sum = sum.wrapping_add(*x);
                    Some(*sum)
                })
                .collect();
            assert_eq!(Scan::new(Sum).axes(&[1, len], &[1, 0]).run_to_vec(device, input()), Ok(running), "{case}");
        });
        if len % 2 == 0 && len > 0 {
            let pyramid = Pyramid::new(Mean, [1, 1, len, 1], 1);
            let found = pyramid.run_to_vec(device, 0..len as u32).unwrap();
            let expected: Vec<u32> =
                (0..len / 2).map(|i| 2 * (i as u32 * 2 / 4) + 2 * ((i as u32 * 2 + 1) / 4)).collect();
            assert_eq!(found, expected, "{len}");
        }
    }
}

/// Their endings: they read any input in their pass.
fn transforms_and_reductions(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let sums: Vec<u64> = (0..len).map(|i| u64::from(parts.x[i]) + u64::from(parts.small[i])).collect();
        let pair = || (&parts.on.x, &parts.on.small);
        assert_eq!(Transform::new(SumOf).run_to_vec(device, pair()), Ok(sums.clone()));
        let reduce = Reduce::new(Max).map(SumOf).init(5);
        assert_eq!(reduce.run_to_vec(device, pair()), Ok(vec![sums.iter().copied().max().unwrap_or(5).max(5)]));
    }
    let (x, count) = (place.upload(&[1u32; 9], 0), counted(place, 9, 4));
    assert!(Transform::copy().run_to_vec::<_, u32>(device, count.of(&x)).is_err());
}
