//! Distinct values, operations on sets, and merges of many inputs.

use std::cmp::Ordering;
use upsweep::unique::Distinct;
use upsweep::{Error, Merge, Ordered, Sets, Unique};
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sizes::reduced;

on_each_backend!(
    unique_distributions,
    unique_zeros_and_nan,
    sets_of_each_length,
    sets_of_repeated,
    sets_of_unsorted,
    merge_of_many,
    merge_of_many_by_a_function,
    distinct_misplaced,
);

/// Whether two keys are equal as in NumPy: all NaN are, and zeros of both signs.
fn same<K: SortKey + PartialEq>(a: K, b: K) -> bool {
    a == b || (a.nan().is_some() && b.nan().is_some())
}

/// The bits of a key; NaN has one pattern in results.
fn bits<K: SortKey>(key: K) -> u128 {
    key.nan().map_or(key.bits(), |_| u128::MAX)
}

#[track_caller]
fn check_unique<K: SortKey + Distinct + PartialEq>(place: &Place, x: &[K], what: &str) {
    let mut order: Vec<u64> = (0..x.len() as u64).collect();
    order.sort_by(|&a, &b| x[a as usize].compare(x[b as usize], false));
    let (mut values, mut counts, mut firsts, mut inverse) = (Vec::<K>::new(), vec![], vec![], vec![0; x.len()]);
    for at in order {
        let key = x[at as usize];
        if values.last().is_none_or(|&last| !same(last, key)) {
            values.push(key);
            counts.push(0u64);
            firsts.push(at);
        }
        *counts.last_mut().unwrap() += 1;
        *firsts.last_mut().unwrap() = at.min(*firsts.last().unwrap());
        inverse[at as usize] = values.len() as u64 - 1;
    }
    let all = |values: &[K]| values.iter().map(|&x| bits(x)).collect::<Vec<u128>>();
    let (input, device) = (place.upload(x, 1), &place.device);
    let alone = Unique::new().run_to_vec(device, &input).unwrap();
    assert_eq!(all(&alone), all(&values), "{what}");
    let counted = Unique::new().counts().run_to_vecs(device, &input).unwrap();
    assert_eq!((all(&counted.0), &counted.1), (all(&values), &counts), "{what}");
    let found = Unique::new().places().run(device, &input).unwrap();
    assert_eq!(all(&found.values.to_vec().unwrap()), all(&values), "{what}");
    assert_eq!(found.counts.to_vec(), Ok(counts), "{what}");
    assert_eq!(found.firsts.to_vec(), Ok(firsts), "{what}");
    assert_eq!(found.inverse.to_vec(), Ok(inverse), "{what}");
}

fn unique_distributions(place: &Place) {
    for kind in KINDS {
        for len in [0, 1, 2, 700, if reduced() { 3000 } else { 20_481 }] {
            check_unique::<u32>(place, &keys(kind, len), &format!("{len} u32, {kind:?}"));
        }
        check_unique::<f32>(place, &keys(kind, 2049), &format!("f32, {kind:?}"));
    }
}

fn unique_zeros_and_nan(place: &Place) {
    check_unique(place, &[0.0f32, f32::NAN, -0.0, 1.0, -f32::NAN, 0.0, -1.0], "zeros and NaN");
}

/// Expected results of an operation, from the count of each element in both inputs.
fn expected<K: SortKey + PartialEq>(a: &[K], b: &[K], of: impl Fn(usize, usize) -> (usize, usize)) -> Vec<u128> {
    let group = |x: &[K], key: K| -> Vec<u128> { x.iter().filter(|&&y| same(y, key)).map(|&y| bits(y)).collect() };
    let mut all: Vec<K> = [a, b].concat();
    all.sort_by(|x, y| x.compare(*y, false));
    all.dedup_by(|y, x| same(*x, *y));
    let mut results = Vec::new();
    for key in all {
        let (of_a, of_b) = (group(a, key), group(b, key));
        let (first, skipped) = of(of_a.len(), of_b.len());
        // The first or the last of `a`, and of `b` those that come after as many as `a` has.
        let mut kept = if skipped > 0 { of_a[skipped..].to_vec() } else { of_a[..first.min(of_a.len())].to_vec() };
        kept.extend(of_b.iter().skip(of_a.len()).take(first.saturating_sub(of_a.len())));
        results.extend(kept);
    }
    results
}

#[track_caller]
fn check_sets<K: SortKey + Ordered + PartialEq>(place: &Place, mut a: Vec<K>, mut b: Vec<K>, what: &str) {
    for x in [&mut a, &mut b] {
        x.sort_by(|x, y| x.compare(*y, false));
    }
    let (first, second, device) = (place.upload(&a, 1), place.upload(&b, 2), &place.device);
    let found = |sets: Sets| -> Vec<u128> {
        let results = sets.run_to_vec(device, (&first, &second)).unwrap();
        assert!(results.is_sorted_by(|x, y| x.compare(*y, false) != Ordering::Greater), "{what}");
        results.into_iter().map(bits).collect()
    };
    assert_eq!(found(Sets::union()), expected(&a, &b, |m, k| (m.max(k), 0)), "union, {what}");
    assert_eq!(found(Sets::intersection()), expected(&a, &b, |m, k| (m.min(k), 0)), "intersection, {what}");
    assert_eq!(found(Sets::difference()), expected(&a, &b, |m, k| (m - m.min(k), m.min(k))), "difference, {what}");
}

fn sets_of_each_length(place: &Place) {
    for (a, b) in [(0, 0), (0, 5), (5, 0), (1, 1), (33, 1000), (1000, 33), (777, 1025)] {
        let of = |len: usize, step: u32, seed: usize| -> Vec<u32> {
            keys::<u32>(Kind::Random, len + seed).into_iter().take(len).map(|x| x % 1500 * step).collect()
        };
        check_sets(place, of(a, 1, 0), of(b, 1, 7), &format!("{a} and {b}"));
        check_sets(place, of(a, 2, 0), of(b, 3, 7), &format!("{a} and {b}, others"));
    }
}

fn sets_of_repeated(place: &Place) {
    for kind in [Kind::Zipf, Kind::TwoValues, Kind::AllEqual] {
        check_sets(place, keys::<u32>(kind, 300), keys::<u32>(kind, 77), &format!("{kind:?}"));
        check_sets(place, keys::<u32>(kind, 77), keys::<u32>(kind, 300), &format!("{kind:?}, the other way"));
    }
    let x = vec![1.0f32, f32::NAN, 0.0, 2.0, f32::NAN];
    check_sets(place, x.clone(), vec![0.0, f32::NAN, 3.0], "floats");
}

/// Set operations on inputs that are not sorted return some of their elements.
fn sets_of_unsorted(place: &Place) {
    let (a, b) = (keys::<u32>(Kind::Random, 3001), keys::<u32>(Kind::Reversed, 999));
    let inputs = (&place.upload(&a, 0), &place.upload(&b, 0));
    for sets in [Sets::union(), Sets::intersection(), Sets::difference()] {
        let found = sets.run_to_vec(&place.device, inputs).unwrap();
        assert!(found.len() <= a.len() + b.len() && found.iter().all(|x| a.contains(x) || b.contains(x)));
    }
}

fn merge_of_many(place: &Place) {
    for number in [0, 1, 2, 3, 5, 8, 13] {
        let arrays: Vec<Vec<u32>> = (0..number)
            .map(|i| {
                let mut keys = keys::<u32>(Kind::Random, 97 * (i * 5 % 7));
                keys.sort_unstable();
                keys
            })
            .collect();
        let uploaded: Vec<_> = arrays.iter().map(|x| place.upload(x, 0)).collect();
        let inputs: Vec<_> = uploaded.iter().collect();
        let mut expected = arrays.concat();
        expected.sort_unstable();
        let merged = Merge::new().run_all_to_array(&place.device, &inputs).unwrap();
        assert_eq!(merged.to_vec(), Ok(expected), "{number} inputs");
    }
}

#[upsweep::function]
fn less_tens(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 / 10 < b.0 / 10
}

/// Merge of many inputs: of equal elements, those of earlier inputs come first.
fn merge_of_many_by_a_function(place: &Place) {
    let arrays: Vec<Vec<(u32, u32)>> = (0..5).map(|i| (0..100).map(|k| (k * (i + 1) / 2, i)).collect()).collect();
    let uploaded: Vec<_> = arrays.iter().map(|x| place.upload(x, 0)).collect();
    let inputs: Vec<_> = uploaded.iter().collect();
    let mut expected = arrays.concat();
    expected.sort_by_key(|x| x.0 / 10);
    let merged = Merge::by(LessTens).run_all_to_array(&place.device, &inputs).unwrap();
    assert_eq!(merged.to_vec(), Ok(expected));
}

/// Buffer that is not where the device computes.
fn distinct_misplaced(place: &Place) {
    if place.is_cuda() {
        let x = [1u32, 2];
        assert!(matches!(Unique::new().run_to_vec(&place.device, &x), Err(Error::Place { .. })));
        assert!(matches!(Sets::union().run_to_vec(&place.device, (&x, &x)), Err(Error::Place { .. })));
        assert!(matches!(Merge::new().run_all_to_array(&place.device, &[&x]), Err(Error::Place { .. })));
    }
}
