//! Status words: memory through which a kernel's blocks communicate.

use super::constants::{Constants, constants};

/// Largest value, in bytes, that fits in a status word of 8 bytes, beside the launch's epoch (the number that tells its
/// words from those of earlier launches).
const SMALL_STATE: usize = 4;
/// Number of bytes of a value that a 16-byte status word holds, beside the epoch.
const WORD_PAYLOAD: usize = 12;
/// Sleep of a thread between two polls of a status word: see benches/notes/select.md.
const POLL_NANOSECONDS: usize = 40;

/// Number of status words of a launch, through which its blocks pass values to each other: see `memory/status.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct StatusWords {
    /// Number of words of 8 bytes.
    pub words8: usize,
    /// Number of words of 16 bytes.
    pub words16: usize,
}

impl StatusWords {
    /// Returns the number of status words for `values` values of `state` bytes.
    #[must_use]
    pub fn of(values: usize, state: usize) -> Self {
        if state <= SMALL_STATE {
            Self { words8: values, words16: 0 }
        } else {
            Self { words8: 0, words16: values * state.div_ceil(WORD_PAYLOAD) }
        }
    }

    /// Returns the number of bytes of all status words.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.words8 * 8 + self.words16 * 16
    }

    /// Returns the constants that kernels need for status words with values of `state` bytes.
    pub(super) fn constants(state: usize) -> Constants {
        let mut constants = Constants::default();
        constants!(constants; "SMALL_STATE" = SMALL_STATE, "WORD_PAYLOAD" = WORD_PAYLOAD, "POLL_NANOSECONDS" = POLL_NANOSECONDS, "HOST_STATE_BYTES" = state);
        constants
    }
}
