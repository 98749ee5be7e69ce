//! What is sorted by a kernel.

use upsweep_core::key::KeyOrder;

/// The values of a digit.
pub const DIGITS: usize = 256;
/// What a kernel knows of a tile of a part of the array.
pub(super) const TILE_BYTES: usize = 24;
/// A segment or a bucket in a list.
pub(super) const SEGMENT_BYTES: usize = 16;

/// Values that are positions of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Indices {
    /// They are not.
    #[default]
    None,
    /// In the segment, which may be the whole array.
    InSegment,
    /// In the array.
    InArray,
}

/// What is sorted by, and what goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortTypes {
    /// Bytes of a key.
    pub key: usize,
    /// How keys' bits are ordered.
    pub order: KeyOrder,
    /// From the last to the first.
    pub descending: bool,
    /// Bytes of a value that follows its key; 0 without values.
    pub value: usize,
    /// Whether the values are the keys' positions in the input.
    pub indices: Indices,
    /// Whether the sorted keys are wanted.
    pub keys_out: bool,
}
