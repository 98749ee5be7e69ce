//! Vectorised kernels of one thread, on a run of elements or a block of rows.
//!
//! | file | content |
//! |---|---|
//! | `run` | memory, a run of elements in it, and how results are stored |
//! | `reduce`, `scan` | runs cut into tiles |
//! | `short_lines` | scans of many short lines |
//! | `rows`, `numbers`, `sweep` | kernels of a tile |
//! | `chunks` | totals of float sums and products, whose grouping is one tree |
//! | `tree` | scans of float sums and products, whose grouping is one tree |
//! | `groups`, `group` | kernel of the tree's whole groups; the steps of one |
//! | `body`, `erased` | kernel body of a job; type-erased steps, called by pointer |
//! | `states` | elements of several numbers in registers |
//! | `digits` | scatter by radix digit through write-combining buffers |
//! | `network` | sorting network for short parts, one in each lane |
//! | `merge` | merge of two sorted arrays |
//! | `columns` | blocks of rows along another axis than the last |
//! | `masks`, `compress` | selection masks; stream compaction of the selected elements |
//! | `filter`, `filter_rows` | linear recurrences (IIR filters), a line in each lane |
//! | `remains` | contribution of the parts of a line to a recurrence's states |
//! | `walk`, `odds`, `told` | speculative DFA on parts of a text, guess of the initial states, reported events |
//! | `windows` | software prefetch from several pages at once |
//! | `pairwise` | pairwise (tree) reduction of values as they come |
//! | `hidden` | optimisation barrier for loop counters |
//! | `simd`, `lanes`, `x86_avx512`, `x86_avx2`, `x86_columns`, `x86_compress`, `x86_numbers`, `x86_pairs`, `x86_transpose`, `x86_walk`, `store` | instruction sets, shuffles, non-temporal stores |

pub(super) mod body;
mod chunks;
pub(super) mod columns;
pub(super) mod compress;
pub(super) mod digits;
#[cfg(feature = "small-loops")]
pub(super) mod erased;
pub(super) mod filter;
pub(super) mod filter_rows;
mod group;
mod groups;
mod hidden;
pub(super) mod lanes;
pub(super) mod masks;
pub(super) mod merge;
pub(super) mod network;
pub(super) mod numbers;
mod odds;
pub(super) mod pairwise;
pub(super) mod reduce;
pub(super) mod remains;
pub(super) mod rows;
pub(super) mod run;
pub(super) mod scan;
pub(super) mod short_lines;
pub(super) mod simd;
pub(super) mod states;
pub(super) mod store;
pub(super) mod sweep;
pub(super) mod told;
pub(super) mod tree;
pub(super) mod walk;
pub(super) mod windows;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
mod x86_avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
mod x86_avx512;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
mod x86_columns;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
mod x86_compress;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
mod x86_numbers;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
mod x86_pairs;
#[cfg(target_arch = "x86_64")]
mod x86_transpose;
#[cfg(target_arch = "x86_64")]
mod x86_walk;
