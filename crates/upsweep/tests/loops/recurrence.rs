//! Recurrences by the vector instructions of this processor. Results of integers are known to the bit.

use upsweep::prelude::*;
use upsweep::recurrence::{Coefficient, Signal};

/// Random number generator that is good enough for tests.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58476d1ce4e5b9) >> 17
    }
}

/// Sequential loop in the transposed direct form II.
fn by_loop<T: Coefficient>(b: &[T], a: &[T], line: &mut [T]) {
    let at = |list: &[T], i: usize| list.get(i).copied().unwrap_or(T::ZERO);
    let mut z = vec![T::ZERO; b.len().max(a.len())];
    for x in line {
        let y = b[0].times(*x).plus(z[0]);
        for j in 1..z.len() {
            z[j - 1] = at(b, j).times(*x).plus(at(a, j).times(y).negated()).plus(at(&z, j));
        }
        *x = y;
    }
}

fn check<T: Coefficient + Signal<T> + std::fmt::Debug>(of: impl Fn(u64) -> T) {
    let mut random = Random(3);
    // A long line; rows; columns, in wide groups, narrow ones and one by one.
    for (shape, axis) in [([1, 70_003, 1], 1), ([37, 101, 1], 1), ([2, 33, 64 + 16 + 3], 1)] {
        let len = shape.iter().product();
        for order in [1, 2, 3, 16] {
            for feedback in [true, false] {
                let mut numbers = |len: usize| (0..len).map(|_| of(random.next())).collect::<Vec<T>>();
                let (x, b, mut a) = (numbers(len), numbers(order + 1), numbers(if feedback { order + 1 } else { 1 }));
                a[0] = T::ONE;
                for reverse in [false, true] {
                    let recurrence = Recurrence::new(&b, &a).axis(&shape, axis);
                    let recurrence = if reverse { recurrence.reverse() } else { recurrence };
                    let found = recurrence.run_to_vec(&Device::cpu(), &x).unwrap();
                    let mut in_place = x.clone();
                    recurrence.run_in_place(&Device::cpu(), &mut in_place).unwrap();
                    assert!(found == in_place, "in place");
                    let [outer, len, inner] = shape;
                    for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
                        let at = |k: usize| (o * len + if reverse { len - 1 - k } else { k }) * inner + i;
                        let mut line: Vec<T> = (0..len).map(|k| x[at(k)]).collect();
                        by_loop(&b, &a, &mut line);
                        let wrong = (0..len).find(|&k| found[at(k)] != line[k]);
                        assert_eq!(wrong, None, "{shape:?}, order {order}, {feedback}, {reverse}, line {o} {i}");
                    }
                }
            }
        }
    }
}

#[test]
fn recurrences_by_vectors() {
    check(|x| x as u32);
    check(|x| x);
}

/// NaN of any sign and payload are stored as one.
#[test]
fn nan_by_vectors() {
    for reverse in [false, true] {
        let (len, at) = (70_003, 5000);
        let mut x = vec![1.0f32; len];
        x[at] = f32::from_bits(0xffc1_2345);
        let recurrence = Recurrence::new(&[0.5f32, 0.25], &[1.0, -0.5, 0.25]);
        let recurrence = if reverse { recurrence.reverse() } else { recurrence };
        let found = recurrence.run_to_vec(&Device::cpu(), &x).unwrap();
        for (i, y) in found.iter().enumerate() {
            let behind = if reverse { i <= at } else { i >= at };
            assert_eq!(y.to_bits() == f32::NAN.to_bits(), behind, "{y} at {i}, reverse {reverse}");
            assert!(behind || y.is_finite(), "{y} at {i}, reverse {reverse}");
        }
    }
}
