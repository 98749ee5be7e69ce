//! The blocks of a launch.

use cudarc::driver::sys::{
    CUlaunchAttribute, CUlaunchAttributeID as AttributeId, CUlaunchAttributeValue, CUlaunchConfig, CUstream,
};
use upsweep_core::error::Result;

/// The blocks of a launch, in one dimension.
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
    /// So many blocks of so many threads, with so many bytes of dynamic shared memory each.
    pub(crate) fn new(blocks: u32, threads: u32, dynamic_smem: u32) -> Self {
        Self { blocks, threads, dynamic_smem, form: Form::Alone }
    }

    /// Behind another kernel of the same call. On devices from compute capability 9.0 on its blocks come to multiprocessors that the
    /// other one's have left, so the device does not stand still in between. In a capture they do not: the graph's dependencies would
    /// have data, for which not everybody asks who asks for the dependencies.
    ///
    /// Whatever the kernel does with memory it must do after `wait_for_kernel_before` (`kernels/memory/instructions.cuh`), as must each
    /// kernel of the call but the first.
    pub(crate) fn behind(self) -> Self {
        Self { form: Form::Behind, ..self }
    }

    /// [`behind`](Self::behind), if there is another kernel.
    pub(crate) fn behind_if(self, is_behind: bool) -> Self {
        if is_behind { self.behind() } else { self }
    }

    /// All blocks as one cluster, which the device must be able to run.
    pub(crate) fn as_a_cluster(self) -> Self {
        Self { form: Form::Cluster, ..self }
    }

    /// What the driver must know beside the numbers. Whether blocks may come early is asked only where they would.
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

    /// The driver's form of it, with the attribute, which has to outlive it.
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
