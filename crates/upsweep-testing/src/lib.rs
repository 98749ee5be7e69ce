//! What every suite of the library stands on: backends under test, random values, oracles, and the comparison of the two.
//!
//! | module | what |
//! |---|---|
//! | `place`, `backends` | a backend with its buffers, and tests that run on each |
//! | `random`, `sample`, `sizes`, `cuts`, `inputs` | what calls are made of |
//! | `operators` | operators of which each shows one kind of mistake |
//! | `oracle`, `check` | plain loops, and what a call is compared with |

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(clippy::new_without_default, clippy::should_implement_trait, reason = "likewise")]

pub mod backends;
pub mod check;
pub mod cuts;
pub mod inputs;
pub mod operators;
pub mod oracle;
pub mod place;
pub mod random;
pub mod sample;
pub mod sizes;
