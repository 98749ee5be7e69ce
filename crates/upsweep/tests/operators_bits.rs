//! Every operator and every function computes the same bits on the GPU as on the CPU.
//!
//! On random inputs with NaN, infinities, subnormal numbers, zeros of both signs and extremes mixed in. All cases are
//! kernels of one module, so that the whole takes one compilation. `operators_host_cxx.rs` finds most differences
//! without a GPU.
#![cfg(feature = "cuda")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test may")]

mod operators_cases;
use cudarc::driver::{CudaContext, CudaModule, CudaStream, LaunchConfig, PushKernelArg, result};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
use operators_cases::compare::{self, Elsewhere};
use operators_cases::{Sample, kernels};
use std::sync::Arc;

/// How many inputs each case gets.
const INPUTS: usize = 1_000_000;

struct Gpu {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
}

impl Elsewhere for Gpu {
    const WHERE: &str = "on the GPU";

    fn run<I: Sample, R: Sample>(&mut self, case: usize, inputs: &[I], results: &mut [R]) {
        let function = self.module.load_function(&format!("case_{case}")).expect("the kernel is there");
        let n = results.len() as u64;
        // SAFETY: the allocations have the sizes that the kernel reads and writes, and the kernel's parameters are
        // these; the types have the same layout, which the CUDA text asserts.
        unsafe {
            let input = result::malloc_sync(size_of_val(inputs)).expect("memory");
            let output = result::malloc_sync(size_of_val(results)).expect("memory");
            result::memcpy_htod_sync(input, inputs).expect("copied");
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
            result::memcpy_dtoh_sync(results, output).expect("copied");
            result::free_sync(input).expect("freed");
            result::free_sync(output).expect("freed");
        }
    }
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn the_same_bits_on_the_gpu() {
    let context = CudaContext::new(0).expect("a GPU");
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
    let ptx = compile_ptx_with_opts(kernels::program(), options).expect("it compiles");
    let module = context.load_module(ptx).expect("it loads");
    compare::all(Gpu { stream: context.default_stream(), module }, INPUTS);
}
