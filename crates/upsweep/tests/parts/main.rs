//! Calls on an array in parts whose results are as many as the data say, or bins: the results of all parts are those of
//! one call. Scans and totals in parts are in the conformance suite.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod bins;
mod groups;
mod selections;
mod signals;
mod support;
mod texts;
mod windows;
