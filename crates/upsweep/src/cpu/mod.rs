//! The CPU backend: one pass over memory on all threads of the current rayon pool.
//!
//! | file | what |
//! |---|---|
//! | `scan`, `reduce` | a job's cases: whole, axis, segments |
//! | `lines` | scans of what lies contiguously: whole arrays, lines along the last axis, segments |
//! | `totals`, `segments`, `results` | reductions of the same, and where their results go |
//! | `columns`, `column_tiles` | scans and reductions along another axis |
//! | `blocks` | how an array is cut into blocks, which is all that decides the grouping |
//! | `chain` | blocks handed to workers, and prefixes from block to block |
//! | `run`, `tile` | runs of elements in a block, cut into tiles |
//! | `rows`, `sweep` | the vectorised kernels of a tile |
//! | `heads` | where segments begin |
//! | `simd`, `lanes`, `store` | instruction sets, shuffles, stores around the cache |
//!
//! **Grouping.** A line is cut into blocks of a size that depends on the element types alone, and a block into tiles
//! (see `tile`). A block's prefix is the reduction of the block before, combined after that block's own prefix. Neither
//! the number of threads nor alignment nor timing has any part in it: one thread does in one pass what many do in two,
//! with the same bits. With segments it depends on where they begin, too.

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
mod totals;
