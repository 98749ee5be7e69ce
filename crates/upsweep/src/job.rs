//! A scan or reduction whose options fit its buffers: what the public builders hand to a backend.

use crate::init::InitSource;
use crate::inputs::Read;
use crate::outputs::Write;
use crate::plan::Shape;
use crate::segments::{SegmentKind, Segmentation};
use crate::steps::Steps;

/// Everything a backend needs to know.
pub(crate) struct Job<'x, 'y, 'a, S: Steps, G: Segmentation> {
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
}

/// Where the elements come from.
pub(crate) enum Elements<'a, I: Read> {
    /// An input of their own.
    Given(I::Given<'a>),
    /// The output's own memory: a scan in place.
    OfOutput,
}
