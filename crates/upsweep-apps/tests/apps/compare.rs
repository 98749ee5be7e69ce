//! Tests of comparisons, with the order of Rust's slices as the oracle.

use crate::Random;
use std::cmp::Ordering;
use std::fmt::Debug;
use upsweep::operator::Number;
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
    // Across the waves, which are of 2^18 bytes, 2^20, ..
    let long = vec![7u8; (1 << 18) + (1 << 20) + (1 << 22) + (1 << 24) + 5];
    let mut random = Random(3);
    let anywhere: Vec<usize> = (0..6).map(|_| random.next() as usize % long.len()).collect();
    let borders = [0, (1 << 18) - 1, 1 << 18, (1 << 18) + (1 << 20), (1 << 18) + (1 << 20) + (1 << 18), long.len() - 1];
    for at in anywhere.into_iter().chain(borders) {
        for other in [6, 8] {
            let mut changed = long.clone();
            changed[at] = other;
            // Elements after the first difference do not matter.
            for behind in [at + 1, at + (1 << 18), long.len() - 1] {
                changed.iter_mut().skip(behind).take(1).for_each(|x| *x = 14 - other);
            }
            changed[at] = other;
            let expected = Comparison { order: Some(7.cmp(&other)), at: Some(at) };
            assert_eq!(Compare::new().run(&device, &long, &changed).unwrap(), expected, "{at}");
        }
    }
    // Arrays without a common word alignment, which are compared byte by byte, in waves of as many bytes.
    let shifted = [vec![0], long.clone()].concat();
    for at in borders {
        let mut changed = long.clone();
        changed[at] = 8;
        let expected = Comparison { order: Some(Ordering::Greater), at: Some(at) };
        assert_eq!(Compare::new().run(&device, &changed, &shifted[1..]).unwrap(), expected, "{at}");
    }
    assert_eq!(
        Compare::new().run(&device, &long, &long).unwrap(),
        Comparison { order: Some(Ordering::Equal), at: None }
    );
}

/// Three values of a type, of which the first is the least and the last the greatest.
trait Values: Number + PartialOrd + Debug {
    const VALUES: [Self; 3];
}
macro_rules! values {
    ($($t:ty: $values:expr;)*) => { $(impl Values for $t { const VALUES: [Self; 3] = $values; })* };
}
values! {
    u8: [0, 3, 0x80]; i8: [-0x80, 3, 0x40]; u16: [0, 0x300, 0x8000]; i32: [-1, 3, 1 << 30]; u64: [0, 1 << 40, 1 << 63];
    u128: [0, 3, 1 << 127]; f32: [f32::NEG_INFINITY, 0.0, 1.0];
}

/// Compares `a` with a copy in which one element differs.
fn differs_at<T: Values>(device: &Device, a: &[T], b: &mut [T], at: usize) {
    let [least, equal, greatest] = T::VALUES;
    for (value, order) in [(least, Ordering::Greater), (greatest, Ordering::Less)] {
        b[at] = value;
        let expected = Comparison { order: Some(order), at: Some(at) };
        assert_eq!(Compare::new().run(device, a, &*b).unwrap(), expected, "{} at {at}", a.len());
    }
    b[at] = equal;
}

/// Differences at every place of short sequences, and near the ends and the middle of longer ones. The longer sequences
/// begin at 0 to 7 elements, both at the same offset or at different ones.
fn differs_anywhere<T: Values>() {
    let device = Device::cpu();
    let equal = T::VALUES[1];
    for len in 0..100 {
        let (a, mut b) = (vec![equal; len], vec![equal; len]);
        assert_eq!(Compare::new().run(&device, &a, &b).unwrap(), oracle(&a, &b), "{len}");
        (0..len).for_each(|at| differs_at(&device, &a, &mut b, at));
    }
    let (a, mut b) = (vec![equal; 5000], vec![equal; 5000]);
    for (i, j) in (0..8).flat_map(|i| [(i, i), (i, 3)]) {
        for len in 4093..4101 {
            let (a, b) = (&a[i..i + len], &mut b[j..j + len]);
            assert_eq!(Compare::new().run(&device, a, b).unwrap(), oracle(a, b), "{len}");
            assert_eq!(Compare::new().run(&device, a, &b[..len - 1]).unwrap(), oracle(a, &b[..len - 1]), "{len}");
            (0..12).chain(2044..2052).chain(len - 12..len).for_each(|at| differs_at(&device, a, b, at));
        }
    }
}

#[test]
fn one_element_differs_of_bytes() {
    differs_anywhere::<u8>();
    differs_anywhere::<i8>();
}

#[test]
fn one_element_differs_of_words() {
    differs_anywhere::<u16>();
    differs_anywhere::<i32>();
    differs_anywhere::<u64>();
}

#[test]
fn one_element_differs_of_others() {
    differs_anywhere::<u128>();
    differs_anywhere::<f32>();
}

#[test]
fn one_float_differs_across_waves() {
    let device = Device::cpu();
    let waves = [1 << 16, (1 << 16) + (1 << 18)];
    let a = vec![0.0f32; waves[1] + 5];
    let mut b = a.clone();
    for at in waves.into_iter().flat_map(|wave| [wave - 1, wave]).chain([0, a.len() - 1]) {
        differs_at(&device, &a, &mut b, at);
    }
    // Other bits, equal floats.
    let mut b = vec![-0.0f32; a.len()];
    assert_eq!(Compare::new().run(&device, &a, &b).unwrap(), Comparison { order: Some(Ordering::Equal), at: None });
    // Equal bits, floats that differ.
    b[70_000] = f32::NAN;
    assert_eq!(Compare::new().run(&device, &b, &b).unwrap(), Comparison { order: None, at: Some(70_000) });
    let near = Compare::new().within(0.5f32);
    b[70_000] = 0.5;
    assert_eq!(near.run(&device, &a, &b).unwrap(), Comparison { order: Some(Ordering::Equal), at: None });
    b[70_000] = 0.75;
    assert_eq!(near.run(&device, &a, &b).unwrap(), Comparison { order: Some(Ordering::Less), at: Some(70_000) });
}

#[cfg(feature = "cuda")]
#[test]
#[ignore = "needs a CUDA GPU: cargo test -p upsweep-apps --test apps compare -- --include-ignored"]
fn parts_of_arrays_on_a_gpu() {
    use upsweep::{Input, View};
    let gpu = Device::cuda(0).unwrap();
    // Two waves.
    let mut text = vec![7u8; (1 << 26) + 100];
    let a = gpu.upload(&text).unwrap();
    let long = text.len() - 3;
    for at in [0, 2, 5, 77, (1 << 26) - 1, 1 << 26, (1 << 26) + 9, text.len() - 1] {
        text[at] = 9;
        let b = gpu.upload(&text).unwrap();
        text[at] = 7;
        let (View::Cuda(x), View::Cuda(y)) = (a.view(), b.view()) else { panic!("arrays of a GPU") };
        for (i, j, len) in [(0, 0, long), (3, 3, long), (0, 3, long), (3, 0, long), (1, 1, 5000), (8, 8, 100)] {
            let found = Compare::new().run(&gpu, &x.slice(i..i + len), &y.slice(j..j + len)).unwrap();
            let place = at.checked_sub(j).filter(|&at| at < len);
            let order = Some(if place.is_some() { Ordering::Less } else { Ordering::Equal });
            assert_eq!(found, Comparison { order, at: place }, "{at}: {i}, {j}, {len}");
        }
    }
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
            // Long common beginnings, and empty words.
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
    assert_eq!(run(&[], &[0]), Some(Error::TooFew { what: "offsets", found: 0, least: 1 }));
    assert_eq!(run(&[0], &[0, 1]), Some(Error::Length { what: "offsets of b", found: 2, expected: 1 }));
}
