//! Common parts of the library's test suites: backends under test, random values, oracles, and the comparison of both.
//!
//! | module | what |
//! |---|---|
//! | `place`, `backends` | a backend with its buffers, and tests that run on each |
//! | `random`, `sample`, `sizes`, `cuts`, `inputs` | inputs and options of calls |
//! | `operators` | operators that each reveal one kind of mistake |
//! | `oracle`, `tree`, `lanes`, `check` | plain loops, also in the order of float sums; the comparison of a call with them |

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(clippy::new_without_default, clippy::should_implement_trait, reason = "likewise")]

pub mod backends;
pub mod check;
pub mod columns;
pub mod cuts;
pub mod inputs;
pub mod lanes;
pub mod operators;
pub mod oracle;
pub mod place;
pub mod random;
pub mod sample;
pub mod sizes;
pub mod tree;
