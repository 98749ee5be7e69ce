//! Soundness: safe programs whose types answer the library differently from call to call, or pass impossible sizes.
//! Results are always elements, nothing outside of the buffers is read or written, and every fault is an error.
//!
//! `compile_fail/sealed_fail.rs` shows that a program's own types cannot implement the traits that unchecked code
//! relies on. These tests find most faults by wrong values. With a nightly compiler AddressSanitizer checks every
//! access:
//!
//! ```text
//! RUSTFLAGS=-Zsanitizer=address cargo +nightly test --target x86_64-unknown-linux-gnu -p upsweep --no-default-features --test soundness
//! ```

#![forbid(unsafe_code)]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod functions;
mod inputs;
mod sizes;
