//! Sorts, searches, ranks and distinct values of each kind of input.

use crate::kinds::{Parts, each_kind, lens};
use upsweep::Error;
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend! {
    sorts,
    sorts_by_a_comparison,
    sorts_by_a_key,
    searches,
    ranks,
    distinct_values,
    ways,
}

#[function]
fn low_half_first(a: u32, b: u32) -> bool {
    a % 65536 < b % 65536
}
#[function]
fn low_half(x: u32) -> u32 {
    x % 65536
}
#[function]
fn of_pair(a: u32, b: u16) -> u32 {
    a % 5 * 65536 + u32::from(b)
}
#[function]
fn way(x: u32) -> u8 {
    if x % 7 > 4 { 9 } else { u8::from(x % 7 > 2) }
}
#[function]
fn way_of_pair(a: u32, b: u16) -> u8 {
    u8::from(a % 2 == 1) + u8::from(b % 2 == 1)
}

/// Positions of the values in ascending order of their keys.
fn order(len: usize, key: impl Fn(usize) -> u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by_key(|&i| key(i));
    order
}

fn of<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&i| values[i]).collect()
}

fn numbers(places: &[usize]) -> Vec<u32> {
    places.iter().map(|&i| i as u32).collect()
}

fn sorts(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("sort", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let order = order(len, |i| values[i]);
            let sorted = of(&values, &order);
            assert_eq!(Sort::new().run_to_vec(device, input()), Ok(sorted.clone()), "{case}");
            let mut output = place.poisoned::<u32>(len, 1);
            Sort::new().run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), sorted, "{case}");
            assert_eq!(Sort::new().indices().run_to_vec::<_, u32>(device, input()), Ok(numbers(&order)), "{case}");
            let mut positions = place.poisoned::<u64>(len, 0);
            Sort::new().indices().run(device, input(), &mut positions).unwrap();
            assert_eq!(positions.check_guards(), order.iter().map(|&i| i as u64).collect::<Vec<_>>(), "{case}");
            // As keys, and as values.
            let pairs = Sort::pairs().run_to_vecs(device, (input(), 0..len as u32));
            assert_eq!(pairs, Ok((sorted, numbers(&order))), "{case}");
            let by_x = self::order(len, |i| parts.x[i]);
            let (mut keys, mut followers) = (place.poisoned::<u32>(len, 0), place.poisoned::<u32>(len, 1));
            Sort::pairs().run(device, (&parts.on.x, input()), (&mut keys, &mut followers)).unwrap();
            assert_eq!(keys.check_guards(), of(&parts.x, &by_x), "{case}");
            assert_eq!(followers.check_guards(), of(&values, &by_x), "{case}");
        });
        let error = Sort::pairs().run_to_vecs(device, (&parts.on.x, 0..len as u32 + 1)).map(drop);
        assert_eq!(error, Err(Error::Length { what: "values", found: len + 1, expected: len }));
    }
}

fn sorts_by_a_comparison(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("sort_by", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let order = order(len, |i| values[i] % 65536);
            let sort = Sort::by(LowHalfFirst);
            assert_eq!(sort.run_to_vec(device, input()), Ok(of(&values, &order)), "{case}");
            let mut output = place.poisoned::<u32>(len, 1);
            sort.run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), of(&values, &order), "{case}");
            assert_eq!(sort.indices().run_to_vec::<_, u32>(device, input()), Ok(numbers(&order)), "{case}");
            let mut positions = place.poisoned::<u32>(len, 0);
            sort.indices().run(device, input(), &mut positions).unwrap();
            assert_eq!(positions.check_guards(), numbers(&order), "{case}");
            let pairs = sort.pairs().run_to_vecs(device, (input(), 0..len as u32));
            assert_eq!(pairs, Ok((of(&values, &order), numbers(&order))), "{case}");
            let (mut first, mut second) = (place.poisoned::<u32>(len, 0), place.poisoned::<u64>(len, 1));
            sort.pairs().run(device, (input(), 0..len as u64), (&mut first, &mut second)).unwrap();
            assert_eq!(first.check_guards(), of(&values, &order), "{case}");
        });
    }
}

fn sorts_by_a_key(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("sort_by_key", &parts, |name, values, input| {
            let order = order(len, |i| values[i] % 65536);
            let case = format!("{name}, {len} elements");
            assert_eq!(Sort::by_key(LowHalf).run_to_vec(device, input()), Ok(of(&values, &order)), "{case}");
            let mut output = place.poisoned::<u32>(len, 1);
            Sort::by_key(LowHalf).run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), of(&values, &order), "{case}");
            let found = Sort::by_key(LowHalf).indices().run_to_vec::<_, u32, _>(device, input());
            assert_eq!(found, Ok(numbers(&order)), "{case}");
        });
        // A key of two columns, and the rows as tuples.
        let order = order(len, |i| parts.x[i] % 5 * 65536 + u32::from(parts.small[i]));
        let rows: Vec<(u32, u16)> = order.iter().map(|&i| (parts.x[i], parts.small[i])).collect();
        let pair = || (&parts.on.x, &parts.on.small);
        assert_eq!(Sort::by_key(OfPair).run_to_vec(device, pair()), Ok(rows));
        assert_eq!(Sort::by_key(OfPair).indices().run_to_vec::<_, u32, _>(device, pair()), Ok(numbers(&order)));
    }
}

fn searches(place: &Place) {
    let device = &place.device;
    let mut sorted: Vec<u32> = (0..1000).map(|i: u32| i.wrapping_mul(0x9E37_79B9)).collect();
    sorted.extend(0..400);
    sorted.sort_unstable();
    let on = place.upload(&sorted, 1);
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("search", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let lower: Vec<u32> = values.iter().map(|v| sorted.partition_point(|x| x < v) as u32).collect();
            let upper: Vec<u32> = values.iter().map(|v| sorted.partition_point(|x| x <= v) as u32).collect();
            assert_eq!(Search::lower(&on).run_to_vec::<_, u32>(device, input()), Ok(lower), "{case}");
            let mut output = place.poisoned::<u32>(len, 1);
            Search::upper(&on).run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), upper, "{case}");
        });
    }
}

fn ranks(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("topk, nth", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let order = order(len, |i| values[i]);
            for k in [0, 1, len / 3, len].into_iter().filter(|&k| k <= len) {
                let first = &order[..k];
                let top = TopK::smallest(k).sorted();
                assert_eq!(top.run_to_vec(device, input()), Ok(of(&values, first)), "{case}, {k}");
                assert_eq!(top.indices().run_to_vec::<_, u32>(device, input()), Ok(numbers(first)), "{case}, {k}");
                let both = top.with_indices().run_to_vecs::<_, u64>(device, input()).unwrap();
                assert_eq!(both, (of(&values, first), first.iter().map(|&i| i as u64).collect()), "{case}, {k}");
                let (mut output, mut places) = (place.poisoned::<u32>(k, 1), place.poisoned::<u32>(k, 0));
                top.with_indices().run(device, input(), (&mut output, &mut places)).unwrap();
                assert_eq!(output.check_guards(), of(&values, first), "{case}, {k}");
                assert_eq!(places.check_guards(), numbers(first), "{case}, {k}");
                top.indices().run(device, input(), &mut places).unwrap();
                top.run(device, input(), &mut output).unwrap();
                assert_eq!(output.check_guards(), of(&values, first), "{case}, {k}");
            }
            if len > 0 {
                let places = [0, len / 2, len - 1];
                let expected = of(&values, &of(&order, &places));
                assert_eq!(Nth::at(&places).run_to_vec(device, input()), Ok(expected.clone()), "{case}");
                let mut output = place.poisoned::<u32>(3, 0);
                Nth::at(&places).run(device, input(), &mut output).unwrap();
                assert_eq!(output.check_guards(), expected, "{case}");
                let median = Nth::quantiles(&[0.5]).interpolated().run_to_vec(device, input()).unwrap();
                let (a, b) = (values[order[(len - 1) / 2]], values[order[len / 2]]);
                assert_eq!(median, [(f64::from(a) + f64::from(b)) / 2.0], "{case}");
            }
        });
    }
}

fn distinct_values(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("unique", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let mut distinct = values.clone();
            distinct.sort_unstable();
            let all = distinct.clone();
            distinct.dedup();
            let counts: Vec<u64> = distinct
                .iter()
                .map(|v| (all.partition_point(|x| x <= v) - all.partition_point(|x| x < v)) as u64)
                .collect();
            assert_eq!(Unique::new().run_to_vec(device, input()), Ok(distinct.clone()), "{case}");
            assert_eq!(Unique::new().counts().run_to_vecs(device, input()), Ok((distinct, counts)), "{case}");
            let found = Unique::new().places().run(device, input()).unwrap();
            let (unique, inverse) = (found.values.to_vec().unwrap(), found.inverse.to_vec().unwrap());
            assert!(inverse.iter().map(|&at| unique[at as usize]).eq(values.iter().copied()), "{case}");
        });
    }
}

fn ways(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        each_kind!("multisplit", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let of_value = |x: u32| if x % 7 > 4 { 9 } else { u32::from(x % 7 > 2) };
            let order = order(len, |i| of_value(values[i]));
            let begins = [0, 1, 2].map(|way| order.partition_point(|&i| of_value(values[i]) < way) as u32);
            let (mut output, mut offsets) = (place.poisoned::<u32>(len, 1), place.poisoned::<u32>(3, 0));
            Partition::ways(Way, 2).run(device, input(), &mut output, &mut offsets).unwrap();
            assert_eq!((output.check_guards(), offsets.check_guards()), (of(&values, &order), begins.into()), "{case}");
            Partition::ways(Way, 2).indices().run(device, input(), &mut output, &mut offsets).unwrap();
            assert_eq!(output.check_guards(), numbers(&order), "{case}");
        });
        let way = |i: usize| parts.x[i] % 2 + u32::from(parts.small[i] % 2);
        let order = order(len, way);
        let rows: Vec<(u32, u16)> = order.iter().map(|&i| (parts.x[i], parts.small[i])).collect();
        let (mut output, mut offsets) = (place.poisoned::<(u32, u16)>(len, 1), place.poisoned::<u64>(4, 0));
        Partition::ways(WayOfPair, 3).run(device, (&parts.on.x, &parts.on.small), &mut output, &mut offsets).unwrap();
        assert_eq!(output.check_guards(), rows);
    }
}
