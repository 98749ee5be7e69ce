//! Tests of the Fenwick tree, with a plain array as the oracle.

use crate::Random;
use upsweep::{Device, Error};
use upsweep_apps::tree::Fenwick;

#[test]
fn follows_the_array() {
    let device = Device::cpu();
    let mut random = Random(2);
    for n in [0usize, 1, 2, 3, 7, 8, 9, 1000, 20_000] {
        let mut x: Vec<u64> = (0..n).map(|_| random.next() % 5).collect();
        let mut tree = Fenwick::build(&device, &x).unwrap();
        for updates in [0, 1, 3, 500] {
            let updates = if n == 0 { 0 } else { updates };
            let at: Vec<u64> = (0..updates).map(|_| random.below(n) as u64).collect();
            let by: Vec<u64> = (0..updates).map(|_| random.next() % 9).collect();
            tree.update(&device, &at, &by).unwrap();
            at.iter().zip(&by).for_each(|(&at, &by)| x[at as usize] += by);
            for (j, node) in tree.nodes(&device).unwrap().into_iter().enumerate() {
                let b = 1 << (j + 1).trailing_zeros();
                assert_eq!(node, x[j + 1 - b..=j].iter().sum::<u64>(), "node {} of {n}", j + 1);
            }
            let sums: Vec<u64> = (0..=n).map(|i| x[..i].iter().sum()).collect();
            let sums = if n > 1000 { sums[..1].to_vec() } else { sums };
            let counts: Vec<u64> = (0..sums.len() as u64).collect();
            assert_eq!(tree.prefixes(&device, &counts).unwrap().to_vec().unwrap(), sums);
            let zeros = vec![0; counts.len()];
            assert_eq!(tree.ranges(&device, &zeros, &counts).unwrap().to_vec().unwrap(), sums);
            let total: u64 = x.iter().sum();
            let asked: Vec<u64> =
                (0..40).map(|_| random.below(total as usize + 3) as u64).chain([0, total, total + 1]).collect();
            let running: Vec<u64> = x
                .iter()
                .scan(0, |sum, x| {
                    *sum += x;
                    Some(*sum)
                })
                .collect();
            let expected: Vec<u64> = asked.iter().map(|&s| running.partition_point(|&sum| sum < s) as u64).collect();
            assert_eq!(tree.find(&device, &asked).unwrap().to_vec().unwrap(), expected, "{n}");
        }
    }
}

#[test]
fn places_that_there_are_not() {
    let device = Device::cpu();
    let mut tree = Fenwick::build(&device, &[1u64, 2, 3]).unwrap();
    let wrong = tree.update(&device, &[1, 3, 4], &[1, 1, 1]);
    assert_eq!(wrong, Err(Error::Index { at: 1, index: 3, len: 3 }));
    assert_eq!(tree.nodes(&device).unwrap(), [1, 3, 3]);
    assert_eq!(tree.prefixes(&device, &[3, 4]).err(), Some(Error::Index { at: 1, index: 4, len: 4 }));
}
