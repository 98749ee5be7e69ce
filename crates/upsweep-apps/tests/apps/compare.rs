//! The order of Rust's slices is the oracle.

use crate::Random;
use std::cmp::Ordering;
use upsweep::{Device, Error};
use upsweep_apps::text::Compare;
use upsweep_apps::text::compare::Comparison;

fn oracle<T: PartialOrd>(a: &[T], b: &[T]) -> Comparison {
    let at = a.iter().zip(b).position(|(a, b)| a != b);
    let at = at.or((a.len() != b.len()).then(|| a.len().min(b.len())));
    Comparison { order: a.partial_cmp(b), at }
}

#[test]
fn order_is_that_of_slices() {
    let device = Device::cpu();
    let words: &[&[u8]] = &[b"", b"p", b"par", b"parallax", b"parallel", b"parallels", b"q", b"\xff", b"\0"];
    for a in words {
        for b in words {
            assert_eq!(Compare::new().run(&device, *a, *b).unwrap(), oracle(a, b), "{a:?} {b:?}");
        }
    }
    // Across the waves, which are of 2^18 elements, 2^20, .., and the pieces that those of more than 2^20 are searched by.
    let long = vec![7u8; (1 << 18) + (1 << 20) + (1 << 22) + (1 << 24) + 5];
    let mut random = Random(3);
    let anywhere: Vec<usize> = (0..6).map(|_| random.next() as usize % long.len()).collect();
    let borders = [0, (1 << 18) - 1, 1 << 18, (1 << 18) + (1 << 20), (1 << 18) + (1 << 20) + (1 << 18), long.len() - 1];
    for at in anywhere.into_iter().chain(borders) {
        for other in [6, 8] {
            let mut changed = long.clone();
            changed[at] = other;
            // What comes behind the first difference does not matter.
            for behind in [at + 1, at + (1 << 18), long.len() - 1] {
                changed.iter_mut().skip(behind).take(1).for_each(|x| *x = 14 - other);
            }
            changed[at] = other;
            let expected = Comparison { order: Some(7.cmp(&other)), at: Some(at) };
            assert_eq!(Compare::new().run(&device, &long, &changed).unwrap(), expected, "{at}");
        }
    }
    assert_eq!(
        Compare::new().run(&device, &long, &long).unwrap(),
        Comparison { order: Some(Ordering::Equal), at: None }
    );
}

#[test]
fn floats_and_tolerances() {
    let device = Device::cpu();
    let x = [0.0f64, -1.0, f64::INFINITY, f64::NAN, 2.0];
    let same = [-0.0, -1.0, f64::INFINITY, f64::NAN, 2.0];
    assert_eq!(Compare::new().run(&device, &x, &same).unwrap(), Comparison { order: None, at: Some(3) });
    let near = Compare::new().within(0.5);
    assert_eq!(near.run(&device, &x, &same).unwrap(), Comparison { order: None, at: Some(3) });
    assert_eq!(near.run(&device, &x[..3], &[0.5, -1.5, f64::INFINITY]).unwrap().at, None);
    let beyond = near.run(&device, &x[..3], &[0.5, -1.625, f64::INFINITY]).unwrap();
    assert_eq!(beyond, Comparison { order: Some(Ordering::Greater), at: Some(1) });
    let infinite = near.run(&device, &[f64::INFINITY], &[f64::NEG_INFINITY]).unwrap();
    assert_eq!(infinite, Comparison { order: Some(Ordering::Greater), at: Some(0) });
}

#[test]
fn many_pairs_at_once() {
    let device = Device::cpu();
    let mut random = Random(5);
    for pairs in [0, 1, 2, 300] {
        let (mut a, mut b) = ((vec![], vec![0u64]), (vec![], vec![0u64]));
        for _ in 0..pairs {
            // Long common beginnings, and words of no letters.
            let common: Vec<u8> = (0..random.below(12)).map(|_| random.next() as u8 % 3).collect();
            for (letters, offsets) in [&mut a, &mut b] {
                letters.extend(&common);
                letters.extend((0..random.below(3)).map(|_| random.next() as u8 % 3));
                offsets.push(letters.len() as u64);
            }
        }
        let found = Compare::new().run_pairs(&device, (&a.0, &a.1), (&b.0, &b.1)).unwrap();
        let (orders, places) = (found.orders.to_vec().unwrap(), found.places.to_vec().unwrap());
        assert_eq!((orders.len(), places.len()), (pairs, pairs));
        for i in 0..pairs {
            let x = &a.0[a.1[i] as usize..a.1[i + 1] as usize];
            let y = &b.0[b.1[i] as usize..b.1[i + 1] as usize];
            let expected = oracle(x, y);
            assert_eq!(orders[i], expected.order.unwrap() as i8, "{x:?} {y:?}");
            assert_eq!(places[i], expected.at.unwrap_or(x.len()) as u64, "{x:?} {y:?}");
        }
    }
}

#[test]
fn wrong_offsets_are_errors() {
    let device = Device::cpu();
    let run = |a: &[u64], b: &[u64]| Compare::new().run_pairs(&device, (b"abc", a), (b"abcd", b)).err();
    let falls = |index, offset| Some(Error::Offsets { index, offset, rule: "is less than the one before it" });
    assert_eq!(run(&[0, 2, 3], &[0, 0, 4]), None);
    assert_eq!(run(&[0, 2, 1], &[0, 0, 4]), falls(2, 1));
    assert_eq!(run(&[0, 2, 3], &[3, 2, 4]), falls(1, 2));
    let rule = "is past the end of the elements";
    assert_eq!(run(&[0, 2, 4], &[0, 2, 4]), Some(Error::Offsets { index: 2, offset: 4, rule }));
    assert_eq!(run(&[], &[0]), Some(Error::Length { what: "offsets", found: 0, expected: 1 }));
    assert_eq!(run(&[0], &[0, 1]), Some(Error::Length { what: "offsets of b", found: 2, expected: 1 }));
}
