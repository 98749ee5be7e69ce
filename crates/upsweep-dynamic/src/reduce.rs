//! Reduce: one value from many.

use crate::buffer::Buffer;
use crate::check::Results;
use crate::kernels::{Computed, Options, kernels};
use crate::options::{Common, Typed, common_methods};
use crate::prepared::{Prepared, Ready};
use crate::segments::Heads;
use crate::{Number, Op, Result, Segments, Type, Values, View};
use upsweep::plan::Shape;
use upsweep::{Device, Input};

/// A reduction with its options: see [`upsweep::reduce`](mod@upsweep::reduce) for what they compute. Build it once, run it often.
///
/// ```
/// use upsweep_dynamic::{Op, Reduce, Segments, Values, View};
///
/// let reduce = Reduce::new(Op::Sum).segments(Segments::Offsets(View::I64(&[0, 2, 2, 3])));
/// let results = reduce.run(&upsweep::Device::cpu(), View::U32(&[3, 1, 7]))?;
/// assert_eq!(results, Values::U32(vec![4, 0, 7]));
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a reduction does nothing until it is run"]
pub struct Reduce<'a> {
    common: Common<'a>,
}

impl Reduce<'_> {
    /// The reduction of a whole array with `op`.
    pub fn new(op: Op) -> Self {
        Self { common: Common::new(op) }
    }
}

impl<'a> Reduce<'a> {
    common_methods! {"reduction"}

    /// Reduces `x`: to one value for the whole array (of nothing the initial value, or else the operator's identity), one for
    /// each line along the axis, row-major with the shape that is left, or one for each segment. On CUDA the time includes the
    /// copies to the device and back.
    ///
    /// # Errors
    /// As [`Scan::run`](crate::Scan::run), and as [`upsweep::Reduce::run`].
    pub fn run(&self, device: &Device, x: View<'_>) -> Result<Values> {
        let mut prepared = self.prepare(device, x)?;
        prepared.run()?;
        prepared.results()
    }

    /// Checks that all results fit their type, for sums and products of integers, which otherwise wrap around; others always
    /// fit. This is a pass over the elements of its own, by one thread.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow) with the first result that does not fit; and as [`run`](Self::run).
    pub fn check_overflow(&self, x: View<'_>) -> Result<()> {
        self.common.check_overflow(x, Results::Reduction)
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
        let (init, axis) = (self.common.initial(element)?, self.common.axis);
        let len = input.view().len();
        let count = match &heads {
            Heads::Whole => Shape::new(axis, len)?.lines(),
            Heads::Offsets(offsets) => offsets.len() - 1,
        };
        let output = Buffer::zeroed(device, count)?;
        let offsets = heads.on(device)?;
        let run = move |device: &Device, input: &Buffer<'_, T>, output: &mut Buffer<'_, T>| {
            let options = Options { exclusive: false, reverse: false, init, axis, offsets: offsets.as_ref() };
            (kernels.reduce)(&options, device, input, output)
        };
        Ok(Prepared::new(Ready { device: device.clone(), run, input, output, element }))
    }
}
