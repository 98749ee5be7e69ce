//! Sorting, on each backend, with std's stable sort as the oracle.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test --test sort -- --include-ignored` runs it there too.
//! `UPSWEEP_TEST_SIZES=reduced` keeps few and short arrays, for a run under compute-sanitizer.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod by_key;
mod calls;
mod check;
mod keys;
mod parts;
#[cfg(feature = "cuda")]
mod streamed;
mod values;
mod zeros;
