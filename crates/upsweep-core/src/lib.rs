//! The common core of upsweep's crates: elements, operators, inputs, outputs, buffers, errors, and calls from builders
//! to backends.
//!
//! It is a part of the crate `upsweep`, which exports what its users need. It changes as that crate does, without
//! notice.
//!
//! | file | what |
//! |---|---|
//! | `operator/` | elements, functions and operators, in Rust and in CUDA C++; `arith/` defines what operations mean |
//! | `inputs/`, `outputs/` | inputs and outputs of calls: buffers side by side, ranges, gathers, scatters |
//! | `buffer`, `shape`, `segments` | buffers in memory; lines of an array along an axis; beginnings of segments |
//! | `steps`, `halves` | map, operator and finish as one value; the steps of sums of `f16` and `bf16` |
//! | `init` | initial values of scans and reductions |
//! | `call/` | calls whose options fit their buffers, from a builder to a backend |
//! | `varying` | operators of recurrences with varying coefficients |
//! | `bins`, `tally` | rules of histograms, and what is added up in a bin |
//! | `key`, `between` | the order of sort keys; interpolation between neighbours in order |
//! | `error`, `memory`, `pages` | the error type; host memory, whose lack is an error, in large pages |
//! | `sealed` | traits that this crate alone implements |
//!
//! Builders, planner and backends depend on this crate, and it depends on none of them.

#![allow(missing_docs, reason = "what only parts of upsweep see is named by its types")]
#![allow(clippy::len_without_is_empty, clippy::new_without_default, reason = "likewise, none of them needs these")]

// The macros generate paths that begin with `::upsweep`, in this crate too.
extern crate self as upsweep;

pub mod between;
pub mod bins;
pub mod buffer;
pub mod call;
pub mod error;
pub mod halves;
pub mod init;
pub mod inputs;
pub mod key;
pub mod lanes;
pub mod memory;
pub mod operator;
pub mod outputs;
pub mod pages;
pub mod sealed;
pub mod segments;
pub mod shape;
pub mod steps;
pub mod tally;
pub mod tree;
pub mod varying;

pub use error::{Error, Result};
