//! Outputs that are not plain buffers: several outputs, scattered results, and one more result.

use crate::ways::{lens, rule, with_cut};
use upsweep::Error;
use upsweep::prelude::*;
use upsweep_testing::cuts::one_of_each;
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Affine, Then};
use upsweep_testing::oracle::{self, Cut};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::random_values;

on_each_backend!(outputs_side_by_side, outputs_scattered, outputs_with_total);

#[function]
fn apart(x: Affine) -> (u64, u8, u32) {
    (u64::from(x.m) << 20, x.c as u8, x.c)
}

/// Three outputs of different sizes, each with the results of its own type; scans with every cut, and reductions.
fn outputs_side_by_side(place: &Place) {
    for len in lens() {
        let x = random_values::<Affine>(len);
        let input = place.upload(&x, len % 2);
        for (number, cut) in one_of_each(len).into_iter().enumerate() {
            let lines = cut.lines(len);
            let (exclusive, reverse) = (number % 2 == 1, number % 3 == 1);
            let mut scan = Scan::new(Then).finish(Apart);
            if exclusive {
                scan = scan.exclusive();
            }
            if reverse {
                scan = scan.reverse();
            }
            let expected = oracle::scan(&x, &lines, &rule(), None, exclusive, reverse);
            let skew = len % 3;
            let (mut a, mut b, mut c) =
                (place.poisoned::<u64>(len, skew), place.poisoned::<u8>(len, 0), place.poisoned::<u32>(len, 0));
            with_cut!(place, &cut, |cut| cut!(scan).run(&place.device, &input, (&mut a, &mut b, &mut c))).unwrap();
            let check = |found: (Vec<u64>, Vec<u8>, Vec<u32>), expected: &[Affine], what: &str| {
                let expected: Vec<_> = expected.iter().map(|x| apart(*x)).collect();
                let found: Vec<_> =
                    found.0.into_iter().zip(found.1).zip(found.2).map(|((a, b), c)| (a, b, c)).collect();
                assert_eq!(found, expected, "{what} {cut:?}, {len} elements, {exclusive}, {reverse}");
            };
            check((a.check_guards(), b.check_guards(), c.check_guards()), &expected, "scan");
            let expected = oracle::reduce(&x, &lines, &rule(), None);
            let results = expected.len();
            let (mut a, mut b, mut c) = (
                place.poisoned::<u64>(results, 0),
                place.poisoned::<u8>(results, 1),
                place.poisoned::<u32>(results, skew),
            );
            let reduce = Reduce::new(Then).finish(Apart);
            with_cut!(place, &cut, |cut| cut!(reduce).run(&place.device, &input, (&mut a, &mut b, &mut c))).unwrap();
            check((a.check_guards(), b.check_guards(), c.check_guards()), &expected, "reduction");
        }
    }
}

/// Results scattered by a permutation into a larger output, with a second output in order.
fn outputs_scattered(place: &Place) {
    for len in lens() {
        let x = random_values::<u32>(len);
        let room = len + 7;
        let mut places: Vec<u64> = (0..room as u64).collect();
        let mut rng = Rng::new(len as u64);
        for i in (1..room).rev() {
            places.swap(i, rng.below(i + 1));
        }
        places.truncate(len);
        let mut sum = 0u32;
        let sums: Vec<u32> = x.iter().map(|x| (sum = sum.wrapping_add(*x), sum).1).collect();
        let (input, at) = (place.upload(&x, 1), place.upload(&places, 0));
        let mut output = place.poisoned::<u32>(room, 1);
        let poison = output.check_guards();
        Scan::new(Sum).run(&place.device, &input, Scatter::to(&mut output).at(&at)).unwrap();
        let mut expected = poison;
        for (place, sum) in places.iter().zip(&sums) {
            expected[*place as usize] = *sum;
        }
        assert_eq!(output.check_guards(), expected, "{len} elements");

        // Backwards, beside one in order: the places are a range and need no memory.
        let (mut backward, mut forward) = (place.poisoned::<u32>(len, 0), place.poisoned::<u32>(len, 0));
        let mut numbers: Vec<u32> = (0..len as u32).rev().collect();
        let reversed = place.upload(&numbers, 0);
        let outputs = (Scatter::to(&mut backward).at(&reversed), &mut forward);
        Scan::new(Sum).finish(Twice).run(&place.device, &input, outputs).unwrap();
        numbers.clear();
        assert_eq!(forward.check_guards(), sums);
        assert_eq!(backward.check_guards().into_iter().rev().collect::<Vec<_>>(), sums);
    }
}

#[function]
fn twice(x: u32) -> (u32, u32) {
    (x, x)
}

/// One more result: the total, also of no elements, with a start and a finish, in order and scattered.
fn outputs_with_total(place: &Place) {
    for len in lens() {
        let x = random_values::<Affine>(len);
        let input = place.upload(&x, len % 3);
        let init = Affine { m: 3, c: 4 };
        for (exclusive, reverse, begins) in
            [(true, false, None), (false, false, None), (true, true, Some(init)), (false, true, Some(init))]
        {
            let mut scan = Scan::new(Then).with_total();
            if exclusive {
                scan = scan.exclusive();
            }
            if reverse {
                scan = scan.reverse();
            }
            let lines = Cut::Whole.lines(len);
            let mut expected = oracle::scan(&x, &lines, &rule(), begins, exclusive, reverse);
            let last = if reverse { 0 } else { len.saturating_sub(1) };
            let inclusive = oracle::scan(&x, &lines, &rule(), begins, false, reverse);
            expected.push(inclusive.get(last).copied().or(begins).unwrap_or(Affine { m: 1, c: 0 }));
            let mut output = place.poisoned::<Affine>(len + 1, len % 2);
            match begins {
                None => scan.run(&place.device, &input, &mut output),
                Some(init) => scan.init(init).run(&place.device, &input, &mut output),
            }
            .unwrap();
            assert_eq!(output.check_guards(), expected, "{len} elements, {exclusive}, {reverse}");
            let (mut m, mut c) = (place.poisoned::<u32>(len + 1, 1), place.poisoned::<u32>(len + 1, 0));
            if begins.is_none() {
                scan.finish(Fields).run(&place.device, &input, (&mut m, &mut c)).unwrap();
                let found: Vec<_> =
                    m.check_guards().into_iter().zip(c.check_guards()).map(|(m, c)| Affine { m, c }).collect();
                assert_eq!(found, expected, "{len} elements apart");
            }
        }
    }
    let ones = place.upload(&[1u32; 6], 0);
    let scan = Scan::new(Sum).with_total();
    let mut out = place.poisoned::<u32>(6, 0);
    let short = scan.run(&place.device, &ones, &mut out);
    assert_eq!(short, Err(Error::Length { what: "output", found: 6, expected: 7 }));
    let mut out = place.poisoned::<u32>(7, 0);
    let rows = scan.axis(&[2, 3], 1).run(&place.device, &ones, &mut out);
    assert!(matches!(rows, Err(Error::Options { .. })), "{rows:?}");
}

#[function]
fn fields(x: Affine) -> (u32, u32) {
    (x.m, x.c)
}
