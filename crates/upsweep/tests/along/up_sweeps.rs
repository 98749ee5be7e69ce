//! Cases of up-sweeps.

use crate::{Then, expect, then};
use half::bf16;
use upsweep::prelude::*;
use upsweep::{Error, UpSweep};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend! { every_length, elements_of_all_sizes, sums_are_pairwise, lengths_that_differ }

/// Compares with trees, out of place and in place, at several phases.
fn check<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, x: &[T], case: &str) {
    fn tree<T: Element, Op: Operator<T>>(operator: Op, x: &[T]) -> T {
        if x.len() == 1 {
            return x[0];
        }
        let (a, b) = x.split_at(x.len() / 2);
        operator.combine(tree(operator, a), tree(operator, b))
    }
    let n = x.len();
    let expected: Vec<T> = (1..=n).map(|j| tree(operator, &x[j - (1 << j.trailing_zeros())..j])).collect();
    for offset in [0, 1] {
        let values = place.upload(x, offset);
        let mut found = place.poisoned::<T>(n, offset);
        UpSweep::new(operator).run(&place.device, &values, &mut found).unwrap();
        expect(&found, &expected, &format!("{case}, {n} elements"));
        let mut data = place.upload(x, offset);
        UpSweep::new(operator).run_in_place(&place.device, &mut data).unwrap();
        expect(&data, &expected, &format!("{case} in place, {n} elements"));
    }
}

fn every_length(place: &Place) {
    let mut rng = Rng::new(5);
    let lengths = (0..70).chain([255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 100_000]);
    for n in lengths.chain([(1 << 21) - 1, 1 << 21, (1 << 21) + 2048]) {
        let x: Vec<(u32, u32)> = (0..n).map(|_| (rng.next() as u32 | 1, rng.next() as u32)).collect();
        check(place, Then, &x, "maps");
    }
    assert_eq!(then((1, 0), (2, 3)), (2, 3));
}

fn elements_of_all_sizes(place: &Place) {
    let mut rng = Rng::new(6);
    for n in [1, 16, 5000] {
        macro_rules! of {
            ($($t:ty)*) => { $(check(place, Sum, &(0..n).map(|_| rng.next() as $t).collect::<Vec<_>>(), stringify!($t));)* };
        }
        of! { u8 i16 u32 i64 u128 }
        check(place, Max, &(0..n).map(|_| rng.next() as i32 as f64).collect::<Vec<_>>(), "f64 max");
        check(place, Last, &(0..n).map(|_| (rng.next() as u8, 0u8, 1u8)).collect::<Vec<_>>(), "3 bytes");
        check(place, Sum, &(0..n).map(|_| bf16::from_f32((rng.next() % 3) as f32)).collect::<Vec<_>>(), "bf16");
    }
}

fn sums_are_pairwise(place: &Place) {
    let n = 1 << 20;
    let mut x = place.device.filled(n, 0.1f32).unwrap();
    UpSweep::new(Sum).run_in_place(&place.device, &mut x).unwrap();
    // Doubling rounds nothing.
    assert_eq!(x.to_vec().unwrap()[n - 1], 0.1 * n as f32);
}

fn lengths_that_differ(place: &Place) {
    let x = place.upload(&[1u32, 2, 3], 0);
    let mut out = place.poisoned::<u32>(2, 0);
    let length = Error::Length { what: "output", found: 2, expected: 3 };
    assert_eq!(UpSweep::new(Sum).run(&place.device, &x, &mut out), Err(length));
}
