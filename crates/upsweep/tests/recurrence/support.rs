//! What every case uses. Places, samples and sizes are the conformance suite's.

#[path = "../conformance/support/place.rs"]
#[allow(dead_code, reason = "the conformance suite needs more of it")]
pub(crate) mod place;
#[path = "../conformance/support/random.rs"]
pub(crate) mod random;
#[path = "../conformance/support/sample.rs"]
#[allow(dead_code, reason = "the conformance suite needs more of it")]
pub(crate) mod sample;
#[path = "../conformance/support/sizes.rs"]
#[allow(dead_code, reason = "the conformance suite needs more of it")]
pub(crate) mod sizes;

/// Stamps cases into tests: each on the CPU, and each on a GPU, where it is ignored unless asked for.
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
