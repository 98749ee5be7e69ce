//! The calls of top-k and of order statistics, with their buffers.

use super::bounds::Bounds;
use crate::buffer::View;
use crate::operator::Element;
use crate::outputs::Target;

/// Call that finds the first keys, in order, of each row or segment of an array; with its buffers, whose lengths fit.
pub struct Ranking<'a, K: Element, I: Element> {
    pub keys: View<'a, K>,
    /// Rows, whose elements lie side by side, or segments.
    pub bounds: &'a Bounds,
    /// Number of results per row. A row has as many keys, unless there is something `instead`.
    pub rank: usize,
    /// Whether the results are the last keys in ascending order; else they are the first.
    pub descending: bool,
    /// Whether results are in the order of their keys; else they are in the order of the input.
    pub sorted: bool,
    /// Value of the results that a segment is too short for. Their index is the largest of its type.
    pub instead: Option<K>,
    pub values: Option<Target<'a, K>>,
    pub indices: Option<Target<'a, I>>,
}

/// Call that finds the keys of some ranks of each line or segment of an array.
pub struct AtRanks<'a, K: Element> {
    pub keys: View<'a, K>,
    pub bounds: &'a Bounds,
    /// Wanted ranks, from 1 on: the same for each line, or those of each segment.
    pub ranks: &'a [usize],
    /// For segments, where in `ranks` those of each one begin, and the end.
    pub begins: &'a [usize],
    /// Value of the results of rank 0.
    pub instead: Option<K>,
    /// Results: for lines those of each outer index by their ranks, side by side; for segments in the order of `ranks`.
    pub output: Target<'a, K>,
}
