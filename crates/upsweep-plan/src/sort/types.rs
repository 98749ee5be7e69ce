//! Types of a sort: keys, values, and outputs.

use upsweep_core::key::KeyOrder;

/// Number of values of a digit.
pub const DIGITS: usize = 256;
/// Bytes of the entry that describes a tile of a bucket or segment, in a list in device memory.
pub(super) const TILE_BYTES: usize = 24;
/// Bytes of the entry that describes a segment or bucket, in a list in device memory.
pub(super) const SEGMENT_BYTES: usize = 16;

/// Kind of values that are positions of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Indices {
    /// Values are not positions.
    #[default]
    None,
    /// Values are positions in the segment, which may be the whole array.
    InSegment,
    /// Values are positions in the array.
    InArray,
}

/// Types of the keys and values of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortTypes {
    /// Bytes of a key.
    pub key: usize,
    /// Order of the keys' bits.
    pub order: KeyOrder,
    /// Whether the order is descending.
    pub descending: bool,
    /// Bytes of a value that follows its key; 0 without values.
    pub value: usize,
    /// Kind of positions, if values are the keys' positions in the input.
    pub indices: Indices,
    /// Whether the sorted keys are an output.
    pub keys_out: bool,
}
