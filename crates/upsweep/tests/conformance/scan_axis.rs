//! Scan along each axis of row-major arrays of one to four axes.

use upsweep::operator::builtin::Sum;
use upsweep::{Operator, Scan};
use upsweep_testing::check::{Case, Lines, Reach, Start};
use upsweep_testing::operators::*;
use upsweep_testing::oracle::{Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    scan_axis_sum,
    scan_axis_1_byte,
    scan_axis_3_bytes,
    scan_axis_not_commutative,
    scan_axis_no_identity,
    scan_axis_64_bytes,
    scan_axis_invented_elements,
    scan_axis_enumerate,
    scan_reverse_exclusive_init_axis,
);

fn scan_axis_sum(place: &Place) {
    every_axis(place, Sum, &Rule::new(i64::wrapping_add, Some(0)));
}

fn scan_axis_1_byte(place: &Place) {
    every_axis(place, Sum, &Rule::new(u8::wrapping_add, Some(0)));
}

fn scan_axis_3_bytes(place: &Place) {
    every_axis(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })));
}

fn scan_axis_not_commutative(place: &Place) {
    every_axis(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })));
}

fn scan_axis_no_identity(place: &Place) {
    every_axis(place, Concat, &Rule::new(concat, None));
}

fn scan_axis_64_bytes(place: &Place) {
    every_axis(place, WideProduct, &Rule::new(wide_product, Some(Wide { a: 1, b: 0, c: 0, d: 1 })));
}

/// Each shape with each axis.
fn axes() -> impl Iterator<Item = (Vec<usize>, usize)> {
    sizes::shapes().into_iter().flat_map(|shape| (0..shape.len()).map(move |axis| (shape.clone(), axis)))
}

fn every_axis<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>) {
    for (shape, axis) in axes() {
        let len = shape.iter().product();
        let x = random_values::<T>(len);
        let case = Case::new().cut(Cut::Axis(shape, axis)).offsets(axis, len % 4);
        for case in case.directions(rule.identity.is_some()) {
            Lines.scan_both(place, Scan::new(operator), rule, &x, &case);
        }
    }
}

fn scan_axis_invented_elements(place: &Place) {
    for (shape, axis) in axes() {
        let inner: usize = shape[axis + 1..].iter().product();
        let (len, length) = (shape.iter().product(), shape[axis]);
        for reverse in [false, true] {
            let stretch = |i: usize| {
                let along = i / inner % length;
                let k = if reverse { length - 1 - along } else { along } as u32;
                Span { from: k, to: k + 1 }
            };
            let x: Vec<Span> = (0..len).map(stretch).collect();
            let case = Case::new().reverse(reverse).cut(Cut::Axis(shape.clone(), axis));
            Lines.scan(place, Scan::new(Join), &Rule::new(join, None), &x, &case);
        }
    }
}

/// Positions are counted along the axis, from 0 in each line.
fn scan_axis_enumerate(place: &Place) {
    let rule = Rule { map: |x, i| (x, i), combine: add_pairs, identity: Some((0, 0)), finish: |x| x };
    for (shape, axis) in axes() {
        let x = random_values::<u32>(shape.iter().product());
        for case in Case::new().cut(Cut::Axis(shape.clone(), axis)).directions(true) {
            Lines.scan(place, Scan::new(AddPairs).enumerate(), &rule, &x, &case);
        }
    }
}

fn scan_reverse_exclusive_init_axis(place: &Place) {
    for (shape, axis) in axes() {
        let x = random_values::<Text>(shape.iter().product());
        let init = Text::random(&mut Rng::new(9));
        for start in [Start::Value(init), Start::Buffer(init)] {
            for case in Case::new().cut(Cut::Axis(shape.clone(), axis)).start(start).directions(false) {
                Lines.scan_both(place, Scan::new(Concat), &Rule::new(concat, None), &x, &case);
            }
        }
    }
}
