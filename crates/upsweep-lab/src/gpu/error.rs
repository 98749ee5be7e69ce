//! Why something did not run on the GPU.

use crate::algorithm::Error as LabError;
use cudarc::driver::DriverError;
use std::fmt::{self, Display};

/// Why something did not run on the GPU.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The algorithm does not take this input.
    Input(LabError),
    /// The library: no device, no compiler, a kernel that does not compile.
    Library(upsweep::Error),
    /// The driver.
    Driver(DriverError),
    /// The algorithm has no kernel.
    NoKernel {
        /// Its name.
        algorithm: &'static str,
    },
    /// A result is not what the plain loop finds.
    Wrong {
        /// The algorithm.
        algorithm: &'static str,
        /// How many elements there were.
        n: usize,
        /// The first result that is wrong.
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
