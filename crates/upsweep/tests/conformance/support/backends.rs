//! Cases that run on each backend.

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
