//! Tests of the applications against oracles of another kind: Rust's own order, num-bigint, plain loops.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod bigint;
mod compare;
mod cuda;
mod expression;
mod fenwick;
mod graph;
mod poly;
mod sampling;
mod text;
mod tree;

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 20) as usize % n.max(1)
    }

    /// A number from -1 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
