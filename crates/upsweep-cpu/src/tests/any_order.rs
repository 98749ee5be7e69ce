//! Reductions by operators whose results do not depend on order and grouping, on each instruction set of this
//! processor. Builds with debug assertions have one set alone.

use super::*;
use std::fmt::Debug;
use upsweep_core::operator::builtin::{And, Max, Min, Or, Product, Sum, Xor};
use upsweep_core::operator::{Number, Same, operator};
use upsweep_core::steps::{Parts, Steps};

/// Sum `a + b` as an operator that declares no identity.
#[operator]
fn plus<T: Number>(a: T, b: T) -> T {
    a + b
}

/// Map that adds the position.
#[derive(Clone, Copy)]
struct Shifted;

impl Map<u8> for Shifted {
    type Output = u32;
    fn apply(&self, x: u8, index: u64) -> u32 {
        u32::from(x).wrapping_mul(0x9e37_79b9).wrapping_add(index as u32)
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Checks reductions of runs of all short lengths and of some long ones, from any element of a buffer on. Elements
/// around a run would change its result. `equal` compares results.
fn check<I, Op, M>(operator: Op, map: M, value: impl Fn(u64) -> I, equal: impl Fn(M::Output, M::Output) -> bool)
where
    I: Element,
    M: Map<I>,
    M::Output: Debug,
    Op: Operator<M::Output>,
{
    let steps = Parts::<I, M::Output, Op, M, Same>::new(operator, map, Same);
    assert!(exact(&steps), "the operator is not combined in any order");
    let random = &mut Random(11);
    for n in (0..300).chain([511, 512, 513, 1023, 1024, 4096 + 17, 20_000]) {
        let before = random.below(80);
        let len = before + n + random.below(80);
        let x: Vec<I> = (0..len).map(|_| value(random.next())).collect();
        for reverse in [false, true] {
            let output = std::ptr::null_mut::<M::Output>();
            let memory = Memory::<I, M::Output> { input: x.as_ptr(), sink: output, output, len, reverse };
            let (origin, start) = (before / 2, if reverse { len - before - n } else { before });
            let mapped = (before..before + n).map(|at| map.apply(x[at], (at - origin) as u64));
            let expected = mapped.reduce(|a, b| operator.combine(a, b));
            let run = Run { start, len: n, origin };
            for (number, set) in Set::all().into_iter().enumerate() {
                // SAFETY: the run is in `x`.
                let found: Option<M::Output> = unsafe { as_a_job(steps, memory, ReduceBy { set, run }) };
                let same = match (found, expected) {
                    (Some(found), Some(expected)) => equal(found, expected),
                    (found, expected) => found.is_none() && expected.is_none(),
                };
                assert!(same, "instruction set {number}, {n} elements, reverse {reverse}: {found:?}, not {expected:?}");
            }
        }
    }
}

fn exact<S: Steps>(_: &S) -> bool {
    S::EXACT
}

#[test]
fn integers() {
    macro_rules! all {
        ($($t:ty),*) => { $(
            check(Sum, Same, |x| x as $t, |a, b| a == b);
            check(Plus, Same, |x| x as $t, |a, b| a == b);
            // Odd numbers, whose product is never 0.
            check(Product, Same, |x| x as $t | 1, |a, b| a == b);
            check(Max, Same, |x| x as $t, |a, b| a == b);
            check(Min, Same, |x| x as $t, |a, b| a == b);
            check(Xor, Same, |x| x as $t, |a, b| a == b);
            // Few bits are set or missing, so that each element counts.
            check(And, Same, |x| !(1 << (x % 4099) % u64::from(<$t>::BITS)), |a: $t, b| a == b);
            check(Or, Same, |x| 1 << (x % 4099) % u64::from(<$t>::BITS), |a: $t, b| a == b);
        )* };
    }
    all!(i8, u8, i16, u16, i32, u32, i64, u64);
    // A single extreme, at different indices.
    check(Max, Same, |x| if x % 256 == 0 { -1i8 } else { i8::MIN }, |a, b| a == b);
    check(Min, Same, |x| if x % 256 == 0 { 200u8 } else { u8::MAX }, |a, b| a == b);
}

#[test]
fn extremes_of_floats() {
    fn special(x: u64) -> f64 {
        match x % 1021 {
            0 => f64::NAN,
            1 => -f64::NAN,
            2 => f64::INFINITY,
            3 => f64::NEG_INFINITY,
            4..500 => -0.0,
            _ => 0.0,
        }
    }
    let bits = |a: f64, b: f64| a.canonical().to_bits() == b.canonical().to_bits();
    let bits_32 = |a: f32, b: f32| a.canonical().to_bits() == b.canonical().to_bits();
    check(Max, Same, special, bits);
    check(Min, Same, special, bits);
    check(Max, Same, |x| special(x) as f32, bits_32);
    check(Min, Same, |x| special(x) as f32, bits_32);
    check(Max, Same, |x| -(x as f32), bits_32);
    check(Min, Same, |x| x as f64 - 1e9, bits);
}

#[test]
fn positions_and_wider_numbers() {
    check(Sum, Shifted, |x| x as u8, |a, b| a == b);
    check(Max, Shifted, |x| x as u8, |a, b| a == b);
}
