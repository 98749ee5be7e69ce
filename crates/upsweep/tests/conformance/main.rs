//! The conformance suite: one set of cases, run against each backend and compared with a naive oracle.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test -- --include-ignored` runs it there too.
//! `UPSWEEP_TEST_SIZES=reduced` keeps few and short arrays, for a run under compute-sanitizer.
//!
//! A case's name is the facility and then the hazard: `scan_tile_edges`.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod alignment;
mod buffers;
mod columns;
mod errors;
mod errors_host;
mod floats;
#[cfg(feature = "cuda")]
mod gpu_buffers;
#[cfg(feature = "cuda")]
mod gpu_streamed;
#[cfg(feature = "cuda")]
mod gpu_streams;
mod halves;
mod hashes;
mod lanes;
mod lanes_of_lines;
mod large;
mod parts;
mod parts_of_totals;
mod positions;
mod reduce_lines;
mod reduce_sizes;
mod scan_axes;
mod scan_axis;
mod scan_maps;
mod scan_options;
mod scan_segments;
mod scan_sizes;
mod tree;
mod types;
mod values;
