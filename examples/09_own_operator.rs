//! 9: an operator of your own. A recurrence, `y[t] = (1 - a) * y[t - 1] + a * x[t]`, looks sequential: each value needs
//! the value before it. But the steps, `y -> m * y + c`, can be composed in any grouping, so a scan computes all values
//! in parallel.
//!
//! `cargo run --release -p upsweep --example 09_own_operator`

use upsweep::prelude::*;

/// Function `y -> m * y + c`.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Affine {
    m: f64,
    c: f64,
}

/// Composition: first `f`, then `g`. It does not commute, and need not: a scan requires associativity only.
#[operator(identity = Affine { m: 1.0, c: 0.0 })]
fn then(f: Affine, g: Affine) -> Affine {
    Affine { m: g.m * f.m, c: g.m * f.c + g.c }
}

/// Weight of a measurement in the average: `a` of the recurrence.
const PULL: f64 = 0.25;

/// Step of the recurrence for a measurement.
#[function]
fn step(x: f64) -> Affine {
    Affine { m: 1.0 - PULL, c: PULL * x }
}

/// Value of a composition of steps at 0.
#[function]
fn from_zero(f: Affine) -> f64 {
    f.c
}

fn main() -> upsweep::Result<()> {
    let device = Device::best()?;
    let x = [8.0, 4.0, 6.0, 6.0, -2.0, 0.0, 10.0, 6.0];

    // `#[operator] fn then` defines the operator `Then`, and `#[function] fn step` the function `Step`.
    let smooth = Scan::new(Then).map(Step).finish(FromZero).run_to_array(&device, &device.upload(&x)?)?.to_vec()?;

    let mut y = 0.0;
    println!("{:>8} {:>8}", "measured", "smoothed");
    for (x, smooth) in x.into_iter().zip(smooth) {
        y = (1.0 - PULL) * y + PULL * x;
        println!("{x:8.2} {smooth:8.4}");
        assert!((smooth - y).abs() < 1e-12);
    }
    Ok(())
}
