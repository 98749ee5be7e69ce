//! Reductions by codes: of each kind of input, and by codes of each kind of input.

use crate::kinds::{Parts, counted, each_kind, lens};
use std::collections::BTreeMap;
use upsweep::half::f16;
use upsweep::operator::builtin::{ArgMax, First, Max, Sum};
use upsweep::prelude::*;
use upsweep::{Error, Result};
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Affine, Concat, Text, Then, concat, then};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::sizes;

on_each_backend! {
    kinds_of_inputs_and_of_codes,
    every_length_and_number_of_codes,
    types_of_codes,
    several_results_and_functions,
    tuples_of_operators,
    sums_of_halves_are_rounded_once,
    refusals,
}

#[function]
fn below_seven(x: u32) -> u8 {
    (x % 7) as u8
}
#[function]
fn of_pair(a: u32, b: u16) -> i64 {
    i64::from(a % 5) * 3 + i64::from(b % 3) - 2
}

/// Combines the values of each code below `codes` in order.
fn expected<T: Copy>(
    codes: impl Iterator<Item = i128>,
    values: &[T],
    count: usize,
    init: T,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut results = vec![init; count];
    for (code, &x) in codes.zip(values) {
        if let Some(result) = usize::try_from(code).ok().and_then(|code| results.get_mut(code)) {
            *result = combine(*result, x);
        }
    }
    results
}

fn kinds_of_inputs_and_of_codes(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let parts = Parts::new(place, len);
        let codes = place.upload(&parts.x.iter().map(|x| x % 9).collect::<Vec<u32>>(), 1);
        each_kind!("reduce_by_code", &parts, |name, values, input| {
            let case = format!("{name}, {len} elements");
            let of_x = parts.x.iter().map(|&x| i128::from(x % 9));
            let sums = expected(of_x, &values, 8, 0, u32::wrapping_add);
            let by_code = Reduce::new(Sum).by_code(&codes, 8);
            assert_eq!(by_code.run_to_vec(device, input()), Ok(sums.clone()), "{case}");
            let mut output = place.poisoned::<u32>(8, 1);
            by_code.run(device, input(), &mut output).unwrap();
            assert_eq!(output.check_guards(), sums, "{case}");

            // The same input as codes.
            let of_values = values.iter().map(|&x| i128::from(x % 7));
            let firsts = expected(of_values, &parts.x, 7, u32::MAX, |first, x| first.min(x));
            let by_code = Reduce::new(Min).by_code(Apply(BelowSeven, input()), 7);
            assert_eq!(by_code.run_to_vec(device, &parts.on.x), Ok(firsts), "codes: {case}");
        });
        let pairs = parts.x.iter().zip(&parts.small);
        let codes = pairs.map(|(a, b)| i128::from(a % 5) * 3 + i128::from(b % 3) - 2);
        let sums = expected(codes, &parts.x, 12, 0, u32::wrapping_add);
        let by_pair = Apply(OfPair, (&parts.on.x, &parts.on.small));
        assert_eq!(Reduce::new(Sum).by_code(by_pair, 12).run_to_vec(device, &parts.on.x), Ok(sums));
    }
}

fn lengths() -> Vec<usize> {
    // Parts have 4,096 elements or more, and 16 a code or more, up to 64 parts.
    let around = [16_000, 1 << 18].map(|n| [n - 1, n, n + 1]).concat();
    sizes::few().into_iter().chain(sizes::large(8).into_iter().step_by(3)).chain(around).collect()
}

fn every_length_and_number_of_codes(place: &Place) {
    let device = &place.device;
    for len in lengths() {
        let (steps, texts) = (random_values::<Affine>(len), random_values::<Text>(len));
        let (on_steps, on_texts) = (place.upload(&steps, 1), place.upload(&texts, 1));
        let counts = if len > 100_000 { &[1usize, 1_000][..] } else { &[0, 1, 2, 255, 256, 257, 1_000, 70_001] };
        for &count in counts {
            let mut rng = Rng::new((len ^ count) as u64);
            // A sixteenth of the elements has no code, and where there are many a code has none.
            let codes: Vec<u32> = (0..len).map(|_| rng.below(count + count / 16 + 1) as u32).collect();
            let on_codes = place.upload(&codes, len % 3);
            let of = || codes.iter().map(|&code| i128::from(code));
            let case = format!("{len} elements, {count} codes");

            let results = expected(of(), &steps, count, Affine { m: 1, c: 0 }, then);
            let mut output = place.poisoned::<Affine>(count, 1);
            Reduce::new(Then).by_code(&on_codes, count).run(device, &on_steps, &mut output).unwrap();
            assert_eq!(output.check_guards(), results, "{case}");

            let begin = Text::random(&mut rng);
            let results = expected(of(), &texts, count, begin, concat);
            let by_code = Reduce::new(Concat).init(begin).by_code(&on_codes, count);
            assert_eq!(by_code.run_to_vec(device, &on_texts), Ok(results), "{case}, with an initial value");
        }
    }
}

fn types_of_codes(place: &Place) {
    let device = &place.device;
    macro_rules! types {
        ($($t:ident)*) => { $(
            let values: Vec<i64> = (0..5003).collect();
            let codes: Vec<$t> = random_values::<$t>(5003).into_iter().map(|x| x % 100).collect();
            let sums = expected(codes.iter().map(|&code| code as i128), &values, 90, 0, i64::wrapping_add);
            let (codes, values) = (place.upload(&codes, 1), place.upload(&values, 0));
            let found = Reduce::new(Sum).by_code(&codes, 90).run_to_vec(device, &values);
            assert_eq!(found, Ok(sums), stringify!($t));
        )* };
    }
    types! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }
    // Codes that do not fit into 32 bits are no codes below them.
    let codes = place.upload(&[1i64 << 32, -1, i64::MIN, 0, (1 << 32) + 1, u32::MAX.into(), 1], 0);
    let found = Reduce::new(Sum).by_code(&codes, 3).run_to_vec(device, 1..8u32);
    assert_eq!(found, Ok(vec![4, 7, 0]));
}

#[operator(identity = (0.0, f32::NEG_INFINITY, 0))]
fn merged(a: (f64, f32, u32), b: (f64, f32, u32)) -> (f64, f32, u32) {
    (a.0 + b.0, a.1.maximum(b.1), a.2 + b.2)
}
#[function]
fn row(price: f32, amount: u16) -> (f64, f32, u32) {
    (price as f64 * amount as f64, price, 1)
}
#[function]
fn told(#[param] least: u32, x: (f64, f32, u32)) -> (f64, f32, bool) {
    (x.0, x.1, x.2 >= least)
}

fn several_results_and_functions(place: &Place) {
    let device = &place.device;
    let len = 20_003;
    let codes: Vec<u16> = random_values::<u16>(len).into_iter().map(|x| x % 40).collect();
    // Whole numbers: their sums are exact.
    let prices: Vec<f32> = (0..len).map(|i| (i * 37 % 101) as f32).collect();
    let amounts: Vec<u16> = (0..len).map(|i| (i * 11 % 23) as u16).collect();
    let mut groups = BTreeMap::<u16, (f64, f32, u32)>::new();
    for ((&code, &price), &amount) in codes.iter().zip(&prices).zip(&amounts) {
        let group = groups.entry(code).or_insert((0.0, f32::NEG_INFINITY, 0));
        *group = merged(*group, row(price, amount));
    }
    let (on_codes, on) = (place.upload(&codes, 1), (place.upload(&prices, 1), place.upload(&amounts, 1)));
    let mut output = (place.poisoned::<f64>(41, 1), place.poisoned::<f32>(41, 0), place.poisoned::<bool>(41, 1));
    let by_code = Reduce::new(Merged).map(Row).finish(Told { least: 500 }).by_code(&on_codes, 41);
    by_code.run(device, (&on.0, &on.1), (&mut output.0, &mut output.1, &mut output.2)).unwrap();
    let (sums, highest, many) = (output.0.check_guards(), output.1.check_guards(), output.2.check_guards());
    for code in 0..40 {
        let group = groups[&(code as u16)];
        assert_eq!((sums[code], highest[code], many[code]), (group.0, group.1, group.2 >= 500), "code {code}");
    }
    assert_eq!((sums[40], highest[40], many[40]), (0.0, f32::NEG_INFINITY, false), "a code of no element");

    // Positions are those of the elements, and results may be scattered.
    let mut best = vec![(f32::NEG_INFINITY, u64::MAX); 40];
    for (i, (&code, &price)) in codes.iter().zip(&prices).enumerate() {
        let best = &mut best[code as usize];
        if price > best.0 {
            *best = (price, i as u64);
        }
    }
    let by_code = Reduce::new(ArgMax).enumerate().by_code(&on_codes, 40);
    assert_eq!(by_code.run_to_vec(device, &on.0), Ok(best.clone()));
    let turned: Vec<u32> = (0..40).rev().collect();
    let turned = place.upload(&turned, 1);
    let mut output = (place.poisoned::<f32>(40, 1), place.poisoned::<u64>(40, 1));
    let to = (Scatter::to(&mut output.0).at(&turned), &mut output.1);
    by_code.run(device, &on.0, to).unwrap();
    assert_eq!(output.0.check_guards(), best.iter().rev().map(|best| best.0).collect::<Vec<f32>>());
    assert_eq!(output.1.check_guards(), best.iter().map(|best| best.1).collect::<Vec<u64>>());

    let begin = place.upload(&[7u64], 3);
    let by_code = Reduce::new(Sum).accumulate::<u64>().init_from(&begin).by_code(&on_codes, 40);
    let widened: Vec<u64> = amounts.iter().map(|&x| x.into()).collect();
    let sums = expected(codes.iter().map(|&code| code.into()), &widened, 40, 7, |a, b| a + b);
    assert_eq!(by_code.run_to_vec(device, &on.1), Ok(sums));
}

#[operator]
fn sum_and(#[param] bias: u32, a: u32, b: u32) -> u32 {
    a + b + bias
}

/// A tuple of operators, of which two hold a value, without a map.
fn tuples_of_operators(place: &Place) {
    let device = &place.device;
    for len in [1, 2, 700, 9_001] {
        let (x, y) = (random_values::<u32>(len), random_values::<f32>(len));
        let codes: Vec<u8> = random_values::<u8>(len).into_iter().map(|x| x % 5).collect();
        let mut groups = [(1u32, f32::NEG_INFINITY, 0u64, 2u32); 5];
        for ((&code, &x), &y) in codes.iter().zip(&x).zip(&y) {
            let group = &mut groups[code as usize];
            let highest = Operator::<f32>::combine(&Max, group.1, y);
            *group = (sum_and(7, group.0, x), highest, group.2 + 1, sum_and(9, group.3, x));
        }
        let (on_x, on_y) = (place.upload(&x, 1), place.upload(&y, 1));
        let (on_codes, by) = (place.upload(&codes, 1), (SumAnd { bias: 7 }, Max, Sum, SumAnd { bias: 9 }));
        let by_code = Reduce::new(by).init((1, f32::NEG_INFINITY, 0, 2)).by_code(&on_codes, 5);
        let mut highest = place.poisoned::<f32>(5, 1);
        let mut others = (place.poisoned::<u32>(5, 1), place.poisoned::<u64>(5, 1), place.poisoned::<u32>(5, 0));
        let outputs = (&mut others.0, &mut highest, &mut others.1, &mut others.2);
        by_code.run(device, (&on_x, &on_y, Repeat(1u64), &on_x), outputs).unwrap();
        let bits = |highest: Vec<f32>| highest.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
        assert_eq!(bits(highest.check_guards()), bits(groups.iter().map(|group| group.1).collect()), "{len}");
        let others = (others.0.check_guards(), others.1.check_guards(), others.2.check_guards());
        let of = |field: fn(&(u32, f32, u64, u32)) -> u32| groups.iter().map(field).collect::<Vec<u32>>();
        assert_eq!((others.0, others.2), (of(|group| group.0), of(|group| group.3)), "{len}");
        assert_eq!(others.1, groups.iter().map(|group| group.2).collect::<Vec<u64>>(), "{len}");
    }
    // One of them has no identity.
    let first = Reduce::new((Sum, First)).by_code(&[0u8; 0], 1).run_to_vec::<_, (u32, u32)>(device, (0..0u32, 0..0u32));
    assert!(matches!(first, Err(Error::NoIdentity { .. })), "{first:?}");
}

fn sums_of_halves_are_rounded_once(place: &Place) {
    // In their own type such sums would not grow beyond 2,048.
    let x = place.upload(&vec![f16::ONE; 9_000], 1);
    let codes = place.upload(&(0..9_000u32).map(|i| i % 2).collect::<Vec<_>>(), 0);
    let found = Reduce::new(Sum).by_code(&codes, 2).run_to_vec(&place.device, &x);
    assert_eq!(found, Ok(vec![f16::from_f32(4_500.0); 2]));
}

fn refusals(place: &Place) {
    let device = &place.device;
    let (x, codes) = (place.upload(&[1u32, 2, 3], 0), place.upload(&[0u8, 1, 0], 0));
    let by_code = Reduce::new(Sum).by_code(&codes, 2);
    let length = |what, found, expected| Err(Error::Length { what, found, expected });
    let to = |len: usize| by_code.run(device, &x, &mut place.poisoned::<u32>(len, 0));
    assert_eq!([1, 2, 3].map(to), [length("output", 1, 2), Ok(()), length("output", 3, 2)]);
    let to_vec = |result: Result<Vec<u32>>| result.map(drop);
    assert_eq!(to_vec(by_code.run_to_vec(device, 0..4u32)), length("codes", 3, 4));
    let needs = Reduce::new(First).by_code(&codes, 2).run_to_vec::<_, u32>(device, &x);
    assert!(matches!(needs, Err(Error::NoIdentity { .. })), "{needs:?}");
    let refused = |result: Result<Vec<u32>>| assert!(matches!(result, Err(Error::Options { .. })), "{result:?}");
    refused(Reduce::new(Max).axis(&[3, 1], 0).by_code(&codes, 2).run_to_vec(device, &x));
    refused(Reduce::new(Max).by_code(&codes, u32::MAX as usize).run_to_vec(device, &x));
    refused(by_code.run_to_vec(device, counted(place, 3, 2).of(&x)));
    refused(Reduce::new(Max).by_code(&counted(place, 3, 2).of(&codes), 2).run_to_vec(device, &x));
    if !place.is_cuda() {
        let beyond = Gather::of(&codes).at(&[0, 3, 1]);
        let found = to_vec(Reduce::new(Sum).by_code(beyond, 2).run_to_vec(device, &x));
        assert_eq!(found, Err(Error::Index { at: 1, index: 3, len: 3 }));
    }
}

/// Float sums do not depend on the number of threads.
#[test]
fn bits_do_not_depend_on_threads() {
    let len = 1_000_003;
    let x: Vec<f64> = (0..len).map(|i| 1.0 / (i % 1_013 + 3) as f64).collect();
    let codes: Vec<u32> = random_values::<u32>(len).into_iter().map(|x| x % 100).collect();
    let sums = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let by_code = Reduce::new(Sum).by_code(&codes, 100);
        pool.install(|| by_code.run_to_vec::<_, f64>(&Device::cpu(), &x)).unwrap()
    };
    let of_one: Vec<u64> = sums(1).iter().map(|x| x.to_bits()).collect();
    for threads in [2, 3, 7] {
        assert_eq!(sums(threads).iter().map(|x| x.to_bits()).collect::<Vec<_>>(), of_one, "{threads} threads");
    }
    // Parts of a sixty-fourth of the elements: a chain each, and a chain of their totals.
    let mut tables = vec![];
    for (x, codes) in x.chunks(len.div_ceil(64)).zip(codes.chunks(len.div_ceil(64))) {
        tables.push(expected(codes.iter().map(|&code| code.into()), x, 100, -0.0, |a, b| a + b));
    }
    let grouped: Vec<u64> =
        (0..100).map(|code| tables.iter().fold(-0.0, |sum, table| sum + table[code]).to_bits()).collect();
    assert_eq!(of_one, grouped);
}
