//! CUDA kernels of the algorithms, compiled for a GPU and launched as the classics launch them.
//!
//! Each algorithm has a file of the same stem under `kernels/`. `forms` lists the kernels of an algorithm and puts
//! their text together, `launch` prepares buffers and launches, and `race` times the kernels, a copy and the library's
//! scan.
//!
//! One file shows a whole algorithm, so kernels repeat each other's loops. There are three exceptions. In the model,
//! the algorithms of many blocks share the scan of a block (`block_scan.rs`, `tile.rs`, `warp.rs`). `recursive` and
//! `three-kernel` run the kernels of others on a GPU. `lab.cuh` has what all kernels need.

mod device;
mod element;
mod error;
mod forms;
mod launch;
mod race;

pub use device::Gpu;
pub use element::GpuElement;
pub use error::Error;
#[doc(hidden)]
pub use forms::variants;
pub use race::{Lap, race};
