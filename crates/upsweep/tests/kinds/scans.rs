//! Scans, reductions, transforms and pyramids of each kind of input.

use crate::kinds::{Parts, each_counted_kind, each_kind, lens};
use upsweep::prelude::*;
use upsweep::varying;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend! {
    scans,
    scans_along_lists,
    recurrences_with_coefficients_of_each_element,
    reductions,
    reductions_by_keys,
    transforms,
    pyramids,
    counts,
    rows_of_several_inputs,
}

#[function]
fn halved(x: u32) -> u64 {
    u64::from(x / 2)
}
#[function]
fn mean(a: u32, b: u32, c: u32, d: u32) -> u32 {
    a / 4 + b / 4 + c / 4 + d / 4
}

/// Sums of the values so far.
fn running(values: &[u32]) -> Vec<u32> {
    let mut sum = 0u32;
    values.iter().map(|&x| (sum = sum.wrapping_add(x), sum).1).collect()
}

fn sum(values: &[u32]) -> u32 {
    running(values).last().copied().unwrap_or(0)
}

fn scans(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("scan", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let sums = running(&values);
            assert_eq!(Scan::new(Sum).run_to_vec(device, input()), Ok(sums), "{case}");
            // Backwards, mapped, widened, and the results before their elements.
            let after: Vec<u64> = (0..len)
                .rev()
                .scan(0, |sum, i| Some((*sum, *sum += u64::from(values[i] / 2)).0))
                .collect::<Vec<u64>>()
                .into_iter()
                .rev()
                .collect();
            let mut output = place.poisoned::<u64>(len, 1);
            Scan::new(Sum).map(Halved).reverse().exclusive().run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), after, "{case}");
            let columns = [2, len / 2];
            if columns[0] * columns[1] == len {
                let down: Vec<u32> = (0..len)
                    .map(|i| if i < len / 2 { values[i] } else { values[i].max(values[i - len / 2]) })
                    .collect();
                assert_eq!(Scan::new(Max).axis(&columns, 0).run_to_vec(device, input()), Ok(down), "{case}");
            }
        });
    }
}

fn scans_along_lists(place: &Place) {
    let device = &place.device;
    for len in lens().into_iter().filter(|&len| len > 0) {
        let parts = Parts::new(place, len);
        // From the last element to the first.
        let next = place.upload(&(0..len as u32).map(|e| e.saturating_sub(1)).collect::<Vec<_>>(), 1);
        each_kind!("list_scan", &parts, |name, values, input| {
            let mut sums = running(&values.iter().rev().copied().collect::<Vec<_>>());
            sums.reverse();
            let along = Scan::new(Sum).along(&next, len - 1);
            assert_eq!(along.run_to_vec(device, input()), Ok(sums.clone()), "{name}, {len} elements");
            let mut output = place.poisoned::<u32>(len, 1);
            along.run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), sums, "{name}, {len} elements");
        });
    }
}

fn recurrences_with_coefficients_of_each_element(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("varying", &parts, |name, values, input| {
            let steps = values.iter().zip(&parts.x);
            let results: Vec<u32> =
                steps.scan(0u32, |y, (a, x)| Some((*y = a.wrapping_mul(*y).wrapping_add(*x), *y).1)).collect();
            let found = varying::first_order().run_to_vec(device, (input(), &parts.on.x));
            assert_eq!(found, Ok(results), "{name}, {len} elements");
        });
    }
}

fn reductions(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let (half, ends) = (len as u64 / 2, place.upload(&[0, len as u64 / 2, len as u64], 0));
        each_kind!("reduce", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            assert_eq!(Reduce::new(Sum).run_to_host(device, input()), Ok(sum(&values)), "{case}");
            let largest = values.iter().copied().max().unwrap_or(0);
            assert_eq!(Reduce::new(Max).run_to_vec(device, input()), Ok(vec![largest]), "{case}");
            let mut output = place.poisoned::<u64>(2, 1);
            let of_halves = Reduce::new(Sum).map(Halved).segments(Segments::Offsets(&ends));
            of_halves.run(device, input(), &mut output).unwrap();
            let (first, second) = values.split_at(half as usize);
            let halves = [first, second].map(|values| values.iter().map(|x| u64::from(x / 2)).sum::<u64>());
            assert_eq!(output.check_guards(), halves, "{case}");
        });
    }
}

fn reductions_by_keys(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let keys: Vec<u16> = (0..len).map(|i| (i / 3 % 1000) as u16).collect();
        let on_keys = place.upload(&keys, 1);
        each_kind!("reduce_by_key", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let sums: Vec<u32> = values.chunks(3).map(sum).collect();
            let firsts: Vec<u16> = keys.iter().step_by(3).copied().collect();
            let by_key = Reduce::new(Sum).segments(Segments::Keys(&on_keys));
            let (mut to_keys, mut to) = (place.poisoned::<u16>(sums.len(), 1), place.poisoned::<u32>(sums.len(), 0));
            let count = by_key.run_with_keys(device, input(), (&mut to_keys, &mut to)).unwrap();
            assert_eq!(count.get(), Ok(sums.len()), "{case}");
            assert_eq!((to_keys.check_guards(), to.check_guards()), (firsts, sums), "{case}");
        });
        // The keys of elements that there are not count for nothing.
        let number = len / 3 * 2;
        each_counted_kind!("reduce_by_key", place, &parts, number, |name, values, input| {
            let case = format!("{name}, {number} of {len} elements");
            let sums: Vec<u32> = values.chunks(3).map(sum).collect();
            let firsts: Vec<u16> = keys[..number].iter().step_by(3).copied().collect();
            let by_key = Reduce::new(Sum).segments(Segments::Keys(&on_keys));
            let room = sums.len().max(1);
            let (mut to_keys, mut to) = (place.poisoned::<u16>(room, 1), place.poisoned::<u32>(room, 0));
            let count = by_key.run_with_keys(device, input(), (&mut to_keys, &mut to)).unwrap();
            assert_eq!(count.get(), Ok(sums.len()), "{case}");
            assert_eq!(to_keys.check_guards()[..sums.len()], firsts, "{case}");
            assert_eq!(to.check_guards()[..sums.len()], sums, "{case}");
        });
    }
}

fn transforms(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("transform", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let halves: Vec<u64> = values.iter().map(|x| u64::from(x / 2)).collect();
            assert_eq!(Transform::new(Halved).run_to_vec(device, input()), Ok(halves), "{case}");
            let mut output = place.poisoned::<u32>(len, 1);
            Transform::copy().run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), values, "{case}");
        });
    }
}

fn pyramids(place: &Place) {
    let device = &place.device;
    for len in lens().into_iter().filter(|&len| len > 0) {
        let parts = Parts::new(place, 2 * len);
        each_kind!("pyramid", &parts, |name, values, input| {
            let halves: Vec<u32> = values.chunks(2).map(|x| mean(x[0], x[1], x[0], x[1])).collect();
            let pyramid = Pyramid::new(Mean, [1, 1, 2 * len, 1], 1);
            assert_eq!(pyramid.run_to_vec(device, input()), Ok(halves.clone()), "{name}, {len} elements");
            let mut output = place.poisoned::<u32>(len, 1);
            pyramid.run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), halves, "{name}, {len} elements");
        });
    }
}

/// Inputs whose lengths the device alone knows.
fn counts(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let number = len / 3 * 2;
        let unchanged = |mut values: Vec<u32>| (values.resize(len, 0xABAB_ABAB), values).1;
        each_counted_kind!("scan, reduce, transform, varying", place, &parts, number, |name, values, input| {
            let case = format!("{name}, {number} of {len} elements");
            let mut output = place.poisoned::<u32>(len, 1);
            Scan::new(Sum).run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), unchanged(running(&values)), "{case}");
            assert_eq!(Reduce::new(Sum).run_to_host(device, input()), Ok(sum(&values)), "{case}");
            let mut output = place.poisoned::<u32>(len, 1);
            Transform::copy().run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), unchanged(values.clone()), "{case}");
            let mut output = place.poisoned::<u32>(len, 0);
            varying::first_order().run(device, (Repeat(1u32), input()), &mut output).unwrap();
            assert_eq!(output.check_guards(), unchanged(running(&values)), "{case}");
        });
    }
}

#[function]
fn larger_half(a: (u32, u16), b: (u32, u16)) -> bool {
    a.1 < b.1
}
#[function]
fn code_of(_: u32, b: u16) -> u8 {
    (b % 7) as u8
}
#[function]
fn same_half(a: (u32, u16), b: (u32, u16)) -> bool {
    a.1 / 20_000 == b.1 / 20_000
}

/// Columns side by side are rows: tuples, which every builder moves that moves elements.
fn rows_of_several_inputs(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let rows: Vec<(u32, u16)> = parts.x.iter().copied().zip(parts.small.iter().copied()).collect();
        let input = || (&parts.on.x, &parts.on.small);
        let code = |row: &(u32, u16)| row.1 % 7;
        assert_eq!(Transform::copy().run_to_vec(device, input()), Ok(rows.clone()), "{len}");
        let total = (sum(&parts.x), parts.small.iter().copied().max().unwrap_or(0));
        assert_eq!(Reduce::new((Sum, Max)).run_to_host(device, input()), Ok(total), "{len}");
        let found = Partition::new(Odd).run_to_vecs(device, input());
        assert_eq!(found, Ok(rows.iter().copied().partition(|row| row.1 % 2 == 1)), "{len}");
        let mut sorted = rows.clone();
        sorted.sort_by_key(|row| row.1);
        assert_eq!(Sort::by(LargerHalf).run_to_vec(device, input()), Ok(sorted), "{len}");
        let mut by_code = rows.clone();
        by_code.sort_by_key(code);
        assert_eq!(Sort::by_key(CodeOf).run_to_vec(device, input()), Ok(by_code), "{len}");
        let mut order: Vec<usize> = (0..len).collect();
        order.sort_by_key(|&i| parts.x[i]);
        let followers = Sort::pairs().run_to_vecs(device, (&parts.on.x, input())).map(|sorted| sorted.1);
        assert_eq!(followers, Ok(order.iter().map(|&i| rows[i]).collect()), "{len}");
        let mut firsts = rows.clone();
        firsts.dedup_by_key(|row| row.1 / 20_000);
        let lengths: Vec<u32> =
            rows.chunk_by(|a, b| a.1 / 20_000 == b.1 / 20_000).map(|run| run.len() as u32).collect();
        assert_eq!(Runs::by(SameHalf).run_to_vecs(device, input()), Ok((firsts.clone(), lengths)), "{len}");
        assert_eq!(Dedup::by(SameHalf).run_to_vec::<_, (u32, u16)>(device, input()), Ok(firsts), "{len}");
        let mut groups = vec![(0u32, 0u16); 7];
        for row in &rows {
            let group = &mut groups[usize::from(code(row))];
            *group = (group.0.wrapping_add(row.0), group.1.max(row.1));
        }
        let by_code = Reduce::new((Sum, Max)).by_code(Apply(CodeOf, input()), 7);
        assert_eq!(by_code.run_to_vec(device, input()), Ok(groups), "{len}");
    }
}

#[function]
fn odd(_: u32, b: u16) -> bool {
    b % 2 == 1
}
