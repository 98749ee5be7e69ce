//! Scheduling of threads over the blocks of an array, with prefixes from block to block.
//!
//! | file | content |
//! |---|---|
//! | `chain` | tickets for blocks, chained prefixes from block to block, and their memory ordering |
//! | `heads`, `segment_heads` | heads: first elements of lines and segments |
//! | `lines` | scans of contiguous elements: whole arrays, lines along the last axis, segments |
//! | `apart` | parallel loop over independent parts |
//! | `prefixes` | what a block of a scan passes on to the next |
//! | `placed` | host memory of a job's elements and results |
//! | `places` | output offsets of blocks with an unknown number of results (stream compaction) |
//! | `totals`, `segments`, `results` | reductions of contiguous elements, and the stores of their results |
//! | `part` | totals of an array that is reduced in parts |

pub(super) mod apart;
pub(super) mod chain;
pub(super) mod heads;
pub(super) mod lines;
pub(super) mod part;
pub(super) mod placed;
pub(super) mod places;
mod prefixes;
pub(super) mod results;
pub(super) mod segment_heads;
pub(super) mod segments;
pub(super) mod totals;
