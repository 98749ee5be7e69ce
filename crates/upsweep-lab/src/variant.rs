//! Variants of the algorithms that share a file: the same choices for the model and for the CUDA kernel, which gets
//! them as constants.

use crate::machine::{Banks, Thread, Word};

/// All choices. A file reads those that it offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    pub(crate) loads: Loads,
    pub(crate) padding: Padding,
    pub(crate) mapping: Mapping,
    pub(crate) shift: Shift,
    pub(crate) barriers: Barriers,
    pub(crate) order: Order,
    pub(crate) writing: Writing,
}

impl Variant {
    /// Default choices of a file.
    pub(crate) const PLAIN: Self = Self {
        loads: Loads::Interleaved,
        padding: Padding::None,
        mapping: Mapping::Contiguous,
        shift: Shift::None,
        barriers: Barriers::Enough,
        order: Order::Elements,
        writing: Writing::First,
    };

    /// Loads of one element of each half.
    pub(crate) const HALVES: Self = Self { loads: Loads::Halves, ..Self::PLAIN };

    /// The variant with padding.
    pub(crate) const fn padded(self) -> Self {
        Self { padding: Padding::Padded, ..self }
    }
}

/// Whether shared memory has a word of padding after each round of the banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    None,
    Padded,
}

impl Padding {
    /// Number of words that `len` words take.
    pub(crate) fn words(self, len: usize, banks: Banks) -> usize {
        match self {
            Self::None => len,
            Self::Padded => len + len / banks.number(),
        }
    }

    /// Index of word `index` in shared memory.
    pub(crate) fn place<T: Word>(self, t: &mut Thread<'_, T>, index: usize) -> usize {
        match self {
            Self::None => index,
            Self::Padded => t.padded(index),
        }
    }
}

/// Pair of elements that a thread loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loads {
    /// Thread t has elements 2t and 2t + 1.
    Interleaved,
    /// Thread t has elements t and t + n / 2: one of each half.
    Halves,
}

impl Loads {
    pub(crate) fn pair(self, thread: usize, threads: usize) -> [usize; 2] {
        match self {
            Self::Interleaved => [2 * thread, 2 * thread + 1],
            Self::Halves => [thread, thread + threads],
        }
    }
}

/// Mapping of a tree's nodes to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// The first threads work, at all nodes of a level.
    Contiguous,
    /// Each thread works at the word of its number, found by a remainder.
    Modulo,
}

/// Shift of the elements that threads load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// A thread loads its own element: the scan is inclusive.
    None,
    /// A thread loads the element before its own: the scan is exclusive.
    ByOne,
}

/// Barriers that keep words from being overwritten while they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barriers {
    /// As many barriers as needed.
    Enough,
    /// One barrier a step, where two are needed: a race.
    One,
}

/// Order in which a reduction combines elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Neighbouring ranges, the left one first.
    Elements,
    /// The lower half with the upper half, which needs an operator that commutes.
    Halves,
}

/// Way in which the CUDA kernel is written. The model runs the same steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    /// As the source prints it.
    First,
    /// With other instructions, which the kernel's file names, so that a statement about the algorithm does not rest on
    /// one way of writing it.
    Second,
    /// With a quotient for the number of threads that work.
    Dividing,
}
