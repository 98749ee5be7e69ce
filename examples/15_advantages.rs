//! 15: four inputs and two parameters: generalised advantage estimation (reinforcement learning), a reverse scan along
//! rows that reads 13 bytes a step and writes 4.
//!
//! `cargo run --release -p upsweep --example 15_advantages`

use upsweep::prelude::*;
use upsweep::varying::{Affine, ComposeAffine, OfZero};

/// Step of the reverse recurrence `advantage = reward + gamma * next value - value + gamma * lambda * next advantage`.
/// At the end of an episode, the next value and the next advantage count as 0.
#[function]
fn discounted(#[param] gamma: f32, #[param] lambda: f32, reward: f32, value: f32, next: f32, end: u8) -> Affine<f32> {
    let left = if end == 0 { 1.0f32 } else { 0.0 };
    Affine { m: gamma * lambda * left, k: reward + gamma * left * next - value }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (device, shape, gamma, lambda) = (Device::best()?, [64, 500], 0.99f32, 0.95f32);
    let n = shape[0] * shape[1];
    let wave = |phase: f32| (0..n).map(|i| (i as f32 * 0.01 + phase).sin()).collect::<Vec<f32>>();
    let (rewards, values, next) = (wave(0.0), wave(1.0), wave(1.01));
    let ends: Vec<u8> = (0..n).map(|i| u8::from(i % 137 == 0)).collect();

    let scan = Scan::new(ComposeAffine).reverse().axis(&shape, 1).map(Discounted { gamma, lambda }).finish(OfZero);
    let (r, v, x, e) =
        (device.upload(&rewards)?, device.upload(&values)?, device.upload(&next)?, device.upload(&ends)?);
    let advantages: Vec<f32> = scan.run_to_vec(&device, (&r, &v, &x, &e))?;

    for row in 0..shape[0] {
        let mut after = 0.0f32;
        for i in (row * shape[1]..(row + 1) * shape[1]).rev() {
            let left = if ends[i] == 0 { 1.0 } else { 0.0 };
            after = rewards[i] + gamma * left * next[i] - values[i] + gamma * lambda * left * after;
            assert!((advantages[i] - after).abs() < 1e-3, "step {i}: {}, not {after}", advantages[i]);
        }
    }
    // An episode ends at step 137: the rewards after it do not count for the steps before it.
    println!("step  reward  value  end  advantage");
    for i in [0, 50, 100, 135, 136, 137, 138, 139, 200] {
        println!("{i:4} {:7.2} {:6.2} {:4} {:10.2}", rewards[i], values[i], ends[i], advantages[i]);
    }
    Ok(())
}
