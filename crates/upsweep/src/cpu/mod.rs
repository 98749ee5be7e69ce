//! The CPU backend: one pass over memory on all threads of the current rayon pool.
//!
//! | file | what |
//! |---|---|
//! | `scan`, `reduce` | a job's cases: whole, axis, segments |
//! | `lines` | scans of what lies contiguously: whole arrays, lines along the last axis, segments |
//! | `totals`, `segments`, `results` | reductions of the same, and where their results go |
//! | `columns`, `column_tiles` | scans and reductions along another axis |
//! | `chain` | blocks handed to workers, and prefixes from block to block; which thread sees whose writes, and why |
//! | `run`, `tile`, `tile_scan` | runs of elements in a block, cut into tiles: reduced, scanned |
//! | `rows`, `sweep` | the vectorised kernels of a tile |
//! | `pairwise` | values combined in a tree as they come |
//! | `heads` | where segments begin |
//! | `simd`, `lanes`, `x86`, `store` | instruction sets, shuffles, non-temporal stores |
//!
//! What runs is the plan (`plan/cpu.rs`): it cuts the array into blocks and decides the threads and the stores.
//!
//! **Grouping.** A line is cut into blocks of a size that depends on the element types alone, and a block into tiles (see
//! `tile`), which are combined in a tree. In a reduction the blocks of a line, or the parts of a segment, are combined in a
//! tree, too (`pairwise`), and so are the rows of interleaved lines (`column_tiles`): the error of a float sum grows with
//! the logarithm of the number of elements. In a scan, prefixes go from block to block in a chain: a block's prefix is the
//! reduction of the block before, combined after that block's own prefix. Neither the number of threads nor alignment nor
//! timing has any part in it: one thread does in one pass what many do in two, with the same bits. With segments it depends
//! on where they begin, too.

mod chain;
mod column_tiles;
mod columns;
mod heads;
mod lanes;
mod lines;
mod pairwise;
pub(crate) mod reduce;
mod results;
mod rows;
mod run;
pub(crate) mod scan;
mod segments;
mod simd;
mod store;
mod sweep;
#[cfg(test)]
mod tests;
mod tile;
mod tile_scan;
mod totals;
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
mod x86;
