//! Operators and functions: the results of their operations, and the same bits in Rust, in C++ and on the GPU. They are
//! one program, because compiling the cases takes most of the time.

#![allow(clippy::expect_used, clippy::panic, reason = "a test may")]

mod accepted;
mod arith;
#[cfg(feature = "cuda")]
mod bits;
mod cases;
mod host_cxx;
mod math;
mod nvrtc;
