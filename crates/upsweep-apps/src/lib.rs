//! Applications of parallel scans, on [`upsweep`]'s public API alone, one module each.
//!
//! Every application has one of two shapes. *A builder runs*:
//! `Noun::new(what it needs).option(..).run(&device, &input, ..)`. *A table is built and queried*:
//! `Noun::build(&device, &input)?` owns memory of the device, and its methods answer batches of queries. Devices,
//! slices and views are the library's own; [`Error`] has the library's errors and those that only applications find.
//!
//! - [`signal`]: IIR filters in one direction and in both, exponential averages, envelopes
//! - [`image`]: summed-area tables, box and Gaussian blurs, thresholds, equalisation, gamma, mipmaps
//! - [`terrain`]: lines of sight, viewsheds, horizons, hill shade
//! - [`text`]: comparison of two buffers, with the first difference; tokens, lines that match, brackets
//! - [`poly`]: polynomials at points, division, interpolation
//! - [`bigint`]: sums and comparisons of big integers
//! - [`tree`]: depths, sizes, sums, ancestors and values (as expressions) of trees and forests; Fenwick trees
//! - [`sampling`]: random choice by weights, independent and systematic
//! - [`graph`]: graphs and sparse matrices in compressed rows (CSR), products over any semiring, page ranks
//!
//! # How the applications are built
//! The crate uses the library as any program does: a feature that it needs and cannot use is missing from the library's
//! public API. A function that takes any buffer makes a `Part` (`part.rs`) of it at once, and the rest is compiled for
//! that one type.
//!
//! | application | construction |
//! |---|---|
//! | `text/lexer.rs` | a DFA of the rules, which reports the tokens that end at a byte or shortly before it: an [`Automaton`](upsweep::automaton) |
//! | `tree.rs` | an Euler tour of the tree as a linked list (`tree/walk.rs`); one scan of the list finds depths, sizes and orders |
//! | `tree/intervals.rs` | sums over subtrees, for operators without an inverse: a subtree is an interval of the preorder |
//! | `tree/expression.rs` | paths of subtrees of similar sizes; a scan composes the functions along all paths of a rank |
//! | `image/summed.rs` | a summed-area table is a scan along two axes; a sum over a rectangle reads it at four positions |
//! | `image/blur.rs` | blurs, thresholds and variances of one radius are moving sums |
//! | `image/mipmap.rs` | the levels lie in one buffer, and are pyramids where sizes are even |
//! | `sampling.rs` | a draw is a binary search in the prefix sums of the weights |
//! | `terrain/viewshed.rs` | one scan with the maximum, whose lines are rays side by side (`terrain/rays.rs`) |

pub mod bigint;
pub mod error;
pub mod graph;
#[cfg(doctest)]
mod guide;
pub mod image;
mod part;
pub mod poly;
pub mod sampling;
pub mod signal;
pub mod terrain;
pub mod text;
pub mod tree;
mod twofold;

pub use error::{Error, Result};
