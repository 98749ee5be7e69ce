//! The call of top-k, with its buffers: the first keys of rows.

use crate::buffer::View;
use crate::operator::Element;
use crate::outputs::Target;

/// A call with its buffers, whose lengths fit.
pub struct Ranking<'a, K: Element, I: Element> {
    pub keys: View<'a, K>,
    /// Number of rows, all of one length.
    pub rows: usize,
    /// Results per row, at most the keys of a row.
    pub rank: usize,
    /// Whether the last keys in order are wanted instead.
    pub descending: bool,
    /// Whether results are in the order of their keys; else they are in the order of the input.
    pub sorted: bool,
    pub values: Option<Target<'a, K>>,
    pub indices: Option<Target<'a, I>>,
}
