//! Top-k and order statistics, on each backend, with std's stable sort as the oracle.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test --test topk -- --include-ignored` runs it
//! there too. `UPSWEEP_TEST_SIZES=reduced` keeps few and short arrays, for a run under compute-sanitizer.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod between;
mod calls;
mod chunks;
mod lines;
mod nth;
mod rows;
mod segments;
mod whole;
