//! Recurrences: one set of cases, run against each backend and compared with the sequential loop, for floats in more
//! digits.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.
//! `UPSWEEP_TEST_SIZES=reduced` keeps few and short arrays, for a run under compute-sanitizer.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod accuracy;
#[cfg(feature = "num-complex")]
mod complex;
mod errors;
mod exactly;
#[cfg(feature = "cuda")]
mod graphs;
mod large;
mod oracle;
mod special;
mod support;
mod varying;
