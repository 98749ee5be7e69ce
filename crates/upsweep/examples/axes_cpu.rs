//! Tuning.
#![allow(warnings)]
#![allow(missing_docs)]
use std::time::Instant;
use upsweep::prelude::*;
fn median(mut call: impl FnMut()) -> f64 {
    call();
    (0..9).map(|_| { let s = Instant::now(); call(); s.elapsed().as_secs_f64() * 1e3 }).fold(1e9, f64::min)
}
fn main() {
    let side: usize = std::env::args().nth(1).map_or(8192, |s| s.parse().unwrap());
    let n = side * side;
    let x: Vec<f32> = (0..n).map(|i| ((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61) as f32).collect();
    let mut y = vec![0f32; n];
    let copy = |x: &[f32], y: &mut [f32], threads: usize| {
        std::thread::scope(|s| for (a, b) in x.chunks(n / threads).zip(y.chunks_mut(n / threads)) { s.spawn(|| b.copy_from_slice(a)); });
    };
    let device = Device::cpu();
    let shape = [side, side];
    for round in 0..6 {
        let c1 = median(|| copy(&x, &mut y, 1));
        let c2 = median(|| copy(&x, &mut y, 2));
        let t = median(|| Scan::new(Sum).axes(&shape, &[1, 0]).run(&device, &x, &mut y).unwrap());
        let mut above = vec![0f64; side];
        let mut worst = 0f64;
        for r in 0..side { let mut left = 0f64; for c in 0..side { left += x[r * side + c] as f64; above[c] += left; worst = worst.max(((y[r * side + c] as f64) - above[c]).abs() / above[c].max(1.0)); } }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let t1 = one.install(|| median(|| Scan::new(Sum).axes(&shape, &[1, 0]).run(&device, &x, &mut y).unwrap()));
        let s = median(|| Scan::new(Sum).run(&device, &x, &mut y).unwrap());
        let e = { let mut z = vec![0f32; (side + 1) * (side + 1)]; median(|| Scan::new(Sum).exclusive().with_total().axes(&shape, &[1, 0]).run(&device, &x, &mut z).unwrap()) };
        println!("least: copy {c1:.1} {c2:.1} ms; axes 2 threads {t:.1} ({:.2} of copy), 1 thread {t1:.1} ({:.2}); scan {s:.1}; bordered {e:.1}; error {worst:.1e}", c2 / t, c1 / t1);
    }
}
