//! What all of upsweep knows: elements, operators, inputs, outputs, buffers, errors, and what a builder hands to a backend.
//!
//! A part of the crate `upsweep`, which exports what its users need. It changes as that crate does, without notice.
//!
//! | file | what |
//! |---|---|
//! | `operator/` | elements, functions and operators, in Rust and in CUDA C++; `arith/` says what operations mean |
//! | `inputs/`, `outputs/` | what can stand as an input or an output: buffers side by side, ranges, gathers, scatters |
//! | `buffer`, `shape`, `segments` | where elements lie; an array seen from one of its axes; where segments begin |
//! | `steps`, `halves` | map, operator and finish as one value; those of sums of `f16` and `bf16` |
//! | `init` | what a scan or a reduction begins with |
//! | `call/` | what a builder hands to a backend: a call whose options fit its buffers |
//! | `varying` | the operators of recurrences with varying coefficients |
//! | `bins`, `tally` | the rules of histograms, and what is added up in a bin |
//! | `key`, `between` | the order of what can be sorted; places between two elements in order |
//! | `error`, `memory` | the one error type; memory of the host, whose lack is an error |
//! | `sealed` | traits that this crate alone implements |
//!
//! Builders, plan and backends know this crate, and it knows none of them.

#![allow(missing_docs, reason = "what only parts of upsweep see is named by its types")]
#![allow(clippy::len_without_is_empty, clippy::new_without_default, reason = "likewise, none of them needs these")]

// The macros write paths that begin with `::upsweep`, in this crate too.
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
pub mod memory;
pub mod operator;
pub mod outputs;
pub mod sealed;
pub mod segments;
pub mod shape;
pub mod steps;
pub mod tally;
pub mod varying;

pub use error::{Error, Result};
