//! Macro that makes tests of each case on each backend: the CPU and a GPU.

/// Lock of graph faults. A fault that a graph reports is returned by whichever call of the process waits next: a case
/// that causes one on purpose holds the lock for writing, all other cases on a GPU for reading.
#[cfg(feature = "cuda")]
pub static GRAPH_FAULTS: std::sync::RwLock<()> = std::sync::RwLock::new(());

/// Makes two tests of each case, a function that takes a [`Place`](crate::place::Place): one on the CPU, and one on a
/// GPU, which is ignored unless requested.
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
