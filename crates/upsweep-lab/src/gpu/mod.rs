//! The algorithms on a real GPU: their CUDA kernels, compiled for the device, launched as the classics launch them.

mod element;
mod forms;
mod launch;
mod race;

pub use element::GpuElement;
#[doc(hidden)]
pub use forms::variants;
pub use race::{Lap, race};

use crate::algorithm::{Algorithm, Error as LabError, Input};
use crate::operator::Operator;
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DriverError};
use launch::Entrant;
use std::collections::HashMap;
use std::fmt::{self, Display};
use std::sync::{Arc, Mutex, PoisonError};
use upsweep::Device;

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
            Self::NoKernel { algorithm } => write!(f, "{algorithm} has no CUDA kernel: it is there to be wrong"),
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

type Result<T> = std::result::Result<T, Error>;

/// A GPU, a stream, and the kernels that were compiled for it.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
    stream: Arc<CudaStream>,
    architecture: String,
    functions: Mutex<HashMap<String, CudaFunction>>,
}

impl Gpu {
    /// The CUDA device of that number.
    ///
    /// # Errors
    /// [`Error::Library`] when there is none.
    pub fn open(ordinal: usize) -> Result<Self> {
        let device = Device::cuda(ordinal)?;
        let Some(cuda) = device.as_cuda() else {
            return Err(upsweep::Error::Device { reason: "the device is not a CUDA GPU".to_owned() }.into());
        };
        let (major, minor) = cuda.info().compute_capability;
        let (stream, architecture) = (cuda.stream().clone(), format!("sm_{major}{minor}"));
        Ok(Self { device, stream, architecture, functions: Mutex::default() })
    }

    /// The device's name.
    #[must_use]
    pub fn name(&self) -> String {
        self.device.as_cuda().map(|cuda| cuda.info().name.clone()).unwrap_or_default()
    }

    /// Runs an algorithm's kernels; returns the results.
    ///
    /// # Errors
    /// [`Error::Input`] as on the model; [`Error::NoKernel`]; [`Error::Library`], [`Error::Driver`].
    pub fn run<T: GpuElement>(
        &self,
        algorithm: &Algorithm,
        operator: &Operator<T>,
        input: &Input<'_, T>,
    ) -> Result<Vec<T>> {
        algorithm.check(input).map_err(Error::Input)?;
        let heads: Vec<u8> = input.heads.iter().flat_map(|&head| u32::from(head).to_ne_bytes()).collect();
        let heads = self.stream.clone_htod(&heads)?;
        let values = self.stream.clone_htod(&T::to_bytes(input.values))?;
        let mut entrant = Entrant::prepare(self, algorithm, operator, &values, &heads, input.values.len())?;
        entrant.enqueue()?;
        let bytes = self.stream.clone_dtoh(entrant.results())?;
        Ok(T::from_bytes(&bytes))
    }

    fn bytes(&self, len: usize) -> Result<CudaSlice<u8>> {
        Ok(self.stream.alloc_zeros(len.max(1))?)
    }

    /// The kernel `entry` of a text, compiled once.
    fn function(&self, text: &str, entry: &'static str) -> Result<CudaFunction> {
        let key = format!("{entry}\n{text}");
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(&key) {
            return Ok(function.clone());
        }
        let image = upsweep::cuda::compile_for(&forms::source(text, entry), &self.architecture)?;
        let module = self.stream.context().load_module(cudarc::nvrtc::Ptx::from_binary(image))?;
        let function = module.load_function(entry)?;
        functions.insert(key, function.clone());
        Ok(function)
    }
}
