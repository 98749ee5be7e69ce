//! Overflow check of the parts of an array, one after the other.

use crate::check::{Results, Running, extreme};
use crate::values::room;
use crate::{Number, Op, Reduce, Result, Type, Values, View, with_view};
use upsweep::Device;

/// Overflow check of the parts of an array, one after the other: see [`Scan::running_check`](crate::Scan::running_check).
#[derive(Clone, Debug)]
pub struct RunningCheck {
    running: Running,
    /// Number of elements of all parts so far.
    position: usize,
}

/// Facts about a part of an array, from which a [`RunningCheck`] concludes that its sums fit.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    least: i128,
    largest: i128,
    /// Sum of the elements modulo 2^64.
    sum: u64,
}

impl RunningCheck {
    /// Makes the check of an array of `len` elements of type `of`. Returns `None` if their results fit whatever they are.
    pub(crate) fn new(
        op: Op,
        init: Option<Number>,
        (element, results): (Type, Results),
        (of, len): (Type, usize),
    ) -> Option<Self> {
        if element == Type::Bool || !matches!(op, Op::Sum | Op::Product) {
            return None;
        }
        let running = Running::new(op, init, element, results)?;
        let fits = of.integers().is_some_and(|of| running.fits(len, &of));
        (!fits).then_some(Self { running, position: 0 })
    }

    /// Measures the part `x`, which needs none of the parts before it: threads may measure several at once. `None` for
    /// products, and for elements that are no integers.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory)
    pub fn measure(&self, x: View<'_>) -> Result<Option<Extent>> {
        let Some(range) = x.element().integers().filter(|_| self.running.op == Op::Sum && x.element() != Type::Bool)
        else {
            return Ok(None);
        };
        let (least, largest) = with_view!(x, x => (extreme(Op::Min, x)?, extreme(Op::Max, x)?));
        let Some((least, largest)) = least.zip(largest).filter(|_| !x.is_empty()) else { return Ok(None) };
        let wide = if *range.start() < 0 { Type::I64 } else { Type::U64 };
        let sum = Reduce::new(Op::Sum).accumulate(wide).run(&Device::cpu(), x)?.unsigned();
        let Values::U64(sum) = sum else { return Ok(None) };
        Ok(sum.first().map(|&sum| Extent { least, largest, sum }))
    }

    /// Checks that the results of the part `x`, which comes after the parts so far, fit their type. `extent` is what
    /// [`measure`](Self::measure) returned for it. Only where that leaves a doubt, and for products, the results are computed
    /// once more, one after the other and in 128 bits.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow) with the first result of a scan that does not fit: its index counts from the first part,
    /// in reverse from the end of the array.
    pub fn part(&mut self, x: View<'_>, extent: Option<Extent>) -> Result<()> {
        let Self { running, position } = self;
        match extent.filter(|extent| running.fits(x.len(), &(extent.least..=extent.largest))) {
            // The new total fits 64 bits, which the sum modulo 2^64 therefore determines.
            Some(Extent { sum, .. }) => {
                let total = (running.total as u64).wrapping_add(sum);
                let signed = *running.range.start() < 0;
                running.total = if signed { i128::from(total as i64) } else { i128::from(total) };
            }
            None => with_view!(x, x => {
                let reverse = matches!(running.results, Results::Scan { reverse: true, .. });
                for k in 0..x.len() {
                    running.add(*position + k, x[if reverse { x.len() - 1 - k } else { k }])?;
                }
            }),
        }
        *position += x.len();
        Ok(())
    }

    /// Ends the array: fails if the total of a reduction does not fit its type, or that of a scan, which a carry hands on
    /// to other parts.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow); for a total that is handed on, with the index of the last element.
    pub fn finish(&self, handed_on: bool) -> Result<()> {
        let Self { running, position } = self;
        let is_result = handed_on || running.results == Results::Reduction;
        if is_result && !running.range.contains(&running.total) {
            return running.overflow(running.since.unwrap_or(position.saturating_sub(1)));
        }
        Ok(())
    }
}

/// Bounds of the running totals of lines that lie side by side, whose rows come part by part in any order: see
/// [`RunningCheck::bounds`].
#[derive(Clone, Debug)]
pub struct Bounds {
    low: i128,
    high: i128,
    /// Whether something that came leaves a doubt.
    in_doubt: bool,
}

/// Overflow checks of lines that lie side by side, each for itself.
#[derive(Clone, Debug)]
pub struct LineChecks(Vec<(Running, Result<()>)>);

impl RunningCheck {
    /// Begins bounds of lines each of which has this check.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds { low: self.running.total, high: self.running.total, in_doubt: false }
    }

    /// Whether the results of the lines with these bounds fit their type.
    #[must_use]
    pub fn fits(&self, bounds: &Bounds) -> bool {
        let range = &self.running.range;
        !bounds.in_doubt && range.contains(&bounds.low) && range.contains(&bounds.high)
    }

    /// Begins the checks of `lines` lines each of which has this check.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory)
    pub fn lines(&self, lines: usize) -> Result<LineChecks> {
        let mut checks = room(lines)?;
        checks.resize(lines, (self.running.clone(), Ok(())));
        Ok(LineChecks(checks))
    }
}

impl Bounds {
    /// Adds `rows` rows of which a check [measured](RunningCheck::measure) this `extent`.
    pub fn add(&mut self, rows: usize, extent: Option<Extent>) {
        let Some(Extent { least, largest, .. }) = extent else {
            self.in_doubt = true;
            return;
        };
        let rows = rows as i128;
        self.low = self.low.saturating_add(rows.saturating_mul(least.min(0)));
        self.high = self.high.saturating_add(rows.saturating_mul(largest.max(0)));
    }
}

impl LineChecks {
    /// Adds the next element of each line. The first has this `index`, and the others follow it.
    pub fn add(&mut self, row: View<'_>, index: usize) {
        with_view!(row, row => {
            for (k, ((running, found), &value)) in self.0.iter_mut().zip(row).enumerate() {
                if found.is_ok() {
                    *found = running.add(index + k, value);
                }
            }
        });
    }

    /// Ends all lines.
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow) with the first result of the first line that has one that does not fit.
    pub fn finish(self) -> Result<()> {
        self.0.into_iter().try_for_each(|(running, found)| found.and_then(|()| running.finish()))
    }
}
