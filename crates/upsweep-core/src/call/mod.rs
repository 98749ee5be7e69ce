//! Calls whose options fit their buffers: what the public builders hand to a backend.
//!
//! | file | what |
//! |---|---|
//! | here | [`Job`]: a scan or a reduction, and all that runs as one |
//! | `select` | which elements a call keeps, and what is stored of them |
//! | `expand` | what is stored of the results of counts |
//! | `sort` | the parts of an array that are sorted each by itself |
//! | `merge` | two sorted arrays that become one, and sorts by a comparison |
//! | `search` | the order in which a search goes |
//! | `topk` | the first keys of rows |
//! | `automaton` | the tables of an automaton |
//! | `recurrence` | linear recurrences as numbers: coefficients, and powers of the transition of states |
//!
//! Backends and builders meet here: neither needs the other to say what a call is.

pub mod automaton;
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

/// Everything a backend needs to know.
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
    /// Whether what all elements combine to follows the results.
    pub total: bool,
}

/// Where the elements come from.
pub enum Elements<'a, I: Read> {
    /// An input of their own.
    Given(I::Given<'a>),
    /// The output's own memory: a scan in place.
    OfOutput,
}

/// What is wrong with a job in place whose input is no buffer. The builders do not let it come to this.
pub const NOT_IN_PLACE: Error = Error::Options {
    options: "a scan in place",
    reason: "the input is no buffer: give the results an output of their own",
};

/// Where a sort's keys or values come from.
pub enum Unsorted<'a, T> {
    /// A buffer of their own.
    Buffer(View<'a, T>),
    /// The output's own memory: a sort in place.
    OfOutput,
}
