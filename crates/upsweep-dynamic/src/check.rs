//! Overflow check: whether the results of a sum or product of integers fit their type.

use crate::buffer::Buffer;
use crate::kernels::{Computed, Options, Total, kernels};
use crate::segments::Heads;
use crate::{Error, Number, Op, Result, Type, Value, View, with_view};
use std::ops::RangeInclusive;
use upsweep::Device;
use upsweep::Shape;

/// Scan or reduction whose results are checked for overflow.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) op: Op,
    pub(crate) init: Option<Number>,
    /// Type of the results.
    pub(crate) element: Type,
    pub(crate) axis: Option<(&'a [usize], usize)>,
    pub(crate) heads: &'a Heads<'a>,
    /// Kind of the call, which says what the results are.
    pub(crate) results: Results,
}

/// Kind of a call: a scan, whose results are the prefixes of each segment, or a reduction, whose results are one total
/// for each segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Results {
    Scan { exclusive: bool, reverse: bool },
    Reduction,
}

/// Indices `start + k * step` of elements, for `k < len`: a segment, or a line along an axis.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    step: usize,
    len: usize,
}

impl Checked<'_> {
    /// Checks from the least and the largest element whether sums can leave the range of their type at all. If they
    /// can, and for products, computes all results once more, one after the other and in 128 bits.
    ///
    /// # Errors
    /// [`Error::Overflow`] with the first result that does not fit.
    pub(crate) fn check(&self, x: View<'_>) -> Result<()> {
        let wraps = self.element != Type::Bool && self.element.integers().is_some();
        if !wraps || !matches!(self.op, Op::Sum | Op::Product) {
            return Ok(());
        }
        let shape = Shape::new(self.axis, x.len())?;
        // An array without elements, of shape (2^60, 0) for example, may have more lines than a loop can visit.
        if x.is_empty() || self.is_small(x)? {
            return Ok(());
        }
        with_view!(x, x => self.of_type(x, shape))
    }

    /// Whether the results are sums that fit their type in whatever order the elements are: `n` times the largest
    /// element fits, and `n` times the least, where `n` is the number of elements.
    fn is_small(&self, x: View<'_>) -> Result<bool> {
        let running = Running::new(self.op, self.init, self.element, self.results);
        let Some((running, of_type)) = running.zip(x.element().integers()) else { return Ok(false) };
        // If even `n` times the least and the largest value of the elements' type fit, the elements need not be read.
        if running.fits(x.len(), &of_type) {
            return Ok(true);
        }
        if x.element() == Type::Bool {
            return Ok(false);
        }
        let (least, largest) = with_view!(x, x => (extreme(Op::Min, x)?, extreme(Op::Max, x)?));
        Ok(least.zip(largest).is_some_and(|(least, largest)| running.fits(x.len(), &(least..=largest))))
    }

    fn of_type<T: Value>(&self, x: &[T], shape: Shape) -> Result<()> {
        match self.heads {
            Heads::Whole => {
                let lines = (0..shape.outer).flat_map(|outer| (0..shape.inner).map(move |inner| (outer, inner)));
                let mut lines = lines.map(|(outer, inner)| Line {
                    start: outer * shape.len * shape.inner + inner,
                    step: shape.inner,
                    len: shape.len,
                });
                lines.try_for_each(|line| self.line(x, line))
            }
            Heads::Offsets(offsets) => offsets.windows(2).try_for_each(|pair| {
                let [start, end] = [pair[0], pair[1]].map(|offset| offset as usize);
                self.line(x, Line { start, step: 1, len: end - start })
            }),
        }
    }

    fn line<T: Value>(&self, x: &[T], line: Line) -> Result<()> {
        let Some(mut running) = Running::new(self.op, self.init, self.element, self.results) else { return Ok(()) };
        for k in 0..line.len {
            let at = match self.results {
                Results::Scan { reverse: true, .. } => line.start + (line.len - 1 - k) * line.step,
                _ => line.start + k * line.step,
            };
            running.add(at, x[at])?;
        }
        running.finish()
    }
}

/// Exact total of the elements of a line so far.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) op: Op,
    /// Type of the results, and its values.
    element: Type,
    pub(crate) range: RangeInclusive<i128>,
    pub(crate) results: Results,
    pub(crate) total: i128,
    /// Index of the element from which on the running total of a reduction does not fit the type of the results.
    pub(crate) since: Option<usize>,
}

impl Running {
    /// Begins a line. Returns `None` if results of the type `element` do not wrap.
    pub(crate) fn new(op: Op, init: Option<Number>, element: Type, results: Results) -> Option<Self> {
        let identity = i128::from(op == Op::Product);
        let total = init.and_then(Number::integer).unwrap_or(identity);
        Some(Self { op, element, range: element.integers()?, results, total, since: None })
    }

    /// Adds the element at `index`.
    #[inline]
    pub(crate) fn add<T: Value>(&mut self, index: usize, value: T) -> Result<()> {
        let Some(value) = value.number().integer() else { return Ok(()) };
        // The total of all elements of a line is no result of an exclusive scan: it is one if another element follows.
        if matches!(self.results, Results::Scan { exclusive: true, .. }) && !self.range.contains(&self.total) {
            return self.overflow(index);
        }
        // A total that saturated in 128 bits is out of the range of every element type. Only a factor 0 brings it back.
        let total = self.total;
        self.total = if self.op == Op::Sum { total.saturating_add(value) } else { total.saturating_mul(value) };
        match self.results {
            _ if self.range.contains(&self.total) => self.since = None,
            Results::Scan { exclusive: false, .. } => return self.overflow(index),
            Results::Scan { .. } => {}
            Results::Reduction => self.since = self.since.or(Some(index)),
        }
        Ok(())
    }

    /// Whether the results are sums that fit their type after `len` more elements within `of`, in whatever order these are.
    pub(crate) fn fits(&self, len: usize, of: &RangeInclusive<i128>) -> bool {
        let after = |value: i128| value.checked_mul(len as i128)?.checked_add(self.total);
        let within = |value| after(value).is_some_and(|total| self.range.contains(&total));
        let begins = self.range.contains(&self.total);
        self.op == Op::Sum && begins && within((*of.start()).min(0)) && within((*of.end()).max(0))
    }

    /// Ends a line: fails if its total is a result and does not fit.
    pub(crate) fn finish(&self) -> Result<()> {
        self.since.map_or(Ok(()), |index| self.overflow(index))
    }

    pub(crate) fn overflow(&self, index: usize) -> Result<()> {
        let &Self { op, element, total, .. } = self;
        let value = (total != i128::MAX && total != i128::MIN).then_some(total);
        Err(Error::Overflow { op, element, index, value })
    }
}

/// Returns the least element of `x` if `op` is a minimum, the largest one if it is a maximum.
pub(crate) fn extreme<T: Computed>(op: Op, x: &[T]) -> Result<Option<i128>> {
    let options = Options { exclusive: false, reverse: false, init: None, axis: None, offsets: None };
    let (device, kernels) = (Device::cpu(), kernels::<T>(op)?);
    let mut found = Buffer::zeroed(&device, 1)?;
    (kernels.reduce)(&options, &device, Total::Whole(&Buffer::new(&device, x)?, &mut found))?;
    Ok(found.as_slice().and_then(|found| found.first()?.number().integer()))
}
