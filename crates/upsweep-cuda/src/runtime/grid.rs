//! Grid of a launch: its blocks, and whether they overlap with the kernel before them or form a cluster.

use cudarc::driver::sys::{
    CUlaunchAttribute, CUlaunchAttributeID as AttributeId, CUlaunchAttributeValue, CUlaunchConfig, CUstream,
};
use upsweep_core::error::Result;

/// Grid of a launch: a number of blocks in one dimension, their threads, and their shared memory.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    blocks: u32,
    threads: u32,
    pub(super) dynamic_smem: u32,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    Alone,
    Behind,
    Cluster,
}

impl Grid {
    /// Returns a grid of `blocks` blocks of `threads` threads, with `dynamic_smem` bytes of dynamic shared memory a
    /// block.
    pub(crate) fn new(blocks: u32, threads: u32, dynamic_smem: u32) -> Self {
        Self { blocks, threads, dynamic_smem, form: Form::Alone }
    }

    /// Makes the grid come after another kernel of the same call (programmatic dependent launch). On devices of compute
    /// capability 9.0 and later its blocks start on multiprocessors that the other kernel's blocks have left, so the
    /// device does not idle in between. In a capture they do not: the graph's dependencies would have data, and a
    /// program that queries the dependencies without the data gets an error.
    ///
    /// The kernel must do all of its memory accesses after `wait_for_kernel_before`
    /// (`kernels/memory/instructions.cuh`), as must each kernel of the call but the first.
    pub(crate) fn behind(self) -> Self {
        Self { form: Form::Behind, ..self }
    }

    /// Makes the grid come [`behind`](Self::behind) another kernel if `is_behind` is true.
    pub(crate) fn behind_if(self, is_behind: bool) -> Self {
        if is_behind { self.behind() } else { self }
    }

    /// Makes all blocks one cluster, which the device must be able to run.
    pub(crate) fn as_a_cluster(self) -> Self {
        Self { form: Form::Cluster, ..self }
    }

    /// Returns the driver's attribute of the grid, if it needs one. `may_come_early` is called only where blocks would
    /// start early.
    pub(super) fn attribute(&self, may_come_early: impl FnOnce() -> Result<bool>) -> Result<Option<CUlaunchAttribute>> {
        let mut value = CUlaunchAttributeValue { pad: [0; 64] };
        let id = match self.form {
            Form::Behind if may_come_early()? => {
                value.programmaticStreamSerializationAllowed = 1;
                AttributeId::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            }
            Form::Alone | Form::Behind => return Ok(None),
            Form::Cluster => {
                value.clusterDim.x = self.blocks;
                value.clusterDim.y = 1;
                value.clusterDim.z = 1;
                AttributeId::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            }
        };
        Ok(Some(CUlaunchAttribute { id, pad: [0; 4], value }))
    }

    /// Returns the driver's configuration of the grid, with the attribute, which has to outlive it.
    pub(super) fn config(&self, stream: CUstream, attribute: Option<&mut CUlaunchAttribute>) -> CUlaunchConfig {
        CUlaunchConfig {
            gridDimX: self.blocks,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: self.threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: self.dynamic_smem,
            hStream: stream,
            numAttrs: attribute.is_some().into(),
            attrs: attribute.map_or(std::ptr::null_mut(), std::ptr::from_mut),
        }
    }
}
