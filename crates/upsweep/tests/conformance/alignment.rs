//! Every misalignment of input and output, with guards on both sides; and the same bits for each.

use crate::support::check::{Case, Cuts, Lines, Reach};
use crate::support::operators::*;
use crate::support::oracle::{Cut, Rule};
use crate::support::place::Place;
use crate::support::sample::{Sample, random_values};
use crate::support::{cuts, on_each_backend, sizes};
use upsweep::operator::builtin::Sum;
use upsweep::{Operator, Reduce, Scan};

on_each_backend!(
    scan_alignment_1_byte,
    scan_alignment_2_bytes,
    scan_alignment_3_bytes,
    scan_alignment_4_bytes,
    scan_alignment_8_bytes,
    scan_alignment_12_bytes,
    scan_alignment_other_sizes,
    scan_alignment_of_segments,
    reduce_alignment,
);

/// Lengths that end anywhere between vectors, within one block and past it.
fn lengths() -> &'static [usize] {
    if sizes::reduced() { &[1, 45, 1027] } else { &[1, 15, 16, 17, 45, 130, 1027, 8205] }
}

fn every_alignment<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>) {
    for &len in lengths() {
        let x = random_values::<T>(len);
        for input in 0..16 {
            let step = if sizes::reduced() || len > 2000 { 5 } else { 1 };
            for output in (input % step..16).step_by(step) {
                let case = Case::new().reverse(output % 2 == 1).offsets(input, output);
                Lines.scan(place, Scan::new(operator), rule, &x, &case);
            }
            Lines.scan_in_place(place, Scan::new(operator), rule, &x, &Case::new().offsets(input, 0));
            Lines.scan_in_place(place, Scan::new(operator), rule, &x, &Case::new().reverse(true).offsets(input, 0));
        }
    }
}

fn scan_alignment_1_byte(place: &Place) {
    every_alignment(place, Sum, &Rule::new(u8::wrapping_add, Some(0)));
}

fn scan_alignment_2_bytes(place: &Place) {
    every_alignment(place, Sum, &Rule::new(u16::wrapping_add, Some(0)));
}

fn scan_alignment_3_bytes(place: &Place) {
    every_alignment(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })));
}

fn scan_alignment_4_bytes(place: &Place) {
    every_alignment(place, Sum, &Rule::new(i32::wrapping_add, Some(0)));
}

fn scan_alignment_8_bytes(place: &Place) {
    every_alignment(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })));
}

fn scan_alignment_12_bytes(place: &Place) {
    every_alignment(place, Concat, &Rule::new(concat, None));
}

/// One byte in and two out: their vectors never line up.
fn scan_alignment_other_sizes(place: &Place) {
    let rule = byte_steps();
    for &len in lengths() {
        for offset in 0..16 {
            let case = Case::new().reverse(len % 2 == 0).offsets(offset, (offset * 7 + 3) % 16);
            let scan = Scan::new(Then).map(TripleAndAdd).finish(FromOne);
            Lines.scan(place, scan, &rule, &random_values::<u8>(len), &case);
        }
    }
}

/// Flags, keys and offsets are misaligned by their own lengths: see `check`.
fn scan_alignment_of_segments(place: &Place) {
    for len in 1000..1035 {
        let x = random_values::<Affine>(len);
        for cut in [cuts::head_flags(len, 20), cuts::keys(len, 20), Cut::Offsets(cuts::offsets(len, len % 40))] {
            for case in Case::new().cut(cut).offsets(len % 16, len / 2 % 16).directions(true) {
                let rule = Rule::new(then, Some(Affine { m: 1, c: 0 }));
                Cuts.scan(place, Scan::new(Then), &rule, &x, &case);
            }
        }
    }
}

fn reduce_alignment(place: &Place) {
    for &len in lengths() {
        for offset in 0..16 {
            let rule = Rule::new(u8::wrapping_add, Some(0));
            let case = Case::new().offsets(offset, 15 - offset);
            Lines.reduce(place, Reduce::new(Sum), &rule, &random_values(len), &case);
            let case = Case::new().offsets(offset, 15 - offset);
            Lines.reduce(place, Reduce::new(Concat), &Rule::new(concat, None), &random_values(len), &case);
        }
    }
}
