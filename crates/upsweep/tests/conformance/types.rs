//! Every built-in operator and every element type: scans, axes and reductions.
//!
//! A pair of an operator and a type is a function of its own in each backend, and takes its time to compile: every type
//! has a sum, and every operator types of the smallest, the usual and the largest size.

use half::{bf16, f16};
use upsweep::operator::builtin::{And, First, Last, Max, Min, Or, Product, Sum, Xor};
use upsweep::{Operator, Reduce, Scan};
use upsweep_testing::check::{Case, Lines, Reach};
use upsweep_testing::oracle::{Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values, small_factors, small_steps};
use upsweep_testing::{on_each_backend, sizes};

/// An operator on a type: a few lengths, both directions, exclusive where there is an identity, an axis, a reduction.
fn check<T: Sample, Op: Operator<T>>(
    place: &Place,
    operator: Op,
    combine: fn(T, T) -> T,
    identity: Option<T>,
    values: impl Fn(usize) -> Vec<T>,
) {
    let rule = Rule::new(combine, identity);
    for len in [sizes::few(), vec![8300]].concat() {
        let x = values(len);
        Lines.scan(place, Scan::new(operator), &rule, &x, &Case::new().offsets(len % 2, 0));
        let backwards = Case::new().reverse(true).exclusive(identity.is_some());
        Lines.scan(place, Scan::new(operator), &rule, &x, &backwards);
        if identity.is_some() || len > 0 {
            Lines.reduce(place, Reduce::new(operator), &rule, &x, &Case::new().offsets(0, len % 3));
        }
    }
    let x = values(5 * 700);
    Lines.scan(place, Scan::new(operator), &rule, &x, &Case::new().cut(Cut::Axis(vec![5, 700], 1)));
    // Side by side, each line with values of its own: products that stay small along a line need not across lines.
    let lines: Vec<Vec<T>> = (0..5).map(|line| values(700 + line)).collect();
    let x: Vec<T> = (0..700).flat_map(|row| lines.iter().map(move |line| line[row])).collect();
    Lines.reduce(place, Reduce::new(operator), &rule, &x, &Case::new().cut(Cut::Axis(vec![700, 5], 0)));
}

/// Values with few bits set, so that `or` keeps changing.
fn sparse(len: usize) -> Vec<u128> {
    let mut rng = Rng::new(len as u64);
    (0..len).map(|_| if rng.once_in(40) { 1u128 << rng.below(128) } else { 0 }).collect()
}

macro_rules! integer_cases {
    ($($case:ident, $more:ident, $t:ty;)*) => { $(fn $case(place: &Place) {
        check(place, Sum, <$t>::wrapping_add, Some(0), random_values);
        $more!(place, $t);
    })* };
}

macro_rules! only_sums {
    ($place:ident, $t:ty) => {};
}

macro_rules! every_operator {
    ($place:ident, $t:ty) => {
        // Odd factors: products of others are soon 0.
        let odd = |len| random_values::<$t>(len).into_iter().map(|x| x | 1).collect();
        check($place, Product, <$t>::wrapping_mul, Some(1), odd);
        check($place, Min, |a: $t, b| if b < a { b } else { a }, Some(<$t>::MAX), random_values);
        check($place, Max, |a: $t, b| if b > a { b } else { a }, Some(<$t>::MIN), random_values);
        check($place, And, |a, b| a & b, Some(!0), |len| sparse(len).into_iter().map(|x| !x as $t).collect());
        check($place, Or, |a, b| a | b, Some(0), |len| sparse(len).into_iter().map(|x| x as $t).collect());
        check($place, Xor, |a: $t, b| a ^ b, Some(0), random_values);
        check($place, First, |a: $t, _| a, None, random_values);
        check($place, Last, |_, b: $t| b, None, random_values);
    };
}

integer_cases! {
    types_i8, every_operator, i8;
    types_i16, only_sums, i16;
    types_i32, every_operator, i32;
    types_i64, only_sums, i64;
    types_i128, only_sums, i128;
    types_isize, only_sums, isize;
    types_u8, only_sums, u8;
    types_u16, only_sums, u16;
    types_u32, only_sums, u32;
    types_u64, only_sums, u64;
    types_u128, every_operator, u128;
    types_usize, only_sums, usize;
}

/// Sums and products of values whose results are exact in every grouping; other operators on any values.
macro_rules! float_cases {
    ($($case:ident, $t:ty, $from:expr;)*) => { $(fn $case(place: &Place) {
        let zero = <$t>::from_bits(0);
        let numbers = |len| random_values::<$t>(len).into_iter().map(|x| if x.is_nan() { -zero } else { x }).collect();
        let steps = |len| small_steps(len, <$t>::from);
        check(place, Sum, |a: $t, b| a + b, Some(zero), steps);
        check(place, Product, |a: $t, b| a * b, Some($from(1.0)), |len| small_factors(len, $from));
        // NaN if there is one, and -0 below +0.
        let min = |a: $t, b: $t| match a.is_nan() || b.is_nan() {
            true => <$t>::NAN,
            false => if a < b || (a == b && a.is_sign_negative()) { a } else { b },
        };
        let max = |a: $t, b: $t| match a.is_nan() || b.is_nan() {
            true => <$t>::NAN,
            false => if a > b || (a == b && a.is_sign_positive()) { a } else { b },
        };
        check(place, Min, min, Some(<$t>::INFINITY), numbers);
        check(place, Max, max, Some(<$t>::NEG_INFINITY), numbers);
        check(place, Min, min, Some(<$t>::INFINITY), random_values);
        check(place, Max, max, Some(<$t>::NEG_INFINITY), random_values);
        check(place, First, |a: $t, _| a, None, random_values);
        check(place, Last, |_, b: $t| b, None, random_values);
    })* };
}
float_cases! {
    types_f16, f16, f16::from_f32;
    types_bf16, bf16, bf16::from_f32;
    types_f32, f32, f32::from;
    types_f64, f64, f64::from;
}

fn types_bool(place: &Place) {
    let rarely = |len| sparse(len).into_iter().map(|x| x != 0).collect::<Vec<_>>();
    check(place, And, |a, b| a && b, Some(true), |len| rarely(len).into_iter().map(|x| !x).collect());
    check(place, Or, |a, b| a || b, Some(false), rarely);
    check(place, Xor, |a: bool, b| a != b, Some(false), random_values);
    check(place, First, |a: bool, _| a, None, random_values);
    check(place, Last, |_, b: bool| b, None, random_values);
}

/// Tuples have padding between their fields, and arrays none.
fn types_tuples_and_arrays(place: &Place) {
    check(place, First, |a: (u8, u32), _| a, None, random_values);
    check(place, Last, |_, b: (u8, u32)| b, None, random_values);
    check(place, Last, |_, b: (i16, f64, bool)| b, None, random_values);
    check(place, Last, |_, b: (u64, u8)| b, None, random_values);
    check(place, Last, |_, b: (u128, u8)| b, None, random_values);
    check(place, Last, |_, b: [u16; 5]| b, None, random_values);
}

on_each_backend!(
    types_i8,
    types_i16,
    types_i32,
    types_i64,
    types_i128,
    types_isize,
    types_u8,
    types_u16,
    types_u32,
    types_u64,
    types_u128,
    types_usize,
    types_f16,
    types_bf16,
    types_f32,
    types_f64,
    types_bool,
    types_tuples_and_arrays,
);
