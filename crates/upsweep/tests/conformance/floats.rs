//! Floats: infinities, NaN and zeros, the error of sums, and the same bits in every run.

use half::{bf16, f16};
use upsweep::operator::builtin::{Compensate, CompensatedSum, First, Rounded, Sum};
use upsweep::{Operator, Reduce, Scan, Segments};
use upsweep_testing::check::{Case, Cuts, Lines, Reach};
use upsweep_testing::cuts::{self, one_of_each};
use upsweep_testing::oracle::{Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, small_steps};
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(
    scan_float_infinity_and_nan,
    scan_float_negative_zero,
    scan_float_subnormals,
    scan_float_canonical_nan,
    scan_float_tolerance,
    scan_float_same_bits,
    reduce_float_same_bits,
    scan_float_compensated,
);

/// Sums of small whole numbers, infinities and NaN: the same however they are grouped.
fn scan_float_infinity_and_nan(place: &Place) {
    fn of<T: Sample>(place: &Place, specials: [T; 4], from: fn(i8) -> T, add: fn(T, T) -> T)
    where
        Sum: Operator<T>,
    {
        for len in [sizes::few(), vec![40_000]].concat() {
            let mut rng = Rng::new(len as u64);
            let mut x = small_steps(len, from);
            for _ in 0..len / 500 + 1 {
                // Far apart, so that the sum is a number, then infinite, then NaN; and again in the next line or
                // segment.
                if let Some(x) = x.get_mut(len / 3 + rng.below(len + 1)) {
                    *x = specials[rng.below(specials.len())];
                }
            }
            for cut in one_of_each(len) {
                for case in Case::new().cut(cut).directions(true) {
                    Cuts.scan(place, Scan::new(Sum), &Rule::new(add, Some(from(0))), &x, &case);
                }
            }
        }
    }
    of(place, [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0], f32::from, |a, b| a + b);
    of(place, [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0], f64::from, |a, b| a + b);
    of(place, [f16::NAN, f16::INFINITY, f16::NEG_INFINITY, f16::NEG_ZERO], f16::from, |a, b| a + b);
    of(place, [bf16::NAN, bf16::INFINITY, bf16::NEG_INFINITY, bf16::NEG_ZERO], bf16::from, |a, b| a + b);
}

/// The sum of negative zeros is -0: an added padding of 0 would turn it into +0.
fn scan_float_negative_zero(place: &Place) {
    let rule = Rule::new(|a: f32, b| a + b, Some(0.0));
    for len in [sizes::small(), sizes::large(4)].concat() {
        let x = vec![-0.0f32; len];
        for case in Case::new().offsets(len % 4, 1).directions(true) {
            Lines.scan(place, Scan::new(Sum), &rule, &x, &case);
        }
        Lines.reduce(place, Reduce::new(Sum), &rule, &x, &Case::new());
        Cuts.scan(place, Scan::new(Sum), &rule, &x, &Case::new().cut(cuts::head_flags(len, 70)));
        Cuts.reduce(place, Reduce::new(Sum), &rule, &x, &Case::new().cut(cuts::head_flags(len, 70)));
        Cuts.scan(place, Scan::new(Sum), &rule, &x, &Case::new().cut(Cut::Offsets(cuts::offsets(len, 9))));
    }
}

/// Subnormal numbers are not flushed to zero.
fn scan_float_subnormals(place: &Place) {
    let tiny = |len| small_steps(len, |step| f32::from_bits(1) * f32::from(step));
    let tiny_half = |len| small_steps(len, |step| f16::from_f32(f16::from_bits(1).to_f32() * f32::from(step)));
    for len in [sizes::few(), vec![40_000]].concat() {
        for case in Case::new().directions(true) {
            Lines.scan(place, Scan::new(Sum), &Rule::new(|a: f32, b| a + b, Some(0.0)), &tiny(len), &case);
        }
        for case in Case::new().directions(true) {
            let rule = Rule::new(|a: f16, b| a + b, Some(f16::ZERO));
            Lines.scan(place, Scan::new(Sum), &rule, &tiny_half(len), &case);
        }
    }
}

/// A result that is NaN has the bits of `f32::NAN`, also where it comes from the input untouched.
fn scan_float_canonical_nan(place: &Place) {
    let payload = f32::from_bits(0xFFC1_2345);
    for len in sizes::few() {
        let x: Vec<f32> = (0..len).map(|i| if i % 3 == 0 { payload } else { i as f32 }).collect();
        let input = place.upload(&x, 1);
        let (mut sums, mut firsts) = (place.poisoned::<f32>(len, 0), place.poisoned::<f32>(len, 0));
        Scan::new(Sum).run(&place.device, &input, &mut sums).unwrap();
        Scan::new(First).run(&place.device, &input, &mut firsts).unwrap();
        for result in sums.check_guards().into_iter().chain(firsts.check_guards()) {
            assert_eq!(result.to_bits(), f32::NAN.to_bits(), "{len} elements");
        }
        if len > 0 {
            assert_eq!(place.device.reduce(&input, First).unwrap().to_bits(), f32::NAN.to_bits(), "{len} elements");
        }
    }
}

/// Values of either sign and every size, whose sums are not exact.
fn inexact(len: usize) -> Vec<f32> {
    let mut rng = Rng::new(len as u64);
    (0..len).map(|_| (rng.next() as u32 as f32 - 2e9) * 0.125f32.powi(rng.below(6) as i32)).collect()
}

/// Sums against f64: the error grows with the square root of the length at most, as that of good summation does.
fn scan_float_tolerance(place: &Place) {
    for len in [sizes::few(), vec![100_003, 1_000_007]].concat() {
        let x = inexact(len);
        let mut output = place.poisoned::<f32>(len, 0);
        Scan::new(Sum).run(&place.device, &place.upload(&x, 0), &mut output).unwrap();
        let (mut sum, mut size) = (0.0f64, 0.0f64);
        for (i, (&found, &x)) in output.check_guards().iter().zip(&x).enumerate() {
            sum += f64::from(x);
            size += f64::from(x).abs();
            let bound = (8.0 + (i as f64).sqrt()) * f64::from(f32::EPSILON) * size;
            assert!((f64::from(found) - sum).abs() <= bound, "{i} of {len}: {found} for {sum}, may be off by {bound}");
        }
    }
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Calls repeated, in place, at other alignments and, on the CPU, with other numbers of threads.
fn scan_float_same_bits(place: &Place) {
    for len in [1025, 100_003, 1_000_007].into_iter().take(if sizes::reduced() { 1 } else { 3 }) {
        let x = inexact(len);
        let flags: Vec<bool> = (0..len).map(|i| i % 5003 == 77).collect();
        let flags = place.upload(&flags, 0);
        let shape = [len, 1];
        let run = |offset: usize| {
            let input = place.upload(&x, offset);
            let mut plain = place.poisoned::<f32>(len, 15 - offset);
            Scan::new(Sum).run(&place.device, &input, &mut plain).unwrap();
            let mut in_place = place.upload(&x, offset);
            Scan::new(Sum).run_in_place(&place.device, &mut in_place).unwrap();
            assert!(bits(&in_place.check_guards()) == bits(&plain.check_guards()), "in place differs, {len} elements");
            let mut segments = place.poisoned::<f32>(len, offset);
            let by_flags = Scan::new(Sum).segments(Segments::HeadFlags(&flags)).exclusive().reverse();
            by_flags.run(&place.device, &input, &mut segments).unwrap();
            let mut axis = place.poisoned::<f32>(len, offset);
            Scan::new(Sum).axis(&shape, 0).run(&place.device, &input, &mut axis).unwrap();
            [plain, segments, axis].map(|out| bits(&out.check_guards()))
        };
        let first = run(0);
        for k in 1..8 {
            assert!(run(k % 4) == first, "run {k} differs, {len} elements");
        }
        each_thread_count(place, |threads| assert!(run(threads % 16) == first, "{threads} threads, {len} elements"));
    }
}

/// Calls `run` in pools of several sizes, when the place is the CPU.
fn each_thread_count(place: &Place, run: impl Fn(usize) + Sync) {
    let counts: &[usize] = if place.is_cuda() { &[] } else { &[1, 2, 3, 7, 16] };
    for &threads in counts {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| run(threads));
    }
}

fn reduce_float_same_bits(place: &Place) {
    for len in [1025, 100_003, 1_000_007].into_iter().take(if sizes::reduced() { 1 } else { 3 }) {
        let x = inexact(len);
        let offsets = place.upload(&cuts::offsets(len, 20), 0);
        let run = |offset: usize| {
            let input = place.upload(&x, offset);
            let whole = place.device.reduce(&input, Sum).unwrap();
            let mut segments = place.poisoned::<f32>(23 + 20 / 4, 0);
            let by_offsets = Reduce::new(Sum).segments(Segments::Offsets(&offsets));
            by_offsets.run(&place.device, &input, &mut segments).unwrap();
            (whole.to_bits(), bits(&segments.check_guards()))
        };
        let first = run(0);
        for k in 1..8 {
            assert!(run(k) == first, "run {k} differs, {len} elements");
        }
        each_thread_count(place, |threads| assert!(run(threads % 16) == first, "{threads} threads, {len} elements"));
    }
}

/// Sums that lose everything without compensation, and long ones that are right to the last bit but one.
fn scan_float_compensated(place: &Place) {
    let scan = Scan::new(CompensatedSum).map(Compensate).finish(Rounded);
    let mut output = place.poisoned::<f64>(5, 0);
    scan.run(&place.device, &place.upload(&[1.0f64, 1e100, 1.0, -1e100, 0.5], 1), &mut output).unwrap();
    assert_eq!(output.check_guards(), [1.0, 1e100, 1e100, 2.0, 2.5]);

    for len in [sizes::few(), vec![100_003]].concat() {
        let x = inexact(len);
        let mut output = place.poisoned::<f32>(len, 0);
        scan.run(&place.device, &place.upload(&x, 0), &mut output).unwrap();
        let (mut sum, mut size) = (0.0f64, 0.0f64);
        for (i, (&found, &x)) in output.check_guards().iter().zip(&x).enumerate() {
            sum += f64::from(x);
            size += f64::from(x).abs();
            let ulp = f64::from(f32::EPSILON);
            let bound = ulp * sum.abs() + (i + 1) as f64 * ulp * ulp * size;
            assert!((f64::from(found) - sum).abs() <= bound, "{i} of {len}: {found} for {sum}, may be off by {bound}");
        }
    }
}
