//! Faults that the model finds in a kernel.

use std::error::Error;
use std::fmt::{self, Display};

/// Access to a word, and the thread that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it was a write.
    pub write: bool,
    /// Index of the block that made the access.
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

/// Place of a fault: a word, and the step of the kernel that accesses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Label of the kernel's step.
    pub step: &'static str,
    /// Name of the array that has the word.
    pub array: &'static str,
    /// Index of the word in the array.
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
        /// Place of the second access.
        at: Site,
        /// Access that the model saw first.
        first: Access,
        /// Access that races with the first.
        second: Access,
    },
    /// Access to a word that does not exist.
    Outside {
        /// Place of the access.
        at: Site,
        /// Thread that made the access, and whether it wrote.
        by: Access,
        /// Number of words of the array.
        len: usize,
    },
    /// Read of an unwritten word.
    Unwritten {
        /// Place of the read.
        at: Site,
        /// Thread that read the word.
        by: Access,
    },
    /// Shuffle from a thread of another warp.
    OtherWarp {
        /// Name of the kernel.
        kernel: &'static str,
        /// Label of the kernel's step.
        step: &'static str,
        /// Index of the block of both threads.
        block: usize,
        /// Index of the thread that shuffles.
        thread: usize,
        /// Index of the thread whose register it asks for.
        from: usize,
    },
    /// Wait for a flag that no earlier phase of the kernel, and no earlier block, sets: it would never end.
    Stuck {
        /// Place of the wait.
        at: Site,
        /// Thread that waits.
        by: Access,
    },
}

impl Fault {
    /// Place of the fault; [`None`]: the fault is not at a word.
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
