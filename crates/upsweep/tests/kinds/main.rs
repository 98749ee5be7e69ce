//! Pairs of a builder and a kind of input: each builder takes each kind, with the results of a loop over its values.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod bins;
mod closures;
mod codes;
mod complete;
mod elements;
mod kinds;
mod order;
mod parts;
mod scans;
mod selections;
mod sorted;
