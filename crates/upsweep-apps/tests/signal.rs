//! Tests of signals: each call against plain loops, for whole signals and for lines of arrays.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

use upsweep::{Device, Error, Recurrence};
use upsweep_apps::signal::{Envelope, Filter, Padding, Smooth};

/// Pseudo-random numbers between -1 and 1.
fn noise(len: usize) -> Vec<f64> {
    let mut state = 12345u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((state >> 33) as u32) / f64::from(1u32 << 30) - 1.0
    };
    (0..len).map(|_| next()).collect()
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], digits: f64, case: &str) {
    assert_eq!(found.len(), expected.len(), "{case}");
    let largest = expected.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= digits * largest, "{case}: result {i} is {found} and must be {expected}");
    }
}

/// Reference filter: the transposed direct form II. `a[0]` is 1.
fn filtered(b: &[f64], a: &[f64], x: &[f64], zi: &[f64]) -> Vec<f64> {
    let (at, mut z) = (|list: &[f64], j: usize| list.get(j).copied().unwrap_or(0.0), zi.to_vec());
    x.iter()
        .map(|x| {
            let y = at(b, 0) * x + at(&z, 0);
            for j in 0..z.len() {
                z[j] = at(b, j + 1) * x - at(a, j + 1) * y + at(&z, j + 1);
            }
            y
        })
        .collect()
}

/// Reference for both ways, by definition: the padded signal is filtered in each direction, from the state that
/// thousands of elements equal to its first one leave.
fn both_ways(b: &[f64], a: &[f64], x: &[f64], padding: Padding, padded: usize) -> Vec<f64> {
    let n = x.len();
    let (first, last) = (x[0], x[n - 1]);
    let of = |end: f64, x: f64| match padding {
        Padding::Odd => 2.0 * end - x,
        Padding::Even => x,
        Padding::Constant | Padding::None => end,
    };
    let mut signal: Vec<f64> = (0..padded).map(|k| of(first, x[padded - k])).collect();
    signal.extend(x);
    signal.extend((0..padded).map(|k| of(last, x[n - 2 - k])));
    for _ in 0..2 {
        let long = vec![signal[0]; 5000];
        let order = b.len().max(a.len()) - 1;
        let with_before: Vec<f64> = long.iter().chain(&signal).copied().collect();
        signal = filtered(b, a, &with_before, &vec![0.0; order])[5000..].to_vec();
        signal.reverse();
    }
    signal[padded..padded + n].to_vec()
}

const PADDINGS: [Padding; 4] = [Padding::Odd, Padding::Even, Padding::Constant, Padding::None];

fn filters_both_ways(device: &Device) {
    let x = noise(3000);
    let sections = [[0.3, 0.1, 0.0, 1.0, -0.5, 0.2], [1.0, -0.2, 0.3, 1.0, 0.4, 0.0]];
    for (b, a) in
        [(&[0.1, 0.2][..], &[1.0, -0.7][..]), (&[0.2, 0.1, 0.4], &[1.0, -0.5, 0.3, 0.1]), (&[0.25; 4], &[1.0])]
    {
        for padding in PADDINGS {
            for elements in [None, Some(0), Some(1), Some(40)] {
                let padded = if padding == Padding::None { 0 } else { elements.unwrap_or(3 * b.len().max(a.len())) };
                let filter = Filter::new(b, a).both_ways().padding(padding);
                let filter = elements.map_or(filter, |elements| filter.padded_by(elements));
                let (input, mut output) = (device.upload(&x).unwrap(), device.filled(x.len(), 9.0f64).unwrap());
                filter.run(device, &input, &mut output).unwrap();
                let case = format!("{b:?} {a:?} {padding:?} {elements:?}");
                close(&output.to_vec().unwrap(), &both_ways(b, a, &x, padding, padded), 1e-12, &case);
            }
        }
    }
    // A cascade is the filter of the products; each section begins in its steady state, in each direction.
    let (b, a) = ([0.3, 0.04, 0.07, 0.03, 0.0], [1.0, -0.1, 0.0, 0.08, 0.0]);
    let (input, mut output) = (device.upload(&x).unwrap(), device.filled(x.len(), 9.0f64).unwrap());
    Filter::sections(&sections).both_ways().run(device, &input, &mut output).unwrap();
    // SciPy's 3 (2 n + 1 - the number of zero coefficients).
    close(&output.to_vec().unwrap(), &both_ways(&b, &a, &x, Padding::Odd, 3 * (5 - 1)), 1e-12, "sections");
}

fn lines_of_arrays(device: &Device) {
    let (b, a) = ([0.1, 0.2], [1.0, -0.7]);
    let shape = [3, 50, 4];
    let x = noise(600);
    for axis in 0..3 {
        let inner: usize = shape[axis + 1..].iter().product();
        let line = |first: usize| (0..shape[axis]).map(|k| first + k * inner).collect::<Vec<_>>();
        let lines = (0..600).filter(|at| (at / inner).is_multiple_of(shape[axis])).map(line);
        let mut expected = [vec![0.0; 600], vec![0.0; 600], vec![0.0; 600]];
        for at in lines {
            let x: Vec<f64> = at.iter().map(|&at| x[at]).collect();
            let results = [
                both_ways(&b, &a, &x, Padding::Odd, 2),
                filtered(&[0.25], &[1.0, -0.75], &x, &[0.75 * x[0]]),
                followed(&x, 0.5f64.powf(0.25)),
            ];
            for (expected, results) in expected.iter_mut().zip(results) {
                at.iter().zip(results).for_each(|(&at, y)| expected[at] = y);
            }
        }
        let (input, mut output) = (device.upload(&x).unwrap(), device.filled(600, 9.0f64).unwrap());
        let [by_filter, by_average, by_envelope] = expected;
        Filter::new(&b, &a).axis(&shape, axis).both_ways().padded_by(2).run(device, &input, &mut output).unwrap();
        close(&output.to_vec().unwrap(), &by_filter, 1e-12, &format!("both ways along {axis}"));
        Smooth::span(7.0).axis(&shape, axis).run(device, &input, &mut output).unwrap();
        close(&output.to_vec().unwrap(), &by_average, 1e-12, &format!("averages along {axis}"));
        Envelope::half_life(4.0).axis(&shape, axis).run(device, &input, &mut output).unwrap();
        close(&output.to_vec().unwrap(), &by_envelope, 1e-12, &format!("envelopes along {axis}"));
    }
}

fn followed(x: &[f64], decay: f64) -> Vec<f64> {
    let mut level = 0.0f64;
    x.iter()
        .map(|x| {
            level = (level * decay).max(if x.is_nan() { 0.0 } else { x.abs() });
            level
        })
        .collect()
}

fn averages(device: &Device) {
    let x = noise(70_000);
    let single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    for half_life in [0.3, 14.0, 5000.0] {
        let a = 1.0 - 0.5f64.powf(1.0 / half_life);
        let mut y = x[0];
        let expected: Vec<f64> = x
            .iter()
            .map(|x| {
                y += a * (x - y);
                y
            })
            .collect();
        let smooth = Smooth::half_life(half_life);
        let (input, mut output) = (device.upload(&x).unwrap(), device.filled(x.len(), 9.0f64).unwrap());
        smooth.run(device, &input, &mut output).unwrap();
        close(&output.to_vec().unwrap(), &expected, 1e-11, &format!("half-life {half_life}"));
        let (input, mut output) = (device.upload(&single).unwrap(), device.filled(x.len(), 9.0f32).unwrap());
        smooth.run(device, &input, &mut output).unwrap();
        let found: Vec<f64> = output.to_vec().unwrap().into_iter().map(f64::from).collect();
        close(&found, &expected, 1e-6, &format!("half-life {half_life} of f32"));
    }
    let mut y = [0.0; 3];
    Smooth::span(1.0).run(&Device::cpu(), &[3.0, 5.0, 4.0], &mut y).unwrap();
    assert_eq!(y, [3.0, 5.0, 4.0], "of a span of 1 each element is its own mean");
}

fn envelopes(device: &Device) {
    let mut x = noise(50_000);
    x[100] = f64::NAN;
    x[30_000..40_000].fill(0.0);
    let expected = followed(&x, 0.5f64.powf(1.0 / 300.0));
    let (input, mut output) = (device.upload(&x).unwrap(), device.filled(x.len(), 9.0f64).unwrap());
    Envelope::half_life(300.0).run(device, &input, &mut output).unwrap();
    close(&output.to_vec().unwrap(), &expected, 1e-12, "f64");
    let single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let (input, mut output) = (device.upload(&single).unwrap(), device.filled(x.len(), 9.0f32).unwrap());
    Envelope::half_life(300.0).run(device, &input, &mut output).unwrap();
    let found: Vec<f64> = output.to_vec().unwrap().into_iter().map(f64::from).collect();
    close(&found, &expected, 1e-6, "f32");
}

fn none_at_all(device: &Device) {
    let (input, mut output) = (device.upload(&[0.0f64; 0]).unwrap(), device.filled(0, 0.0f64).unwrap());
    Filter::new(&[1.0, 2.0], &[1.0, 0.5]).run(device, &input, &mut output).unwrap();
    Filter::new(&[1.0, 2.0], &[1.0, 0.5]).both_ways().padding(Padding::None).run(device, &input, &mut output).unwrap();
    Smooth::half_life(3.0).run(device, &input, &mut output).unwrap();
    Envelope::half_life(3.0).run(device, &input, &mut output).unwrap();
}

#[test]
fn what_is_wrong_is_told() {
    let (device, x, mut y) = (Device::cpu(), [1.0f64; 9], [7.0f64; 9]);
    let told = |result: Result<(), Error>| result.unwrap_err().to_string();
    let filter = Filter::new(&[1.0, 1.0], &[1.0, -0.5]).both_ways();
    for (text, found) in [
        (
            "the padding of a signal of 9 elements is 9: a signal is longer than its padding: pad it by fewer elements",
            told(filter.padded_by(9).run(&device, &x, &mut y)),
        ),
        (
            "the sum of the coefficients a is 0: a filter that never forgets has no steady state to begin with: run it in one \
             direction",
            told(Filter::new(&[1.0], &[1.0, -1.0]).both_ways().run(&device, &x, &mut y)),
        ),
        (
            "a[0] is 0: all coefficients are divided by it, so it must be another number than 0",
            told(Filter::new(&[1.0], &[0.0, -1.0]).both_ways().run(&device, &x, &mut y)),
        ),
        ("the half-life is 0: it is a finite number above 0", told(Smooth::half_life(0.0).run(&device, &x, &mut y))),
        (
            "the half-life is NaN: it is a finite number above 0",
            told(Smooth::half_life(f64::NAN).run(&device, &x, &mut y)),
        ),
        ("the span is 0.5: it is a finite number from 1 on", told(Smooth::span(0.5).run(&device, &x, &mut y))),
        (
            "the half-life is -1: it is a finite number above 0",
            told(Envelope::half_life(-1.0).run(&device, &x, &mut y)),
        ),
    ] {
        assert_eq!(found, text);
    }
    let wrong = Smooth::half_life(2.0).run(&device, &x, &mut y[..4]);
    assert!(matches!(wrong, Err(Error::Length { found: 4, expected: 9, .. })), "{wrong:?}");
    let wrong = filter.padded_by(3).run(&device, &x, &mut y[..4]);
    assert!(matches!(wrong, Err(Error::Length { found: 4, expected: 9, .. })), "{wrong:?}");
    assert_eq!(y, [7.0; 9], "nothing is written");
}

#[test]
fn a_filter_is_a_recurrence() {
    let (device, x, mut y) = (Device::cpu(), noise(999), vec![0.0; 999]);
    Filter::new(&[1.0, 0.5], &[2.0, -1.0]).run(&device, &x, &mut y).unwrap();
    assert_eq!(y, Recurrence::new(&[1.0, 0.5], &[2.0, -1.0]).run_to_vec(&device, &x).unwrap());
}

macro_rules! on_each_backend {
    ($($case:ident),* $(,)?) => {
        mod cpu {
            $(#[test]
            fn $case() {
                super::$case(&upsweep::Device::cpu());
            })*
        }
        #[cfg(feature = "cuda")]
        mod cuda {
            $(#[test]
            #[ignore = "needs a CUDA GPU"]
            fn $case() {
                super::$case(&upsweep::Device::cuda(0).unwrap());
            })*
        }
    };
}
on_each_backend! { filters_both_ways, lines_of_arrays, averages, envelopes, none_at_all }
