//! Histograms against a naive oracle, on each backend, with the support code of `tests/conformance`.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod counts;
#[cfg(feature = "cuda")]
mod cuda;
mod errors;
mod even;
mod oracle;
mod ranges;
mod rows;
mod support;
mod weights;
