//! Where the results of a reduction go.

use crate::tile::run::Memory;
use std::ops::Range;
use upsweep_core::error::{Error, Result};
use upsweep_core::outputs::Write;
use upsweep_core::steps::Steps;

/// A reduction, apart from how its elements are grouped into results.
pub(crate) struct Results<S: Steps> {
    pub(crate) steps: S,
    /// `output` has `results` elements.
    pub(crate) memory: Memory<S::In, S::Out>,
    pub(crate) init: Option<S::Acc>,
    /// What nothing reduces to.
    pub(crate) empty: Option<S::Acc>,
    pub(crate) results: usize,
    pub(crate) threads: usize,
}

impl<S: Steps> Results<S> {
    /// Checks that there is room for `expected` results, which the builder did not know.
    pub(crate) fn expect_room(&self, expected: usize) -> Result<()> {
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
    pub(crate) unsafe fn store(&self, index: usize, value: Option<S::Acc>) {
        let value = match value {
            Some(value) => Some(self.init.map_or(value, |init| self.steps.combine(init, value))),
            None => self.empty,
        };
        if let Some(value) = value {
            // SAFETY: there is a result `index`, which nothing else accesses.
            unsafe { S::Out::write(&self.memory.sink, index, self.steps.store(value)) };
        }
    }

    /// Stores what nothing reduces to. The builder has checked that there is such a value.
    ///
    /// # Safety
    /// As [`store`](Self::store), for all `indices`.
    pub(crate) unsafe fn store_empty(&self, indices: Range<usize>) {
        for index in indices {
            // SAFETY: there are results of these indices, which nothing else accesses.
            unsafe { self.store(index, None) };
        }
    }
}
