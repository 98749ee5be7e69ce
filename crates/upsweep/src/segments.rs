//! Where one segment ends and the next begins.
//!
//! The kinds of segments are types and not variants of one enum, so that keys, flags or offsets of a wrong type do not
//! compile. `Segments::Offsets(&x)` reads as the variant that it would have been.

pub use upsweep_core::segments::{
    Equal, HeadFlags, Keys, Kind, Offset, Offsets, SegmentKind, Segmentation, Segments, Whole,
};
