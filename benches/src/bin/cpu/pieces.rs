//! Scan and reduction of computed elements: an exponential moving average, and a sum over the product of two inputs.

use crate::timing::{copy_on_every_core, sample};
use std::hint::black_box;
use upsweep::prelude::*;
use upsweep_bench::{Options, Outcome, Record, Row, Value, median};

/// Map `x -> m * x + c` of a moving average to the next one.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Step {
    m: f32,
    c: f32,
}

#[operator(identity = Step { m: 1.0, c: 0.0 })]
fn then(f: Step, g: Step) -> Step {
    Step { m: g.m * f.m, c: g.m * f.c + g.c }
}
#[function]
fn pull(#[param] weight: f32, x: f32) -> Step {
    Step { m: 1.0 - weight, c: weight * x }
}
#[function]
fn average(f: Step) -> f32 {
    f.c
}
#[function]
fn times(a: f32, b: f32) -> f32 {
    a * b
}

const WEIGHT: f32 = 0.25;

pub(crate) fn pieces(options: &Options, record: &mut Record) -> Outcome {
    let device = Device::cpu();
    for log2n in options.sizes(&[16, 20, 24, 26], &[16, 24]) {
        let (wants_average, wants_product) =
            (options.wants("moving_average", f32::NAME), options.wants("product_sum", f32::NAME));
        if !wants_average && !wants_product {
            continue;
        }
        let (a, b): (Vec<f32>, Vec<f32>) =
            (0..1 << log2n).map(|i| (f32::random(i), f32::random(i + (1 << log2n)))).unzip();
        if wants_average {
            let (scan, mut output) = (Scan::new(Then).map(Pull { weight: WEIGHT }).finish(Average), vec![0.0; a.len()]);
            scan.run(&device, &a, &mut output)?;
            let mut expected = 0.0f64;
            for (at, (&x, &found)) in a.iter().zip(&output).enumerate() {
                expected += f64::from(WEIGHT) * (f64::from(x) - expected);
                if (f64::from(found) - expected).abs() > 1e-5 {
                    return Err(format!("moving_average: element {at} is {found}, not {expected}").into());
                }
            }
            let mut upsweep = || scan.run(&device, black_box(&a), black_box(&mut output));
            let plain = |output: &mut [f32]| plain_average(black_box(&a), output);
            contest("moving_average", log2n, &a, &mut upsweep, &plain, options, record)?;
        }
        if wants_product {
            let sum = Reduce::new(Sum).map(Times);
            let exact: f64 = a.iter().zip(&b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
            let mut found = 0.0;
            sum.run(&device, (&a, &b), std::slice::from_mut(&mut found))?;
            // Tolerance for the sum of the products of small integers, which are some 20 in the mean.
            if (f64::from(found) - exact).abs() > 1e-6 * 20.0 * a.len() as f64 {
                return Err(format!("product_sum: {found}, not {exact}").into());
            }
            let mut upsweep = || {
                let output = std::slice::from_mut(black_box(&mut found));
                sum.run(&device, (black_box(&a), black_box(&b)), output)
            };
            let plain =
                |output: &mut [f32]| output[0] = black_box(&a).iter().zip(black_box(&b)).map(|(a, b)| a * b).sum();
            contest("product_sum", log2n, &a, &mut upsweep, &plain, options, record)?;
        }
    }
    Ok(())
}

/// Times calls that move the bytes of two arrays, beside a plain loop and a copy of one of these arrays.
fn contest(
    algo: &str,
    log2n: u32,
    input: &[f32],
    upsweep: &mut dyn FnMut() -> upsweep::Result<()>,
    plain: &dyn Fn(&mut [f32]),
    options: &Options,
    record: &mut Record,
) -> Outcome {
    let calls = if options.smoke { 1 } else { ((1 << 18) / input.len()).max(1) };
    let mut output = vec![0.0; input.len()];
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..if options.smoke { 1 } else { 15 } {
        let mut status = Ok(());
        times[0].push(sample(calls, || status = upsweep()));
        status?;
        times[1].push(sample(calls, || copy_on_every_core(black_box(input), &mut output)));
        times[2].push(sample(calls, || black_box(&mut output).copy_from_slice(black_box(input))));
        times[3].push(sample(calls, || plain(black_box(&mut output))));
    }
    let [upsweep, every_core, one_core, plain] = times.map(median);
    let (copy, bytes) = (every_core.min(one_core), 2.0 * size_of_val(input) as f64);
    for (lib, micros) in [("upsweep", upsweep), ("copy", copy), ("loop", plain)] {
        let copy_gbps = bytes / copy / 1e3;
        record.row(&Row { lib, algo, ty: f32::NAME, log2n, micros, bytes, copy_gbps, enqueue_micros: None })?;
    }
    Ok(())
}

/// Moving average by a plain loop.
#[inline(never)]
fn plain_average(input: &[f32], output: &mut [f32]) {
    let mut average = 0.0;
    for (&x, to) in input.iter().zip(output) {
        average += WEIGHT * (x - average);
        *to = average;
    }
}
