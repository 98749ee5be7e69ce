//! A kernel from its text to machine code.
//!
//! - `stitch`: the text, of the embedded files and what a job adds
//! - `nvrtc`: the compiler; `search`, where it may be, and `functions`, what it is called by
//! - `cache`: compiled kernels on disk

mod cache;
mod functions;
mod nvrtc;
mod search;
mod stitch;

pub use nvrtc::compile_for;
pub use stitch::KernelSource;

pub(super) use cache::{DiskCache, name};
pub(super) use nvrtc::{Nvrtc, compile, nvrtc_survey, options};
pub(super) use stitch::stitch;
