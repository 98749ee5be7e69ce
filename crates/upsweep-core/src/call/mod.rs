//! Calls whose options fit their buffers: the interface from the public builders to the backends.
//!
//! | file | what |
//! |---|---|
//! | here | [`Job`]: a scan or a reduction, and everything that runs as one |
//! | `bounds` | lines and segments that the host knows |
//! | `carry` | what a scan hands on to the scan of the elements that follow |
//! | `select` | stream compaction: the choice of elements, and what is stored of them |
//! | `expand` | results of counts |
//! | `sort` | parts of an array that are sorted separately |
//! | `merge` | merges of two sorted arrays, and sorts by a comparison |
//! | `search` | binary searches, and the order they use |
//! | `topk` | the first keys of rows and segments, and keys at ranks |
//! | `automaton` | tables of a finite automaton (DFA) |
//! | `recurrence` | linear recurrences (IIR filters): coefficients, and powers of the transition of states |
//!
//! Backends and builders depend on this module, and not on each other.

pub mod automaton;
pub mod bounds;
pub mod carry;
pub mod expand;
pub mod merge;
pub mod recurrence;
pub mod search;
pub mod select;
pub mod sort;
pub mod topk;

use crate::buffer::View;
use crate::error::Error;
use crate::init::InitSource;
use crate::inputs::Read;
use crate::outputs::Write;
use crate::segments::{SegmentKind, Segmentation};
use crate::shape::Shape;
use crate::steps::JobSteps;

/// A scan or a reduction, with everything that a backend needs.
pub struct Job<'x, 'y, 'a, S: JobSteps, G: Segmentation> {
    pub input: Elements<'x, S::In>,
    pub output: <S::Out as Write>::Given<'y>,
    pub shape: Shape,
    pub init: InitSource<'a, S::Given>,
    pub segments: SegmentKind<'a, G::Key, G::Offset, G::Same>,
    pub steps: S,
}

/// Options that only scans have. The default is forward and inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direction {
    pub exclusive: bool,
    pub reverse: bool,
    /// Whether the total of all elements follows the results.
    pub total: bool,
    /// Whether float sums along the last axis have the same bits on every device.
    pub portable: bool,
}

/// Source of the elements that a job reads.
pub enum Elements<'a, I: Read> {
    /// An input that is separate from the output.
    Given(I::Given<'a>),
    /// Memory of the output: a scan in place.
    OfOutput,
}

/// Error of a job in place whose input is not a single buffer. The builders prevent it.
pub const NOT_IN_PLACE: Error = Error::Options {
    options: "a scan in place",
    reason: "the input is no buffer: give the results an output of their own",
};

/// Source of a sort's keys or values.
pub enum Unsorted<'a, T> {
    /// A buffer that is separate from the output.
    Buffer(View<'a, T>),
    /// Memory of the output: a sort in place.
    OfOutput,
}
