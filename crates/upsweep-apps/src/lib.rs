//! What parallel scans are for: applications on [`upsweep`]'s public face alone, one module each.
//!
//! Every application has one of two shapes. *A builder runs*: `Noun::new(what it needs).option(..).run(&device, &input, ..)`.
//! *A table is built and asked*: `Noun::build(&device, &input)?` owns memory of the device, and its methods answer batches of
//! questions. Devices, slices and views are the library's own; [`Error`] has the library's errors and what only applications
//! find wrong.
//!
//! - [`signal`]: filters in one direction and in both, exponential averages, envelopes
//! - [`image`]: sums over areas, box and Gaussian blurs, thresholds, equalisation, gamma, mipmaps
//! - [`terrain`]: what is seen along a ray and of a whole terrain, horizons, hill shade
//! - [`text`]: the order of two buffers and where they first differ; tokens, lines that match, brackets
//! - [`poly`]: polynomials at points, divided, through given values
//! - [`bigint`]: sums and order of big integers
//! - [`tree`]: depths, sizes, sums, ancestors and values (as expressions) of trees and forests; Fenwick trees
//! - [`graph`]: graphs and sparse matrices in compressed rows, products over any semiring, page ranks

pub mod bigint;
pub mod error;
pub mod graph;
#[cfg(doctest)]
mod guide;
pub mod image;
mod part;
pub mod poly;
pub mod signal;
pub mod terrain;
pub mod text;
pub mod tree;
mod twofold;

pub use error::{Error, Result};
