//! Errors of runs on the GPU.

use crate::algorithm::Error as LabError;
use cudarc::driver::DriverError;
use std::fmt::{self, Display};

/// Reason why a run on the GPU failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Input that the algorithm does not take.
    Input(LabError),
    /// Error of the library: no device, no compiler, a kernel that does not compile.
    Library(upsweep::Error),
    /// Error of the driver.
    Driver(DriverError),
    /// Algorithm without a kernel.
    NoKernel {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// First result that differs from that of a plain loop.
    Wrong {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Number of elements.
        n: usize,
        /// Index of the first wrong result.
        index: usize,
    },
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => error.fmt(f),
            Self::Library(error) => error.fmt(f),
            Self::Driver(error) => write!(f, "the CUDA driver: {error}"),
            Self::NoKernel { algorithm } => write!(f, "{algorithm} has no CUDA kernel"),
            Self::Wrong { algorithm, n, index } => {
                write!(f, "{algorithm} of {n} elements: result {index} is wrong on the GPU")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<upsweep::Error> for Error {
    fn from(error: upsweep::Error) -> Self {
        Self::Library(error)
    }
}

impl From<DriverError> for Error {
    fn from(error: DriverError) -> Self {
        Self::Driver(error)
    }
}

pub(super) type Result<T> = std::result::Result<T, Error>;
