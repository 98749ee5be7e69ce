//! Varying coefficients: integers exactly, with all options of a scan; quotients and tridiagonal systems against the
//! loops.

use crate::support::on_each_backend;
use crate::support::place::Place;
use crate::support::random::Rng;
use crate::support::sizes;
use upsweep::prelude::*;
use upsweep::tridiagonal::Unknown;
use upsweep::varying::{self, Affine, AffinePair};
use upsweep::{Error, operator::WidenFrom};

on_each_backend! {
    first_order, first_order_of_segments, first_order_along_axes, first_order_in_chunks, second_order, quotients, poles_are_passed,
    systems_of_f32, systems_of_f64, batches, what_is_not_used, no_unknowns, wrong_lengths
}

fn numbers(rng: &mut Rng, len: usize) -> Vec<u64> {
    (0..len).map(|_| rng.next()).collect()
}

/// Random number from -1 to 1.
fn unit(rng: &mut Rng) -> f64 {
    (rng.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn by_loop(before: u64, a: &[u64], x: &[u64]) -> Vec<u64> {
    let mut y = before;
    let step = |(a, x): (&u64, &u64)| {
        y = a.wrapping_mul(y).wrapping_add(*x);
        y
    };
    a.iter().zip(x).map(step).collect()
}

fn first_order(place: &Place) {
    let mut rng = Rng::new(1);
    for len in sizes::small().into_iter().chain(sizes::large(8)) {
        let (a, x, before) = (numbers(&mut rng, len), numbers(&mut rng, len), rng.next());
        let (on_a, on_x) = (place.upload(&a, rng.below(4)), place.upload(&x, rng.below(4)));
        let mut y = place.poisoned::<u64>(len, rng.below(4));
        varying::first_order().run(&place.device, (&on_a, &on_x), &mut y).unwrap();
        assert!(y.check_guards() == by_loop(0, &a, &x), "{len}");
        let begun = varying::first_order().init(Affine::constant(before));
        begun.run(&place.device, (&on_a, &on_x), &mut y).unwrap();
        assert!(y.check_guards() == by_loop(before, &a, &x), "{len} from {before}");
        begun.reverse().run(&place.device, (&on_a, &on_x), &mut y).unwrap();
        let turned = |of: &[u64]| of.iter().rev().copied().collect::<Vec<_>>();
        assert!(y.check_guards() == turned(&by_loop(before, &turned(&a), &turned(&x))), "{len} from the end");
    }
}

fn first_order_of_segments(place: &Place) {
    let mut rng = Rng::new(2);
    for len in sizes::few() {
        let (a, x) = (numbers(&mut rng, len), numbers(&mut rng, len));
        let mut offsets: Vec<u32> = (0..rng.below(20)).map(|_| rng.below(len + 1) as u32).collect();
        offsets.extend([0, len as u32]);
        offsets.sort_unstable();
        let expected: Vec<u64> = offsets
            .windows(2)
            .flat_map(|ends| by_loop(7, &a[ends[0] as usize..ends[1] as usize], &x[ends[0] as usize..ends[1] as usize]))
            .collect();
        let (on_a, on_x, at) = (place.upload(&a, 1), place.upload(&x, 3), place.upload(&offsets, 1));
        let mut y = place.poisoned::<u64>(len, 2);
        let scan = varying::first_order().init(Affine::constant(7)).segments(Segments::Offsets(&at));
        scan.run(&place.device, (&on_a, &on_x), &mut y).unwrap();
        assert!(y.check_guards() == expected, "{len}: {offsets:?}");
    }
}

fn first_order_along_axes(place: &Place) {
    let mut rng = Rng::new(3);
    for shape in [[3, 50, 7], [1, 1, 300], [40, 3, 1], [2, 600, 33]] {
        let len = shape.iter().product();
        let (a, x) = (numbers(&mut rng, len), numbers(&mut rng, len));
        let (on_a, on_x) = (place.upload(&a, 0), place.upload(&x, 1));
        for axis in 0..3 {
            let inner: usize = shape[axis + 1..].iter().product();
            let mut expected = vec![0; len];
            for i in 0..len {
                let first = (i / inner).is_multiple_of(shape[axis]);
                expected[i] = a[i].wrapping_mul(if first { 0 } else { expected[i - inner] }).wrapping_add(x[i]);
            }
            let mut y = place.poisoned::<u64>(len, 0);
            varying::first_order().axis(&shape, axis).run(&place.device, (&on_a, &on_x), &mut y).unwrap();
            assert!(y.check_guards() == expected, "{shape:?} along {axis}");
        }
    }
}

fn first_order_in_chunks(place: &Place) {
    let mut rng = Rng::new(4);
    let (a, x) = (numbers(&mut rng, 10_000), numbers(&mut rng, 10_000));
    let expected = by_loop(0, &a, &x);
    let mut begin = 0;
    let mut carry = Carry::new();
    for end in [1, 4097, 10_000] {
        let (on_a, on_x) = (place.upload(&a[begin..end], 1), place.upload(&x[begin..end], 0));
        let mut y = place.poisoned::<u64>(end - begin, 0);
        let scan = varying::first_order().init(Affine::constant(0u64));
        scan.run_with_carry(&place.device, (&on_a, &on_x), &mut y, &mut carry).unwrap();
        assert!(y.check_guards() == expected[begin..end], "{begin} to {end}");
        begin = end;
    }
}

fn second_order(place: &Place) {
    let mut rng = Rng::new(5);
    for len in sizes::few().into_iter().chain(sizes::large(24).into_iter().filter(|n| n % 2 == 1)) {
        let (a, b, x) = (numbers(&mut rng, len), numbers(&mut rng, len), numbers(&mut rng, len));
        let (on_a, on_b, on_x) = (place.upload(&a, 1), place.upload(&b, 0), place.upload(&x, 3));
        for (last, older) in [(0, 0), (rng.next(), rng.next())] {
            let mut y = place.poisoned::<u64>(len, 1);
            let scan = varying::second_order().init(AffinePair::constant(last, older));
            scan.run(&place.device, (&on_a, &on_b, &on_x), &mut y).unwrap();
            let (mut last, mut older) = (last, older);
            for (i, y) in y.check_guards().into_iter().enumerate() {
                let new = a[i].wrapping_mul(last).wrapping_add(b[i].wrapping_mul(older)).wrapping_add(x[i]);
                assert_eq!(y, new, "{i} of {len}");
                (last, older) = (new, last);
            }
        }
    }
    // Fibonacci's numbers.
    let n = 90;
    let found: Vec<u64> = varying::second_order()
        .init(AffinePair::constant(1, 0))
        .run_to_vec(&place.device, (Repeat(1u64), &place.upload(&vec![1u64; n], 0), Repeat(0)))
        .unwrap();
    assert_eq!((found[0], found[n - 1]), (1, 4_660_046_610_375_530_309));
}

fn quotients(place: &Place) {
    let mut rng = Rng::new(6);
    for len in sizes::small().into_iter().chain([30_011, 400_000]) {
        // Positive coefficients: errors shrink from step to step.
        let mut coefficients = || (0..len).map(|_| 1.5 + unit(&mut rng)).collect::<Vec<f64>>();
        let all = [coefficients(), coefficients(), coefficients(), coefficients()];
        let on = all.each_ref().map(|of| place.upload(of, 1));
        let mut y = place.poisoned::<f64>(len, 0);
        varying::moebius(3.0).run(&place.device, (&on[0], &on[1], &on[2], &on[3]), &mut y).unwrap();
        let mut expected = 3.0;
        for (i, found) in y.check_guards().into_iter().enumerate() {
            expected = (all[0][i] * expected + all[1][i]) / (all[2][i] * expected + all[3][i]);
            assert!((found - expected).abs() <= 1e-14 * expected, "{i} of {len}: {found}, not {expected}");
        }
    }
}

/// The function y -> 1 / (1 - y) maps 2, -1, 1/2 in a cycle; from 1 on it goes to infinity, 0, and 1.
fn poles_are_passed(place: &Place) {
    let (one, minus) = (place.upload(&[1.0f64; 3000], 0), place.upload(&[-1.0f64; 3000], 0));
    let all = |before: f64| -> Vec<f64> {
        let scan = varying::moebius(before);
        scan.run_to_vec(&place.device, (Repeat(0.0), &one, &minus, Repeat(1.0))).unwrap()
    };
    for (i, y) in all(2.0).into_iter().enumerate() {
        assert_eq!(y, [-1.0, 0.5, 2.0][i % 3], "{i}");
    }
    for (i, y) in all(1.0).into_iter().enumerate() {
        assert_eq!(y.abs(), [f64::INFINITY, 0.0, 1.0][i % 3], "{i}");
    }
}

/// System in f64, and its solution by the loop.
struct System {
    lower: Vec<f64>,
    diagonal: Vec<f64>,
    upper: Vec<f64>,
    right: Vec<f64>,
}

impl System {
    /// Makes a random system whose diagonal is `dominance` times as large as the rest of its row; of numbers that f32
    /// has.
    fn random(rng: &mut Rng, len: usize, dominance: f64) -> Self {
        let mut some = |from: f64, to: f64| (from + (to - from) * (unit(rng) + 1.0) / 2.0) as f32;
        let mut all = Self { lower: vec![], diagonal: vec![], upper: vec![], right: vec![] };
        for _ in 0..len {
            let (a, c) = (some(-1.5, 1.5), some(-1.5, 1.5));
            let b = (a.abs() + c.abs()) * dominance as f32 * if some(0.0, 1.0) < 0.5 { -1.0 } else { 1.0 };
            all.lower.push(f64::from(a));
            all.diagonal.push(f64::from(b));
            all.upper.push(f64::from(c));
            all.right.push(f64::from(some(-1.0, 1.0)));
        }
        all
    }

    /// Solves the system of the equations `at`.
    fn solve(&self, at: &[usize]) -> Vec<f64> {
        let (mut pivots, mut y) = (vec![], vec![0.0; at.len()]);
        for (k, &i) in at.iter().enumerate() {
            let lower = if k > 0 { self.lower[i] } else { 0.0 };
            let (u, before) = if k > 0 { (self.upper[at[k - 1]] / pivots[k - 1], y[k - 1]) } else { (0.0, 0.0) };
            pivots.push(self.diagonal[i] - lower * u);
            y[k] = (self.right[i] - lower * before) / pivots[k];
        }
        for k in (0..at.len().saturating_sub(1)).rev() {
            y[k] -= self.upper[at[k]] / pivots[k] * y[k + 1];
        }
        y
    }
}

/// Unknowns of the systems along an axis of a shape.
fn solved<T: Unknown + crate::support::sample::Sample>(
    place: &Place,
    system: &System,
    axis: Option<(&[usize], usize)>,
    of: fn(f64) -> T,
) -> Vec<f64>
where
    f64: WidenFrom<T>,
{
    let on = |x: &[f64], offset| place.upload(&x.iter().map(|&x| of(x)).collect::<Vec<T>>(), offset);
    let [lower, diagonal, upper] =
        [(&system.lower, 1), (&system.diagonal, 0), (&system.upper, 3)].map(|(x, o)| on(x, o));
    let mut matrix = Tridiagonal::new(&lower, &diagonal, &upper);
    if let Some((shape, axis)) = axis {
        matrix = matrix.axis(shape, axis);
    }
    let mut x = place.poisoned::<T>(system.right.len(), 1);
    matrix.run(&place.device, &on(&system.right, 2), &mut x).unwrap();
    x.check_guards().into_iter().map(f64::widen_from).collect()
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64, case: &str) {
    let largest = expected.iter().fold(0.0f64, |m, e| m.max(e.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= tolerance * largest, "{case}: unknown {i} is {found}, not {expected}");
    }
}

fn systems<T: Unknown + crate::support::sample::Sample>(place: &Place, of: fn(f64) -> T, rounding: f64)
where
    f64: WidenFrom<T>,
{
    let mut rng = Rng::new(7);
    for len in sizes::small().into_iter().chain([5003, 40_000]) {
        for (dominance, tolerance) in [(1.5, 1e-14), (1.01, 1e-12), (1.0001, 1e-10)] {
            let system = System::random(&mut rng, len, dominance);
            let expected = system.solve(&(0..len).collect::<Vec<_>>());
            close(&solved(place, &system, None, of), &expected, rounding + tolerance, &format!("{len} of {dominance}"));
        }
    }
}

fn systems_of_f32(place: &Place) {
    systems(place, |x| x as f32, 6e-8);
}
fn systems_of_f64(place: &Place) {
    systems(place, |x| x, 0.0);
}

fn batches(place: &Place) {
    let mut rng = Rng::new(8);
    for shape in [[3, 50, 7], [1, 1, 300], [40, 3, 1], [2, 600, 33]] {
        let len = shape.iter().product();
        let system = System::random(&mut rng, len, 1.2);
        for axis in 0..3 {
            let inner: usize = shape[axis + 1..].iter().product();
            let mut expected = vec![0.0; len];
            for line in 0..len / shape[axis] {
                let first = line / inner * inner * shape[axis] + line % inner;
                let at: Vec<usize> = (0..shape[axis]).map(|k| first + k * inner).collect();
                for (&i, x) in at.iter().zip(system.solve(&at)) {
                    expected[i] = x;
                }
            }
            close(
                &solved(place, &system, Some((&shape, axis)), |x| x),
                &expected,
                1e-13,
                &format!("{shape:?} along {axis}"),
            );
        }
    }
}

/// Coefficients before the first unknown and after the last one of each system, which are not used.
fn what_is_not_used(place: &Place) {
    let mut system = System::random(&mut Rng::new(9), 600, 1.3);
    let axis: Option<(&[usize], usize)> = Some((&[6, 100], 1));
    let before = solved(place, &system, axis, |x| x);
    for line in 0..6 {
        system.lower[100 * line] = 5.0;
        system.upper[100 * line + 99] = -7.0;
    }
    close(&solved(place, &system, axis, |x| x), &before, 1e-14, "other numbers outside");
}

fn no_unknowns(place: &Place) {
    let none = System { lower: vec![], diagonal: vec![], upper: vec![], right: vec![] };
    assert!(solved(place, &none, None, |x| x).is_empty());
    let one = System { lower: vec![9.0], diagonal: vec![4.0], upper: vec![9.0], right: vec![2.0] };
    assert_eq!(solved(place, &one, None, |x| x), [0.5]);
}

fn wrong_lengths(place: &Place) {
    let [three, four] = [3, 4].map(|n| place.upload(&vec![1.0f32; n], 0));
    let mut x = place.poisoned::<f32>(3, 0);
    let mut run = |lower, diagonal, upper, right| {
        Tridiagonal::new(lower, diagonal, upper).run(&place.device, right, &mut x).unwrap_err()
    };
    for error in [
        run(&four, &three, &three, &three),
        run(&three, &four, &three, &three),
        run(&three, &three, &four, &three),
        run(&three, &three, &three, &four),
    ] {
        assert!(matches!(error, Error::Length { .. }), "{error}");
    }
    assert!(x.check_guards().iter().all(|x| x.to_bits() == 0xABAB_ABAB), "something is written");
    let mut x = place.poisoned::<f32>(4, 0);
    let error = Tridiagonal::new(&three, &three, &three).run(&place.device, &three, &mut x).unwrap_err();
    assert!(matches!(error, Error::Length { .. }), "{error}");
    let shape = [2, 2];
    let error =
        Tridiagonal::new(&three, &three, &three).axis(&shape, 1).run(&place.device, &three, &mut x).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }), "{error}");
    let error = Tridiagonal::new(&four, &four, &four).axis(&shape, 2).run(&place.device, &four, &mut x).unwrap_err();
    assert!(matches!(error, Error::Axis { .. }), "{error}");
}
