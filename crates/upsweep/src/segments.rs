//! Segments: boundaries by offsets, head flags or keys.
//!
//! The kinds of segments are types and not variants of one enum, so that keys, flags or offsets of a wrong type do not
//! compile. `Segments::Offsets(&x)` reads like a variant of an enum.

pub use upsweep_core::segments::{
    Equal, HeadFlags, Keys, Kind, Offset, Offsets, SegmentKind, Segmentation, Segments, Whole,
};
