//! The CPU backend: one pass over memory on all threads of the current rayon pool.
//!
//! | file | what |
//! |---|---|
//! | `scan`, `reduce` | a job's cases: whole, axis, segments |
//! | `columns` | scans and reductions along another axis than the last |
//! | `scan_axes` | scans along rows and then down columns |
//! | `list_scan` | scans along a linked list |
//! | `up_sweep` | the combinations of aligned blocks |
//! | `transform` | a function of each element |
//! | `recurrence` | linear recurrences |
//! | `automaton` | what an automaton tells of a text |
//! | `moving_sum` | sums over windows around each value |
//! | `pyramid` | levels of images, each half as high and wide |
//! | `histogram`, `range_histogram` | counts and sums of weights by bin, and queries of their prefix sums |
//! | `select` | what keeps some elements |
//! | `runs` | runs of equal neighbours |
//! | `expand` | results of counts |
//! | `sort` | keys, pairs and positions, by digits |
//! | `merge`, `sort_by` | merges of sorted arrays, and sorts by a comparison |
//! | `search` | places in a sorted array |
//! | `topk` | the first keys in order, and keys of a rank |
//! | `order_statistics` | keys of some ranks, of chunks that are read more than once |
//! | `engine/` | threads and blocks |
//! | `tile/` | what one thread does to a block |
//!
//! What runs is the plan (`upsweep-plan/src/cpu.rs`): it cuts the array into blocks and decides the threads and the
//! stores. A family may know `engine/` and `tile/`; these know no family.
//!
//! **Grouping.** A line is cut into blocks of a size that depends on the element types alone, and a block into tiles (see
//! `tile/reduce`), which are combined in a tree. In a reduction the blocks of a line, or the parts of a segment, are combined in a
//! tree, too (`tile/pairwise`), and so are the rows of interleaved lines (`tile/columns`): the error of a float sum grows with
//! the logarithm of the number of elements. In a scan, prefixes go from block to block in a chain: a block's prefix is the
//! reduction of the block before, combined after that block's own prefix. Neither the number of threads nor alignment nor
//! timing has any part in it: one thread does in one pass what many do in two, with the same bits. With segments it depends
//! on where they begin, too.
//!
//! # How a scan runs
//!
//! 1. The plan cuts the array into blocks that fit in the cache, and decides the threads and the stores.
//! 2. Blocks are handed out in order. A thread reduces its block while the block comes from memory, and passes the
//!    prefix on as soon as it is known (`engine/chain.rs`, which also says which thread sees whose writes, and why).
//! 3. The thread scans the block from its cache, by non-temporal stores if the output is large. Meanwhile it prefetches
//!    its next block.
//!
//! **Prefetching.** It goes in windows of eight pages, a line of each page in turn (`tile/windows.rs`), because the
//! prefetcher of the processor begins anew at each page. A long reduction prefetches the next window of its block. The
//! lines go to the second-level cache: in the first they would evict what is being read.
//!
//! **Instruction sets.** Each loop is compiled once for each instruction set (`tile/simd.rs`). A job chooses the set
//! when it begins, and calls its loops by pointer. `UPSWEEP_TEST_INSTRUCTIONS=portable` or `avx2` caps the choice, for
//! tests. The feature `small-loops`, which `cargo quick` asks for, compiles the loops of scans and reductions once for
//! many jobs, which pass their functions by pointer (`tile/erased.rs`). The tests of the CPU's loops also run in a
//! release build, under each instruction set.
//!
//! **Loops of a tile.** There are five kinds:
//!
//! - Operators of a few vector instructions, which the macro recognises from their bodies, are scanned in registers row
//!   by row (`tile/rows.rs`). `lanes.rs` and `x86_avx512.rs` have the shuffles of each instruction set, in assembly where the
//!   compiler would make several instructions of one.
//! - Operators on elements of several numbers of one size, such as functions `x -> m x + c`, are scanned in registers,
//!   too: in groups of eight rows of one vector a number, up to a single row and down again (`tile/numbers.rs`, with
//!   the rows in `states.rs`). The next group goes up while one comes down.
//! - Other operators are scanned by sweeps over arrays in the first-level cache (`tile/sweep.rs`).
//! - Reductions by an operator whose order and grouping do not show (integer sums, extremes, bits) are one plain loop
//!   that the compiler vectorises (`tile/reduce.rs`). Sums and exclusive ors begin with zero bits, products with one.
//! - Along another axis than the last, the running values of some columns stay in registers from row to row
//!   (`tile/columns.rs`).
//!
//! **Other families** have their notes at the head of their files: `select`, `sort` (and `sort/array`),
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
