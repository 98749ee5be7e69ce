//! Prepared calls: buffers filled once for many runs.

use crate::buffer::Buffer;
use crate::kernels::Computed;
use crate::{Result, Type, Values};
use std::fmt;
use upsweep::Device;

/// Scan or reduction that is ready to run: its input and output are in the memory of the device.
///
/// ```
/// use upsweep_dynamic::{Op, Scan, Values, View};
///
/// let device = upsweep::Device::cpu();
/// let mut scan = Scan::new(Op::Max).prepare(&device, View::I16(&[3, -1, 7]))?;
/// for _ in 0..3 {
///     scan.run()?; // the same each time
/// }
/// assert_eq!(scan.results()?, Values::I16(vec![3, 3, 7]));
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
#[must_use = "it does nothing until it is run"]
pub struct Prepared<'a>(Box<dyn Run + 'a>);

impl<'a> Prepared<'a> {
    pub(crate) fn new(run: impl Run + 'a) -> Self {
        Self(Box::new(run))
    }

    /// Computes the results. On CUDA this enqueues the work on the device's stream and returns at once.
    ///
    /// # Errors
    /// [`Error::Upsweep`](crate::Error::Upsweep): as [`upsweep::Scan::run`] and [`upsweep::Reduce::run`].
    pub fn run(&mut self) -> Result<()> {
        self.0.run()
    }

    /// Waits for the last run, and returns its results; zeros if there was no run.
    ///
    /// # Errors
    /// [`Error::Upsweep`](crate::Error::Upsweep), with the fault of the device.
    pub fn results(self) -> Result<Values> {
        self.0.results()
    }
}

impl fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prepared")
    }
}

/// Methods of [`Prepared`], for elements of any type.
pub(crate) trait Run {
    fn run(&mut self) -> Result<()>;
    fn results(self: Box<Self>) -> Result<Values>;
}

/// Buffers and function of a [`Prepared`] call that computes with elements of type `T`.
pub(crate) struct Ready<'a, T: Clone, F> {
    pub(crate) device: Device,
    pub(crate) run: F,
    pub(crate) input: Buffer<'a, T>,
    pub(crate) output: Buffer<'a, T>,
    /// Type of the results: `T`, or the signed type that was computed as the unsigned `T` with the same bits.
    pub(crate) element: Type,
}

impl<T, F> Run for Ready<'_, T, F>
where
    T: Computed,
    Values: From<Vec<T>>,
    F: FnMut(&Device, &Buffer<'_, T>, &mut Buffer<'_, T>) -> upsweep::Result<()>,
{
    fn run(&mut self) -> Result<()> {
        Ok((self.run)(&self.device, &self.input, &mut self.output)?)
    }

    fn results(self: Box<Self>) -> Result<Values> {
        Ok(Values::from(self.output.into_vec()?).back_to(self.element))
    }
}
