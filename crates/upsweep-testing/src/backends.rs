//! Stamps test cases for each backend.

/// Lock of graph faults. A fault that a graph reports is returned by whichever call of the process waits next: a case
/// that causes one on purpose holds the lock for writing, all other cases on a GPU for reading.
#[cfg(feature = "cuda")]
pub static GRAPH_FAULTS: std::sync::RwLock<()> = std::sync::RwLock::new(());

/// Stamps cases into tests: each on the CPU, and each on a GPU, where it is ignored unless requested.
#[macro_export]
macro_rules! on_each_backend {
    ($($case:ident),* $(,)?) => {
        mod cpu {
            $(#[test]
            fn $case() {
                super::$case(&$crate::place::Place::cpu());
            })*
        }
        #[cfg(feature = "cuda")]
        mod cuda {
            $(#[test]
            #[ignore = "needs a CUDA GPU"]
            fn $case() {
                let _no_graph_faults = $crate::backends::GRAPH_FAULTS.read();
                super::$case(&$crate::place::Place::cuda());
            })*
        }
    };
}
