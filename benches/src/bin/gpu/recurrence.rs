//! Recurrences of some orders, cascades, and rows, with stable coefficients.

use crate::gpu::Gpu;
use cudarc::driver::CudaSlice;
use upsweep::prelude::*;
use upsweep::recurrence::{Coefficient, Signal};
use upsweep::varying;
use upsweep_bench::{Outcome, Value};

/// Number of results that are compared with the loop.
const CHECKED: usize = 20_000;

pub(crate) fn bench(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    for n in sizes.iter().filter(|&&size| size <= 28).map(|log2n| 1usize << log2n) {
        for order in [1, 2, 4, 8, 16] {
            let (b, a) = (feed(order), poles(order));
            direct::<f32, f32>(gpu, &format!("recurrence_{order}"), n, (&to_f32(&b), &to_f32(&a)), None)?;
            direct::<f64, f64>(gpu, &format!("recurrence_{order}"), n, (&b, &a), None)?;
        }
        let (b, a) = (feed(2), poles(2));
        direct::<f64, f32>(gpu, "recurrence_2_in_f64", n, (&b, &a), None)?;
        direct::<f32, f32>(gpu, "recurrence_2_rows_1024", n, (&to_f32(&b), &to_f32(&a)), Some(1024))?;
        cascade(gpu, n)?;
        varying_coefficients(gpu, n)?;
        tridiagonal(gpu, n)?;
    }
    Ok(())
}

fn to_f32(x: &[f64]) -> Vec<f32> {
    x.iter().map(|&x| x as f32).collect()
}

fn feed(order: usize) -> Vec<f64> {
    (0..=order).map(|i| 0.1 + 0.05 * i as f64).collect()
}

/// Returns feedback coefficients of a recurrence of this order, whose poles have absolute values from 0.64 to 0.9.
fn poles(order: usize) -> Vec<f64> {
    let mut a = vec![1.0];
    let mut by = |factor: &[f64]| {
        let mut product = vec![0.0; a.len() + factor.len() - 1];
        for (i, a) in a.iter().enumerate() {
            for (j, f) in factor.iter().enumerate() {
                product[i + j] += a * f;
            }
        }
        a = product;
    };
    for pair in 0..order / 2 {
        let (r, angle) = (0.85 - 0.03 * pair as f64, 0.3 + 0.35 * pair as f64);
        by(&[1.0, -2.0 * r * angle.cos(), r * r]);
    }
    if order % 2 == 1 {
        by(&[1.0, -0.9]);
    }
    a
}

/// Times a call on `n` elements, whose first results must be those of a loop that computes each result by `next`.
fn time<T: Value + Into<f64>>(
    gpu: &mut Gpu,
    algo: &str,
    n: usize,
    next: impl FnMut(usize, f64) -> f64,
    call: impl Fn(&Device, &CudaSlice<T>, &mut CudaSlice<T>) -> upsweep::Result<()>,
) -> Outcome {
    let (input, mut output) = (gpu.filled::<T>(n)?, gpu.filled::<T>(n)?);
    gpu.call(algo, n, 2 * n * size_of::<T>(), &mut output, |device, output| call(device, &input, output))?;
    check(gpu, algo, &output, next)
}

fn check<T: Value + Into<f64>>(
    gpu: &mut Gpu,
    algo: &str,
    output: &CudaSlice<T>,
    mut next: impl FnMut(usize, f64) -> f64,
) -> Outcome {
    let n = output.len();
    let mut largest = 1.0f64;
    for at in 0..n.min(CHECKED) {
        let expected = next(at, T::random(at).into());
        largest = largest.max(expected.abs());
        if at % 997 == 0 || at + 1 == n.min(CHECKED) {
            let found: f64 = gpu.element(output, at)?.into();
            if (found - expected).abs() > 1e-4 * largest || found.is_nan() {
                return Err(format!("{algo}: result {at} is {found} and must be {expected}").into());
            }
        }
    }
    Ok(())
}

/// Computes the next result of a recurrence in f64, as the loop does that outputs are compared with.
fn step(b: &[f64], a: &[f64], states: &mut [f64], x: f64) -> f64 {
    let y = b[0] * x + states[0];
    for j in 0..states.len() {
        let above = states.get(j + 1).copied().unwrap_or(0.0);
        states[j] = b[j + 1] * x - a[j + 1] * y + above;
    }
    y
}

fn direct<C: Coefficient + Into<f64>, T: Value + Signal<C> + Into<f64>>(
    gpu: &mut Gpu,
    algo: &str,
    n: usize,
    (b, a): (&[C], &[C]),
    row: Option<usize>,
) -> Outcome {
    if !gpu.fits::<T>(n) || !gpu.wants::<T>(algo) || row.is_some_and(|row| row > n) {
        return Ok(());
    }
    let [b64, a64] = [b, a].map(|list| list.iter().map(|&x| x.into()).collect::<Vec<f64>>());
    let mut states = vec![0.0; b.len() - 1];
    let next = |at: usize, x| {
        if row.is_some_and(|row| at.is_multiple_of(row)) {
            states.fill(0.0);
        }
        step(&b64, &a64, &mut states, x)
    };
    let shape = [n / row.unwrap_or(n), row.unwrap_or(n)];
    time::<T>(gpu, algo, n, next, |device, input, output| {
        Recurrence::new(b, a).axis(&shape, 1).run(device, input, output)
    })
}

fn cascade(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "recurrence_4_sections";
    if !gpu.fits::<f32>(n) || !gpu.wants::<f32>(algo) {
        return Ok(());
    }
    let sections: [[f32; 6]; 4] = std::array::from_fn(|s| {
        let (r, angle) = (0.8 + 0.04 * s as f32, 0.3 + 0.4 * s as f32);
        [0.5, 0.3, 0.1, 1.0, -2.0 * r * angle.cos(), r * r]
    });
    let in_f64 = sections.map(|section| section.map(f64::from));
    let mut states = [[0.0; 2]; 4];
    let next = |_, x| {
        in_f64.iter().zip(&mut states).fold(x, |x, (section, states)| step(&section[..3], &section[3..], states, x))
    };
    time::<f32>(gpu, algo, n, next, |device, input, output| Recurrence::sections(&sections).run(device, input, output))
}

/// Map of an element to a coefficient of at most 1/2, so that results stay small.
#[function]
fn sixteenth(x: f32) -> f32 {
    x / 16.0
}

/// Measures a recurrence of first order whose coefficients are an array, so that there are two inputs.
fn varying_coefficients(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "recurrence_1_varying";
    if !gpu.fits::<f32>(n) || !gpu.wants::<f32>(algo) {
        return Ok(());
    }
    let (x, mut y) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(n)?);
    let a: Array<f32> = Transform::new(Sixteenth).run_to_array(gpu.device(), &x)?;
    gpu.call(algo, n, 3 * n * size_of::<f32>(), &mut y, |device, y| varying::first_order().run(device, (&a, &x), y))?;
    let mut last = 0.0;
    check(gpu, algo, &y, |_, x| {
        last = x / 16.0 * last + x;
        last
    })
}

/// Measures a tridiagonal system that has the same coefficients in each row, as that of heat in a rod that loses some
/// of it.
fn tridiagonal(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "tridiagonal";
    if !gpu.fits::<f32>(n) || !gpu.wants::<f32>(algo) {
        return Ok(());
    }
    let constant = |value: f32| gpu.device().filled(n, value);
    let (outer, diagonal) = (constant(-1.0)?, constant(2.5)?);
    let (right, mut x) = (constant(1.0)?, gpu.filled::<f32>(n)?);
    let system = Tridiagonal::new(&outer, &diagonal, &outer);
    gpu.call(algo, n, 5 * n * size_of::<f32>(), &mut x, |device, x| system.run(device, &right, x))?;
    // Far from both ends all unknowns are equal, so each is 1 / (2.5 - 2).
    let found = gpu.element(&x, n / 2)?;
    if (found - 2.0).abs() > 1e-6 { Err(format!("{algo}: unknown {} is {found}, not 2", n / 2).into()) } else { Ok(()) }
}
