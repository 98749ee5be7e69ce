//! What one thread does to a run of elements, or to a block of rows, with vectors.
//!
//! | file | what |
//! |---|---|
//! | `run` | memory, a run of elements in it, and how results are stored |
//! | `reduce`, `scan` | runs cut into tiles |
//! | `rows`, `numbers`, `sweep` | the kernels of a tile |
//! | `body`, `erased` | what is done with a job's memory; its functions called by pointer |
//! | `states` | elements of several numbers in registers |
//! | `digits` | digits of keys, and where they go |
//! | `network` | short parts of numbers, sorted side by side |
//! | `merge` | two sorted arrays become one |
//! | `columns` | blocks of rows along another axis than the last |
//! | `masks`, `compress` | which elements are kept; elements whose bits are set, side by side |
//! | `filter` | linear recurrences of a line in each lane |
//! | `remains` | what parts of a line leave in a recurrence's states |
//! | `walk`, `odds`, `told` | an automaton along parts of a text, from states that are guessed, and the events that it tells |
//! | `windows` | memory fetched ahead from several pages at once |
//! | `pairwise` | values combined in a tree as they come |
//! | `hidden` | numbers that the compiler does not know |
//! | `simd`, `lanes`, `x86_avx512`, `x86_avx2`, `x86_compress`, `x86_numbers`, `x86_pairs`, `x86_transpose`, `x86_walk`, `store` | instruction sets, shuffles, non-temporal stores |

pub(super) mod body;
pub(super) mod columns;
pub(super) mod compress;
pub(super) mod digits;
#[cfg(feature = "small-loops")]
pub(super) mod erased;
pub(super) mod filter;
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
pub(super) mod simd;
pub(super) mod states;
pub(super) mod store;
pub(super) mod sweep;
pub(super) mod told;
pub(super) mod walk;
pub(super) mod windows;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
mod x86_avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
mod x86_avx512;
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
