//! Operators and functions: what their operations mean, and the same bits in Rust, in C++ and on the GPU. One program, as
//! compiling the cases is what takes the time.

#![allow(clippy::expect_used, clippy::panic, reason = "a test may")]

mod accepted;
mod arith;
#[cfg(feature = "cuda")]
mod bits;
mod cases;
mod host_cxx;
mod math;
mod nvrtc;
