//! Runtime on CUDA, from the ground up: a file uses only those above it.
//!
//! - `driver`: the driver library, its errors, its devices, and whether a stream is being captured
//! - `survey`: the driver, NVRTC and the devices of this machine
//! - `pool`: the pool that scratch is allocated from
//! - `pinned`: page-locked (pinned) host memory, where small results land
//! - `context`: one CUDA context: memory, streams, and faults that wait to be reported
//! - `workspace`: the memory through which a kernel's blocks communicate
//! - `stream`: a stream with its workspaces
//! - `capture`: the memory of graphs
//! - `grid`: the blocks of a launch
//! - `kernel`: loaded kernels
//! - `state`: the state that all devices of one context share
//! - `wait`: waiting for a stream
//! - `ring`, `steps`: arrays in host memory pass a device by chunks, or by large steps
//! - `device`: a device, which is a context's state and one of its streams
//! - `memory`, `fill`, `scratch`, `launch`: operations of devices
//! - `flow`: calls on arrays in host memory

mod capture;
mod context;
mod device;
mod driver;
mod fill;
mod flow;
mod grid;
mod kernel;
mod launch;
mod locked;
mod memory;
mod pinned;
mod pool;
mod ring;
mod scratch;
mod state;
mod steps;
mod stream;
mod survey;
mod wait;
mod workspace;

pub use device::Cuda;
pub use driver::DeviceInfo;
pub use locked::Locked;
pub use survey::{Survey, survey};

pub(crate) use grid::Grid;
pub(crate) use memory::Loan;
pub use memory::{download, download_to};
pub(crate) use ring::HostArray;
pub(crate) use scratch::Scratch;
pub(crate) use steps::{BUFFERS, Move, Steps};
pub(crate) use workspace::Workspace;
