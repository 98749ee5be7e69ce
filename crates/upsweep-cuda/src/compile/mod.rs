//! Compilation of kernels, from their text to machine code.
//!
//! - `stitch`: the text, of the embedded files and a job's contribution
//! - `nvrtc`: the compiler; `search`, the places where it may lie; `nvrtc_library`, the functions of its library
//! - `cache`: compiled kernels on disk
//!
//! Nothing of CUDA is needed when the library is built. cudarc loads the driver when a GPU is first asked for. NVRTC is
//! searched for and loaded while CUDA starts.
//!
//! 1. `code` (a level above) makes the text that a job contributes: its types, its functions, the numbers of its plan.
//! 2. `stitch` joins it with the embedded `.cuh` files, each once.
//! 3. `nvrtc` compiles the text for the architecture of the device, on first use.
//! 4. The result is cached in the process and on disk. The disk cache reads only files that belong to the user alone.
//!
//! `cargo xtask kernels` compiles variants that together cover every kind of job (`variants.rs`) on machines without a
//! GPU.

mod cache;
mod nvrtc;
mod nvrtc_library;
mod search;
mod stitch;

pub use nvrtc::compile_for;
pub use stitch::KernelSource;

pub(super) use cache::{DiskCache, name};
pub(super) use nvrtc::{Nvrtc, compile, nvrtc_survey, options};
pub(super) use stitch::stitch;
