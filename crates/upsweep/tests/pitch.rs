//! Rows with gaps behind them, along every axis, against loops over their lines and against calls without gaps.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::fmt::Debug;
use upsweep::Error;
use upsweep::half::f16;
use upsweep::operator::builtin::First;
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Affine, Then, then};
use upsweep_testing::place::Place;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::sizes;

on_each_backend! { lines_against_loops, bits_of_calls_without_gaps, options, refusals }

fn shapes() -> Vec<Vec<usize>> {
    let small: &[&[usize]] = &[
        &[1],
        &[7],
        &[0, 4],
        &[4, 0],
        &[1, 6],
        &[6, 1],
        &[3, 5],
        &[2, 3, 4],
        &[5, 1, 3, 2],
        &[70, 300],
        &[3000, 3],
        &[40, 7, 50],
    ];
    let large: &[&[usize]] = if sizes::reduced() { &[] } else { &[&[5, 20_001], &[300, 1024], &[2, 1_100_000]] };
    [small, large].concat().into_iter().map(<[usize]>::to_vec).collect()
}

/// Rows with gaps of an array: behind the last one, too, where `whole`.
fn with_gaps<T: Sample>(x: &[T], columns: usize, pitch: usize, whole: bool) -> Vec<T> {
    let mut gaps: Vec<T> = vec![];
    for row in x.chunks(columns.max(1)) {
        gaps.extend_from_slice(row);
        gaps.resize(gaps.len() + pitch - columns, T::poison());
    }
    if !whole && !gaps.is_empty() {
        gaps.truncate(gaps.len() + columns - pitch);
    }
    gaps
}

/// Calls `each` with every shape, axis and pitch, and whether there is a gap behind the last row.
fn each_case(mut each: impl FnMut(&[usize], usize, usize, bool)) {
    for shape in shapes() {
        for axis in 0..shape.len() {
            let columns = *shape.last().unwrap();
            for (i, pitch) in
                [columns, columns + 1, columns + 13, (columns + 1).next_power_of_two()].into_iter().enumerate()
            {
                if i > 1 && columns > 10_000 {
                    continue;
                }
                each(&shape, axis, pitch, i % 2 == 0);
            }
        }
    }
}

/// Indices of each line along an axis, in order.
fn lines(shape: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let of = |o: usize, i: usize| (0..shape[axis]).map(|k| (o * shape[axis] + k) * inner + i).collect();
    (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))).map(|(o, i)| of(o, i)).collect()
}

fn lines_against_loops(place: &Place) {
    let device = &place.device;
    each_case(|shape, axis, pitch, whole| {
        let case = format!("{shape:?} along {axis}, pitch {pitch}");
        let columns = *shape.last().unwrap();
        let x = random_values::<Affine>(shape.iter().product());
        let (mut scanned, mut reduced) = (x.clone(), vec![]);
        for line in lines(shape, axis) {
            line.windows(2).for_each(|pair| scanned[pair[1]] = then(scanned[pair[0]], x[pair[1]]));
            reduced.push(line.last().map_or(Affine { m: 1, c: 0 }, |&last| scanned[last]));
        }
        let gaps = with_gaps(&x, columns, pitch, whole);
        let expected = with_gaps(&scanned, columns, pitch, whole);
        let input = place.upload(&gaps, 1);
        let mut output = place.poisoned::<Affine>(gaps.len(), 1);
        let scan = Scan::new(Then).axis(shape, axis).pitch(pitch);
        scan.run(device, &input, &mut output).unwrap();
        assert!(output.check_guards() == expected, "{case}");
        let mut data = place.upload(&gaps, 0);
        scan.run_in_place(device, &mut data).unwrap();
        assert!(data.check_guards() == expected, "{case}, in place");
        let reduce = Reduce::new(Then).axis(shape, axis).pitch(pitch);
        let mut output = place.poisoned::<Affine>(reduced.len(), 1);
        reduce.run(device, &input, &mut output).unwrap();
        assert!(output.check_guards() == reduced, "{case}, reduced");
        assert!(reduce.run_to_vec(device, &input) == Ok(reduced), "{case}, reduced");
    });
}

/// Sums of floats, whose bits tell how they are grouped.
fn bits_of_calls_without_gaps(place: &Place) {
    fn of<T: Sample + PartialEq + Debug>(place: &Place, x: impl Fn(usize) -> T)
    where
        Sum: Operator<T>,
    {
        let device = &place.device;
        each_case(|shape, axis, pitch, whole| {
            let case = format!("{shape:?} along {axis}, pitch {pitch}");
            let columns = *shape.last().unwrap();
            if axis + 2 < shape.len() || (axis + 2 == shape.len() && columns == 1) {
                return;
            }
            let x: Vec<T> = (0..shape.iter().product()).map(&x).collect();
            let on = place.upload(&x, 0);
            let input = place.upload(&with_gaps(&x, columns, pitch, whole), 1);
            let expected: Vec<T> = Scan::new(Sum).axis(shape, axis).run_to_vec(device, &on).unwrap();
            let mut output = place.poisoned::<T>(with_gaps(&x, columns, pitch, whole).len(), 1);
            Scan::new(Sum).axis(shape, axis).pitch(pitch).run(device, &input, &mut output).unwrap();
            assert!(output.check_guards() == with_gaps(&expected, columns, pitch, whole), "{case}");
            let expected: Vec<T> = Reduce::new(Sum).axis(shape, axis).run_to_vec(device, &on).unwrap();
            let found = Reduce::new(Sum).axis(shape, axis).pitch(pitch).run_to_vec(device, &input);
            assert!(found == Ok(expected), "{case}, reduced");
        });
    }
    of(place, |i| 1.0 / (i % 1013 + 3) as f32);
    of(place, |i| f16::from_f32((i % 7) as f32));
}

#[function]
fn halved(x: u64) -> u32 {
    (x / 2) as u32
}

fn options(place: &Place) {
    let device = &place.device;
    let (shape, pitch) = ([50usize, 40, 30], 37);
    let x = random_values::<u32>(60_000);
    let (on, input) = (place.upload(&x, 0), place.upload(&with_gaps(&x, 30, pitch, true), 1));
    let begin = place.upload(&[5u64], 0);
    for axis in 0..3 {
        let scan = || Scan::new(Sum).accumulate::<u64>().finish(Halved).init_from(&begin).exclusive().reverse();
        let expected: Vec<u32> = scan().axis(&shape, axis).run_to_vec(device, &on).unwrap();
        let mut output = place.poisoned::<u32>(pitch * 2000, 1);
        scan().axis(&shape, axis).pitch(pitch).run(device, &input, &mut output).unwrap();
        assert_eq!(output.check_guards(), with_gaps(&expected, 30, pitch, true), "along {axis}");
        // Positions are those on the line.
        let places = Reduce::new(ArgMax).enumerate().axis(&shape, axis);
        let expected: Vec<(u32, u64)> = places.run_to_vec(device, &on).unwrap();
        assert_eq!(places.pitch(pitch).run_to_vec(device, &input), Ok(expected), "along {axis}");
    }
}

fn refusals(place: &Place) {
    let device = &place.device;
    let x = place.upload(&[1u32; 12], 0);
    let mut out = place.poisoned::<u32>(12, 0);
    let mut run =
        |shape: &[usize], axis, pitch| Scan::new(Sum).axis(shape, axis).pitch(pitch).run(device, &x, &mut out);
    assert_eq!(run(&[3, 4], 1, 4), Ok(()));
    assert_eq!(run(&[3, 2], 1, 5), Ok(()));
    assert_eq!(run(&[3, 3], 1, 5), Err(Error::Length { what: "input", found: 12, expected: 13 }));
    assert_eq!(run(&[2, 4], 0, 5), Err(Error::Length { what: "input", found: 12, expected: 9 }));
    assert_eq!(run(&[3, 4], 2, 4), Err(Error::Axis { axis: 2, axes: 2 }));
    assert_eq!(run(&[], 0, 4), Err(Error::Axis { axis: 0, axes: 0 }));
    assert_eq!(run(&[usize::MAX, 2], 0, 4), Err(Error::Length { what: "input", found: 12, expected: usize::MAX }));
    let refused = |result| assert!(matches!(result, Err(Error::Options { .. })), "{result:?}");
    refused(run(&[3, 4], 1, 3));
    refused(Scan::new(Sum).pitch(4).run(device, &x, &mut out));
    refused(Scan::new(Sum).exclusive().with_total().axis(&[3, 4], 1).pitch(4).run(device, &x, &mut out));
    let first = Scan::new(First).exclusive();
    for axis in 0..2 {
        let needs = first.axis(&[3, 2], axis).pitch(4).run(device, &x, &mut out);
        assert!(matches!(needs, Err(Error::NoIdentity { .. })), "{needs:?}");
        let needs = Reduce::new(First).axis(&[0, 0], axis).pitch(4).run_to_vec::<_, u32>(device, &[0u32; 0]);
        assert!(needs == Ok(vec![]) || place.is_cuda(), "{needs:?}");
    }
    let mut short = place.poisoned::<u32>(2, 0);
    let found = Reduce::new(Sum).axis(&[3, 4], 1).pitch(4).run(device, &x, &mut short);
    assert_eq!(found, Err(Error::Length { what: "output", found: 2, expected: 3 }));
}
