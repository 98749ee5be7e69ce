//! 10: a function with a parameter: an exponential moving average whose half-life is chosen at run time.
//!
//! `cargo run --release -p upsweep --example 10_moving_average -- 14`

use upsweep::prelude::*;

/// Function `average -> m * average + c`.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Step {
    m: f64,
    c: f64,
}

/// Composition: first `f`, then `g`.
#[operator(identity = Step { m: 1.0, c: 0.0 })]
fn then(f: Step, g: Step) -> Step {
    Step { m: g.m * f.m, c: g.m * f.c + g.c }
}

/// Step of the average towards `x`, by the fraction `weight` of their distance. On a GPU, all weights run the same
/// compiled kernel.
#[function]
fn pull(#[param] weight: f64, x: f64) -> Step {
    Step { m: 1.0 - weight, c: weight * x }
}

#[function]
fn average(f: Step) -> f64 {
    f.c
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let half_life: f64 = std::env::args().nth(1).map_or(Ok(7.0), |days| days.parse())?;
    let weight = 1.0 - 0.5f64.powf(1.0 / half_life);
    let device = Device::best()?;
    let days: Vec<f64> = (0..365).map(|day| 10.0 - 8.0 * (f64::from(day) / 58.1).cos() + f64::from(day % 5)).collect();

    let scan = Scan::new(Then).map(Pull { weight }).finish(Average).init(Step { m: 0.0, c: days[0] });
    let smooth: Vec<f64> = scan.run_to_vec(&device, &device.upload(&days)?)?;

    let mut expected = days[0];
    for (day, (x, smooth)) in days.iter().zip(&smooth).enumerate() {
        expected += weight * (x - expected);
        assert!((smooth - expected).abs() < 1e-9, "day {day}: {smooth}, not {expected}");
    }
    println!("half-life {half_life} days\n day  measured  average");
    for day in (0..365).step_by(52) {
        println!("{day:4} {:9.2} {:8.2}  {}", days[day], smooth[day], "=".repeat((2.0 * smooth[day]) as usize));
    }
    Ok(())
}
