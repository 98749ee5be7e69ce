//! Sorting, on each backend, with std's stable sort as the oracle.
//!
//! Every case runs on the CPU. On a machine with a CUDA GPU, `cargo test --test sort -- --include-ignored` runs it there too.
//! `UPSWEEP_TEST_SIZES=reduced` keeps few and short arrays, for a run under compute-sanitizer.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod by_key;
mod calls;
mod check;
mod inputs;
mod keys;
mod parts;
mod values;
mod zeros;

/// What the conformance suite stands on, too.
#[path = "../conformance/support"]
#[allow(dead_code, reason = "the other suite needs more of it")]
mod support {
    pub(crate) mod place;
    pub(crate) mod random;
    pub(crate) mod sample;
    pub(crate) mod sizes;

    macro_rules! on_each_backend {
        ($($case:ident),* $(,)?) => {
            mod cpu {
                $(#[test]
                fn $case() {
                    super::$case(&crate::support::place::Place::cpu());
                })*
            }
            #[cfg(feature = "cuda")]
            mod cuda {
                $(#[test]
                #[ignore = "needs a CUDA GPU"]
                fn $case() {
                    super::$case(&crate::support::place::Place::cuda());
                })*
            }
        };
    }
    pub(crate) use on_each_backend;
}
