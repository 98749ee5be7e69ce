//! The CUDA backend.
//!
//! - `library`: how shared libraries are called
//! - `compile`: kernels from their text to machine code
//! - `runtime`: contexts, streams, memory, and kernels from their source to their launch
//! - `job`: a job without its types, which `open` makes of one with types; `code`, `params`: what it contributes to its kernel's text, and what the kernel is given
//! - one file a family: from a job to the launch

pub(crate) mod along;
mod apart;
pub(crate) mod automaton;
mod code;
mod columns;
mod compile;
pub(crate) mod expand;
mod features;
pub(crate) mod histogram;
mod job;
mod lender;
mod library;
pub(crate) mod merge;
mod merge_four;
pub(crate) mod moving_sum;
mod open;
mod params;
mod planned;
pub(crate) mod pyramid;
pub(crate) mod range_histogram;
pub(crate) mod recurrence;
pub(crate) mod reduce;
mod rows;
mod runtime;
pub(crate) mod scan;
pub(crate) mod scan_axes;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod sort;
pub(crate) mod sort_by;
pub(crate) mod topk;
pub(crate) mod transform;
pub(crate) mod up_sweep;
mod variants;

pub use compile::{KernelSource, compile_for};
pub use runtime::{Cuda, DeviceInfo, Survey, survey};
pub use variants::variants;

pub(crate) use planned::{plan_of, plan_of_sizes};
pub(crate) use runtime::download;
use runtime::{Loan, Workspace};
