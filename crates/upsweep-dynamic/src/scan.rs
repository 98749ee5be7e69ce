//! Scan: all prefixes of an array (prefix sums).

use crate::buffer::{Buffer, on_host};
use crate::check::Results;
use crate::kernels::{Buffers, Computed, Options, kernels};
use crate::options::{Common, Typed, common_methods};
use crate::prepared::{Prepared, Ready};
use crate::segments::Heads;
use crate::{Error, Number, Op, Result, Segments, Type, Values, View, ViewMut};
use upsweep::{Device, Input};

/// Scan with its options: see [`upsweep::scan`] for the formulas. Build it once, run it often.
///
/// ```
/// use upsweep_dynamic::{Op, Scan, Values, View};
///
/// let scan = Scan::new(Op::Sum).exclusive().init(100u32);
/// let results = scan.run(&upsweep::Device::cpu(), View::U32(&[3, 1, 7]))?;
/// assert_eq!(results, Values::U32(vec![100, 103, 104]));
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a scan does nothing until it is run"]
pub struct Scan<'a> {
    pub(crate) common: Common<'a>,
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
}

impl Scan<'_> {
    /// Makes the inclusive scan of a whole array with `op`.
    pub fn new(op: Op) -> Self {
        Self { common: Common::new(op), exclusive: false, reverse: false }
    }
}

impl<'a> Scan<'a> {
    common_methods! {"scan"}

    /// Makes the scan exclusive: the result at index `i` excludes the element at `i`.
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Scans from the last element to the first.
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// Scans `x` to a new array, and waits for it. On CUDA that includes the copies to the device and back.
    ///
    /// # Errors
    /// - [`Error::Operator`]: values of the type do not have the operator
    /// - [`Error::Inexact`]: the initial value, or with [`accumulate`](Self::accumulate) an element, is no value of the
    ///   type
    /// - [`Error::Offsets`]: segment offsets that do not ascend from 0 to the number of elements
    /// - [`Error::OutOfMemory`]: the host has not enough memory
    /// - [`Error::Upsweep`]: as [`upsweep::Scan::run`]
    pub fn run(&self, device: &Device, x: View<'_>) -> Result<Values> {
        let mut prepared = self.prepare(device, x)?;
        prepared.run()?;
        prepared.results()
    }

    /// Scans `values` in their own memory. On CUDA the host holds the values or their results, never both.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_owned(&self, device: &Device, values: Values) -> Result<Values> {
        let values = match self.common.accumulate {
            Some(element) if element != values.element() => {
                let typed = values.view().to_type(element)?;
                drop(values);
                typed
            }
            _ => values,
        };
        let (op, element) = (self.common.op, values.element());
        let heads = self.common.begin(values.len(), element)?;
        let values = if op.keeps_bits() { values.unsigned() } else { values };
        crate::with_values!(values, x => {
            let mut data = Buffer::new(device, x)?;
            self.in_place(device, heads, &mut data, element)?;
            Ok(Values::from(data.into_vec()?).back_to(element))
        })
    }

    /// Scans `x` in place.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`] when the scan would accumulate in another type.
    pub fn run_in_place(&self, device: &Device, x: ViewMut<'_>) -> Result<()> {
        if self.common.accumulate.is_some_and(|element| element != x.element()) {
            let reason = "the results are of another type than the elements: run it to a new array";
            return Err(Error::Options { options: "accumulate in place", reason });
        }
        let element = x.element();
        let heads = self.common.begin(x.view().len(), element)?;
        let x = if self.common.op.keeps_bits() { x.unsigned() } else { x };
        crate::with_values!(@ViewMut, x, x => {
            if on_host(device) {
                return self.in_place(device, heads, &mut Buffer::Borrowed(x), element);
            }
            let mut data = Buffer::new(device, &*x)?;
            self.in_place(device, heads, &mut data, element)?;
            x.copy_from_slice(&data.into_vec()?);
            Ok(())
        })
    }

    fn ready<'x, T: Computed>(
        &self,
        device: &Device,
        input: Buffer<'x, T>,
        element: Type,
        heads: Heads<'x>,
    ) -> Result<Prepared<'x>>
    where
        'a: 'x,
        Values: From<Vec<T>>,
    {
        let kernels = kernels::<T>(self.common.op)?;
        let output = Buffer::zeroed(device, input.view().len())?;
        let (exclusive, reverse) = (self.exclusive, self.reverse);
        let (init, axis, offsets) = (self.common.initial(element)?, self.common.axis, heads.on(device)?);
        let run = move |device: &Device, input: &Buffer<'_, T>, output: &mut Buffer<'_, T>| {
            let options = Options { exclusive, reverse, init, axis, offsets: offsets.as_ref() };
            (kernels.scan)(&options, device, Buffers::Apart(input, output))
        };
        Ok(Prepared::new(Ready { device: device.clone(), run, input, output, element }))
    }

    /// Checks, for sums and products of integers, that all results fit the type of the computation; otherwise they
    /// would wrap around. Other results always fit. A sum of `n` elements fits if `n` times the least element and `n`
    /// times the largest one fit. Otherwise the check is a pass over the elements of its own, by one thread.
    ///
    /// # Errors
    /// [`Error::Overflow`] with the first result, in the order of the scan, that does not fit; and as
    /// [`run`](Self::run).
    pub fn check_overflow(&self, x: View<'_>) -> Result<()> {
        self.common.check_overflow(x, Results::Scan { exclusive: self.exclusive, reverse: self.reverse })
    }

    fn in_place<T: Computed>(
        &self,
        device: &Device,
        heads: Heads<'_>,
        data: &mut Buffer<'_, T>,
        element: Type,
    ) -> Result<()> {
        let kernels = kernels::<T>(self.common.op)?;
        let (exclusive, reverse) = (self.exclusive, self.reverse);
        let (init, axis, offsets) = (self.common.initial(element)?, self.common.axis, heads.on(device)?);
        let options = Options { exclusive, reverse, init, axis, offsets: offsets.as_ref() };
        Ok((kernels.scan)(&options, device, Buffers::InPlace(data))?)
    }
}
