//! The CPU backend: one pass over memory on all threads of the current rayon pool.
//!
//! | file | what |
//! |---|---|
//! | `automaton` | what an automaton tells of a text |
//! | `scan`, `reduce` | a job's cases: whole, axis, segments |
//! | `along` | scans along a linked list |
//! | `expand` | results of counts |
//! | `runs` | runs of equal neighbours |
//! | `recurrence` | linear recurrences |
//! | `histogram`, `range_histogram` | counts and sums of weights by bin, and queries of their prefix sums |
//! | `select` | what keeps some elements |
//! | `sort` | keys, pairs and positions, by digits |
//! | `columns` | scans and reductions along another axis than the last |
//! | `scan_axes` | scans along rows and then down columns |
//! | `merge`, `sort_by` | merges of sorted arrays, and sorts by a comparison |
//! | `topk` | the first keys in order, and keys of a rank |
//! | `ranks` | keys of some ranks, of chunks that are read more than once |
//! | `transform` | a function of each element |
//! | `moving_sum` | sums over windows around each value |
//! | `pyramid` | levels of images, each half as high and wide |
//! | `up_sweep` | the combinations of aligned blocks |
//! | `engine/` | threads and blocks |
//! | `tile/` | what one thread does to a block |
//!
//! What runs is the plan (`plan/cpu.rs`): it cuts the array into blocks and decides the threads and the stores.
//!
//! **Grouping.** A line is cut into blocks of a size that depends on the element types alone, and a block into tiles (see
//! `tile/reduce`), which are combined in a tree. In a reduction the blocks of a line, or the parts of a segment, are combined in a
//! tree, too (`tile/pairwise`), and so are the rows of interleaved lines (`tile/columns`): the error of a float sum grows with
//! the logarithm of the number of elements. In a scan, prefixes go from block to block in a chain: a block's prefix is the
//! reduction of the block before, combined after that block's own prefix. Neither the number of threads nor alignment nor
//! timing has any part in it: one thread does in one pass what many do in two, with the same bits. With segments it depends
//! on where they begin, too.

pub(crate) mod along;
pub(crate) mod automaton;
mod columns;
mod engine;
pub(crate) mod expand;
pub(crate) mod histogram;
pub(crate) mod merge;
pub(crate) mod moving_sum;
pub(crate) mod pyramid;
pub(crate) mod range_histogram;
pub(crate) mod ranks;
pub(crate) mod recurrence;
pub(crate) mod reduce;
pub(crate) mod runs;
pub(crate) mod scan;
pub(crate) mod scan_axes;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod sort;
pub(crate) mod sort_by;
#[cfg(test)]
mod tests;
mod tile;
pub(crate) mod topk;
pub(crate) mod transform;
pub(crate) mod up_sweep;
