//! The algorithms on a real GPU: their CUDA kernels, compiled for the device, launched as the classics launch them.

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
