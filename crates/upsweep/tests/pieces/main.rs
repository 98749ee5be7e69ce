//! The pieces that calls are made of, where they are more than one buffer in and one out: with the conformance suite's oracle and
//! backends, and apart from it, because that takes long to compile.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod counts;
mod gathered;
mod inputs;
mod outputs;
mod ways;
