//! Interleaved lines: few or many of them, long or short, however the arrays are aligned.
//!
//! On CUDA a few lines are scanned as one whose elements are arrays (`FEW`). Many lines are scanned by lanes, each with
//! one line or several interleaved ones (`MANY`). In between, long lines are cut into chunks (`CUT`).

use upsweep::operator::builtin::Sum;
use upsweep::{Operator, Reduce, Scan};
use upsweep_testing::check::{Case, Cuts, Lines, Reach, Start};
use upsweep_testing::operators::*;
use upsweep_testing::oracle::{Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    columns_1_byte,
    columns_3_bytes,
    columns_4_bytes,
    columns_not_commutative,
    columns_no_identity,
    columns_64_bytes,
    columns_init,
    columns_positions,
    columns_other_sizes,
    columns_same_bits,
);

type Dimensions = (usize, usize, usize);

/// Outer axes, the axis, inner axes. As one element of the scan each: 2 to 16 bytes of small values, and rows of a
/// matrix.
const FEW: &[Dimensions] = &[(1, 5000, 3), (1, 300_001, 2), (2, 3001, 5), (300, 40, 4), (3, 1, 16), (70_000, 1, 2)];
/// Shapes for elements of 4 bytes: chunks of four steps, of the whole line but one, of lines of several arrays.
const CUT: &[Dimensions] = &[(1, 2500, 64), (1, 40_000, 33), (2, 9000, 20), (1, 2049, 17)];
/// Shapes whose lanes, with 132 multiprocessors, have the most lines, half of them and one; and an inner axis that
/// allows only one.
const MANY: &[Dimensions] = &[(1, 40, 65_536), (2, 37, 16_384), (7, 50, 300), (1, 40, 65_537)];

/// Bytes of 64 strips of 4 KiB. The CPU makes no more blocks, so more lines of large elements test nothing new.
const STRIPS_BYTES: usize = 64 * 4096;
/// Bytes of the largest array of [`CUT`]. The CPU cuts by bytes, so arrays of large elements need no more bytes than
/// that.
const CUT_BYTES: usize = 4 * 40_000 * 33;

/// Shapes for elements of type `T`.
fn all<T>(place: &Place) -> Vec<Dimensions> {
    let all = [FEW, CUT, MANY].concat().into_iter();
    if sizes::reduced() {
        return all.filter(|(a, b, c)| a * b * c < 50_000).collect();
    }
    if place.is_cuda() {
        return all.collect();
    }
    let fewer = |number: usize, most: usize| if number > most { most + number % 2 } else { number };
    all.map(|(outer, len, inner)| {
        let inner = fewer(inner, STRIPS_BYTES / size_of::<T>());
        (outer, fewer(len, CUT_BYTES / (inner * size_of::<T>())), inner)
    })
    .collect()
}

fn along((outer, len, inner): Dimensions) -> (usize, Cut) {
    (outer * len * inner, Cut::Axis(vec![outer, len, inner], 1))
}

fn every_form<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>) {
    for (number, dimensions) in all::<T>(place).into_iter().enumerate() {
        let (len, cut) = along(dimensions);
        let x = random_values::<T>(len);
        // Aligned, and not.
        for offsets in [(0, 0), (number % 3, 1 + number % 4)] {
            let case = Case::new().cut(cut.clone()).offsets(offsets.0, offsets.1);
            for case in case.clone().directions(rule.identity.is_some()) {
                Lines.scan_both(place, Scan::new(operator), rule, &x, &case);
            }
            Cuts.reduce(place, Reduce::new(operator), rule, &x, &case);
        }
    }
}

fn columns_1_byte(place: &Place) {
    every_form(place, Sum, &Rule::new(u8::wrapping_add, Some(0)));
}

fn columns_3_bytes(place: &Place) {
    every_form(place, TriangleProduct, &Rule::new(triangle_product, Some(Triangle { a: 1, b: 0, c: 1 })));
}

fn columns_4_bytes(place: &Place) {
    every_form(place, Sum, &Rule::new(u32::wrapping_add, Some(0)));
}

fn columns_not_commutative(place: &Place) {
    every_form(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })));
}

fn columns_no_identity(place: &Place) {
    every_form(place, Concat, &Rule::new(concat, None));
}

fn columns_64_bytes(place: &Place) {
    every_form(place, WideProduct, &Rule::new(wide_product, Some(Wide { a: 1, b: 0, c: 0, d: 1 })));
}

/// An initial value comes before each line, once, and not before each chunk.
fn columns_init(place: &Place) {
    let init = Affine { m: 5, c: 6 };
    for dimensions in all::<Affine>(place) {
        let (len, cut) = along(dimensions);
        let x = random_values::<Affine>(len);
        let rule = Rule::new(then, Some(Affine { m: 1, c: 0 }));
        for start in [Start::Value(init), Start::Buffer(init)] {
            let case = Case::new().cut(cut.clone()).start(start);
            for case in case.clone().directions(true) {
                Lines.scan(place, Scan::new(Then), &rule, &x, &case);
            }
            Cuts.reduce(place, Reduce::new(Then), &rule, &x, &case);
        }
    }
}

/// The map is given the position in the line: not in the chunk, nor in the array.
fn columns_positions(place: &Place) {
    let rule = Rule { map: |x, i| (x, i), combine: add_pairs, identity: Some((0, 0)), finish: |x| x };
    for dimensions in all::<(u32, u64)>(place) {
        let (len, cut) = along(dimensions);
        let x = random_values::<u32>(len);
        for case in Case::new().cut(cut.clone()).directions(true) {
            Lines.scan(place, Scan::new(AddPairs).enumerate(), &rule, &x, &case);
        }
        Cuts.reduce(place, Reduce::new(AddPairs).enumerate(), &rule, &x, &Case::new().cut(cut));
    }
}

/// Input of one byte, eight bytes combined, output of two.
fn columns_other_sizes(place: &Place) {
    let rule = byte_steps();
    let init = Affine { m: 5, c: 6 };
    for dimensions in all::<Affine>(place) {
        let (len, cut) = along(dimensions);
        let x = random_values::<u8>(len);
        for start in [Start::Nothing, Start::Value(init)] {
            let case = Case::new().cut(cut.clone()).start(start).offsets(len % 5, len % 3);
            for case in case.clone().directions(true) {
                Lines.scan(place, Scan::new(Then).map(TripleAndAdd).finish(FromOne), &rule, &x, &case);
            }
            Cuts.reduce(place, Reduce::new(Then).map(TripleAndAdd).finish(FromOne), &rule, &x, &case);
        }
    }
}

/// Sums of floats are grouped in the same way wherever the arrays begin, and so for every number of lines of a lane.
fn columns_same_bits(place: &Place) {
    for (outer, len, inner) in all::<f32>(place) {
        let elements = outer * len * inner;
        let x: Vec<f32> = random_values::<u32>(elements).into_iter().map(|x| x as f32 * 1e-3).collect();
        let bits = |offset: usize| {
            let mut output = place.poisoned::<f32>(elements, offset % 3);
            let (shape, x) = ([outer, len, inner], place.upload(&x, offset));
            Scan::new(Sum).axis(&shape, 1).run(&place.device, &x, &mut output).unwrap();
            output.check_guards().into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        let aligned = bits(0);
        for offset in [1, 2, 6] {
            assert!(bits(offset) == aligned, "{outer} x {len} x {inner} at offset {offset}");
        }
    }
}
