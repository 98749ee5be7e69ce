//! The call of top-k, with its buffers: the first keys of rows.

use crate::buffer::View;
use crate::operator::Element;
use crate::outputs::Target;

/// Call that finds the first keys, in order, of each row of an array; with its buffers, whose lengths fit.
pub struct Ranking<'a, K: Element, I: Element> {
    pub keys: View<'a, K>,
    /// Number of rows, all of one length.
    pub rows: usize,
    /// Number of results per row, at most the number of keys of a row.
    pub rank: usize,
    /// Whether the results are the last keys in ascending order; else they are the first.
    pub descending: bool,
    /// Whether results are in the order of their keys; else they are in the order of the input.
    pub sorted: bool,
    pub values: Option<Target<'a, K>>,
    pub indices: Option<Target<'a, I>>,
}
