//! Host memory whose size follows the input: a failed allocation is an error and aborts nothing.
//!
//! ```
//! use upsweep_core::{error::Error, memory};
//!
//! assert_eq!(memory::filled(3, 7u8)?, [7, 7, 7]);
//! assert_eq!(memory::room::<u64>(1 << 59), Err(Error::OutOfMemory { bytes: 1 << 62 }));
//! # Ok::<(), Error>(())
//! ```
//!
//! `Vec::with_capacity`, `vec![0; n]` and `collect` abort the process where this module's functions return
//! [`Error::OutOfMemory`]. New memory is in [large pages](crate::pages) where it is long.

use crate::error::{Error, Result};
use crate::pages::prefer_large;
use std::cell::Cell;

thread_local! {
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// Returns an empty vector with room for `len` elements.
///
/// # Errors
/// [`Error::OutOfMemory`] when the memory cannot be allocated.
pub fn room<T>(len: usize) -> Result<Vec<T>> {
    let mut memory = Vec::new();
    reserve(&mut memory, len)?;
    Ok(memory)
}

/// Reserves room for exactly `more` elements after those of `memory`, if there is less.
///
/// # Errors
/// [`Error::OutOfMemory`] with the bytes of all elements; the vector stays as it is.
pub fn reserve<T>(memory: &mut Vec<T>, more: usize) -> Result<()> {
    let (bytes, before) = (memory.len().saturating_add(more).saturating_mul(size_of::<T>()), memory.capacity());
    ask(|| memory.try_reserve_exact(more)).map_err(|_| Error::OutOfMemory { bytes })?;
    if before == 0 {
        prefer_large(memory);
    }
    Ok(())
}

/// Returns `len` copies of `value`.
///
/// # Errors
/// [`Error::OutOfMemory`] when the memory cannot be allocated.
pub fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>> {
    let mut memory = room(len)?;
    memory.resize(len, value);
    Ok(memory)
}

/// Collects the first `len` of `elements`, or all if there are fewer.
///
/// # Errors
/// [`Error::OutOfMemory`] when the memory cannot be allocated.
pub fn collected<T>(len: usize, elements: impl IntoIterator<Item = T>) -> Result<Vec<T>> {
    let mut memory = room(len)?;
    memory.extend(elements.into_iter().take(len));
    Ok(memory)
}

/// Runs `ask`, which handles a failed allocation itself, as [`Vec::try_reserve`] does, and returns its result.
///
/// Some programs have an allocator that ends them when memory is missing. An allocator cannot see whether its caller
/// can recover; [`is_asking`] tells it. Without such an allocator, this is a call of `ask`.
pub fn ask<T>(ask: impl FnOnce() -> T) -> T {
    /// Value of `ASKS` before the call. Dropping it restores the value, also after a panic.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ASKS.set(self.0);
        }
    }
    let _before = Before(ASKS.replace(true));
    ask()
}

/// Whether this thread is within [`ask`].
#[must_use]
pub fn is_asking() -> bool {
    ASKS.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_is_known_until_the_answer() {
        assert!(!is_asking());
        assert!(ask(is_asking));
        ask(|| assert!(ask(is_asking) && is_asking()));
        assert!(std::panic::catch_unwind(|| ask(|| std::panic::resume_unwind(Box::new(())))).is_err());
        assert!(!is_asking());
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        assert_eq!(filled(usize::MAX, 0u32), Err(Error::OutOfMemory { bytes: usize::MAX }));
        assert_eq!(collected(1 << 60, 0u64..), Err(Error::OutOfMemory { bytes: 1 << 63 }));
        let mut memory = vec![1u16; 3];
        assert_eq!(reserve(&mut memory, 1 << 60), Err(Error::OutOfMemory { bytes: (1 << 61) + 6 }));
        assert_eq!(memory, [1; 3]);
        assert_eq!(collected(5, 0..3), Ok(vec![0, 1, 2]));
    }
}
