//! Cases of merges of two inputs.

use half::f16;
use upsweep::{Error, Merge, function};
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sample::Sample;
use upsweep_testing::sizes::reduced;

on_each_backend!(
    merge_lengths,
    merge_types,
    merge_distributions,
    merge_many_tiles,
    merge_pairs,
    merge_by_a_function,
    merge_of_unsorted,
    merge_refused,
);

fn sorted<K: SortKey>(kind: Kind, len: usize, descending: bool) -> Vec<K> {
    let mut keys = keys::<K>(kind, len);
    keys.sort_by(|a, b| a.compare(*b, descending));
    keys
}

/// Merges with values that show the origin of each element.
#[track_caller]
fn check<K: SortKey>(place: &Place, a: &[K], b: &[K], descending: bool, offset: usize, what: &str) {
    let what = format!("{} and {} {}, {what}", a.len(), b.len(), std::any::type_name::<K>());
    let mut expected: Vec<(K, u32)> = a.iter().chain(b).copied().zip(0..).collect();
    expected.sort_by(|x, y| x.0.compare(y.0, descending));
    let (first, second) = (place.upload(a, offset), place.upload(b, 2 * offset));
    let values: Vec<u32> = (0..(a.len() + b.len()) as u32).collect();
    let (values_a, values_b) = (place.upload(&values[..a.len()], 1), place.upload(&values[a.len()..], 0));
    let mut alone = place.poisoned::<K>(expected.len(), offset);
    let mut output = place.poisoned::<K>(expected.len(), 0);
    let mut beside = place.poisoned::<u32>(expected.len(), offset);
    let (inputs, device) = ((&first, &second), &place.device);
    let pairs = ((&first, &values_a), (&second, &values_b));
    let results = if descending {
        let merge = Merge::new().descending();
        (merge.run(device, inputs, &mut alone), merge.pairs().run(device, pairs, (&mut output, &mut beside)))
    } else {
        let merge = Merge::new();
        (merge.run(device, inputs, &mut alone), merge.pairs().run(device, pairs, (&mut output, &mut beside)))
    };
    assert_eq!(results, (Ok(()), Ok(())), "{what}");
    for (found, part) in [(alone, "alone"), (output, "with values")] {
        let found = found.check_guards();
        let wrong = found.iter().zip(&expected).position(|(a, b)| a.bits() != b.0.bits());
        assert_eq!(wrong, None, "{part}: {what}");
    }
    let wrong = beside.check_guards().iter().zip(&expected).position(|(a, b)| *a != b.1);
    assert_eq!(wrong, None, "values: {what}");
}

fn merge_lengths(place: &Place) {
    let lengths = [0, 1, 2, 31, 33, 500, 8703, 8704, 8705, 20_003];
    for a in lengths {
        for b in lengths {
            if !reduced() || a + b < 10_000 {
                check::<u32>(place, &sorted(Kind::Random, a, false), &sorted(Kind::Zipf, b, false), false, 0, "random");
            }
        }
    }
}

fn merge_types(place: &Place) {
    fn of<K: SortKey>(place: &Place) {
        for descending in [false, true] {
            let (a, b) = (sorted::<K>(Kind::Special, 9001, descending), sorted::<K>(Kind::Special, 12_007, descending));
            check::<K>(place, &a, &b, descending, 0, "special");
            check::<K>(place, &a, &b[..100], descending, 3, "misaligned");
        }
    }
    of::<u8>(place);
    of::<i16>(place);
    of::<f16>(place);
    of::<u32>(place);
    of::<f32>(place);
    of::<i64>(place);
    of::<f64>(place);
    of::<u128>(place);
    of::<bool>(place);
}

fn merge_distributions(place: &Place) {
    for kind in KINDS {
        let (a, b) = (sorted::<u32>(kind, 30_011, false), sorted::<u32>(kind, 17_003, false));
        check::<u32>(place, &a, &b, false, 0, &format!("{kind:?}"));
    }
    // All of one before all of the other.
    let all = sorted::<i64>(Kind::Random, 50_001, false);
    check::<i64>(place, &all[..20_000], &all[20_000..], false, 0, "one before the other");
    check::<i64>(place, &all[20_000..], &all[..20_000], false, 0, "one behind the other");
}

fn merge_many_tiles(place: &Place) {
    let (a, b) = if reduced() { (40_000, 70_001) } else { (4_000_037, 2_500_011) };
    check::<u32>(place, &sorted(Kind::Random, a, false), &sorted(Kind::Random, b, false), false, 1, "random");
    check::<u64>(place, &sorted(Kind::TwoValues, a, false), &sorted(Kind::Random, b, false), false, 0, "two values");
}

fn merge_pairs(place: &Place) {
    fn of<V: Sample>(place: &Place) {
        let mut rng = upsweep_testing::random::Rng::new(7);
        let values: Vec<V> = (0..25_000).map(|_| V::random(&mut rng)).collect();
        let keys = sorted::<u16>(Kind::Zipf, 25_000, false);
        let (a, b) = (&keys[..11_000], &keys[11_000..]);
        let mut expected: Vec<(u16, V)> = keys.iter().copied().zip(values.iter().copied()).collect();
        expected.sort_by_key(|pair| pair.0);
        let pairs = (
            (&place.upload(a, 0), &place.upload(&values[..11_000], 0)),
            (&place.upload(b, 0), &place.upload(&values[11_000..], 0)),
        );
        let (mut output, mut beside) = (place.poisoned::<u16>(25_000, 0), place.poisoned::<V>(25_000, 0));
        assert_eq!(Merge::new().pairs().run(&place.device, pairs, (&mut output, &mut beside)), Ok(()));
        let wrong = beside.check_guards().iter().zip(&expected).position(|(a, b)| !a.same(&b.1));
        assert_eq!(wrong, None, "{}", std::any::type_name::<V>());
    }
    of::<u8>(place);
    of::<f64>(place);
    of::<u128>(place);
    of::<(u64, u8)>(place);
}

/// Order by the highest bits alone, so that many elements are equal.
#[function]
fn above(#[param] shift: u32, a: (u32, u8), b: (u32, u8)) -> bool {
    (a.0 >> shift) < (b.0 >> shift)
}

fn merge_by_a_function(place: &Place) {
    for shift in [0, 20, 31] {
        let of = |len: usize, second: u8| {
            let mut keys: Vec<(u32, u8)> = keys::<u32>(Kind::Random, len).iter().map(|&x| (x, second)).collect();
            keys.sort_by_key(|x| x.0 >> shift);
            keys
        };
        let (a, b) = (of(20_003, 1), of(9000, 2));
        let mut expected = [a.clone(), b.clone()].concat();
        expected.sort_by_key(|x| x.0 >> shift);
        let found = Merge::by(Above { shift }).run_to_vec(&place.device, (&place.upload(&a, 0), &place.upload(&b, 1)));
        assert!(found == Ok(expected), "by the bits from {shift} on");
    }
}

/// Merge of inputs that are not sorted: it returns some of their elements, and accesses nothing else.
fn merge_of_unsorted(place: &Place) {
    let (a, b) = (keys::<u32>(Kind::Random, 60_001), keys::<u32>(Kind::Reversed, 30_011));
    let mut output = place.poisoned::<u32>(a.len() + b.len(), 0);
    let inputs = (&place.upload(&a, 0), &place.upload(&b, 0));
    assert_eq!(Merge::new().run(&place.device, inputs, &mut output), Ok(()));
    let all: std::collections::HashSet<u32> = a.into_iter().chain(b).collect();
    assert!(output.check_guards().iter().all(|x| all.contains(x)));
}

fn merge_refused(place: &Place) {
    let (a, b, device) = (place.upload(&[1u32, 2], 0), place.upload(&[1u32], 0), &place.device);
    let (mut two, mut three) = (place.poisoned::<u32>(2, 0), place.poisoned::<u32>(3, 0));
    let length = |what, found, expected| Err(Error::Length { what, found, expected });
    let merge = Merge::new();
    assert_eq!(merge.run(device, (&a, &b), &mut two), length("output", 2, 3));
    let pairs = merge.pairs();
    let mut beside = place.poisoned::<u32>(3, 0);
    assert_eq!(pairs.run(device, ((&a, &b), (&b, &b)), (&mut three, &mut beside)), length("first values", 1, 2));
    assert_eq!(pairs.run(device, ((&a, &a), (&b, &a)), (&mut three, &mut beside)), length("second values", 2, 1));
    assert_eq!(pairs.run(device, ((&a, &a), (&b, &b)), (&mut three, &mut two)), length("output values", 2, 3));
    assert_eq!(three.check_guards(), [0xABAB_ABAB; 3]);
}
