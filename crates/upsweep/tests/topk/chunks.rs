//! Order statistics of chunks that are read again.

use upsweep::{Device, Error, Interpolate, Nth};
use upsweep_testing::inputs::{KINDS, Kind, SortKey, keys};

/// Returns the results of an `Nth` in chunks of these lengths, by turns, and the number of its readings.
fn in_chunks<K: SortKey>(nth: Nth<'_>, keys: &[K], lengths: &[usize]) -> (Vec<K>, usize) {
    let mut readings = nth.in_chunks::<K>().unwrap();
    let mut count = 0;
    while readings.again().unwrap() {
        count += 1;
        let (mut left, mut turn) = (keys, lengths.iter().cycle());
        while !left.is_empty() {
            let (chunk, rest) = left.split_at(left.len().min(*turn.next().unwrap()));
            readings.push(chunk).unwrap();
            left = rest;
        }
    }
    assert_eq!(readings.len(), keys.len());
    (readings.finish().unwrap(), count)
}

#[track_caller]
fn check<K: SortKey>(keys: &[K], most: usize, what: &str) {
    let mut sorted = keys.to_vec();
    // Chunks have no order: of zeros those with a sign are first.
    sorted.sort_by(|a, b| a.compare(*b, false).then_with(|| b.bits().cmp(&a.bits())));
    let len = keys.len();
    let places = [len - 1, len / 2, 0, len / 2, len / 3, (len / 2 + 1).min(len - 1)];
    for lengths in [&[1usize << 20][..], &[1000, 1, 0, 70_000]] {
        let (found, count) = in_chunks(Nth::at(&places), keys, lengths);
        let bits = |keys: &[K]| keys.iter().map(|key| key.bits()).collect::<Vec<_>>();
        let expected: Vec<K> = places.iter().map(|&at| sorted[at]).collect();
        assert_eq!(bits(&found), bits(&expected), "{len} {}, {what}", std::any::type_name::<K>());
        assert!(count <= most, "{count} readings of {len} {}, {what}", std::any::type_name::<K>());
    }
}

#[test]
fn places_in_chunks() {
    for len in [1usize, 2, 1000, 200_001] {
        for kind in KINDS {
            let what = format!("{kind:?}");
            check::<u8>(&keys(kind, len), 1, &what);
            check::<i16>(&keys(kind, len), 1, &what);
            check::<f32>(&keys(kind, len), 2, &what);
            check::<i64>(&keys(kind, len), 4, &what);
            check::<u128>(&keys(kind, len), 8, &what);
        }
    }
}

/// Keys of which the first reading leaves too many, or which differ in the last bits alone.
#[test]
fn keys_with_the_same_high_bits() {
    let many = 3_000_000u64;
    let close: Vec<u64> = (0..many).map(|i| (1 << 60) + i.wrapping_mul(7919) % many).collect();
    let (found, count) = in_chunks(Nth::at(&[0, 5, 2_999_999, 1_500_000]), &close, &[1 << 20]);
    assert_eq!((found, count), ([0, 5, 2_999_999, 1_500_000].map(|at| (1 << 60) + at).to_vec(), 4));
    let equal = vec![-1.5f64; 200_000];
    assert_eq!(in_chunks(Nth::at(&[0, 199_999]), &equal, &[4096]), (vec![-1.5; 2], 4));
}

fn linear<K: Interpolate>(shares: &[f64], keys: &[K]) -> Vec<f64> {
    let nth = Nth::quantiles(shares).interpolated();
    let mut readings = nth.in_chunks::<K>().unwrap();
    while readings.again().unwrap() {
        keys.chunks(3).for_each(|chunk| readings.push(chunk).unwrap());
    }
    let found = readings.finish().unwrap();
    let whole = nth.run_to_vec(&Device::cpu(), keys).unwrap();
    assert_eq!(
        found.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        whole.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    );
    found
}

#[test]
fn values_between_elements_in_chunks_are_those_of_one_call() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_eq!(linear(&[0.5], &[inf, 5.0, 4.0]), [5.0]);
    assert_eq!(linear(&[0.4, 0.6, 0.0], &[0.0, inf]), [inf, inf, 0.0]);
    assert_eq!(linear(&[0.5], &[-1e308, 1e308]), [0.0]);
    assert_eq!(linear(&[0.5], &[i64::MAX, i64::MIN]), [-0.5]);
    assert_eq!(linear(&[0.0, 1.0], &[i64::MAX, i64::MIN]), [-(2f64.powi(63)), 2f64.powi(63)]);
    assert_eq!(linear(&[0.25], &[false, true]), [0.25]);
    assert!(linear(&[0.0, 0.5], &[1.0, nan, 2.0]).iter().all(|x| x.is_nan()));
    assert!(linear(&[0.0, 0.5], &[1.0, -nan, 2.0]).iter().all(|x| x.is_nan()));
    assert!(linear(&[0.5], &[-inf, inf])[0].is_nan());
    assert_eq!(linear(&[0.0, 1.0], &[-inf, inf]), [-inf, inf]);
    let hundred: Vec<f32> = (0..101).map(|k| if k < 70 { 0.0 } else { k as f32 }).rev().collect();
    assert_eq!(linear(&[0.7, 0.69, 0.695], &hundred), [70.0, 0.0, 70.0 * (0.695 * 100.0 - 69.0)]);
    assert_eq!(linear(&[], &hundred), []);
}

#[test]
fn values_ascend_with_their_shares() {
    let shares: Vec<f64> = (0..=500).map(|k| f64::from(k) / 500.0).collect();
    for kind in [Kind::Random, Kind::Zipf] {
        for x in [keys::<f64>(kind, 37), keys(kind, 1000)] {
            let x: Vec<f64> = x.into_iter().filter(|x| x.is_finite()).collect();
            let found = linear(&shares, &x);
            assert!(found.is_sorted(), "{kind:?}");
            let mut sorted = x;
            sorted.sort_by(f64::total_cmp);
            for (&share, &value) in shares.iter().zip(&found) {
                let place = share * (sorted.len() - 1) as f64;
                assert!(sorted[place.floor() as usize] <= value && value <= sorted[place.ceil() as usize]);
            }
        }
    }
}

#[test]
fn readings_out_of_order_are_refused() {
    let mut readings = Nth::median().in_chunks::<f32>().unwrap();
    assert!(matches!(readings.push(&[1.0]), Err(Error::Options { options: "chunks", .. })));
    assert!(readings.is_empty() && readings.again().unwrap());
    readings.push(&vec![1.0; 100_000]).unwrap();
    assert!(readings.again().unwrap());
    readings.push(&[1.0]).unwrap();
    let expected = Error::Length { what: "chunks in a later reading", found: 1, expected: 100_000 };
    assert_eq!(readings.again(), Err(expected));
    let mut readings = Nth::median().in_chunks::<f32>().unwrap();
    assert!(readings.again().unwrap());
    assert!(matches!(readings.finish(), Err(Error::Options { options: "chunks", .. })));
    let mut readings = Nth::at(&[2]).in_chunks::<u8>().unwrap();
    assert!(readings.again().unwrap());
    readings.push(&[7, 8]).unwrap();
    assert_eq!(readings.again(), Err(Error::Rank { what: "place", rank: 2, len: 2 }));
    // Other elements than in the first reading, as many.
    let mut readings = Nth::at(&[0]).in_chunks::<u32>().unwrap();
    assert!(readings.again().unwrap());
    readings.push(&[7; 10]).unwrap();
    assert!(readings.again().unwrap());
    readings.push(&[1 << 20; 10]).unwrap();
    assert!(!readings.again().unwrap());
    let expected = Error::Length { what: "chunks in a later reading", found: 0, expected: 10 };
    assert_eq!(readings.finish(), Err(expected));
}
