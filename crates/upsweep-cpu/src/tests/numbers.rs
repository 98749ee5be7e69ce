//! Scans in registers of elements of several numbers, on each instruction set of this processor.

use super::rows::{check, same};
use super::*;
use upsweep_core::operator::Same;

/// Composition of functions `x -> m x + c` with one `m` and several `c`: not commutative. The first number is `m`.
#[derive(Clone, Copy)]
struct Chain;

macro_rules! chain {
    ($($t:ty, $one:literal, $times:ident, $plus:ident);*) => { $(
        impl<const N: usize> Operator<[$t; N]> for Chain {
            const VECTORS: bool = true;
            fn combine(&self, f: [$t; N], g: [$t; N]) -> [$t; N] {
                let m = g[0];
                let mut of = g;
                of[0] = m.$times(f[0]);
                for i in 1..N {
                    of[i] = m.$times(f[i]).$plus(g[i]);
                }
                of
            }
            fn identity(&self) -> Option<[$t; N]> {
                let mut one = [<$t>::default(); N];
                one[0] = $one;
                Some(one)
            }
            fn cuda_function(&self, _: &mut Source) -> String {
                String::new()
            }
        }
    )* };
}
use std::ops::{Add, Mul};
chain!(u32, 1, wrapping_mul, wrapping_add; u64, 1, wrapping_mul, wrapping_add; f32, 1.0, mul, add; f64, 1.0, mul, add);

/// Map and finish with other types of elements and results. The map uses the position.
#[derive(Clone, Copy)]
struct Other;

impl Map<u16> for Other {
    type Output = [u32; 3];
    fn apply(&self, x: u16, index: u64) -> [u32; 3] {
        [u32::from(x) | 1, index as u32, 7]
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}
impl Map<u32> for Other {
    type Output = [u32; 2];
    fn apply(&self, x: u32, index: u64) -> [u32; 2] {
        [x | 1, index as u32]
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}
impl Function<([u32; 3],)> for Other {
    type Output = u64;
    fn call(&self, ([m, a, b],): ([u32; 3],)) -> u64 {
        u64::from(m) << 32 | u64::from(a ^ b)
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}
impl Function<([u32; 2],)> for Other {
    type Output = u32;
    fn call(&self, ([m, a],): ([u32; 2],)) -> u32 {
        m ^ a
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

fn numbers<T: From<u32>, const N: usize>(x: u64) -> [T; N] {
    std::array::from_fn(|i| T::from((x as u32).rotate_left(i as u32 * 5) | u32::from(i == 0)))
}

#[test]
fn elements_of_one_to_eight_numbers() {
    check((Chain, Same, Same), numbers::<u32, 1>, <[u32; 1]>::eq);
    check((Chain, Same, Same), numbers::<u32, 2>, <[u32; 2]>::eq);
    check((Chain, Same, Same), numbers::<u32, 3>, <[u32; 3]>::eq);
    check((Chain, Same, Same), numbers::<u32, 4>, <[u32; 4]>::eq);
    check((Chain, Same, Same), numbers::<u32, 7>, <[u32; 7]>::eq);
    check((Chain, Same, Same), numbers::<u64, 2>, <[u64; 2]>::eq);
    check((Chain, Same, Same), numbers::<u64, 3>, <[u64; 3]>::eq);
    check((Chain, Same, Same), numbers::<u64, 8>, <[u64; 8]>::eq);
}

#[test]
fn maps_and_results_of_other_types() {
    check((Chain, Other, Other), |x| x as u16, u64::eq);
    check((Chain, Other, Other), |x| x as u32, u32::eq);
}

/// Checks that a scan and the reduction of its elements have the same bits, on each instruction set.
#[test]
fn floats_have_the_same_bits_everywhere() {
    let near_one = |x: u64| 1.0 - (x as u32 as f64) / 1e11;
    same(
        Chain,
        |x| [near_one(x) as f32, x as f32 / 1e9],
        |[m, c]| u64::from(m.to_bits()) << 32 | u64::from(c.to_bits()),
    );
    same(
        Chain,
        |x| [near_one(x), x as f64 / 1e9, 0.1],
        |[m, c, d]| m.to_bits() ^ c.to_bits().rotate_left(9) ^ d.to_bits(),
    );
}
