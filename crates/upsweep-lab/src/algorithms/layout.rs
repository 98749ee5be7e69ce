//! Where trees keep their elements.

use crate::machine::{Banks, Thread, Word};

/// Whether shared memory has a word of padding for each round of the banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    None,
    Padded,
}

impl Padding {
    /// How many words `len` words take.
    pub(super) fn words(self, len: usize, banks: Banks) -> usize {
        match self {
            Self::None => len,
            Self::Padded => len + len / banks.number(),
        }
    }

    /// Where word `index` is.
    pub(super) fn place<T: Word>(self, t: &mut Thread<'_, T>, index: usize) -> usize {
        match self {
            Self::None => index,
            Self::Padded => t.padded(index),
        }
    }
}

/// Which two elements a thread loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loads {
    /// Thread t those at 2t and 2t + 1.
    Interleaved,
    /// Thread t those at t and t + n / 2: one of each half.
    Halves,
}

impl Loads {
    pub(super) fn pair(self, thread: usize, threads: usize) -> [usize; 2] {
        match self {
            Self::Interleaved => [2 * thread, 2 * thread + 1],
            Self::Halves => [thread, thread + threads],
        }
    }
}
