//! Inputs and outputs of calls that are more than one buffer each. The cases use the conformance suite's oracle and
//! backends, in a program of their own, because they take long to compile.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod counts;
mod gathered;
mod inputs;
mod outputs;
mod ways;
