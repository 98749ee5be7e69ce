//! Parallel scan (prefix sums) and reduction for the CPU and for NVIDIA GPUs, with operators written once in Rust.

// The macros write paths that begin with `::upsweep`, in this crate too.
extern crate self as upsweep;

pub mod buffer;
pub mod device;
pub mod error;
pub mod init;
pub mod operator;
pub mod plan;
pub mod reduce;
pub mod scan;
pub mod segments;

mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod job;
mod options;
mod planned;
mod steps;

pub use buffer::{Array, Input, Output, View, ViewMut};
pub use device::Device;
pub use error::{Error, Result};
pub use init::{Init, InitFrom, InitSource, InitValue, NoInit};
pub use operator::{Element, Function, Map, Operator, function, operator};
pub use reduce::Reduce;
pub use scan::Scan;
pub use segments::Segments;

/// What a program that scans usually needs: `use upsweep::prelude::*;`.
pub mod prelude {
    pub use crate::operator::builtin::*;
    pub use crate::{Array, Device, Element, Function, Operator, Reduce, Scan, Segments, function, operator};
}
