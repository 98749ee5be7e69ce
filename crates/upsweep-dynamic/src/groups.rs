//! Reduction of groups whose elements come in batches.
//!
//! The total of a group has the bits of a reduction of its elements alone: its tree begins with its first element, and does
//! not depend on the other groups, as that of segments does.
//!
//! ```text
//! of a batch      cut each group into chunks of CHUNK elements, the last of which may be shorter
//!                 reduce all chunks of one length at once, as lines of a matrix
//!                 note their totals, each with its group
//! in the end      sort the totals by their groups
//!                 while a group has several: put each two neighbours together, of all groups at once
//!                 put the initial value before the total of each group
//! ```

use crate::totals::{combined, gathered, narrowed, none, operand};
use crate::{Number, Op, Reduce, Result, Type, Values, View};
use std::cmp::Reverse;
use std::ops::Range;
use upsweep::Device;

/// Number of elements that are reduced in one call, few enough for a cache.
const CALL: usize = 1 << 17;

/// Totals of groups so far.
///
/// ```
/// use upsweep::Device;
/// use upsweep_dynamic::{GroupTotals, Op, Type, Values, View};
///
/// let mut totals = GroupTotals::new(Op::Sum, Type::I64);
/// totals.add(&Device::cpu(), View::I64(&[3, 1, 7]), &[0..2, 2..3])?;
/// assert_eq!(totals.finish(&Device::cpu(), 3)?, Values::I64(vec![4, 7, 0]));
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "totals do nothing until they are put together"]
pub struct GroupTotals {
    op: Op,
    element: Type,
    /// Value before the elements of each group.
    init: Option<Number>,
    /// Totals of chunks, in the type in which elements are combined, and the group of each.
    totals: Values,
    groups: Vec<u32>,
}

impl GroupTotals {
    /// Begins totals by `op`, of this type.
    pub fn new(op: Op, element: Type) -> Self {
        let none = none(operand(op, element));
        Self { op, element, init: None, totals: none, groups: Vec::new() }
    }

    /// Sets the value that comes before the elements of each group.
    pub fn init(self, init: impl Into<Number>) -> Self {
        Self { init: Some(init.into()), ..self }
    }

    /// Adds elements: those of group `i` are `x[ranges[i]]`. In all batches but the last with elements of a group, their
    /// number is a multiple of [`Reduce::CHUNK`].
    ///
    /// # Errors
    /// [`Error::Operator`](crate::Error::Operator), [`Error::OutOfMemory`](crate::Error::OutOfMemory), and as
    /// [`Reduce::run`].
    pub fn add(&mut self, device: &Device, x: View<'_>, ranges: &[Range<usize>]) -> Result<()> {
        let combined = operand(self.op, self.element);
        let mut chunks = Vec::new();
        for (range, group) in ranges.iter().zip(0u32..) {
            for begin in range.clone().step_by(Reduce::CHUNK) {
                chunks.push((begin..range.end.min(begin + Reduce::CHUNK), group));
            }
        }
        // The shorter chunk of a group is its last.
        chunks.sort_by_key(|(chunk, _)| Reverse(chunk.len()));
        for chunks in chunks.chunk_by(|(a, _), (b, _)| a.len() == b.len()) {
            let Some(((first, _), (last, _))) = chunks.first().zip(chunks.last()) else { continue };
            let len = first.len();
            // Those of one group lie beside each other.
            let in_place = last.end - first.start == chunks.len() * len;
            for chunks in chunks.chunks(if in_place { chunks.len() } else { CALL / len }) {
                let lines = match in_place {
                    true => None,
                    false => Some(gathered(x, chunks.iter().map(|(chunk, _)| chunk.clone()), chunks.len() * len)?),
                };
                let lines = lines.as_ref().map_or(x.part(first.start..last.end), Values::view);
                let typed = match combined == self.element || lines.element() == self.element {
                    true => None,
                    false => Some(lines.to_type(self.element)?),
                };
                let shape = [chunks.len(), len];
                let reduce = Reduce::new(self.op).axis(&shape, 1).accumulate(combined);
                let totals = reduce.run(device, typed.as_ref().map_or(lines, Values::view))?;
                self.totals.append(totals.view())?;
                self.groups.extend(chunks.iter().map(|&(_, group)| group));
            }
        }
        Ok(())
    }

    /// Returns the totals, multiplied by a power of two: those of floats that were multiplied by it.
    pub fn scaled(&self, by: f64) -> Self {
        let mut scaled = self.clone();
        if let Values::F64(totals) = &mut scaled.totals {
            totals.iter_mut().for_each(|total| *total *= by);
        }
        scaled
    }

    /// Returns the totals of the first `count` groups; the operator's identity for those without elements.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and as [`Reduce::run`].
    pub fn finish(self, device: &Device, count: usize) -> Result<Values> {
        let Self { op, element, init, totals, groups } = self;
        let mut places: Vec<usize> = (0..groups.len()).collect();
        places.sort_by_key(|&place| groups[place]);
        let mut offsets = vec![0; count + 1];
        groups.iter().for_each(|&group| offsets[group as usize + 1] += 1);
        (0..count).for_each(|group| offsets[group + 1] += offsets[group]);
        let sorted = gathered(totals.view(), places.iter().map(|&place| place..place + 1), places.len())?;
        let identity = Reduce::new(op).run(device, none(sorted.element()).view())?;
        let mut totals = combined(op, device, sorted, offsets, &identity)?;
        if let Some(init) = init {
            totals = Reduce::new(op).init(init).axis(&[count, 1], 1).run(device, totals.view())?;
        }
        Ok(narrowed(totals, element))
    }
}
