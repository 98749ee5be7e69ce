//! Results of a reduction and their stores.

use crate::tile::run::Memory;
use std::ops::Range;
use upsweep_core::error::{Error, Result};
use upsweep_core::outputs::Write;
use upsweep_core::steps::Steps;

/// Operands of a reduction, except how its elements are grouped into results.
pub(crate) struct Results<S: Steps> {
    pub(crate) steps: S,
    /// Input, and output of `results` elements.
    pub(crate) memory: Memory<S::In, S::Out>,
    pub(crate) init: Option<S::Acc>,
    /// Result for a group of no elements, if there is one.
    pub(crate) empty: Option<S::Acc>,
    pub(crate) results: usize,
    pub(crate) threads: usize,
}

impl<S: Steps> Results<S> {
    /// Checks that there is room for `expected` results, a number that the builder did not know.
    pub(crate) fn expect_room(&self, expected: usize) -> Result<()> {
        let found = self.results;
        if found < expected {
            return Err(Error::Length { what: "output", found, expected });
        }
        Ok(())
    }

    /// Stores result `index`: the initial value combined with `value`. If `value` is `None`, stores the result for no
    /// elements.
    ///
    /// # Safety
    /// `index` is less than the number of results, and nothing else accesses that result meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn store(&self, index: usize, value: Option<S::Acc>) {
        let value = match value {
            Some(value) => Some(self.init.map_or(value, |init| self.steps.combine(init, value))),
            None => self.empty,
        };
        if let Some(value) = value {
            // SAFETY: `index` is less than the number of results, and nothing else accesses that result.
            unsafe { S::Out::write(&self.memory.sink, index, self.steps.store(value)) };
        }
    }

    /// Stores the result for no elements at each of `indices`. The builder has checked that there is such a value.
    ///
    /// # Safety
    /// All `indices` are less than the number of results, and nothing else accesses these results meanwhile.
    pub(crate) unsafe fn store_empty(&self, indices: Range<usize>) {
        for index in indices {
            // SAFETY: the indices are less than the number of results, and nothing else accesses these results.
            unsafe { self.store(index, None) };
        }
    }
}
