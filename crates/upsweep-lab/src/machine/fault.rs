//! Faults that the model finds in a kernel.

use std::error::Error;
use std::fmt::{self, Display};

/// Access to a word, and the thread that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it was a write.
    pub write: bool,
    /// Index of the block.
    pub block: usize,
    /// Index of the thread in the block.
    pub thread: usize,
}

impl Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.write { "writes" } else { "reads" };
        write!(f, "thread {} of block {} {verb}", self.thread, self.block)
    }
}

/// Position of a kernel at a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Label of its step.
    pub step: &'static str,
    /// Name of the array.
    pub array: &'static str,
    /// Index of the word.
    pub index: usize,
}

impl Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] in step \"{}\" of {}", self.array, self.index, self.step, self.kernel)
    }
}

/// Fault of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Race: two threads access one word, one of them writes, and nothing orders the two.
    Race {
        /// Position of the second access.
        at: Site,
        /// First access.
        first: Access,
        /// Second access.
        second: Access,
    },
    /// Access to a word that does not exist.
    Outside {
        /// Position of the access.
        at: Site,
        /// Access.
        by: Access,
        /// Number of words of the array.
        len: usize,
    },
    /// Read of an unwritten word.
    Unwritten {
        /// Position of the access.
        at: Site,
        /// Access.
        by: Access,
    },
    /// Shuffle from a thread of another warp.
    OtherWarp {
        /// Name of the kernel.
        kernel: &'static str,
        /// Label of its step.
        step: &'static str,
        /// Index of the block.
        block: usize,
        /// Thread that shuffles.
        thread: usize,
        /// Thread whose register it reads.
        from: usize,
    },
    /// Wait for a flag that no earlier phase and no earlier block sets.
    Stuck {
        /// Position of the wait.
        at: Site,
        /// Access of the wait.
        by: Access,
    },
}

impl Fault {
    /// Position of the fault; [`None`]: it is not at a word.
    #[must_use]
    pub fn at(&self) -> Option<Site> {
        match *self {
            Self::Race { at, .. } | Self::Outside { at, .. } | Self::Unwritten { at, .. } | Self::Stuck { at, .. } => {
                Some(at)
            }
            Self::OtherWarp { .. } => None,
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Race { at, first, second } => {
                write!(f, "race at {at}: {first} and {second}, and no barrier lies between")
            }
            Self::Outside { at, by, len } => write!(f, "{by} {at}: the array has {len} words"),
            Self::Unwritten { at, by } => write!(f, "{by} {at}: nothing was written there before"),
            Self::OtherWarp { kernel, step, block, thread, from } => write!(
                f,
                "thread {thread} of block {block} shuffles from thread {from}, which its warp does not have, in step \"{step}\" of {kernel}"
            ),
            Self::Stuck { at, by } => write!(f, "{by} {at} and waits for ever: nothing before sets the flag"),
        }
    }
}

impl Error for Fault {}
