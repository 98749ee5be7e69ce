//! A choice by a predicate on values that are computed while they are read, on the CPU.

use super::{Choose, Marks, Stretch};
use crate::error::Result;
use crate::inputs::{Faults, Read};
use crate::operator::Map;
use crate::sealed::Sealed;
use crate::segments::Equal;
use std::marker::PhantomData;

/// Selects the positions of the input `I` for whose values the predicate `P` holds. The values are read in the pass
/// that marks them, so the elements of the call are [unread](super::Among::Unread).
pub struct Computed<'g, 'x, I: Read, P> {
    pub input: &'g I::Given<'x>,
    pub predicate: P,
    /// Faults that are found while the values are read.
    pub faults: &'g Faults,
}

impl<I: Read, P: Map<I::Value, I::Args>, Args> Sealed<(I::Value, Args)> for Computed<'_, '_, I, P> {}
impl<I: Read, P> Choose<I::Value, I::Args> for Computed<'_, '_, I, P>
where
    P: Map<I::Value, I::Args, Output = bool> + Map<I::Value, Output = bool>,
{
    type Predicate = P;
    type Same = Equal;
    type Flag = bool;
    type Marks<'m>
        = OfPlace<'m, I, P>
    where
        Self: 'm;

    fn predicate(&self) -> P {
        self.predicate
    }
    fn same(&self) -> Equal {
        Equal
    }
    fn marks(&self) -> Result<OfPlace<'_, I, P>> {
        let len = I::len(self.input, "input")?.unwrap_or(0);
        let place = I::place(self.input, "input", self.faults)?;
        Ok(OfPlace { place, len, predicate: self.predicate, borrowed: PhantomData })
    }
}

/// Values of a [`Computed`] in host memory, and the predicate.
pub struct OfPlace<'m, I: Read, P> {
    place: I::Place,
    /// Number of values.
    len: usize,
    predicate: P,
    /// The borrow of the buffers.
    borrowed: PhantomData<&'m ()>,
}

impl<I: Read, P: Copy> Clone for OfPlace<'_, I, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Read, P: Copy> Copy for OfPlace<'_, I, P> {}

// SAFETY: the memory is that of a call, which borrows the buffers for as long as it runs. Values are only read.
unsafe impl<I: Read, P: Send> Send for OfPlace<'_, I, P> {}
// SAFETY: as above.
unsafe impl<I: Read, P: Sync> Sync for OfPlace<'_, I, P> {}

impl<I: Read, P> Marks<I::Value> for OfPlace<'_, I, P>
where
    P: Map<I::Value, I::Args, Output = bool>,
{
    #[inline(always)]
    fn mark(&self, x: Stretch<'_, I::Value>, keep: &mut [u8]) {
        for (keep, at) in keep.iter_mut().zip(x.start..self.len) {
            // SAFETY: the pointers are valid for as long as the call runs, nothing writes its inputs meanwhile, and
            // there are `len` values.
            let value = unsafe { I::read(&self.place, at) };
            *keep = u8::from(Map::<I::Value, I::Args>::apply(&self.predicate, value, at as u64));
        }
    }
}
