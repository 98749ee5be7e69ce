//! Where the results of a reduction go.

use super::run::Memory;
use crate::error::{Error, Result};
use crate::steps::Steps;
use std::ops::Range;

/// A reduction, apart from how its elements are grouped into results.
pub(super) struct Results<S: Steps> {
    pub(super) steps: S,
    /// `output` has `results` elements.
    pub(super) memory: Memory<S::In, S::Out>,
    pub(super) init: Option<S::Acc>,
    /// What nothing reduces to.
    pub(super) empty: Option<S::Acc>,
    pub(super) results: usize,
    pub(super) threads: usize,
}

impl<S: Steps> Results<S> {
    /// Checks that there is room for `expected` results, which the builder did not know.
    pub(super) fn expect_room(&self, expected: usize) -> Result<()> {
        let found = self.results;
        if found < expected {
            return Err(Error::Length { what: "output", found, expected });
        }
        Ok(())
    }

    /// Stores the result `value`, after the initial value, as number `index`. Without a value it is that of nothing.
    ///
    /// # Safety
    /// `index` is less than the number of results, and nothing else accesses that result meanwhile.
    #[inline(always)]
    pub(super) unsafe fn store(&self, index: usize, value: Option<S::Acc>) {
        let value = match value {
            Some(value) => Some(self.init.map_or(value, |init| self.steps.combine(init, value))),
            None => self.empty,
        };
        if let Some(value) = value {
            // SAFETY: the caller's promise.
            unsafe { self.memory.output.add(index).write(self.steps.store(value)) };
        }
    }

    /// Stores what nothing reduces to. The builder has checked that there is such a value.
    ///
    /// # Safety
    /// As [`store`](Self::store), for all `indices`.
    pub(super) unsafe fn store_empty(&self, indices: Range<usize>) {
        for index in indices {
            // SAFETY: the caller's promise.
            unsafe { self.store(index, None) };
        }
    }
}
