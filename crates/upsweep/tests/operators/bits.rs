//! Every operator and every function computes the same bits on the GPU as on the CPU.
//!
//! Inputs are random, with NaN, infinities, subnormal numbers, zeros of both signs and extremes mixed in. All cases are
//! kernels of one module, so that they take one compilation. `host_cxx.rs` finds most differences without a GPU.
use crate::cases::compare::{self, Elsewhere, Memory};
use crate::cases::kernels;
use cudarc::driver::{CudaContext, CudaModule, CudaStream, LaunchConfig, PushKernelArg, result, sys};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
use std::ffi::c_void;
use std::sync::Arc;

/// Number of inputs of each case.
const INPUTS: usize = 1_000_000;

struct Gpu {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
}

impl Elsewhere for Gpu {
    fn place(&self) -> &'static str {
        "on the GPU"
    }

    unsafe fn run(&mut self, case: usize, inputs: Memory<*const c_void>, results: Memory<*mut c_void>, count: usize) {
        let function = self.module.load_function(&format!("case_{case}")).expect("the kernel is there");
        let n = count as u64;
        // SAFETY: the allocations have the sizes that the kernel reads and writes, and the kernel's parameters are
        // these; the caller's memory has those sizes too.
        unsafe {
            let input = result::malloc_sync(inputs.bytes).expect("memory");
            let output = result::malloc_sync(results.bytes).expect("memory");
            let copied = sys::cuMemcpyHtoD_v2(input, inputs.start, inputs.bytes);
            copied.result().expect("copied");
            self.stream
                .launch_builder(&function)
                .arg(&input)
                .arg(&output)
                .arg(&n)
                .launch(LaunchConfig {
                    grid_dim: (n.div_ceil(256) as u32, 1, 1),
                    block_dim: (256, 1, 1),
                    shared_mem_bytes: 0,
                })
                .expect("launched");
            self.stream.synchronize().expect("finished");
            let copied = sys::cuMemcpyDtoH_v2(results.start, output, results.bytes);
            copied.result().expect("copied");
            result::free_sync(input).expect("freed");
            result::free_sync(output).expect("freed");
        }
    }
}

/// Compiles and loads the program's module for this GPU.
pub(crate) fn load(context: &Arc<CudaContext>, program: String) -> Arc<CudaModule> {
    let (major, minor) = context.compute_capability().expect("a GPU has a compute capability");
    let options = CompileOptions {
        fmad: Some(false),
        options: [
            "--std=c++20",
            "-default-device",
            "--device-int128",
            &format!("--gpu-architecture=compute_{major}{minor}"),
        ]
        .map(str::to_owned)
        .to_vec(),
        ..CompileOptions::default()
    };
    let ptx = compile_ptx_with_opts(program, options).expect("it compiles");
    context.load_module(ptx).expect("it loads")
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn the_same_bits_on_the_gpu() {
    let context = CudaContext::new(0).expect("a GPU");
    let module = load(&context, kernels::program());
    compare::all(&mut Gpu { stream: context.default_stream(), module }, INPUTS);
}
