//! ArgMin and ArgMax: ties, NaN, axes, segments, and the running extreme.

use half::f16;
use upsweep::operator::builtin::{ArgMax, ArgMin};
use upsweep::{Operator, Reduce, Scan};
use upsweep_testing::check::{Case, Cuts, Reach};
use upsweep_testing::cuts::one_of_each;
use upsweep_testing::oracle::Rule;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    reduce_arg_min_ties,
    reduce_arg_max_ties,
    reduce_arg_min_nan,
    reduce_arg_max_nan,
    reduce_arg_extremes_are_found,
    reduce_arg_first_nan_wins,
    scan_arg_max_running,
);

/// Picks `b` if its value is better, or as good at a lower position; else `a`.
fn better<T: PartialOrd + Copy>(a: (T, u64), b: (T, u64), less: fn(&T, &T) -> bool) -> (T, u64) {
    let nan = |x: T| x.partial_cmp(&x).is_none();
    let b_wins = match (nan(a.0), nan(b.0)) {
        (false, false) => less(&b.0, &a.0) || (b.0 == a.0 && b.1 < a.1),
        (false, true) => true,
        (true, false) => false,
        (true, true) => b.1 < a.1,
    };
    if b_wins { b } else { a }
}

fn lesser<T: PartialOrd + Copy>(a: (T, u64), b: (T, u64)) -> (T, u64) {
    better(a, b, T::lt)
}

fn greater<T: PartialOrd + Copy>(a: (T, u64), b: (T, u64)) -> (T, u64) {
    better(a, b, T::gt)
}

/// Reduces values with every cut.
fn check<T: Sample, Op: Operator<(T, u64)>>(
    place: &Place,
    operator: Op,
    combine: fn((T, u64), (T, u64)) -> (T, u64),
    identity: T,
    values: impl Fn(usize) -> Vec<T>,
) where
    (T, u64): Sample,
{
    let rule = Rule { map: |x, i| (x, i), combine, identity: Some((identity, u64::MAX)), finish: |x| x };
    for len in [sizes::few(), vec![40_000, 192_000]].concat() {
        let x = values(len);
        for cut in one_of_each(len) {
            let case = Case::new().cut(cut).offsets(len % 3, 0);
            Cuts.reduce(place, Reduce::new(operator).enumerate(), &rule, &x, &case);
        }
    }
}

/// Values of few kinds, so that nearly every extreme occurs many times.
fn crowded<T>(len: usize, from: impl Fn(u8) -> T) -> Vec<T> {
    let mut rng = Rng::new(len as u64);
    (0..len).map(|_| from(rng.below(5) as u8)).collect()
}

fn reduce_arg_min_ties(place: &Place) {
    check(place, ArgMin, lesser, i32::MAX, |len| crowded(len, |x| i32::from(x) - 2));
    check(place, ArgMin, lesser, u8::MAX, |len| crowded(len, |x| x));
    check(place, ArgMin, lesser, f64::INFINITY, |len| crowded(len, |x| [-0.0, 0.0, 1.0, -1.0, 2.0][usize::from(x)]));
}

fn reduce_arg_max_ties(place: &Place) {
    check(place, ArgMax, greater, i64::MIN, |len| crowded(len, |x| i64::from(x) - 2));
    check(place, ArgMax, greater, u16::MIN, |len| crowded(len, u16::from));
    check(place, ArgMax, greater, f32::NEG_INFINITY, |len| {
        crowded(len, |x| [-0.0, 0.0, -1.0, -1.5, 0.0][usize::from(x)])
    });
}

fn reduce_arg_min_nan(place: &Place) {
    check(place, ArgMin, lesser, f32::INFINITY, random_values);
    check(place, ArgMin, lesser, f16::INFINITY, random_values);
    check(place, ArgMin, lesser, f32::INFINITY, |len| vec![f32::INFINITY; len]);
}

fn reduce_arg_max_nan(place: &Place) {
    check(place, ArgMax, greater, f64::NEG_INFINITY, random_values);
    check(place, ArgMax, greater, f64::NEG_INFINITY, |len| vec![f64::NAN; len]);
}

/// One extreme at each of many places.
fn reduce_arg_extremes_are_found(place: &Place) {
    let len = 20_011;
    for at in (0..len).step_by(if sizes::reduced() { 6007 } else { 397 }).chain([len - 1]) {
        let mut x = vec![5u32; len];
        x[at] = 9;
        let found = Reduce::new(ArgMax).enumerate().run_to_host(&place.device, &place.upload(&x, at % 5));
        assert_eq!(found, Ok((9, at as u64)));
        x[at] = 1;
        let found = Reduce::new(ArgMin).enumerate().run_to_host(&place.device, &place.upload(&x, at % 3));
        assert_eq!(found, Ok((1, at as u64)));
    }
}

fn reduce_arg_first_nan_wins(place: &Place) {
    let mut x = vec![1.0f32; 9000];
    x[100] = f32::NEG_INFINITY;
    x[4000] = f32::NAN;
    x[8000] = f32::NAN;
    let found = Reduce::new(ArgMin).enumerate().run_to_host(&place.device, &place.upload(&x, 0)).unwrap();
    assert!(found.0.is_nan() && found.1 == 4000, "{found:?}");
}

fn scan_arg_max_running(place: &Place) {
    let rule =
        Rule { map: |x, i| (x, i), combine: greater, identity: Some((f32::NEG_INFINITY, u64::MAX)), finish: |x| x };
    for len in [sizes::few(), vec![40_000]].concat() {
        let x = crowded(len, |x| f32::from(x) + (len / 1000) as f32);
        for cut in one_of_each(len) {
            for case in Case::new().cut(cut).directions(true) {
                Cuts.scan(place, Scan::new(ArgMax).enumerate(), &rule, &x, &case);
            }
        }
    }
}
