//! Reductions of an array in parts: one after the other by a carry, or in any order by their totals.

use crate::buffer::Buffer;
use crate::carry::{Carry, Operation};
use crate::check::Results;
use crate::kernels::{Computed, Options, Total, kernels};
use crate::running::RunningCheck;
use crate::{Error, Number, Op, Reduce, Result, Type, Value, Values, View, f16};
use std::ops::Range;
use upsweep::Device;

impl Reduce<'_> {
    /// Length of a chunk of an array that is reduced by [`total`](Self::total): that of each but the last is this times a
    /// power of two. The total of the array then has the bits of one call, if the operator
    /// [keeps them](Op::keeps_bits_in_parts).
    pub const CHUNK: usize = upsweep_core::lanes::ROWS * upsweep_core::lanes::MOST_LANES;

    /// Reduces `x`, a chunk of an array, to its total, without the initial value: see [`of_totals`](Self::of_totals).
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`] along an axis and with segments.
    pub fn total(&self, device: &Device, x: View<'_>) -> Result<Number> {
        if self.common.axis.is_some() || !matches!(self.common.segments, crate::Segments::Whole) {
            let reason = "each line or segment has a total of its own: reduce the whole array";
            return Err(Error::Options { options: "the total of a chunk", reason });
        }
        let element = self.common.accumulate.unwrap_or(x.element());
        let operand = operand(self.common.op, element);
        let reduce = Reduce::new(self.common.op).accumulate(element);
        let total = match operand == element {
            true => reduce.run(device, x)?,
            false => reduce.accumulate(operand).run(device, self.common.typed(x)?.view())?,
        };
        let total = crate::with_values!(total, total => total.first().map(|&total| total.number()));
        total.ok_or_else(|| upsweep::Error::Length { what: "total", found: 0, expected: 1 }.into())
    }

    /// Reduces an array of elements of type `of` whose chunks have these [totals](Self::total), in their order: to one value,
    /// with the bits of [`run`](Self::run) on the whole array.
    ///
    /// ```
    /// use upsweep_dynamic::{Op, Reduce, Type, View};
    ///
    /// let (device, reduce) = (upsweep::Device::cpu(), Reduce::new(Op::Sum).init(0.5f32));
    /// let x: Vec<f32> = (0..10_000).map(|k| k as f32 * 0.1).collect();
    /// let totals = x.chunks(4 * Reduce::CHUNK).map(|x| reduce.total(&device, View::F32(x)));
    /// let totals = totals.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(reduce.of_totals(Type::F32, &totals)?, reduce.run(&device, View::F32(&x))?);
    /// # Ok::<(), upsweep_dynamic::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Inexact`] for numbers that are no totals of such an array; [`Error::OutOfMemory`]; and as
    /// [`run`](Self::run).
    pub fn of_totals(&self, of: Type, totals: &[Number]) -> Result<Values> {
        let (op, device) = (self.common.op, Device::cpu());
        let element = self.common.accumulate.unwrap_or(of);
        let operand = operand(op, element);
        let totals = crate::with_type!(operand, T => values::<T>(totals)?);
        let len = totals.len();
        let totals = if len > 1 { combined(op, &device, totals, vec![0, len], &none(operand))? } else { totals };
        let reduce = Reduce::new(op);
        let reduce = self.common.init.map_or(reduce, |init| reduce.init(init));
        Ok(narrowed(reduce.run(&device, totals.view())?, element))
    }

    /// Reduces `x`, a part of an array, after the parts before it, and returns the total of all of them, one value. `carry`
    /// has the state after those, and then the state after this one. The total has the bits of one call on the whole
    /// array, if the operator [keeps them](Op::keeps_bits_in_parts). An initial value comes before the total that is returned;
    /// no carry has it.
    ///
    /// ```
    /// use upsweep_dynamic::{Carry, Op, Reduce, Values, View};
    ///
    /// let device = upsweep::Device::cpu();
    /// let (reduce, mut carry) = (Reduce::new(Op::Sum), Carry::new());
    /// assert_eq!(reduce.run_part(&device, View::U32(&[3, 1, 7]), &mut carry)?, Values::U32(vec![11]));
    /// assert_eq!(reduce.run_part(&device, View::U32(&[0, 4]), &mut carry)?, Values::U32(vec![15]));
    /// # Ok::<(), upsweep_dynamic::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run). [`Error::Carry`] when the carry is of another kind of call, operator or type.
    /// [`Error::Options`] with segments; [`Error::Upsweep`] along an axis.
    pub fn run_part(&self, device: &Device, x: View<'_>, carry: &mut Carry) -> Result<Values> {
        if !matches!(self.common.segments, crate::Segments::Whole) {
            let reason = "each segment has a total of its own: reduce the whole array";
            return Err(Error::Options { options: "a part of an array", reason });
        }
        let typed = self.common.typed(x)?;
        let (op, element) = (self.common.op, typed.view().element());
        carry.expect(Operation::Reduction, op, element)?;
        self.common.begin(x.len(), element)?;
        let (computed, call) = (typed.computed(op), (Operation::Reduction, op, element));
        let total = crate::with_view!(computed.view(), x => self.part(device, x, element, &mut carry.carry))?;
        carry.call = Some(call);
        Ok(total)
    }

    fn part<T: Computed>(&self, device: &Device, x: &[T], element: Type, carry: &mut upsweep::Carry) -> Result<Values>
    where
        Values: From<Vec<T>>,
    {
        let (init, axis) = (self.common.initial(element)?, self.common.axis);
        let options = Options { exclusive: false, reverse: false, init, axis, offsets: None };
        let (x, mut total) = (Buffer::new(device, x)?, Buffer::zeroed(device, 1)?);
        (kernels::<T>(self.common.op)?.reduce)(&options, device, Total::Part(&x, &mut total, carry))?;
        Ok(Values::from(total.into_vec()?).back_to(element))
    }

    /// Makes the [check for overflow](Self::check_overflow) of parts, `len` elements of type `of` in all, after those of
    /// `carry`. Returns `None` if the total fits, whatever the elements are.
    ///
    /// # Errors
    /// [`Error::Operator`]; [`Error::Inexact`] for the initial value; [`Error::Carry`] when the carry is of another kind of
    /// call, operator or type.
    pub fn running_check(&self, carry: &Carry, of: Type, len: usize) -> Result<Option<RunningCheck>> {
        let element = self.common.accumulate.unwrap_or(of);
        self.common.begin(0, element)?;
        let (op, init) = (self.common.op, self.common.init.and_then(Number::integer));
        let total = match carry.call.filter(|_| carry.position() > 0) {
            None => init,
            // Nothing more has the total of what came before.
            Some((_, _, before)) => {
                let nothing = Values::zeroed(before, 0)?;
                let total = Reduce::new(op).run_part(&Device::cpu(), nothing.view(), &mut carry.copied()?)?;
                let total =
                    crate::with_values!(total, total => total.first().and_then(|&total| total.number().integer()));
                match (init, total) {
                    (Some(init), Some(total)) if op == Op::Product => Some(init.saturating_mul(total)),
                    (Some(init), Some(total)) => Some(init.saturating_add(total)),
                    (_, total) => total,
                }
            }
        };
        let total = total.map(Number::Integer);
        Ok(RunningCheck::new(self.common.op, total, (element, Results::Reduction), (of, len)))
    }
}

/// Returns the type in which elements are combined: sums of f16 are combined in f32, and rounded once.
pub(crate) fn operand(op: Op, element: Type) -> Type {
    if (op, element) == (Op::Sum, Type::F16) { Type::F32 } else { element }
}

/// Rounds what was combined in the type of [`operand`] to `element`.
pub(crate) fn narrowed(combined: Values, element: Type) -> Values {
    match combined {
        Values::F32(x) if element == Type::F16 => Values::F16(x.iter().map(|&x| f16::from_f32(x)).collect()),
        other => other,
    }
}

/// Puts the totals of subtrees together, which for group `i` are from `offsets[i]` to `offsets[i + 1]`: the tree above is that
/// of pairs, see [`upsweep_core::lanes`]. A group without totals has the value `identity`.
pub(crate) fn combined(
    op: Op,
    device: &Device,
    mut totals: Values,
    mut offsets: Vec<usize>,
    identity: &Values,
) -> Result<Values> {
    let ranges = |offsets: &[usize]| offsets.windows(2).map(|pair| pair[0]..pair[1]).collect::<Vec<_>>();
    loop {
        let groups = ranges(&offsets);
        if groups.iter().all(|group| group.len() <= 1) {
            let mut results = none(totals.element());
            for group in groups {
                let total = totals.view().part(group.clone());
                results.append(if group.is_empty() { identity.view() } else { total })?;
            }
            return Ok(results);
        }
        let pairs = groups.iter().map(|group| group.start..group.end - group.len() % 2);
        let len = pairs.clone().map(|range| range.len()).sum::<usize>();
        let paired = gathered(totals.view(), pairs, len)?;
        let paired = Reduce::new(op).axis(&[len / 2, 2], 1).run(device, paired.view())?;
        let (mut next, mut from) = (none(totals.element()), 0);
        for (group, k) in groups.iter().zip(1..) {
            let (half, odd) = (group.len() / 2, group.len() % 2);
            next.append(paired.view().part(from..from + half))?;
            next.append(totals.view().part(group.end - odd..group.end))?;
            from += half;
            offsets[k] = offsets[k - 1] + half + odd;
        }
        totals = next;
    }
}

/// Copies the elements of the ranges, `len` in all, one after the other.
pub(crate) fn gathered(x: View<'_>, ranges: impl Iterator<Item = Range<usize>>, len: usize) -> Result<Values> {
    Ok(crate::with_view!(x, x => {
        let mut all = crate::values::room(len)?;
        ranges.for_each(|range| all.extend_from_slice(&x[range]));
        all.into()
    }))
}

/// Makes an array of this type without elements.
pub(crate) fn none(element: Type) -> Values {
    crate::with_type!(element, T => Vec::<T>::new().into())
}

fn values<T: Value>(numbers: &[Number]) -> Result<Values>
where
    Values: From<Vec<T>>,
{
    let mut values = crate::values::room(numbers.len())?;
    for (index, &number) in numbers.iter().enumerate() {
        let inexact = Error::Inexact { what: "the total", index: Some(index), number, element: T::TYPE };
        values.push(T::exactly(number).ok_or(inexact)?);
    }
    Ok(values.into())
}
