//! Reductions by offsets of gathered elements, like sparse products: short segments and long ones, close together and
//! far apart.

use crate::ways::rule;
use upsweep::Error;
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Affine, Then};
use upsweep_testing::oracle::{self, Cut};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::random_values;
use upsweep_testing::sizes;

on_each_backend!(gathered_by_offsets, gathered_by_wrong_offsets);

#[function]
fn product(a: u32, x: u32) -> u32 {
    a * x
}
#[function]
fn step(a: u32, x: u32) -> Affine {
    Affine { m: a | 1, c: x }
}

/// Lengths of segments; of random ones the mean.
#[derive(Clone, Copy, Debug)]
enum Lengths {
    Random(usize),
    All(usize),
    /// One element, and now and then this many.
    Now(usize),
    /// Mostly empty segments.
    Empty,
}

fn offsets(len: usize, lengths: Lengths) -> Vec<u64> {
    let mut rng = Rng::new(len as u64);
    let mut offsets = vec![0u64];
    if matches!(lengths, Lengths::Empty) {
        offsets.resize(70_000, 0);
    }
    while let Some(&end) = offsets.last().filter(|&&end| end < len as u64) {
        let length = match lengths {
            Lengths::Random(mean) => rng.below(2 * mean + 1),
            Lengths::All(length) => length,
            Lengths::Now(length) => 1 + if rng.once_in(100) { rng.below(length) } else { 0 },
            Lengths::Empty => rng.below(20_000) * usize::from(rng.once_in(2000)),
        };
        offsets.push((end + length as u64).min(len as u64));
    }
    offsets.extend([len as u64; 3]);
    offsets
}

fn gathered_by_offsets(place: &Place) {
    use Lengths::{All, Empty, Now, Random};
    let kinds = [
        Random(1),
        Random(8),
        Random(30),
        Random(500),
        All(16),
        All(23),
        All(24),
        All(25),
        All(31),
        All(511),
        All(512),
        All(513),
        All(4096),
        All(1 << 30),
        Now(300),
        Now(100_000),
        Empty,
    ];
    let lens: &[usize] = if sizes::reduced() { &[1, 5000] } else { &[1, 4095, 4096, 4097, 30_001, 400_003] };
    for &len in lens {
        let mut rng = Rng::new(len as u64);
        let (a, table) = (random_values::<u32>(len), random_values::<u32>(1000));
        let index: Vec<u32> = (0..len).map(|_| rng.below(table.len()) as u32).collect();
        let read = |i: usize| table[index[i] as usize];
        let products: Vec<u32> = (0..len).map(|i| a[i].wrapping_mul(read(i))).collect();
        let steps: Vec<Affine> = (0..len).map(|i| Affine { m: a[i] | 1, c: read(i) }).collect();
        let on = (place.upload(&a, len % 2), place.upload(&table, 1), place.upload(&index, len % 3));
        let input = || (&on.0, Gather::of(&on.1).at(&on.2));
        for kind in kinds {
            let offsets = offsets(len, kind);
            let lines = Cut::Offsets(offsets.clone()).lines(len);
            let at = place.upload(&offsets, 0);
            let segments = || Segments::Offsets(&at);

            let mut sums = place.poisoned::<u32>(offsets.len() - 1, len % 3);
            Reduce::new(Sum).map(Product).segments(segments()).run(&place.device, input(), &mut sums).unwrap();
            let sum = |range: &[u64]| {
                products[range[0] as usize..range[1] as usize].iter().fold(0u32, |sum, x| sum.wrapping_add(*x))
            };
            let expected: Vec<u32> = offsets.windows(2).map(sum).collect();
            assert_eq!(sums.check_guards(), expected, "sums of {len} elements, {kind:?}");

            let init = Affine { m: 3, c: 4 };
            let mut ways = place.poisoned::<Affine>(offsets.len() - 1, 0);
            let reduce = Reduce::new(Then).map(Step).segments(segments()).init(init);
            reduce.run(&place.device, input(), &mut ways).unwrap();
            let expected = oracle::reduce(&steps, &lines, &rule(), Some(init));
            assert_eq!(ways.check_guards(), expected, "in order, of {len} elements, {kind:?}");
        }
    }
}

fn gathered_by_wrong_offsets(place: &Place) {
    let len = 50_000;
    let (a, table) = (place.upload(&random_values::<u32>(len), 0), place.upload(&random_values::<u32>(100), 0));
    let index = place.upload(&(0..len).map(|i| (i % 100) as u32).collect::<Vec<_>>(), 0);
    let right: Vec<i64> = (0..=len as i64 / 10).map(|k| 10 * k).collect();
    let last = right.len() - 1;
    for (at, value) in [(0, 1), (0, -1), (1, -7), (700, 6980), (700, 1 << 40), (last, 49_999), (last, 50_001)] {
        let mut offsets = right.clone();
        offsets[at] = value;
        let offsets = place.upload(&offsets, 0);
        let mut sums = place.poisoned::<u32>(last, 0);
        let reduce = Reduce::new(Sum).map(Product).segments(Segments::Offsets(&offsets));
        let result = reduce.run(&place.device, (&a, Gather::of(&table).at(&index)), &mut sums);
        let result = result.and_then(|()| place.device.synchronize());
        assert!(matches!(result, Err(Error::Offsets { .. })), "offset {at} is {value}: {result:?}");
    }
    // The next call is right.
    let offsets = place.upload(&right, 0);
    let mut sums = place.poisoned::<u32>(last, 0);
    let reduce = Reduce::new(Sum).segments(Segments::Offsets(&offsets));
    reduce.run(&place.device, Gather::of(&table).at(&index), &mut sums).unwrap();
    place.device.synchronize().unwrap();
}
