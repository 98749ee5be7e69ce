//! Variants of the algorithms that share a file: the same choices for the model and for the CUDA kernel, which gets
//! them as constants.

use crate::machine::{Banks, Thread, Word};

/// Choices by which algorithms of one file differ. A file reads those that it offers.
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
    /// Default choices, the same for all files.
    pub(crate) const PLAIN: Self = Self {
        loads: Loads::Interleaved,
        padding: Padding::None,
        mapping: Mapping::Contiguous,
        shift: Shift::None,
        barriers: Barriers::Enough,
        order: Order::Elements,
        writing: Writing::First,
    };

    /// Default choices, but each thread loads one element of each half of the array.
    pub(crate) const HALVES: Self = Self { loads: Loads::Halves, ..Self::PLAIN };

    /// Returns the variant with padding in shared memory.
    pub(crate) const fn padded(self) -> Self {
        Self { padding: Padding::Padded, ..self }
    }
}

/// Whether an array in shared memory has a word of padding after every B words, where B is the number of banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    None,
    Padded,
}

impl Padding {
    /// Returns the number of words of shared memory that `len` words take, padding included.
    pub(crate) fn words(self, len: usize, banks: Banks) -> usize {
        match self {
            Self::None => len,
            Self::Padded => len + len / banks.number(),
        }
    }

    /// Returns the index in shared memory, padding included, of the word with this index.
    pub(crate) fn place<T: Word>(self, t: &mut Thread<'_, T>, index: usize) -> usize {
        match self {
            Self::None => index,
            Self::Padded => t.padded(index),
        }
    }
}

/// Which two of the n elements thread t of a block loads and stores.
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

/// Mapping of the nodes of a tree to the threads that work at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// The first threads work, at all nodes of a level.
    Contiguous,
    /// Each thread works at the word with its own index; a remainder tells whether that word is a node.
    Modulo,
}

/// Shift between a thread's index and that of the element that it loads.
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
    /// As many barriers as the algorithm needs.
    Enough,
    /// One barrier a step, where two are needed, so that the algorithm has a race.
    One,
}

/// Order in which a reduction combines the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Neighbouring ranges of elements are combined, the left one first.
    Elements,
    /// The lower half is combined with the upper half, so the operator has to commute.
    Halves,
}

/// Way in which the CUDA kernel is written. All ways have the same steps, which the model runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    /// The kernel is written as the source prints it.
    First,
    /// The kernel has other instructions, which its file names, so that a statement about the algorithm does not rest
    /// on one way of writing it.
    Second,
    /// The kernel has a division in each round of its loop, which gives the number of threads that work.
    Dividing,
}
