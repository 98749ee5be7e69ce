//! Overflow check: whether the results of a sum or product of integers fit their type.

use crate::buffer::Buffer;
use crate::kernels::{Computed, Options, kernels};
use crate::segments::Heads;
use crate::{Error, Number, Op, Result, Type, Value, View, with_view};
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
        let init = self.init.unwrap_or(Number::Integer(0)).integer();
        let (Op::Sum, Some(results), Some(of_type), Some(init)) =
            (self.op, self.element.integers(), x.element().integers(), init)
        else {
            return Ok(false);
        };
        let fits = |value: i128| {
            let sum = value.checked_mul(x.len() as i128).and_then(|sum| sum.checked_add(init));
            sum.is_some_and(|sum| results.contains(&sum))
        };
        // If even `n` times the least and the largest value of the elements' type fit, the elements need not be read.
        if fits(*of_type.start()) && fits(*of_type.end()) {
            return Ok(true);
        }
        if x.element() == Type::Bool {
            return Ok(false);
        }
        let (least, largest) = with_view!(x, x => (extreme(Op::Min, x)?, extreme(Op::Max, x)?));
        Ok(least.is_some_and(|least| fits(least.min(0))) && largest.is_some_and(|largest| fits(largest.max(0))))
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
        let (op, element) = (self.op, self.element);
        let Some(range) = element.integers() else { return Ok(()) };
        let identity = i128::from(op == Op::Product);
        let mut total = self.init.and_then(Number::integer).unwrap_or(identity);
        let overflow = |index, total: i128| {
            let value = (total != i128::MAX && total != i128::MIN).then_some(total);
            Err(Error::Overflow { op, element, index, value })
        };
        // Index of the element from which on the running total of a reduction does not fit the type of the results.
        let mut since = None;
        for k in 0..line.len {
            let at = |k| match self.results {
                Results::Scan { reverse: true, .. } => line.start + (line.len - 1 - k) * line.step,
                _ => line.start + k * line.step,
            };
            let Some(value) = x[at(k)].number().integer() else { return Ok(()) };
            // A total that saturated in 128 bits is out of the range of every element type. Only a factor 0 brings it
            // back.
            total = if op == Op::Sum { total.saturating_add(value) } else { total.saturating_mul(value) };
            if range.contains(&total) {
                since = None;
                continue;
            }
            match self.results {
                Results::Scan { exclusive: false, .. } => return overflow(at(k), total),
                // The total of all elements of a line is no result of an exclusive scan.
                Results::Scan { exclusive: true, .. } if k + 1 < line.len => return overflow(at(k + 1), total),
                Results::Scan { .. } => {}
                Results::Reduction => since = since.or(Some(at(k))),
            }
        }
        since.map_or(Ok(()), |index| overflow(index, total))
    }
}

/// Returns the least element of `x` if `op` is a minimum, the largest one if it is a maximum.
fn extreme<T: Computed>(op: Op, x: &[T]) -> Result<Option<i128>> {
    let options = Options { exclusive: false, reverse: false, init: None, axis: None, offsets: None };
    let (device, kernels) = (Device::cpu(), kernels::<T>(op)?);
    let mut found = Buffer::zeroed(&device, 1)?;
    (kernels.reduce)(&options, &device, &Buffer::new(&device, x)?, &mut found)?;
    Ok(found.as_slice().and_then(|found| found.first()?.number().integer()))
}
