//! Polynomials at a point, and sums of big integers.

use crate::gpu::Gpu;
use upsweep::Device;
use upsweep_apps::bigint;
use upsweep_apps::poly::Polynomial;
use upsweep_bench::{Outcome, Value};

/// Measures the value of a polynomial of 2^`log2n` coefficients, and sums of integers of up to 2^30 bits.
pub(crate) fn bench(gpu: &mut Gpu, log2n: u32) -> Outcome {
    polynomial(gpu, 1 << log2n)?;
    sum_of_integers(gpu, 1 << log2n.min(24))
}

fn polynomial(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "poly_evaluate";
    if !gpu.wants::<f32>(algo) || !gpu.fits::<f32>(n) {
        return Ok(());
    }
    let (c, other) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(1)?);
    for x in [-1.0f32, 0.75] {
        let found = f64::from(Polynomial::of(&c).evaluate(gpu.device(), x)?);
        // If the powers of `x` decrease, only the first coefficients contribute to the value.
        let last = if x == -1.0 { n } else { n.min(2000) };
        let terms = (0..last).scan(1.0f64, |power, i| {
            let term = f64::from(f32::random(i)) * *power;
            *power *= f64::from(x);
            Some(term)
        });
        let expected = terms.sum::<f64>();
        if (found - expected).abs() > 1e-5 * expected.abs().max(1.0) {
            return Err(format!("{algo}: the value at {x} is {found}, not {expected}").into());
        }
    }
    gpu.plain::<f32>("read_one", ("read_one", 8192), n, n * size_of::<f32>(), (&c, &other))?;
    gpu.work::<f32>(algo, n, n * size_of::<f32>(), |device| {
        Polynomial::of(&c).evaluate(device, -1.0)?;
        Ok(())
    })
}

/// Measures the sum of two integers of `n` limbs (digits of 64 bits) each.
fn sum_of_integers(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "bigadd";
    if !gpu.wants::<u64>(algo) || !gpu.fits::<u64>(n) {
        return Ok(());
    }
    // One number is random. The other is random, too, or propagates a carry from the lowest limb to the highest, or is
    // short.
    let a = gpu.filled::<u64>(n)?;
    let host: Vec<u64> = (0..n).map(u64::random).collect();
    let carries: Vec<u64> =
        host.iter().enumerate().map(|(i, limb)| if i == 0 { limb.wrapping_neg() } else { !limb }).collect();
    let short: Vec<u64> = carries[..n / 3].to_vec();
    for other in [&host, &carries, &short] {
        check(gpu.device(), &host, other)?;
    }
    let b = gpu.filled::<u64>(n)?;
    gpu.work::<u64>(algo, n, (3 * n + 1) * size_of::<u64>(), |device| {
        bigint::add(device, &a, &b)?;
        Ok(())
    })
}

/// Checks that the sum of `a` and `b` on the device equals that of a loop on the host.
fn check(device: &Device, a: &[u64], b: &[u64]) -> Outcome {
    let sum = bigint::add(device, &device.upload(a)?, &device.upload(b)?)?.into_vec()?;
    let mut carry = false;
    for (i, &found) in sum.iter().enumerate() {
        let limb = |x: &[u64]| x.get(i).copied().unwrap_or(0);
        let (both, over) = limb(a).overflowing_add(limb(b));
        let (expected, again) = both.overflowing_add(u64::from(carry));
        carry = over || again;
        if found != expected {
            return Err(format!("bigadd: limb {i} of {} and {} is {found}, not {expected}", a.len(), b.len()).into());
        }
    }
    if sum.len() == a.len().max(b.len()) + 1 { Ok(()) } else { Err(format!("bigadd: {} limbs", sum.len()).into()) }
}
