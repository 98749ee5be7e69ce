//! How threads go through the blocks of an array.
//!
//! | file | what |
//! |---|---|
//! | `chain` | blocks handed to workers, and prefixes from block to block; which thread sees whose writes, and why |
//! | `heads`, `segment_heads` | where lines and segments begin |
//! | `lines` | scans of what lies contiguously: whole arrays, lines along the last axis, segments |
//! | `apart` | what threads do apart from each other |
//! | `placed` | where a job's elements and results lie |
//! | `places` | where blocks' results go that keep an unknown number of them |
//! | `totals`, `segments`, `results` | reductions of the same, and where their results go |

pub(super) mod apart;
pub(super) mod chain;
pub(super) mod heads;
pub(super) mod lines;
pub(super) mod placed;
pub(super) mod places;
pub(super) mod results;
pub(super) mod segment_heads;
pub(super) mod segments;
pub(super) mod totals;
