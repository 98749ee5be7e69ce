//! The first keys of rows, with their buffers: what the builders of top-k hand to a backend.

use crate::buffer::View;
use crate::operator::Element;
use crate::outputs::Target;

/// A call with its buffers, whose lengths fit.
pub struct Ranking<'a, K: Element, I: Element> {
    pub keys: View<'a, K>,
    /// As many rows side by side, all of one length.
    pub rows: usize,
    /// Results of a row, at most as many as it has keys.
    pub rank: usize,
    /// Whether the last keys are wanted instead.
    pub descending: bool,
    /// Whether results are in the order of their keys; else they are in that of the input.
    pub sorted: bool,
    pub values: Option<Target<'a, K>>,
    pub indices: Option<Target<'a, I>>,
}
