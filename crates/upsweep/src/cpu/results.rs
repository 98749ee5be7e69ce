//! Where the results of a reduction go.

use super::blocks::Tuning;
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
    pub(super) tuning: Tuning,
}

impl<S: Steps> Results<S> {
    /// Checks that there is room for `expected` results, or exactly that.
    pub(super) fn expect(&self, expected: usize, exact: bool) -> Result<()> {
        let found = self.results;
        if found < expected || (exact && found != expected) {
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

    /// Checks that nothing reduces to something.
    pub(super) fn expect_empty(&self) -> Result<()> {
        if self.empty.is_none() {
            let operator = S::operator_name();
            return Err(Error::NoIdentity { operator, needed_by: "a reduction of what may be empty" });
        }
        Ok(())
    }

    pub(super) fn store_empty(&self, indices: Range<usize>) -> Result<()> {
        self.expect_empty()?;
        for index in indices {
            // SAFETY: the indices are those of results, and this thread alone works.
            unsafe { self.store(index, None) };
        }
        Ok(())
    }
}
