//! The CPU backend: one pass over memory on all threads of the current rayon pool.
//!
//! | file | content |
//! |---|---|
//! | `scan`, `reduce` | dispatch of a job: whole array, axis, segments |
//! | `reduce_by_code` | reductions by small codes in any order |
//! | `columns` | scans and reductions along an axis that is not the last |
//! | `scan_axes` | scans along rows and then down columns (summed-area tables) |
//! | `list_scan` | scans along a linked list (list ranking) |
//! | `up_sweep` | the upsweep alone: reductions of aligned blocks |
//! | `transform` | a function of each element |
//! | `recurrence` | linear recurrences (IIR filters) |
//! | `automaton` | automata (DFA) on texts, and their events |
//! | `moving_sum` | sums over windows around each value (box filter) |
//! | `pyramid` | image pyramids: levels that are each half as high and wide |
//! | `histogram`, `range_histogram` | counts and sums of weights by bin, and queries of their prefix sums |
//! | `select` | stream compaction: select and partition |
//! | `runs` | run-length encoding |
//! | `expand` | expansion of counts |
//! | `sort` | radix sorts of keys, pairs and positions |
//! | `merge`, `sort_by` | merges of sorted arrays, and merge sorts by a comparison |
//! | `search` | binary searches in a sorted array |
//! | `topk` | the first keys in order, and keys of a rank |
//! | `order_statistics` | keys of some ranks, of chunks that are read more than once |
//! | `engine/` | scheduling of threads over blocks |
//! | `tile/` | kernels of one thread on a block |
//!
//! The plan (`upsweep-plan/src/cpu.rs`) divides the array into blocks, and chooses the number of threads and the kind
//! of stores. A family may depend on `engine/` and `tile/`; these depend on no family.
//!
//! **Grouping.** Scans of float sums and products of contiguous elements have one tree (`upsweep_core::tree`), which the
//! CUDA backend has, too. So have reductions of whole arrays and of lines along the last axis (`upsweep_core::lanes`,
//! `tile/chunks`). Neither depends on blocks. The rest of this paragraph is about all other jobs. A line is
//! divided into blocks of a size that depends on the element types alone, and a block into tiles (see `tile/reduce`),
//! which are combined in a tree. In a reduction the blocks of a line, or the parts of a segment, are combined in a tree,
//! too (`tile/pairwise`), and so are the rows of interleaved lines (`tile/columns`). So the error of a float sum grows
//! with the logarithm of the number of elements. In a scan, prefixes go from block to block in a chain: the prefix of a
//! block is the prefix of the block before ⊕ the reduction of that block. With segments, the grouping also depends on
//! the segments' starts.
//!
//! No grouping depends on the number of threads, on alignment, or on timing: one thread does in one pass the work of many
//! threads in two, with the same bits. The last result of a scan of floats is not the bits of their reduction.
//!
//! # How a scan runs
//!
//! 1. The plan divides the array into blocks that fit in the cache, and chooses the threads and the stores.
//! 2. Blocks are handed out in order. A thread reduces its block while the block comes from memory, and passes the
//!    prefix on as soon as it is known (`engine/chain.rs`, which also has the memory ordering between threads).
//! 3. The thread scans the block from its cache, by non-temporal stores if the output is large. Meanwhile it prefetches
//!    its next block.
//!
//! **Prefetching.** Windows of eight pages are prefetched, a line of each page in turn (`tile/windows.rs`), because the
//! hardware prefetcher begins anew at each page. A long reduction prefetches the next window of its block. The lines go
//! to the second-level cache: in the first-level cache they would evict the lines that are being read.
//!
//! **Instruction sets.** Each loop is compiled once for each instruction set (`tile/simd.rs`). A job chooses the set
//! when it begins, and calls its loops by pointer. `UPSWEEP_TEST_INSTRUCTIONS=portable` or `avx2` limits the choice,
//! for tests. The feature `small-loops`, which `cargo quick` enables, compiles the loops of scans and reductions once
//! for many jobs, which pass their functions by pointer (`tile/erased.rs`). The tests of the CPU's loops also run in a
//! release build, under each instruction set.
//!
//! **Loops of a tile.** There are six kinds:
//!
//! - Float sums and products are scanned in registers, with a lane for each of eight rows (`tile/tree.rs`, and
//!   `tile/group.rs`).
//! - Other operators of a few vector instructions, which the macro recognises from their bodies, are scanned in registers
//!   row by row (`tile/rows.rs`). `lanes.rs` and `x86_avx512.rs` have the shuffles of each instruction set, in assembly
//!   where the compiler would make several instructions of one.
//! - Operators on elements of several numbers of one size, such as functions `x -> m x + c`, are scanned in registers,
//!   too (`tile/numbers.rs`, with the rows in `states.rs`). A group of eight rows, of one vector a number, goes through
//!   an upsweep to a single row and a downsweep. The upsweep of the next group overlaps with the downsweep of one.
//! - Other operators are scanned by sweeps over arrays in the first-level cache (`tile/sweep.rs`).
//! - Reductions by an operator for which every order and grouping give the same bits (integer sums, extremes, bitwise
//!   operators) are one plain loop that the compiler vectorises (`tile/reduce.rs`). Sums and exclusive ors begin with
//!   zero bits, products with one.
//! - Along an axis that is not the last, the running values of some columns stay in registers from row to row
//!   (`tile/columns.rs`).
//!
//! **Other families** have their notes in the heads of their files: `select`, `sort` (and `sort/array`),
//! `order_statistics`, `automaton`, `recurrence`, `scan_axes`, `list_scan`, `histogram`.

#![allow(missing_docs, reason = "what only parts of upsweep see is named by its types")]
#![allow(clippy::len_without_is_empty, clippy::new_without_default, reason = "likewise, none of them needs these")]

#[cfg(test)]
extern crate upsweep_core as upsweep;

pub mod automaton;
mod columns;
mod engine;
pub mod expand;
pub mod histogram;
pub mod list_scan;
pub mod merge;
pub mod moving_sum;
pub mod order_statistics;
pub mod pyramid;
pub mod range_histogram;
pub mod recurrence;
pub mod reduce;
pub mod reduce_by_code;
pub mod runs;
pub mod scan;
pub mod scan_axes;
pub mod search;
pub mod select;
pub mod sort;
pub mod sort_by;
#[cfg(test)]
mod tests;
mod tile;
pub mod topk;
pub mod transform;
pub mod up_sweep;
