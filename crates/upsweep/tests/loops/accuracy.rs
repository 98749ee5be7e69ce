//! Errors of float sums: no larger than those of a tree.

use upsweep::prelude::*;

/// Numbers that f32 rounds up and down. The same number again and again is the worst case of a chain: all errors have
/// one direction.
const VALUES: [f32; 4] = [0.1, 0.3, 0.7, 1.1];
/// Relative error bound, which NumPy's pairwise sum meets, too.
const BOUND: f64 = 2e-7;
/// Bound where the leaves of the tree dominate the error: in short arrays, and in columns.
const LEAVES: f64 = 3e-7;

fn expect(found: &[f32], n: usize, value: f32, what: &str) {
    let bound = if n < 5000 || what != "an array" { LEAVES } else { BOUND };
    let exact = f64::from(value) * n as f64;
    for &found in found {
        let error = (f64::from(found) - exact) / exact;
        assert!(error.abs() <= bound, "{what}: {n} times {value} is {found}, off by {error:e}");
    }
}

/// Whole arrays, of every length of a tile's rest and of many blocks.
#[test]
fn whole_arrays() {
    let device = Device::cpu();
    for value in VALUES {
        let x = vec![value; 3_000_017];
        let short = (1..5000).step_by(7);
        for n in short.chain([100_000, 999_999, 2_097_152, 3_000_017]) {
            expect(&[device.reduce(&x[..n], Sum).unwrap()], n, value, "an array");
        }
    }
}

#[test]
#[cfg_attr(feature = "small-loops", ignore = "400 MB: in release it takes less than a second")]
fn a_hundred_million() {
    for value in VALUES {
        expect(&[Device::cpu().reduce(&vec![value; 100_000_000], Sum).unwrap()], 100_000_000, value, "an array");
    }
}

/// Lines along each axis, of few and of many columns.
#[test]
fn lines() {
    let device = Device::cpu();
    let shapes = [
        ([1, 1_000_003, 3], 1),
        ([1, 100_000, 20], 1),
        ([1, 800, 3000], 1),
        ([70, 10_007, 2], 1),
        ([1, 3, 700_001], 2),
    ];
    for value in VALUES {
        for (shape, axis) in shapes {
            let x = vec![value; shape.iter().product()];
            let mut sums = vec![0.0; x.len() / shape[axis]];
            Reduce::new(Sum).axis(&shape, axis).run(&device, &x, &mut sums).unwrap();
            expect(&sums, shape[axis], value, &format!("axis {axis} of {shape:?}"));
        }
    }
}

/// A segment over many blocks among short ones.
#[test]
fn segments() {
    let device = Device::cpu();
    let (short, long) = (100, 2_000_000);
    let n = 2 * short + long;
    let offsets = [0, short, short + long, n];
    let mut flags = vec![false; n];
    offsets[..3].iter().for_each(|&at| flags[at] = true);
    for value in VALUES {
        let x = vec![value; n];
        let mut sums = [0.0; 3];
        Reduce::new(Sum).segments(Segments::Offsets(&offsets[..])).run(&device, &x, &mut sums).unwrap();
        expect(&sums[1..2], long, value, "offsets");
        expect(&[sums[0], sums[2]], short, value, "offsets");
        Reduce::new(Sum).segments(Segments::HeadFlags(&flags)).run(&device, &x, &mut sums).unwrap();
        expect(&sums[1..2], long, value, "flags");
    }
}

/// A scan's prefixes go from block to block in a chain, whose error grows with the number of blocks.
#[test]
fn scans() {
    let n = 1_000_000;
    for value in VALUES {
        let mut out = vec![0.0; n];
        Scan::new(Sum).run(&Device::cpu(), &vec![value; n], &mut out).unwrap();
        for (k, &found) in out.iter().enumerate() {
            let exact = f64::from(value) * (k + 1) as f64;
            let bound = 2.0 * BOUND + k as f64 / 32768.0 * f64::from(f32::EPSILON) / 2.0;
            assert!((f64::from(found) - exact).abs() <= bound * exact, "{k}: {found}, not {exact}");
        }
    }
}
