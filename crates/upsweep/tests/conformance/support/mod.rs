//! What every case uses: backends under test, random values, the oracle, and the comparison of the two.

pub(crate) mod check;
pub(crate) mod cuts;
pub(crate) mod operators;
pub(crate) mod oracle;
pub(crate) mod place;
pub(crate) mod random;
pub(crate) mod sample;
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
