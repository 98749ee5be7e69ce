//! A scan or reduction whose options fit its buffers: what the public builders hand to a backend.

use crate::buffer::View;
use crate::error::Error;
use crate::init::InitSource;
use crate::inputs::Read;
use crate::outputs::Write;
use crate::plan::Shape;
use crate::plan::cpu::CpuSegments;
use crate::segments::{Kind, SegmentKind, Segmentation, SegmentsBy};
use crate::steps::JobSteps;

/// Everything a backend needs to know.
pub(crate) struct Job<'x, 'y, 'a, S: JobSteps, G: Segmentation> {
    pub(crate) input: Elements<'x, S::In>,
    pub(crate) output: <S::Out as Write>::Given<'y>,
    pub(crate) shape: Shape,
    pub(crate) init: InitSource<'a, S::Given>,
    pub(crate) segments: SegmentKind<'a, G::Key, G::Offset, G::Same>,
    pub(crate) steps: S,
}

/// Options that only scans have. The default is forward and inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Direction {
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
    /// Whether what all elements combine to follows the results.
    pub(crate) total: bool,
}

/// Where the elements come from.
pub(crate) enum Elements<'a, I: Read> {
    /// An input of their own.
    Given(I::Given<'a>),
    /// The output's own memory: a scan in place.
    OfOutput,
}

/// What is wrong with a job in place whose input is no buffer. The builders do not let it come to this.
pub(crate) const NOT_IN_PLACE: Error = Error::Options {
    options: "a scan in place",
    reason: "the input is no buffer: give the results an output of their own",
};

/// Where a sort's keys or values come from.
pub(crate) enum Unsorted<'a, T> {
    /// A buffer of their own.
    Buffer(View<'a, T>),
    /// The output's own memory: a sort in place.
    OfOutput,
}

impl SegmentsBy {
    /// As the CPU's plan knows them.
    #[inline(always)]
    pub(crate) fn planned(self) -> CpuSegments {
        match self.kind {
            Kind::Whole => CpuSegments::None,
            Kind::Offsets => CpuSegments::Offsets(self.items.saturating_sub(1)),
            Kind::HeadFlags | Kind::Keys => CpuSegments::Heads,
        }
    }
}
