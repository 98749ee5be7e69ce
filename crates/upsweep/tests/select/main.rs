//! Selections and operations on their results: one set of cases, run against each backend and compared with a
//! sequential loop.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.
//! `UPSWEEP_TEST_SIZES=reduced` keeps few and short arrays, for a run under compute-sanitizer.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod counts;
mod dedups;
mod errors;
mod expands;
#[cfg(feature = "cuda")]
mod graphs;
mod large;
mod partitions;
mod runs;
mod searches;
mod selects;
mod support;
