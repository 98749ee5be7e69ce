//! Comparison of sorts with std's stable sort, to the bit.

use std::fmt::Debug;
use upsweep::{Index, Sort};
use upsweep_testing::inputs::SortKey;
use upsweep_testing::place::Place;
use upsweep_testing::sample::Sample;

/// Positions of the keys in their order.
pub(crate) fn order<K: SortKey>(keys: &[K], descending: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].compare(keys[b], descending));
    order
}

/// # Panics
/// At the first difference.
#[track_caller]
pub(crate) fn expect_same<T: Debug>(found: &[T], expected: &[T], same: impl Fn(&T, &T) -> bool, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let wrong: Vec<usize> = (0..found.len()).filter(|&i| !same(&found[i], &expected[i])).collect();
    if let Some(&i) = wrong.first() {
        let (len, all) = (wrong.len(), found.len());
        panic!("{what}: result {i} is {:?} and must be {:?}; {len} of {all} are wrong", found[i], expected[i]);
    }
}

#[track_caller]
pub(crate) fn expect_keys<K: SortKey>(found: &[K], expected: &[K], what: &str) {
    expect_same(found, expected, |a, b| a.bits() == b.bits(), what);
}

fn sort(descending: bool) -> Sort {
    if descending { Sort::new().descending() } else { Sort::new() }
}

/// Sorts keys into another buffer, and in place.
#[track_caller]
pub(crate) fn check_keys<K: SortKey>(place: &Place, keys: &[K], offsets: (usize, usize), what: &str) {
    for descending in [false, true] {
        let what = format!("{} x {}, {what}, descending: {descending}", keys.len(), std::any::type_name::<K>());
        let expected: Vec<K> = order(keys, descending).into_iter().map(|i| keys[i]).collect();
        let input = place.upload(keys, offsets.0);
        let mut output = place.poisoned::<K>(keys.len(), offsets.1);
        assert_eq!(sort(descending).run(&place.device, &input, &mut output), Ok(()), "{what}");
        expect_keys(&output.check_guards(), &expected, &what);
        expect_keys(&input.check_guards(), keys, &format!("the input of {what}"));
        let mut data = place.upload(keys, offsets.1);
        assert_eq!(sort(descending).run_in_place(&place.device, &mut data), Ok(()), "{what}");
        expect_keys(&data.check_guards(), &expected, &format!("{what}, in place"));
    }
}

/// Sorts values by keys, into other buffers and in place.
#[track_caller]
pub(crate) fn check_pairs<K: SortKey, V: Sample>(
    place: &Place,
    keys: &[K],
    values: &[V],
    offsets: (usize, usize),
    what: &str,
) {
    for descending in [false, true] {
        let types = (std::any::type_name::<K>(), std::any::type_name::<V>());
        let what = format!("{} x {types:?}, {what}, descending: {descending}", keys.len());
        let order = order(keys, descending);
        let (expected_keys, expected_values): (Vec<K>, Vec<V>) =
            order.into_iter().map(|i| (keys[i], values[i])).unzip();
        let pairs = if descending { Sort::pairs().descending() } else { Sort::pairs() };
        let (keys_in, values_in) = (place.upload(keys, offsets.0), place.upload(values, offsets.1));
        let mut keys_out = place.poisoned::<K>(keys.len(), offsets.1);
        let mut values_out = place.poisoned::<V>(keys.len(), offsets.0);
        let result = pairs.run(&place.device, (&keys_in, &values_in), (&mut keys_out, &mut values_out));
        assert_eq!(result, Ok(()), "{what}");
        expect_keys(&keys_out.check_guards(), &expected_keys, &what);
        expect_same(&values_out.check_guards(), &expected_values, V::same, &format!("values of {what}"));
        let (mut keys_in, mut values_in) = (keys_in, values_in);
        assert_eq!(pairs.run_in_place(&place.device, (&mut keys_in, &mut values_in)), Ok(()), "{what}");
        expect_keys(&keys_in.check_guards(), &expected_keys, &format!("{what}, in place"));
        expect_same(&values_in.check_guards(), &expected_values, V::same, &format!("values of {what}, in place"));
    }
}

/// Sorts the positions of keys.
#[track_caller]
pub(crate) fn check_indices<K: SortKey, I: Index + Sample + PartialEq>(
    place: &Place,
    keys: &[K],
    offsets: (usize, usize),
    what: &str,
) {
    for descending in [false, true] {
        let types = (std::any::type_name::<K>(), std::any::type_name::<I>());
        let what = format!("positions of {} x {types:?}, {what}, descending: {descending}", keys.len());
        let expected: Vec<I> = order(keys, descending).into_iter().map(I::at).collect();
        let input = place.upload(keys, offsets.0);
        let mut output = place.poisoned::<I>(keys.len(), offsets.1);
        assert_eq!(sort(descending).indices().run(&place.device, &input, &mut output), Ok(()), "{what}");
        expect_same(&output.check_guards(), &expected, PartialEq::eq, &what);
        expect_keys(&input.check_guards(), keys, &format!("the input of {what}"));
    }
}
