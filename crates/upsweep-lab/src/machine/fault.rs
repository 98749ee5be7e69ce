//! What the model finds wrong with a kernel.

use std::error::Error;
use std::fmt::{self, Display};

/// Who accessed a word, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it was a write.
    pub write: bool,
    /// The block.
    pub block: usize,
    /// The thread in the block.
    pub thread: usize,
}

impl Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.write { "writes" } else { "reads" };
        write!(f, "thread {} of block {} {verb}", self.thread, self.block)
    }
}

/// Where a kernel was when something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The kernel.
    pub kernel: &'static str,
    /// Its step.
    pub step: &'static str,
    /// The array.
    pub array: &'static str,
    /// The word.
    pub index: usize,
}

impl Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] in step \"{}\" of {}", self.array, self.index, self.step, self.kernel)
    }
}

/// What is wrong with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Two threads access one word, one of them writes, and nothing orders the two.
    Race {
        /// Where the second access was.
        at: Site,
        /// The first access.
        first: Access,
        /// The second access.
        second: Access,
    },
    /// A word that does not exist.
    Outside {
        /// Where.
        at: Site,
        /// Who.
        by: Access,
        /// Words of the array.
        len: usize,
    },
    /// A word that holds nothing yet is read.
    Unwritten {
        /// Where.
        at: Site,
        /// Who.
        by: Access,
    },
    /// A thread asks for the register of a thread that is not in its warp.
    OtherWarp {
        /// The kernel.
        kernel: &'static str,
        /// Its step.
        step: &'static str,
        /// The block.
        block: usize,
        /// Who asks.
        thread: usize,
        /// Whom.
        from: usize,
    },
    /// A thread waits for a flag that no earlier phase and no earlier block sets.
    Stuck {
        /// Where.
        at: Site,
        /// Who.
        by: Access,
    },
}

impl Fault {
    /// Where it is; [`None`]: not at a word.
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
