//! 26: a tridiagonal system by three scans: what the elimination of Thomas does one row after the other, all rows do at once. Without
//! pivoting, as there: the system must be dominated by its diagonal.
//!
//! `cargo run --release --example 26_tridiagonal`

use upsweep::prelude::*;

/// x -> (p x + q) / (r x + s)
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Moebius {
    p: f64,
    q: f64,
    r: f64,
    s: f64,
}

/// Scaled, which changes nothing of the function and keeps it in the range of f64.
#[operator(identity = Moebius { p: 1.0, q: 0.0, r: 0.0, s: 1.0 })]
fn then(f: Moebius, g: Moebius) -> Moebius {
    let (p, q) = (g.p * f.p + g.q * f.r, g.p * f.q + g.q * f.s);
    let (r, s) = (g.r * f.p + g.s * f.r, g.r * f.q + g.s * f.s);
    let scale = 1.0 / p.abs().max(q.abs()).max(r.abs().max(s.abs()));
    Moebius { p: p * scale, q: q * scale, r: r * scale, s: s * scale }
}

/// x -> c / (b - a x): what a row leaves of its upper coefficient, from what the row before leaves.
#[function]
fn eliminate(a: f64, b: f64, c: f64) -> Moebius {
    Moebius { p: 0.0, q: c, r: -a, s: b }
}

#[function]
fn of_zero(f: Moebius) -> f64 {
    f.q / f.s
}

/// x -> m x + k
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Affine {
    m: f64,
    k: f64,
}

/// The first function, then the second.
#[operator(identity = Affine { m: 1.0, k: 0.0 })]
fn follow(f: Affine, g: Affine) -> Affine {
    Affine { m: g.m * f.m, k: g.m * f.k + g.k }
}

/// What a row leaves of its right side, from what the row before leaves of its own. The first row's `a` is 0.
#[function]
fn substitute(a: f64, b: f64, d: f64, upper: [f64; 3]) -> Affine {
    let pivot = b - a * upper[0];
    Affine { m: -a / pivot, k: d / pivot }
}

/// A row's unknown from the next one.
#[function]
fn back(upper: f64, right: f64) -> Affine {
    Affine { m: -upper, k: right }
}

#[function]
fn constant(f: Affine) -> f64 {
    f.k
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    // Heat in a rod that loses some of it everywhere: a[i] x[i - 1] + b[i] x[i] + c[i] x[i + 1] = d[i].
    let n = 100_000;
    let a: Vec<f64> = (0..n).map(|i| if i == 0 { 0.0 } else { -1.0 - (i % 7) as f64 / 10.0 }).collect();
    let c: Vec<f64> = (0..n).map(|i| if i + 1 == n { 0.0 } else { -1.0 - (i % 5) as f64 / 10.0 }).collect();
    let b: Vec<f64> = (0..n).map(|i| 0.01 - a[i] - c[i]).collect();
    let d: Vec<f64> = (0..n).map(|i| if i % 1000 == 0 { 1.0 } else { 0.0 }).collect();
    let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
    let (on_c, on_d) = (device.upload(&c)?, device.upload(&d)?);

    let eliminated = Scan::new(Then).map(Eliminate).finish(OfZero);
    let upper: Array<f64> = eliminated.run_to_array(&device, (&on_a, &on_b, &on_c))?;
    let substituted = Scan::new(Follow).map(Substitute).finish(Constant);
    let right: Array<f64> = substituted.run_to_array(&device, (&on_a, &on_b, &on_d, Neighbours::of(&upper)))?;
    let solved = Scan::new(Follow).reverse().map(Back).finish(Constant);
    let x: Vec<f64> = solved.run_to_vec(&device, (&upper, &right))?;

    // The loop of Thomas, and the system itself.
    let (mut upper, mut expected) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let before = |of: &[f64]| if i == 0 { 0.0 } else { of[i - 1] };
        let pivot = b[i] - a[i] * before(&upper);
        expected[i] = (d[i] - a[i] * before(&expected)) / pivot;
        upper[i] = c[i] / pivot;
    }
    for i in (0..n - 1).rev() {
        expected[i] -= upper[i] * expected[i + 1];
    }
    let far = x.iter().zip(&expected).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
    let left = |i: usize| a[i] * x[i.max(1) - 1] + b[i] * x[i] + c[i] * x[(i + 1).min(n - 1)];
    let residual = (0..n).map(|i| (left(i) - d[i]).abs()).fold(0.0, f64::max);
    assert!(far < 1e-12 && residual < 1e-12, "{far:e} {residual:e}");
    println!("{n} unknowns; from the loop's solution by at most {far:.1e}, residual {residual:.1e}");
    Ok(())
}
