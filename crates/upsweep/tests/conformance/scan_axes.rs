//! Scan along the two last axes: first along the rows, then down the columns.

use half::f16;
use upsweep::operator::builtin::{Max, Sum};
use upsweep::operator::{Map, Operator};
use upsweep::{Scan, ScanAxes};
use upsweep_testing::operators::*;
use upsweep_testing::place::Place;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    scan_axes_sum,
    scan_axes_1_byte,
    scan_axes_3_bytes,
    scan_axes_not_commutative,
    scan_axes_no_identity,
    scan_axes_16_bytes,
    scan_axes_64_bytes,
    scan_axes_f64_extremes,
    scan_axes_widened,
    scan_axes_mapped_by_place,
    scan_axes_halves,
    scan_axes_channels,
    scan_axes_same_bits_at_every_alignment,
    scan_axes_same_bits_again,
    scan_axes_borders_in_any_order,
);

/// Arrays, rows and columns: of one element, around the strips, tiles and groups of kernels, of many strips, of few
/// long rows, of arrays one after the other.
fn shapes() -> &'static [(usize, usize, usize)] {
    if sizes::reduced() {
        return &[(1, 1, 1), (1, 9, 130), (2, 33, 20), (1, 300, 17)];
    }
    &[
        (1, 1, 1),
        (1, 1, 700),
        (1, 700, 1),
        (1, 8, 128),
        (1, 9, 257),
        (1, 31, 256),
        (1, 127, 131),
        (1, 129, 1024),
        (1, 1100, 40),
        (1, 1111, 515),
        (1, 4099, 129),
        (1, 5000, 8),
        (1, 3, 10_000),
        (3, 70, 130),
        (2, 2100, 36),
        (150, 5, 7),
    ]
}

/// Form of the scan: inclusive, exclusive, or exclusive with a border.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Inclusive,
    Exclusive,
    Bordered,
}

/// Results of the two sequential loops.
fn expected<I: Copy, T: Copy>(
    x: &[I],
    (arrays, height, width): (usize, usize, usize),
    form: Form,
    zero: Option<T>,
    map: impl Fn(I, usize) -> T,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let border = usize::from(form == Form::Bordered);
    let shift = usize::from(form != Form::Inclusive);
    let (rows, columns) = (height + border, width + border);
    let mut out: Vec<Option<T>> = vec![zero; arrays * rows * columns];
    for a in 0..arrays {
        let mut above: Vec<Option<T>> = vec![None; width];
        for r in 0..height {
            let mut left = None;
            for c in 0..width {
                let e = map(x[(a * height + r) * width + c], c);
                let with = left.map_or(e, |left| combine(left, e));
                left = Some(with);
                above[c] = Some(above[c].map_or(with, |above| combine(above, with)));
                if r + shift < rows && c + shift < columns {
                    out[(a * rows + r + shift) * columns + c + shift] = above[c];
                }
            }
        }
    }
    out.into_iter().map(|value| value.expect("a result or the identity")).collect()
}

fn found<I, O, Op, M>(
    place: &Place,
    scan: ScanAxes<'_, Op, M>,
    x: &[I],
    results: usize,
    (at, to): (usize, usize),
) -> Vec<O>
where
    I: Sample,
    O: Sample,
    Op: Operator<O>,
    M: Map<I, Output = O>,
{
    let (given, mut output) = (place.upload(x, at), place.poisoned::<O>(results, to));
    scan.run(&place.device, &given, &mut output).expect("the scan");
    assert!(given.check_guards().iter().zip(x).all(|(a, b)| a.same(b)), "the elements have changed");
    output.check_guards()
}

/// Every shape and form that the operator has, of buffers that begin anywhere.
fn every_shape<I, O, Op, M>(
    place: &Place,
    scan: Scan<'_, Op, M>,
    zero: Option<O>,
    map: impl Fn(I, usize) -> O + Copy,
    combine: impl Fn(O, O) -> O + Copy,
) where
    I: Sample,
    O: Sample,
    Op: Operator<O>,
    M: Map<I, Output = O>,
{
    for (i, &shape) in shapes().iter().enumerate() {
        let (arrays, height, width) = shape;
        let x = random_values::<I>(arrays * height * width);
        for form in [Form::Inclusive, Form::Exclusive, Form::Bordered] {
            if form != Form::Inclusive && zero.is_none() {
                continue;
            }
            let expected = expected(&x, shape, form, zero, map, combine);
            let scan = match form {
                Form::Inclusive => scan,
                Form::Exclusive => scan.exclusive(),
                Form::Bordered => scan.exclusive().with_total(),
            };
            let axes = [arrays, height, width];
            let found = found(place, scan.axes(&axes, &[2, 1]), &x, expected.len(), (i % 4, i / 2 % 3));
            for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(found.same(expected), "{shape:?} {form:?}: result {at} is {found:?}, not {expected:?}");
            }
        }
    }
}

fn scan_axes_sum(place: &Place) {
    every_shape(place, Scan::new(Sum), Some(0), |x: i64, _| x, i64::wrapping_add);
    every_shape(place, Scan::new(Sum), Some(0), |x: u32, _| x, u32::wrapping_add);
}

fn scan_axes_1_byte(place: &Place) {
    every_shape(place, Scan::new(Sum), Some(0), |x: u8, _| x, u8::wrapping_add);
}

fn scan_axes_3_bytes(place: &Place) {
    every_shape(place, Scan::new(TriangleProduct), Some(Triangle { a: 1, b: 0, c: 1 }), |x, _| x, triangle_product);
}

fn scan_axes_not_commutative(place: &Place) {
    every_shape(place, Scan::new(Then), Some(Affine { m: 1, c: 0 }), |x, _| x, then);
}

fn scan_axes_no_identity(place: &Place) {
    every_shape(place, Scan::new(Concat), None, |x: Text, _| x, concat);
}

fn scan_axes_16_bytes(place: &Place) {
    every_shape(place, Scan::new(MatrixProduct), Some(Matrix { a: 1, b: 0, c: 0, d: 1 }), |x, _| x, matrix_product);
}

fn scan_axes_64_bytes(place: &Place) {
    every_shape(place, Scan::new(WideProduct), Some(Wide { a: 1, b: 0, c: 0, d: 1 }), |x, _| x, wide_product);
}

fn scan_axes_f64_extremes(place: &Place) {
    let larger = |a: f64, b: f64| match (a.is_nan() || b.is_nan(), a.total_cmp(&b)) {
        (true, _) => f64::NAN,
        (_, std::cmp::Ordering::Less) => b,
        _ => a,
    };
    every_shape(place, Scan::new(Max), Some(f64::NEG_INFINITY), |x: f64, _| x, larger);
}

fn scan_axes_widened(place: &Place) {
    let scan = Scan::new(Sum).accumulate::<u64>();
    every_shape(place, scan, Some(0), |x: u8, _| u64::from(x), u64::wrapping_add);
}

/// The map is given the position in the row.
fn scan_axes_mapped_by_place(place: &Place) {
    every_shape(place, Scan::new(AddPairs).enumerate(), Some((0, 0)), |x: u32, c| (x, c as u64), add_pairs);
}

/// Sums of small whole numbers are exact; they are rounded when they are stored, or once for each axis.
fn scan_axes_halves(place: &Place) {
    for &shape in shapes() {
        let (arrays, height, width) = shape;
        let x: Vec<f16> = (0..arrays * height * width).map(|i| f16::from_f32((i * 7 % 3) as f32)).collect();
        let expected = expected(&x, shape, Form::Inclusive, None, |x, _| f32::from(x), |a, b| a + b);
        let axes = [arrays, height, width];
        let found: Vec<f16> = found(place, Scan::new(Sum).axes(&axes, &[2, 1]), &x, x.len(), (1, 0));
        for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let (found, expected) = (f32::from(*found), *expected);
            let right = (found - expected).abs() <= expected * 0.002 * (height as f32).log2().max(1.0);
            assert!(right || expected > 60_000.0, "{shape:?}: result {at} is {found}, not {expected}");
        }
    }
}

/// Each channel of a pixel is scanned by itself: few channels are taken as one element, many are not.
fn scan_axes_channels(place: &Place) {
    for channels in [2, 3, 4, 7, 20] {
        for (height, width) in [(5, 9), (70, 131), (300, 33)] {
            let x = random_values::<u32>(height * width * channels);
            let mut results = vec![0; x.len()];
            for channel in 0..channels {
                let of: Vec<u32> = x.iter().skip(channel).step_by(channels).copied().collect();
                let table = expected(&of, (1, height, width), Form::Inclusive, None, |x, _| x, u32::wrapping_add);
                results.iter_mut().skip(channel).step_by(channels).zip(table).for_each(|(to, sum)| *to = sum);
            }
            let axes = [height, width, channels];
            let found: Vec<u32> = found(place, Scan::new(Sum).axes(&axes, &[1, 0]), &x, x.len(), (0, 0));
            assert!(found == results, "{height} x {width} x {channels}");
        }
    }
}

/// Sums of floats that depend on their grouping: the begin of the buffers makes no difference.
fn scan_axes_same_bits_at_every_alignment(place: &Place) {
    for axes in [[1, 130, 260], [2, 77, 131]] {
        let x: Vec<f32> = (0..axes.iter().product()).map(|i: usize| (i as f32 * 0.37).sin()).collect();
        let run = |offsets| -> Vec<f32> { found(place, Scan::new(Sum).axes(&axes, &[2, 1]), &x, x.len(), offsets) };
        let first = run((0, 0));
        for offsets in [(1, 0), (2, 1), (3, 2), (0, 3)] {
            assert!(run(offsets).iter().zip(&first).all(|(a, b)| a.to_bits() == b.to_bits()), "{axes:?} {offsets:?}");
        }
    }
}

fn scan_axes_same_bits_again(place: &Place) {
    let axes = if sizes::reduced() { [1, 70, 300] } else { [1, 4096, 1024] };
    let x: Vec<f32> = (0..axes.iter().product()).map(|i: usize| (i as f32 * 0.37).sin()).collect();
    let run = || -> Vec<f32> { found(place, Scan::new(Sum).axes(&axes, &[2, 1]), &x, x.len(), (0, 0)) };
    let first = run();
    for _ in 0..5 {
        assert!(run().iter().zip(&first).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

/// Results along one axis: the identity, and then the inclusive prefixes.
fn bordered<T: Copy>(x: &[T], shape: &mut [usize], axis: usize, identity: T, combine: fn(T, T) -> T) -> Vec<T> {
    let (len, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let outer: usize = shape[..axis].iter().product();
    shape[axis] += 1;
    let mut results = vec![identity; outer * (len + 1) * inner];
    for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
        for k in 0..len {
            let before = results[(o * (len + 1) + k) * inner + i];
            results[(o * (len + 1) + k + 1) * inner + i] = combine(before, x[(o * len + k) * inner + i]);
        }
    }
    results
}

/// Axes in any order: in most orders each axis has a pass of its own.
fn scan_axes_borders_in_any_order(place: &Place) {
    fn check<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, identity: T, combine: fn(T, T) -> T) {
        for axes in [&[1, 2][..], &[2, 1], &[0], &[1], &[2], &[0, 1, 2], &[2, 1, 0], &[2, 0], &[1, 0, 2]] {
            for shape in [[1, 1, 1], [2, 3, 1], [3, 70, 5], [2, 9, 300], [40, 1, 33]] {
                let x = random_values::<T>(shape.iter().product());
                let (mut larger, mut results) = (shape, x.clone());
                for &axis in axes {
                    results = bordered(&results, &mut larger, axis, identity, combine);
                }
                let scan = Scan::new(operator).exclusive().with_total().axes(&shape, axes);
                let found: Vec<T> = found(place, scan, &x, results.len(), (1, 2));
                assert!(found.iter().zip(&results).all(|(a, b)| a.same(b)), "{shape:?} along {axes:?}");
            }
        }
    }
    check(place, Sum, 0, u32::wrapping_add);
    check(place, Then, Affine { m: 1, c: 0 }, then);
}
