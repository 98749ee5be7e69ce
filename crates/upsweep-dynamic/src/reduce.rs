//! Reduce: one value from many (fold).

use crate::buffer::{Buffer, on_host};
use crate::check::Results;
use crate::kernels::{Computed, Options, Total, kernels};
use crate::options::{Common, Typed, common_methods};
use crate::prepared::{Prepared, Ready};
use crate::segments::Heads;
use crate::values::room;
use crate::{Number, Op, Result, Segments, Type, Values, View};
use upsweep::Shape;
use upsweep::{Device, Input};

/// Reduction with its options: see [`upsweep::reduce`](mod@upsweep::reduce) for the formulas. Build it once, run it
/// often.
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
    pub(crate) common: Common<'a>,
}

/// Number of elements that are converted to 64 bits and reduced at a time. On the host, the converted elements stay in
/// a cache until they are reduced, and are enough work to wake all threads. For a GPU, they are enough to be worth a
/// copy.
fn part_on(device: &Device) -> usize {
    if on_host(device) { 1 << 18 } else { 1 << 22 }
}

/// Returns 64-bit integers as unsigned ones with the same bits.
fn bits(values: Values) -> Vec<u64> {
    if let Values::U64(bits) = values.unsigned() { bits } else { Vec::new() }
}

impl Reduce<'_> {
    /// Makes the reduction of a whole array with `op`.
    pub fn new(op: Op) -> Self {
        Self { common: Common::new(op) }
    }
}

impl<'a> Reduce<'a> {
    common_methods! {"reduction"}

    /// Reduces `x`: to one value for the whole array, to one for each line along the axis, row-major with the remaining
    /// shape, or to one for each segment. Without elements the result is the initial value, or else the operator's
    /// identity. On CUDA the time includes the copies to the device and back.
    ///
    /// # Errors
    /// As [`Scan::run`](crate::Scan::run), and as [`upsweep::Reduce::run`].
    pub fn run(&self, device: &Device, x: View<'_>) -> Result<Values> {
        if let (Some(element @ (Type::I64 | Type::U64)), Segments::Whole) =
            (self.common.accumulate, self.common.segments)
            && x.element().widens_to(element)
            && x.len() > part_on(device)
        {
            return self.in_parts(device, x, element);
        }
        let mut prepared = self.prepare(device, x)?;
        prepared.run()?;
        prepared.results()
    }

    /// Reduces integers in 64 bits without an array of all converted elements: some lines at a time, and of long lines
    /// a part of each at a time. Order and grouping do not change results of integers.
    fn in_parts(&self, device: &Device, x: View<'_>, element: Type) -> Result<Values> {
        let op = self.common.op;
        self.common.begin(x.len(), element)?;
        let shape = Shape::new(self.common.axis, x.len())?;
        let Shape { len, inner, .. } = shape;
        let (slab, most) = (len * inner, part_on(device));
        let mut results = room(shape.lines())?;
        let reduced = |init: Option<Number>, shape: [usize; 3], part: View<'_>| -> Result<Vec<u64>> {
            let reduce = Reduce::new(op).axis(&shape, 1).accumulate(element);
            let reduce = init.map_or(reduce, |init| reduce.init(init));
            let mut prepared = reduce.prepare(device, part)?;
            prepared.run()?;
            Ok(bits(prepared.results()?))
        };
        if slab <= most {
            let slabs = most / slab;
            for start in (0..x.len()).step_by(slabs * slab) {
                let part = x.part(start..(start + slabs * slab).min(x.len()));
                results.extend(reduced(self.common.init, [part.len() / slab, len, inner], part)?);
            }
            return Ok(Values::from(results).back_to(element));
        }
        // A part has at least 64 rows, even if rows are very long, so that the row of its partial results is small
        // compared with the part.
        let part = (most / inner).max(64) * inner;
        for start in (0..x.len()).step_by(slab) {
            let mut partial = room((slab.div_ceil(part)) * inner)?;
            for begin in (0..slab).step_by(part) {
                let part = x.part(start + begin..start + (begin + part).min(slab));
                partial.extend(reduced(None, [1, part.len() / inner, inner], part)?);
            }
            let shape = [1, partial.len() / inner, inner];
            let partial = Values::from(partial).back_to(element);
            results.extend(reduced(self.common.init, shape, partial.view())?);
        }
        Ok(Values::from(results).back_to(element))
    }

    /// Checks, for sums and products of integers, that all results fit the type of the computation; otherwise they
    /// would wrap around. Other results always fit. A sum of `n` elements fits if `n` times the least element and `n`
    /// times the largest one fit. Otherwise the check is a pass over the elements of its own, by one thread.
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
            (kernels.reduce)(&options, device, Total::Whole(input, output))
        };
        Ok(Prepared::new(Ready { device: device.clone(), run, input, output, element }))
    }
}
