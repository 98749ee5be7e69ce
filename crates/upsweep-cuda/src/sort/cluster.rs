//! Sorts by one cluster of blocks, in distributed shared memory.

use super::kernels::{Buffers, SortKey};
use crate::Cuda;
use crate::compile::KernelSource;
use crate::params::params;
use crate::runtime::Grid;
use upsweep_core::error::Result;
use upsweep_plan::sort::SortPlan;
use upsweep_plan::sort::cluster::ClusterPlan;

params! {
    alone
    /// Parameters of the kernel in which one cluster of blocks sorts an array.
    struct SortClusterParams {
        keys: "const void*",
        keys_out: "void*",
        values: "const void*",
        values_out: "void*",
        n: "u64",
        /// Number of keys that each block of the cluster sorts in its own shared memory.
        share: "u64",
    }
}

const CLUSTER: &str = "upsweep_sort_cluster";

/// Returns the C++ text of the parameters of the cluster's kernel.
#[cfg(test)]
pub(crate) fn params_text() -> String {
    SortClusterParams::text()
}

/// Returns the source of the kernel in which one cluster of blocks sorts an array.
pub(crate) fn source(plan: &SortPlan, cluster: &ClusterPlan) -> KernelSource {
    let prelude = plan.cluster_constants(cluster).to_string() + &SortClusterParams::text();
    KernelSource { root: "sort/cluster.cuh", prelude, entry: CLUSTER }
}

/// Sorts the whole array by the cluster `cluster`, if the device can run it. Returns whether the device can.
pub(super) fn sort(cuda: &Cuda, plan: &SortPlan, cluster: &ClusterPlan, buffers: Buffers) -> Result<bool> {
    let kernel = cuda.kernel(SortKey::new(CLUSTER, plan.cluster_constants(cluster)), || Ok(source(plan, cluster)))?;
    let (blocks, threads) = (ClusterPlan::blocks() as u32, ClusterPlan::threads() as u32);
    let shared = cluster.shared_bytes() as u32;
    let grid = Grid::new(blocks, threads, shared).as_a_cluster();
    if !kernel.runs(grid)? {
        return Ok(false);
    }
    let Buffers { keys, keys_out, values, values_out } = buffers;
    let (n, share) = (plan.len as u64, ClusterPlan::share(plan.len) as u64);
    let params = SortClusterParams { keys, keys_out, values, values_out, n, share };
    // SAFETY: the kernel's text asserts the layout of its parameters; the caller's loans keep the buffers good until
    // the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, grid, &params) }?;
    Ok(true)
}
