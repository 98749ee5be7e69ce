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
//!
//! # How the applications are built
//! The crate uses the library as any program does: what it needs and cannot do is missing from the library's public
//! face. A function that takes any buffer makes a `Part` (`part.rs`) of it at once, and the rest is compiled for that
//! one type.
//!
//! | application | what it is made of |
//! |---|---|
//! | `text/lexer.rs` | an automaton of the rules, which reports the tokens that end at a byte or shortly before it: an [`Automaton`](upsweep::automaton) |
//! | `tree.rs` | a walk around the tree as a linked list (`tree/walk.rs`); one scan along it finds depths, sizes and orders |
//! | `tree/intervals.rs` | sums over subtrees, for operators without an inverse: a subtree is an interval of the preorder |
//! | `tree/expression.rs` | paths of subtrees of similar sizes; a scan composes the functions along all paths of a rank |
//! | `image/summed.rs` | a table of sums is a scan along two axes; a sum over a rectangle reads it at four positions |
//! | `image/blur.rs` | blurs, thresholds and variances of one radius are moving sums |
//! | `image/mipmap.rs` | the levels lie in one buffer, and are pyramids where sizes are even |
//! | `terrain/viewshed.rs` | one scan with the maximum, whose lines are rays side by side (`terrain/rays.rs`) |

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
