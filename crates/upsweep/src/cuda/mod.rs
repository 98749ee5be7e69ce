//! The CUDA backend.
//!
//! - `runtime`: contexts, streams, memory, and kernels from their source to their launch
//! - `compile`: kernels from their text to machine code
//! - `library`: how shared libraries are called
//! - `text`: what a job contributes to its kernel's text
//! - `prepare` and one file a family: from a job to the launch

mod columns;
mod compile;
mod library;
mod prepare;
pub(crate) mod reduce;
mod runtime;
pub(crate) mod scan;
mod text;
mod variants;

pub use compile::{KernelSource, compile_for};
pub use runtime::{Cuda, DeviceInfo, Survey, survey};
#[doc(hidden)]
pub use scan::limit_waves;
pub use variants::variants;

pub(crate) use runtime::download;
use runtime::{Kernel, KernelKey, Loan, Workspace};
