//! Functions of f32, against the system's functions of f64: a sample in every run, and all f32 on request.

use super::{ONE, TWO};
use crate::cases::Random;
use crate::cases::Sample;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Largest error allowed, in units in the last place.
fn most(name: &str) -> f64 {
    // The others compute in f64.
    if name == "exp" { 0.9 } else { 0.51 }
}

/// Distance of `result` from `exact`, in units in the last place of an f32; infinite where one alone is NaN, infinite
/// or of another sign.
fn error(result: f32, exact: f64) -> f64 {
    if result.is_nan() || exact.is_nan() {
        return if result.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if exact == 0.0 || exact.is_infinite() {
        let same = f64::from(result).to_bits() == exact.to_bits();
        return if same { 0.0 } else { f64::INFINITY };
    }
    // An infinity stands for the first power of two that is no f32.
    let reached = if result.is_infinite() { 2f64.powi(128).copysign(f64::from(result)) } else { f64::from(result) };
    let exponent = ((exact.to_bits() >> 52 & 0x7ff) as i32 - 1023).clamp(-126, 127);
    if result.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    // Far beyond the largest f32, only infinity is right.
    let exact = if result.is_infinite() { exact.clamp(-(2f64.powi(128)), 2f64.powi(128)) } else { exact };
    (reached - exact).abs() * 2f64.powi(23 - exponent)
}

/// Largest error of each function for every `step`-th f32, and its place.
fn worst(step: usize) -> impl Iterator<Item = (&'static str, f64, f32)> {
    ONE.into_iter().map(move |(name, function, exact)| {
        let next = AtomicU32::new(0);
        let work = || {
            let mut worst = (0.0, 0.0);
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= 256 {
                    return worst;
                }
                for low in (0..1u32 << 24).step_by(step) {
                    let x = f32::from_bits(block << 24 | low);
                    let error = error(function(x), exact(f64::from(x)));
                    if error > worst.0 {
                        worst = (error, x);
                    }
                }
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let (error, x) = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let found = workers.into_iter().map(|worker| worker.join().expect("it ends"));
            found.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a thread")
        });
        (name, error, x)
    })
}

#[test]
fn one_f32_in_ten_thousand() {
    for (name, error, x) in worst(9973) {
        assert!(error <= most(name), "{name}({x:e}) errs by {error}");
    }
}

#[test]
#[ignore = "exhaustive: minutes, in a release build"]
fn exhaustive() {
    for (name, error, x) in worst(1) {
        println!("{name}: at most {error:.4} units in the last place, at {x:e}");
        assert!(error <= most(name), "{name}({x:e}) errs by {error}");
    }
}

#[test]
fn pairs_of_f32() {
    let mut random = Random::new(1);
    for (name, function, exact) in TWO {
        for i in 0..100_000 {
            let x = f32::sample(&mut random);
            // Every other pair is of about one size, where the result depends on both.
            let y = if i % 2 == 0 { f32::sample(&mut random) } else { x * (random.below(4096) as f32 / 1024.0 - 2.0) };
            let error = error(function(x, y), exact(f64::from(x), f64::from(y)));
            assert!(error <= most(name), "{name}({x:e}, {y:e}) errs by {error}");
        }
    }
}
