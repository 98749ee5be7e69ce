//! Safe programs that answer the library otherwise from one time to the next, or give it sizes that cannot be: whatever they do, results
//! are elements, nothing outside of the buffers is read or written, and what is wrong is an error.
//!
//! That types of a program's own cannot say what unchecked code relies on, `compile_fail/sealed_fail.rs` shows. These tests find most of what
//! is wrong by its values. With a nightly compiler AddressSanitizer looks at every access:
//!
//! ```text
//! RUSTFLAGS=-Zsanitizer=address cargo +nightly test --target x86_64-unknown-linux-gnu -p upsweep --no-default-features --test soundness
//! ```

#![forbid(unsafe_code)]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod functions;
mod inputs;
mod sizes;
