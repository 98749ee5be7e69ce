//! The CUDA backend: one folder a family, with its host and its kernels side by side.
//!
//! | file | what |
//! |---|---|
//! | `scan/`, `sort/`, .. | a family: `mod.rs` from a call to the launch, `*.cuh` the kernels |
//! | `columns/` | scans and reductions of interleaved lines |
//! | `open` | type erasure: turns a job with types into a `job` without them |
//! | `borrow` | borrows of a call's buffers, and the check that none overlaps the results |
//! | `features`, `code`, `params` | features that kernels are compiled for; the text of a job; kernel parameters |
//! | `compile/` | kernels from their text to machine code |
//! | `runtime/` | contexts, streams, memory, and kernels from their source to their launch |
//! | `library` | names of shared libraries |
//! | `explain` | the plan of a job, without running it |
//! | `variants` | kernels that together cover every kind of job, to be compiled where there is no GPU |
//! | `../kernels/` | the shared vocabulary of all families' kernels: tiles, blocks, warps, memory, words |
//!
//! The head of a family's `mod.rs` says which kernels the family has and which one a call takes. The head of a kernel's
//! file has the pseudocode and the memory ordering. `kernels/README.md` says how a single-pass kernel is built.
//!
//! **Types end in `open`.** The code after it works on sizes, addresses and text, and is compiled once for all jobs. As
//! little as possible is compiled for each job before it: a builder checks its options without the types, a backend
//! finds a buffer by its element type alone, and `open` calls the buffers of a job through trait objects. A call that
//! cannot have several lines, or that runs on one backend alone, compiles nothing for the other cases.
//!
//! **Launches.** A call enqueues one kernel. Few long strided lines take three kernels (a reduction: two), a sort or a
//! top-k several. A histogram clears its results before its kernel. With float weights a histogram has three kernels;
//! the first finds the largest weight of each bin. Enqueuing does not wait for the device.
//!
//! **What the host waits for.** A small result is copied to pinned memory together with the faults that the kernels of
//! the stream may have reported, so that one wait is enough for both (`runtime/wait.rs`). A reduction to the host has
//! one result, which its kernel stores in pinned memory itself (`compute_one` in `runtime/memory.rs`).
//!
//! **Lengths on the device.** A kernel reads a length that lies in device memory (`COUNTED_INPUT`) when it starts. Its
//! grid is sized for the capacity of the input. A scan of such an input is always a pipeline, never a wave. A reduction
//! cuts its parts as the host would for the actual length. So the bits of the result do not depend on the capacity.

#![allow(missing_docs, reason = "what only parts of upsweep see is named by its types")]
#![allow(clippy::len_without_is_empty, clippy::new_without_default, reason = "likewise, none of them needs these")]

// The macros write paths that begin with `::upsweep`.
extern crate upsweep_core as upsweep;

pub mod automaton;
mod borrow;
mod code;
mod columns;
mod compile;
pub mod expand;
mod explain;
mod features;
pub mod histogram;
mod job;
mod library;
pub mod list_scan;
pub mod merge;
pub mod moving_sum;
mod open;
mod params;
pub mod pyramid;
pub mod recurrence;
pub mod reduce;
mod runtime;
pub mod scan;
pub mod scan_axes;
pub mod search;
pub mod select;
pub mod sort;
pub mod sort_by;
pub mod topk;
pub mod transform;
pub mod up_sweep;
mod variants;

pub use compile::{KernelSource, compile_for};
pub use runtime::{Cuda, DeviceInfo, Locked, Survey, survey};
pub use variants::variants;

pub use explain::{plan_of, plan_of_sizes};
use runtime::{Loan, Workspace};
pub use runtime::{download, download_to};
