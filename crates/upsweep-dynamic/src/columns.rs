//! Scans and reductions of lines that lie side by side, along an axis that is not the last, part by part: a part has some
//! rows, one after the other.
//!
//! The order of additions of floats is that of one call. A scan adds each column as a chain, or where there are few strips
//! of long columns, as chains of blocks of rows: each begins with what the blocks before add up to, as reductions do. Such a
//! chain goes on in the next part as one of which the result so far is the first element. A reduction's parts are subtrees,
//! as its columns are reduced in [a tree](upsweep_core::lanes) of leaves.

use crate::buffer::Buffer;
use crate::kernels::{Buffers, Computed, Options, Total, kernels};
use crate::totals::{narrowed, operand};
use crate::{Error, Op, Reduce, Result, Scan, Type, Values, View, ViewMut};
use upsweep::{Device, Shape};
use upsweep_core::lanes::LEAF;
use upsweep_core::segments::CpuSegments;
use upsweep_core::shape::product;
use upsweep_plan::cpu::{CpuJob, CpuKind, CpuPlan, Cut};

/// Scan of some neighbouring columns, whose rows come part by part.
#[derive(Clone, Debug)]
#[must_use = "a scan does nothing until it is given parts"]
pub struct ColumnScan {
    op: Op,
    element: Type,
    reverse: bool,
    plan: Plan,
    /// Running value of each column, if the scan has `begun`, and room for the rows of a call after it, in the type in which
    /// elements are combined.
    work: Values,
    begun: bool,
}

/// Order of a column scan.
#[derive(Clone, Copy, Debug)]
struct Plan {
    exclusive: bool,
    width: usize,
    /// Number of rows of a block, if a line has several.
    block: Option<usize>,
    /// Number of rows that one call adds as chains, after the running values.
    most: usize,
}

impl Scan<'_> {
    /// Whether the lines along the axis, of elements of type `of`, may be scanned some slabs at a time with the bits of one
    /// call on the CPU. A slab has the elements of one index of the axes before.
    ///
    /// # Errors
    /// [`Error::Upsweep`] when there is no such axis.
    pub fn keeps_bits_in_slabs(&self, of: Type) -> Result<bool> {
        let (op, shape) = (self.common.op, self.shape()?);
        let element = self.common.accumulate.unwrap_or(of);
        let rows = |shape| block_rows(op, element, operand(op, element), shape);
        Ok(shape.inner <= 1 || rows(shape) == rows(Shape { outer: 1, ..shape }))
    }

    /// Returns the number of rows of which each [part](ColumnScan::part) of a column scan but the last must have a multiple.
    ///
    /// # Errors
    /// [`Error::Upsweep`] when there is no such axis.
    pub fn rows_of_parts(&self, of: Type) -> Result<usize> {
        let element = self.common.accumulate.unwrap_or(of);
        Ok(block_rows(self.common.op, element, operand(self.common.op, element), self.shape()?).unwrap_or(1))
    }

    /// Begins a scan of `width` neighbouring columns of a slab on the CPU, whose parts have up to `rows` rows. Elements and
    /// results have the type of the computation, for elements of type `of`. The axis is not the last, and the operator
    /// [keeps bits in parts](Op::keeps_bits_in_parts): then the results have the bits of one call.
    ///
    /// ```
    /// use upsweep::Device;
    /// use upsweep_dynamic::{Op, Scan, Type, Values, View};
    ///
    /// let scan = Scan::new(Op::Sum).axis(&[3, 2], 0);
    /// let mut columns = scan.columns(Type::I64, 2, 2)?;
    /// let mut results = Values::zeroed(Type::I64, 4)?;
    /// columns.part(View::I64(&[1, 2, 3, 4]), results.view_mut())?;
    /// assert_eq!(results, Values::I64(vec![1, 2, 4, 6]));
    /// columns.part(View::I64(&[5, 6]), Values::zeroed(Type::I64, 2)?.view_mut())?;
    /// # Ok::<(), upsweep_dynamic::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn columns(&self, of: Type, width: usize, rows: usize) -> Result<ColumnScan> {
        let op = self.common.op;
        let element = self.common.accumulate.unwrap_or(of);
        self.common.begin(0, element)?;
        let combined = operand(op, element);
        // A call on so many rows, one of them running values, adds them as a chain: it is one block.
        let chain =
            block_rows(op, combined, combined, Shape { outer: 1, len: usize::MAX / width.max(1), inner: width });
        let most = chain.map_or(rows, |chain| rows.min(chain - 1)).max(1);
        let plan =
            Plan { exclusive: self.exclusive, width, block: block_rows(op, element, combined, self.shape()?), most };
        let mut work = Values::zeroed(combined, (most + 1) * width)?;
        work = if op.keeps_bits() { work.unsigned() } else { work };
        let mut begun = false;
        macro_rules! of_types {
            ($($variant:ident)*) => {
                match &mut work {
                    $(Values::$variant(work) => if let Some(init) = self.common.initial(combined)? {
                        work.iter_mut().take(width).for_each(|running| *running = init);
                        begun = true;
                    })*
                }
            };
        }
        of_types! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
        Ok(ColumnScan { op, element, reverse: self.reverse, plan, work, begun })
    }

    fn shape(&self) -> Result<Shape> {
        let len = self.common.axis.map_or(0, |(shape, _)| product(shape));
        Ok(Shape::new(self.common.axis, len)?)
    }
}

/// Returns the number of rows of a block of a scan along an axis that is not the last, if a line has several, and the blocks
/// show in the bits. `combined` is the type in which elements are combined.
fn block_rows(op: Op, element: Type, combined: Type, shape: Shape) -> Option<usize> {
    if element.integers().is_some() || !matches!(op, Op::Sum | Op::Product) {
        return None;
    }
    let bytes = [element.size(), combined.size(), element.size()];
    let segments = CpuSegments::None;
    let job = CpuJob { kind: CpuKind::Scan, shape, segments, bytes, tile: 1, in_place: false, pitch: None };
    match CpuPlan::new(job).cut {
        Cut::Strips(strips) if strips.blocks_per_unit > 1 => Some(strips.rows(0).len()),
        _ => None,
    }
}

impl ColumnScan {
    /// Scans the rows of `x` to `out`, after those of the parts before. In reverse, parts come from the last row on.
    ///
    /// # Errors
    /// [`Error::Options`] when `out` has another type or length; as [`Scan::run`].
    pub fn part(&mut self, x: View<'_>, mut out: ViewMut<'_>) -> Result<()> {
        if (out.element(), out.len()) != (x.element(), x.len()) {
            let reason = "they have different types or lengths: give one like the other";
            return Err(Error::Options { options: "x and out", reason });
        }
        let reversed = if self.reverse { Some(rows_reversed(x, self.plan.width)?) } else { None };
        let x = reversed.as_ref().map_or(x, Values::view);
        let combined = operand(self.op, self.element);
        if combined == self.element {
            self.combined(x, &mut out)?;
        } else {
            let wide = x.to_type(combined)?;
            let mut results = Values::zeroed(combined, x.len())?;
            self.combined(wide.view(), &mut results.view_mut())?;
            out.put(0, narrowed(results, self.element).view());
        }
        if self.reverse {
            let results = rows_reversed(out.view(), self.plan.width)?;
            out.put(0, results.view());
        }
        Ok(())
    }

    /// Scans rows in the type in which elements are combined, in the order of the scan.
    fn combined(&mut self, x: View<'_>, out: &mut ViewMut<'_>) -> Result<()> {
        let Self { op, plan, ref mut work, ref mut begun, .. } = *self;
        let x = if op.keeps_bits() { x.unsigned() } else { x };
        let mut unsigned = out.reborrowed();
        unsigned = if op.keeps_bits() { unsigned.unsigned() } else { unsigned };
        macro_rules! of_types {
            ($($variant:ident)*) => {
                match (x, unsigned, work) {
                    $((View::$variant(x), ViewMut::$variant(out), Values::$variant(work)) => {
                        plan.scan(op, x, out, work, begun)
                    })*
                    _ => Err(Error::Options { options: "a part", reason: "it is of another type than the scan" }),
                }
            };
        }
        of_types! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
    }
}

impl Plan {
    fn scan<T: Computed>(self, op: Op, x: &[T], out: &mut [T], work: &mut [T], begun: &mut bool) -> Result<()> {
        let Self { exclusive, width, block, most } = self;
        let (kernels, device) = (kernels::<T>(op)?, Device::cpu());
        let rows = x.len() / width.max(1);
        let reduced = |x: &[T]| -> Result<Vec<T>> {
            let mut totals = Buffer::zeroed(&device, width)?;
            let shape = [x.len() / width, width];
            (kernels.reduce)(&down(&shape), &device, Total::Whole(&Buffer::new(&device, x)?, &mut totals))?;
            totals.into_vec()
        };
        let block_rows = block.unwrap_or(rows).max(1);
        for start in (0..rows).step_by(block_rows) {
            let end = (start + block_rows).min(rows);
            // The running values after the block are not the results of its last row, but what reductions add up to.
            let after = match block {
                None => None,
                Some(_) => {
                    let own = reduced(&x[start * width..end * width])?;
                    Some(if *begun { reduced(&[&work[..width], &own].concat())? } else { own })
                }
            };
            for from in (start..end).step_by(most) {
                let part = from * width..(from + most).min(end) * width;
                let head = if *begun { width } else { 0 };
                let all = head + part.len();
                work[head..all].copy_from_slice(&x[part.clone()]);
                (kernels.scan)(
                    &down(&[all / width, width]),
                    &device,
                    Buffers::InPlace(&mut Buffer::Borrowed(&mut work[..all])),
                )?;
                let out = &mut out[part];
                match (exclusive, *begun) {
                    (false, _) => out.copy_from_slice(&work[head..all]),
                    (true, true) => out.copy_from_slice(&work[..all - width]),
                    (true, false) => {
                        let (first, others) = out.split_at_mut(width);
                        first.fill(identity(op)?);
                        others.copy_from_slice(&work[..all - width]);
                    }
                }
                work.copy_within(all - width..all, 0);
                *begun = true;
            }
            if let Some(after) = after {
                work[..width].copy_from_slice(&after);
            }
        }
        Ok(())
    }
}

/// Options of a call down the columns of a matrix of this shape.
fn down<T>(shape: &[usize]) -> Options<'_, T> {
    Options { exclusive: false, reverse: false, init: None, axis: Some((shape, 0)), offsets: None }
}

/// Returns the first result of an exclusive scan, which comes before all elements.
fn identity<T: Computed>(op: Op) -> Result<T> {
    let (device, mut total) = (Device::cpu(), Buffer::zeroed(&Device::cpu(), 1)?);
    let options = Options { exclusive: false, reverse: false, init: None, axis: None, offsets: None };
    (kernels::<T>(op)?.reduce)(&options, &device, Total::Whole(&Buffer::new(&device, &[][..])?, &mut total))?;
    Ok(total.as_slice().and_then(|total| total.first().copied()).unwrap_or_default())
}

/// Copies the rows of `width` values in reverse order.
fn rows_reversed(x: View<'_>, width: usize) -> Result<Values> {
    let mut reversed = Values::zeroed(x.element(), x.len())?;
    for (row, start) in (0..x.len()).step_by(width.max(1)).enumerate() {
        reversed.view_mut().put(x.len() - (row + 1) * width, x.part(start..start + width));
    }
    Ok(reversed)
}

/// Reduction of some neighbouring columns, of which parts were reduced to their [totals](Reduce::totals_of_columns).
#[derive(Clone, Debug, Default)]
#[must_use = "totals do nothing until they are put together"]
pub struct ColumnTotals {
    /// Totals of subtrees, the leftmost and largest first: one for each set bit of the number of parts so far.
    subtrees: Vec<Values>,
    parts: usize,
}

impl Reduce<'_> {
    /// Number of rows of a part of a reduction of columns: that of each but the last is this times a power of two. The
    /// totals then have the bits of one call, if the operator [keeps them](Op::keeps_bits_in_parts).
    pub const ROWS: usize = LEAF;

    /// Reduces each of the `width` columns of `x`, a part, without the initial value: see [`ColumnTotals`].
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn totals_of_columns(&self, device: &Device, x: View<'_>, width: usize) -> Result<Values> {
        let op = self.common.op;
        let element = self.common.accumulate.unwrap_or(x.element());
        let shape = [x.len() / width.max(1), width];
        let reduce = Reduce::new(op).axis(&shape, 0);
        match operand(op, element) {
            combined if combined == element => reduce.accumulate(element).run(device, x),
            combined => reduce.accumulate(combined).run(device, self.common.typed(x)?.view()),
        }
    }
}

impl ColumnTotals {
    /// Adds the totals of the next part.
    ///
    /// # Errors
    /// As [`Reduce::run`].
    pub fn push(&mut self, reduce: &Reduce<'_>, mut totals: Values) -> Result<()> {
        for _ in 0..self.parts.trailing_ones() {
            let Some(left) = self.subtrees.pop() else { break };
            totals = both(reduce.common.op, &left, &totals)?;
        }
        self.subtrees.push(totals);
        self.parts += 1;
        Ok(())
    }

    /// Returns the totals of all columns, and begins anew. `of` is the type of the elements.
    ///
    /// # Errors
    /// As [`Reduce::run`].
    pub fn finish(&mut self, reduce: &Reduce<'_>, of: Type) -> Result<Values> {
        self.parts = 0;
        let element = reduce.common.accumulate.unwrap_or(of);
        let Some(mut totals) = self.subtrees.pop() else { return Values::zeroed(element, 0) };
        while let Some(left) = self.subtrees.pop() {
            totals = both(reduce.common.op, &left, &totals)?;
        }
        if let Some(init) = reduce.common.init {
            let shape = [1, totals.len()];
            totals = Reduce::new(reduce.common.op).axis(&shape, 0).init(init).run(&Device::cpu(), totals.view())?;
        }
        Ok(narrowed(totals, element))
    }
}

/// Combines the totals of neighbouring subtrees.
fn both(op: Op, left: &Values, right: &Values) -> Result<Values> {
    let (width, mut rows) = (left.len(), Values::zeroed(left.element(), left.len() + right.len())?);
    rows.view_mut().put(0, left.view());
    rows.view_mut().put(width, right.view());
    Reduce::new(op).axis(&[2, width], 0).run(&Device::cpu(), rows.view())
}
