//! Tests of images, terrain, and the scans along several axes that they stand on, against plain loops and the numbers
//! of other programs.
//!
//! Every case runs on the CPU; on a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "tests")]

mod axes;
mod gaussian;
mod image;
mod large;
mod mipmap;
mod sizes;
mod terrain;

macro_rules! cases {
    ($($name:ident),* $(,)?) => { $(
        mod $name {
            #[test]
            fn cpu() {
                super::$name(&upsweep::Device::cpu());
            }

            #[cfg(feature = "cuda")]
            #[test]
            #[ignore = "needs a CUDA GPU: cargo test -p upsweep-apps --test pictures -- --include-ignored"]
            fn cuda() {
                super::$name(&upsweep::Device::cuda(0).unwrap());
            }
        }
    )* };
}
use cases;

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 ^ self.0 >> 29) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n.max(1)
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}
