//! Reductions by keys of an array in parts: the results of all parts are those of one call.

use crate::support::{cuts, keys};
use upsweep::operator::builtin::{ArgMax, First, Max, Sum};
use upsweep::{Carry, Device, Element, Error, Operator, Reduce, Segments, function};
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Affine, Then};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend!(
    groups_of_parts,
    groups_of_mapped_parts,
    groups_by_a_relation,
    groups_of_floats,
    groups_element_by_element,
    groups_by_way_of_bytes,
    groups_that_are_refused,
);

/// Reduces elements by keys in parts, whatever the types and options are: `$reduce` is an expression of the keys.
macro_rules! in_parts {
    ($place:expr, $rng:expr, $keys:expr, $x:expr, $cuts:expr, |$by:ident| $reduce:expr, $T:ty) => {{
        let (mut all_keys, mut totals, mut carry) = (Vec::new(), Vec::new(), Carry::new());
        for pair in $cuts.windows(2) {
            let range = pair[0]..pair[1];
            let on_keys = $place.upload(&$keys[range.clone()], $rng.below(3));
            let part = $place.upload(&$x[range.clone()], $rng.below(3));
            let room = range.len() + $rng.below(2);
            let (mut to_keys, mut to) = ($place.poisoned(room, 1), $place.poisoned::<$T>(room, $rng.below(2)));
            let $by = Segments::Keys(&on_keys);
            let outputs = (&mut to_keys, &mut to);
            let results = $reduce.run_with_carry(&$place.device, &part, outputs, &mut carry).unwrap();
            results.append(&to_keys.check_guards(), &mut all_keys).unwrap();
            results.append(&to.check_guards(), &mut totals).unwrap();
        }
        assert_eq!(carry.position(), $x.len() as u64);
        (all_keys, totals)
    }};
}

/// Checks reductions by `operator` in parts against a loop.
fn of<T, Op>(place: &Place, operator: Op, x: impl Fn(&mut Rng) -> T)
where
    T: Element + Sample + PartialEq + std::fmt::Debug,
    Op: Operator<T>,
{
    let mut rng = Rng::new(size_of::<T>() as u64);
    for len in [1, 2, 3, 100, 4095, 4097, 20_000, 150_001] {
        for most in [1, 3, 2000, 1 << 30] {
            let (x, keys): (Vec<T>, _) = ((0..len).map(|_| x(&mut rng)).collect(), keys(&mut rng, len, most));
            let mut expected: Vec<(u32, T)> = Vec::new();
            for (&key, &x) in keys.iter().zip(&x) {
                match expected.last_mut() {
                    Some((last, total)) if *last == key => *total = operator.combine(*total, x),
                    _ => expected.push((key, x)),
                }
            }
            let cuts = cuts(&mut rng, len);
            let found = in_parts!(place, rng, keys, x, cuts, |by| Reduce::new(operator).segments(by), T);
            assert!(found == expected.into_iter().unzip(), "{len} elements, runs to {most}, cut at {cuts:?}");
        }
    }
}

fn groups_of_parts(place: &Place) {
    of(place, Sum, |rng| rng.next() as u32);
    of(place, Max, |rng| rng.next() as i8);
    of(place, First, |rng| rng.next() as u128 * 3);
    of(place, Then, |rng| Affine { m: rng.next() as u32 | 1, c: rng.next() as u32 });
}

#[function]
fn place_of((_, at): (i32, u64)) -> u64 {
    at
}

/// Positions that a map gets count through all parts; a finish is applied to whole groups; columns are pairs.
fn groups_of_mapped_parts(place: &Place) {
    let mut rng = Rng::new(5);
    let len = 30_000;
    let x: Vec<i32> = (0..len).map(|_| rng.next() as i32 % 1000).collect();
    let keys = keys(&mut rng, len, 50);
    let (on_keys, input) = (place.upload(&keys, 0), place.upload(&x, 0));
    let (mut to_keys, mut to) = (place.poisoned(len, 0), place.poisoned::<u64>(len, 0));
    let largest = Reduce::new(ArgMax).enumerate().segments(Segments::Keys(&on_keys)).finish(PlaceOf);
    let count = largest.run_with_keys(&place.device, &input, (&mut to_keys, &mut to)).unwrap().get().unwrap();
    let (to_keys, to) = (to_keys.check_guards(), to.check_guards());
    for _ in 0..5 {
        let cuts = cuts(&mut rng, len);
        let found = in_parts!(
            place,
            rng,
            keys,
            x,
            cuts,
            |by| Reduce::new(ArgMax).enumerate().segments(by).finish(PlaceOf),
            u64
        );
        assert!(found == (to_keys[..count].to_vec(), to[..count].to_vec()), "{cuts:?}");
        let mut expected: Vec<u64> = Vec::new();
        for (i, x) in x.iter().enumerate() {
            if i > 0 && keys[i] == keys[i - 1] {
                *expected.last_mut().unwrap() += (*x as i64 as u64) & 0xff;
            } else {
                expected.push((*x as i64 as u64) & 0xff);
            }
        }
        let low: Vec<u8> = x.iter().map(|&x| x as u8).collect();
        let wide = in_parts!(place, rng, keys, low, cuts, |by| Reduce::new(Sum).accumulate::<u64>().segments(by), u64);
        assert!(wide.1 == expected, "{cuts:?}");
    }
}

#[function]
fn ascends(a: u32, b: u32) -> bool {
    a <= b
}

/// Groups by a relation that is no equality: the first key of a group is kept, and the last one decides.
fn groups_by_a_relation(place: &Place) {
    let mut rng = Rng::new(6);
    for len in [1, 5, 300, 5000] {
        let keys: Vec<u32> = (0..len).map(|_| rng.next() as u32 % 4).collect();
        let x: Vec<u32> = (0..len).map(|_| rng.next() as u32).collect();
        let mut expected: (Vec<u32>, Vec<u32>) = Default::default();
        for i in 0..len {
            if i > 0 && keys[i - 1] <= keys[i] {
                let last = expected.1.last_mut().unwrap();
                *last = last.wrapping_add(x[i]);
            } else {
                expected.0.push(keys[i]);
                expected.1.push(x[i]);
            }
        }
        for _ in 0..4 {
            let cuts = cuts(&mut rng, len);
            let (mut found, mut carry) = (<(Vec<u32>, Vec<u32>)>::default(), Carry::new());
            for pair in cuts.windows(2) {
                let (on_keys, part) = (place.upload(&keys[pair[0]..pair[1]], 0), place.upload(&x[pair[0]..pair[1]], 0));
                let (mut to_keys, mut to) =
                    (place.poisoned(pair[1] - pair[0], 0), place.poisoned(pair[1] - pair[0], 0));
                let by = Reduce::new(Sum).segments(Segments::KeysBy(&on_keys, Ascends));
                let results = by.run_with_carry(&place.device, &part, (&mut to_keys, &mut to), &mut carry).unwrap();
                results.append(&to_keys.check_guards(), &mut found.0).unwrap();
                results.append(&to.check_guards(), &mut found.1).unwrap();
            }
            assert!(found == expected, "{len} elements cut at {cuts:?}");
        }
    }
}

/// Keys are moved bit by bit, -0 goes on with 0, and NaN with nothing. Sums of floats are near those of a loop.
fn groups_of_floats(place: &Place) {
    let keys = [-0.0f32, 0.0, 0.0, f32::NAN, f32::NAN, 3.0, 3.0];
    let x = [1.0f32, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
    let mut rng = Rng::new(7);
    for step in 1..=7 {
        let mut cuts: Vec<usize> = (0..7).step_by(step).collect();
        cuts.push(7);
        let (keys, totals) = in_parts!(place, rng, keys, x, cuts, |by| Reduce::new(Sum).segments(by), f32);
        assert_eq!(totals, [7.0, 8.0, 16.0, 96.0], "parts of {step}");
        assert_eq!(keys.iter().map(|key: &f32| key.to_bits() >> 20).collect::<Vec<_>>(), [0x800, 0x7fc, 0x7fc, 0x404]);
    }
}

fn groups_element_by_element(place: &Place) {
    let mut rng = Rng::new(8);
    let (keys, x) = (keys(&mut rng, 40, 4), (0..40u64).collect::<Vec<_>>());
    let cuts: Vec<usize> = (0..=40).collect();
    let found = in_parts!(place, rng, keys, x, cuts, |by| Reduce::new(Sum).segments(by), u64);
    let whole = in_parts!(place, rng, keys, x, [0, 40], |by| Reduce::new(Sum).segments(by), u64);
    assert_eq!(found, whole);
}

/// A carry becomes bytes after each part, and goes on from them, on the host and here in turns.
fn groups_by_way_of_bytes(place: &Place) {
    let mut rng = Rng::new(9);
    let (keys, x) = (keys(&mut rng, 9000, 400), (0..9000).map(|i| i * 7).collect::<Vec<u32>>());
    let whole = in_parts!(place, rng, keys, x, [0, 9000], |by| Reduce::new(Sum).segments(by), u32);
    let (mut found, mut bytes) = (<(Vec<u32>, Vec<u32>)>::default(), Carry::new().to_bytes().unwrap());
    for (turn, range) in [0..1, 1..2000, 2000..2000, 2000..2001, 2001..9000].into_iter().enumerate() {
        let mut carry = Carry::from_bytes(&bytes).unwrap();
        assert_eq!(carry.position(), range.start as u64);
        let (mut to_keys, mut to) = (vec![0; range.len()], vec![0; range.len()]);
        let results = if turn % 2 == 0 {
            let (on_keys, part) = (place.upload(&keys[range.clone()], 0), place.upload(&x[range.clone()], 0));
            let (mut a, mut b) = (place.poisoned(range.len(), 0), place.poisoned(range.len(), 0));
            let by = Reduce::new(Sum).segments(Segments::Keys(&on_keys));
            let results = by.run_with_carry(&place.device, &part, (&mut a, &mut b), &mut carry).unwrap();
            (to_keys, to) = (a.check_guards(), b.check_guards());
            results
        } else {
            let by = Reduce::new(Sum).segments(Segments::Keys(&keys[range.clone()]));
            by.run_with_carry(&Device::cpu(), &x[range], (&mut to_keys, &mut to), &mut carry).unwrap()
        };
        results.append(&to_keys, &mut found.0).unwrap();
        results.append(&to, &mut found.1).unwrap();
        bytes = carry.to_bytes().unwrap();
    }
    assert_eq!(found, whole);
    for len in 0..bytes.len() {
        assert!(matches!(Carry::from_bytes(&bytes[..len]), Err(Error::Carry { .. })), "{len} bytes");
    }
}

fn groups_that_are_refused(place: &Place) {
    let (keys, x) = (place.upload(&[1u32, 1, 2], 0), place.upload(&[1i32, 2, 3], 0));
    let (mut to_keys, mut to) = (place.poisoned(3, 0), place.poisoned(3, 0));
    let mut carry = Carry::new();
    let by = Reduce::new(Sum).segments(Segments::Keys(&keys));
    by.run_with_carry(&place.device, &x, (&mut to_keys, &mut to), &mut carry).unwrap();
    let most = Reduce::new(Max).segments(Segments::Keys(&keys));
    let Err(Error::Carry { reason }) = most.run_with_carry(&place.device, &x, (&mut to_keys, &mut to), &mut carry)
    else {
        panic!("a carry of a sum for a maximum")
    };
    assert!(reason.contains("Sum of i32") && reason.contains("by keys of u32"), "{reason}");
    let total = Reduce::new(Sum).run_with_carry(&place.device, &x, &mut place.poisoned::<i32>(1, 0), &mut carry);
    assert!(matches!(total, Err(Error::Carry { .. })), "{total:?}");
    // After an error the carry is as before.
    let few = place.upload(&[1u32], 0);
    let length = Reduce::new(Sum).segments(Segments::Keys(&few)).run_with_carry(
        &place.device,
        &x,
        (&mut to_keys, &mut to),
        &mut carry,
    );
    assert_eq!(length.map(drop), Err(Error::Length { what: "keys", found: 1, expected: 3 }));
    let (keys, mut all) = (place.upload(&[2u32, 2, 9], 0), vec![3, 3]);
    let by = Reduce::new(Sum).segments(Segments::Keys(&keys));
    let results = by.run_with_carry(&place.device, &x, (&mut to_keys, &mut to), &mut carry).unwrap();
    results.append(&to.check_guards(), &mut all).unwrap();
    assert_eq!(all, [3, 6, 3]);
    assert_eq!(carry.position(), 6);
    // An output with too little room is an error of the call, or of the next one that waits.
    let mut short = place.poisoned::<i32>(1, 0);
    let few = by.run_with_carry(&place.device, &x, (&mut to_keys, &mut short), &mut carry);
    assert!(few.and_then(|results| results.len.get()).is_err());
    drop(place.device.synchronize());
}
