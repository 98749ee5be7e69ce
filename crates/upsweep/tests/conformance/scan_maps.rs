//! Scan with map, enumerate, accumulate and finish: different types of inputs, combined values and results.

use half::{bf16, f16};
use upsweep::operator::Widen;
use upsweep::operator::builtin::{Max, Sum};
use upsweep::{Operator, Scan};
use upsweep_testing::check::{Case, Cuts, Lines, Reach, Start};
use upsweep_testing::cuts::one_of_each;
use upsweep_testing::operators::*;
use upsweep_testing::oracle::{Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::sample::{Sample, random_values, small_steps};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    scan_map_and_finish_other_sizes,
    scan_map_in_place,
    scan_map_widens,
    scan_finish_alone,
    scan_enumerate_positions,
    scan_enumerate_finish,
    scan_accumulate_integers,
    scan_accumulate_floats,
    scan_accumulate_bool,
    scan_accumulate_in_place,
);

/// Input of one byte, eight bytes combined, output of two; with every cut, direction and start.
fn scan_map_and_finish_other_sizes(place: &Place) {
    let rule = byte_steps();
    let scan = Scan::new(Then).map(TripleAndAdd).finish(FromOne);
    let init = Affine { m: 5, c: 6 };
    for len in [sizes::few(), vec![33_000]].concat() {
        let x = random_values::<u8>(len);
        for cut in one_of_each(len) {
            for start in [Start::Nothing, Start::Value(init), Start::Buffer(init)] {
                let case = Case::new().cut(cut.clone()).start(start).offsets(len % 7, len % 3);
                for case in case.directions(true) {
                    Cuts.scan(place, scan, &rule, &x, &case);
                }
            }
        }
    }
}

fn scan_map_in_place(place: &Place) {
    let rule = Rule {
        map: |x: u32, _| Affine { m: x | 1, c: x },
        combine: then,
        identity: Some(Affine { m: 1, c: 0 }),
        finish: |f: Affine| f.c,
    };
    for len in [sizes::few(), sizes::large(4)].concat() {
        let x = random_values::<u32>(len);
        for case in Case::new().directions(true) {
            Lines.scan_in_place(place, Scan::new(Then).map(StepBy).finish(ConstantTerm), &rule, &x, &case);
        }
        if len % 5 == 0 {
            let case = Case::new().cut(Cut::Axis(vec![len / 5, 5], 0));
            Lines.scan_in_place(place, Scan::new(Then).map(StepBy).finish(ConstantTerm), &rule, &x, &case);
        }
    }
}

/// The output is wider than the input, as it is when squares are summed.
fn scan_map_widens(place: &Place) {
    let rule = Rule {
        map: |x: i32, _| i64::from(x).wrapping_mul(i64::from(x)),
        combine: i64::wrapping_add,
        identity: Some(0),
        finish: |x| x,
    };
    for len in [sizes::few(), sizes::large(4)].concat() {
        let x = random_values::<i32>(len);
        Lines.scan(place, Scan::new(Sum).map(Square), &rule, &x, &Case::new().offsets(1, 0));
        Lines.scan(place, Scan::new(Sum).map(Square), &rule, &x, &Case::new().reverse(true).offsets(0, 1));
    }
}

fn scan_finish_alone(place: &Place) {
    let rule = Rule { map: |x, _| x, combine: u64::wrapping_add, identity: Some(0), finish: |x| x as u8 };
    for len in sizes::few() {
        for case in Case::new().directions(true) {
            Lines.scan(place, Scan::new(Sum).finish(LowByte), &rule, &random_values::<u64>(len), &case);
        }
    }
}

/// A position is counted along the array, whatever the direction and the segments.
fn scan_enumerate_positions(place: &Place) {
    let rule = Rule { map: |x, i| (x, i), combine: add_pairs, identity: Some((0, 0)), finish: |x| x };
    for len in [sizes::few(), vec![33_000, 100_001]].concat() {
        let x = random_values::<u32>(len);
        for cut in one_of_each(len) {
            for case in Case::new().cut(cut).directions(true) {
                Cuts.scan(place, Scan::new(AddPairs).enumerate(), &rule, &x, &case);
            }
        }
    }
}

fn scan_enumerate_finish(place: &Place) {
    let finish = |x: (u32, u64)| x.1.wrapping_mul(1000).wrapping_add(u64::from(x.0));
    let rule = Rule { map: |x, i| (x, i), combine: add_pairs, identity: Some((0, 0)), finish };
    for len in sizes::few() {
        let start = Start::Value((5, 7));
        for case in Case::new().start(start).directions(true) {
            let scan = Scan::new(AddPairs).enumerate().finish(Flatten);
            Lines.scan(place, scan, &rule, &random_values::<u32>(len), &case);
        }
    }
}

/// Accumulates `I` in `T` and compares with the rule.
fn accumulate<I: Sample, T: Sample + From<I>, Op: Operator<T>>(
    place: &Place,
    operator: Op,
    combine: fn(T, T) -> T,
    identity: T,
    values: impl Fn(usize) -> Vec<I>,
) where
    Widen<T>: upsweep::operator::Map<I, Output = T>,
{
    let rule = Rule { map: |x: I, _| T::from(x), combine, identity: Some(identity), finish: |x| x };
    for len in [sizes::few(), vec![33_000, 131_073]].concat() {
        for case in Case::new().offsets(len % 5, len % 4).directions(true) {
            Lines.scan(place, Scan::new(operator).accumulate::<T>(), &rule, &values(len), &case);
        }
    }
}

fn scan_accumulate_integers(place: &Place) {
    accumulate::<u8, u64, _>(place, Sum, u64::wrapping_add, 0, random_values);
    accumulate::<i8, i32, _>(place, Sum, i32::wrapping_add, 0, random_values);
    accumulate::<u16, i64, _>(place, Sum, i64::wrapping_add, 0, random_values);
    accumulate::<i32, i128, _>(place, Sum, i128::wrapping_add, 0, random_values);
    accumulate::<u32, u64, _>(place, Max, u64::max, 0, random_values);
}

fn scan_accumulate_floats(place: &Place) {
    accumulate::<f32, f64, _>(place, Sum, |a, b| a + b, 0.0, |len| small_steps(len, f32::from));
    accumulate::<f16, f32, _>(place, Sum, |a, b| a + b, 0.0, |len| small_steps(len, f16::from));
    accumulate::<bf16, f32, _>(place, Sum, |a, b| a + b, 0.0, |len| small_steps(len, bf16::from));
    accumulate::<i16, f32, _>(place, Sum, |a, b| a + b, 0.0, |len| small_steps(len, i16::from));
}

/// Counting flags: the sum of bools in a type that can hold it.
fn scan_accumulate_bool(place: &Place) {
    accumulate::<bool, u32, _>(place, Sum, u32::wrapping_add, 0, random_values);
}

fn scan_accumulate_in_place(place: &Place) {
    let rule =
        Rule { map: |x: u8, _| u64::from(x), combine: u64::wrapping_add, identity: Some(0), finish: |x| x as u8 };
    for len in [sizes::few(), sizes::large(1)].concat() {
        let x = random_values::<u8>(len);
        let scan = Scan::new(Sum).accumulate::<u64>().finish(LowByte);
        Lines.scan_in_place(place, scan, &rule, &x, &Case::new());
        Lines.scan_in_place(place, scan, &rule, &x, &Case::new().exclusive(true).reverse(true));
    }
}
