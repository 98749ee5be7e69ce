//! Faults that the CPU finds in an input while it reads it.

use crate::error::{Error, Result};
use std::sync::{Mutex, PoisonError};

/// Fault that was found in an input while it was read, at the lowest position, if there is one: an index outside its
/// table.
#[derive(Debug, Default)]
pub struct Faults(Mutex<Option<Error>>);

impl Faults {
    /// Records that at position `at` the input has `index`, outside a table of `len` elements.
    #[cold]
    pub fn index(&self, at: usize, index: i128, len: usize) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*first, Some(Error::Index { at: before, .. }) if before <= at) {
            *first = Some(Error::Index { at, index, len });
        }
    }

    /// Returns the fault as an error, if there is one.
    ///
    /// # Errors
    /// The fault, if there is one.
    pub fn check(self) -> Result<()> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
