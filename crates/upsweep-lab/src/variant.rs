//! What distinguishes the algorithms that share a file: the same choices for the model and for the CUDA kernel, which gets
//! them as constants.

use crate::machine::{Banks, Thread, Word};

/// All the choices. A file looks at those that it has.
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
    /// What a file does if nothing else is said.
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

    /// The same, padded.
    pub(crate) const fn padded(self) -> Self {
        Self { padding: Padding::Padded, ..self }
    }
}

/// Whether shared memory has a word of padding for each round of the banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    None,
    Padded,
}

impl Padding {
    /// How many words `len` words take.
    pub(crate) fn words(self, len: usize, banks: Banks) -> usize {
        match self {
            Self::None => len,
            Self::Padded => len + len / banks.number(),
        }
    }

    /// Where word `index` is.
    pub(crate) fn place<T: Word>(self, t: &mut Thread<'_, T>, index: usize) -> usize {
        match self {
            Self::None => index,
            Self::Padded => t.padded(index),
        }
    }
}

/// Which two elements a thread loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loads {
    /// Thread t those at 2t and 2t + 1.
    Interleaved,
    /// Thread t those at t and t + n / 2: one of each half.
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

/// Which threads of a tree work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// The first ones, at all nodes of a level.
    Contiguous,
    /// Each at the word of its number, found by a remainder.
    Modulo,
}

/// Which element a thread loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// Its own: the scan is inclusive.
    None,
    /// The one before it: the scan is exclusive.
    ByOne,
}

/// How the words that are read are kept from being overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barriers {
    /// By as many barriers as it takes.
    Enough,
    /// By one barrier a step, where it takes two: a race.
    One,
}

/// In which order a reduction combines elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Neighbouring ranges, the left one first.
    Elements,
    /// The lower half with the upper half, which takes an operator that commutes.
    Halves,
}

/// How the CUDA kernel is written. The model runs the same steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    /// As the source prints it.
    First,
    /// By other instructions, which the kernel's file names: so that what is said of the algorithm does not rest on one
    /// way of writing it.
    Second,
    /// The number of threads that work is a quotient.
    Dividing,
}
