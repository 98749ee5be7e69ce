//! The CUDA backend.
//!
//! - `library`: how shared libraries are called
//! - `compile`: kernels from their text to machine code
//! - `runtime`: contexts, streams, memory, and kernels from their source to their launch
//! - `open`: turns a job with types into a `job` without them
//! - `code`, `params`: what a job contributes to the text of its kernel, and the kernel's parameters
//! - one file a family: from a job to the launch
//!
//! The head of a family's file says which kernels the family has and which one a call takes. The head of the kernel
//! (`kernels/device/`) has the pseudocode and the memory ordering. `kernels/README.md` says how a single-pass kernel is
//! built.
//!
//! **Types end in `open`.** What follows it knows sizes, addresses and text, and is compiled once for all jobs. As
//! little as possible is compiled for each job before that: a builder checks its options without the types, a backend
//! finds a buffer by its element type alone, and `open` asks the buffers of a job through trait objects. A call that
//! cannot have several lines, or that runs on one backend alone, compiles nothing for the other cases.
//!
//! **Launches.** A call enqueues one kernel. Few long strided lines take three (a reduction: two), a sort or a top-k
//! several. A histogram clears its results before its kernel; with float weights it has three kernels, the first of
//! which finds the largest weight of each bin. Enqueuing does not wait for the device.
//!
//! **What the host waits for.** A small result is copied to page-locked memory together with the faults that the
//! kernels of the stream may have reported, so that one wait is enough for both (`runtime/wait.rs`). A reduction to the
//! host has one result, which its kernel stores in page-locked memory itself (`compute_one` in `runtime/memory.rs`).
//!
//! **Lengths on the device.** A kernel reads a length that lies in device memory (`COUNTED_INPUT`) when it starts. Its
//! grid is sized for the capacity of the input. A scan of such an input is always a pipeline, never a wave. A reduction
//! cuts its parts as the host would for the real length. So the bits do not depend on the capacity.

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
