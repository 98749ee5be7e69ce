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
use operators_cases::kernels::Kernels;
use operators_cases::{Check, Sample, samples};
use std::sync::Arc;
use upsweep::operator::{Function, Operator};

/// How many inputs each case gets.
const INPUTS: usize = 1_000_000;

struct Compare {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
    case: usize,
    failures: Vec<String>,
}

impl Compare {
    fn run<I: Sample, R: Sample>(&mut self, name: &str, inputs: &[I], expected: &dyn Fn(usize) -> R) {
        let mut results = vec![expected(0); INPUTS];
        let function = self.module.load_function(&format!("case_{}", self.case)).expect("the kernel is there");
        self.case += 1;
        let n = INPUTS as u64;
        // SAFETY: the allocations have the sizes that the kernel reads and writes, and the kernel's parameters are
        // these; the types have the same layout, which the CUDA text asserts.
        unsafe {
            let input = result::malloc_sync(size_of_val(inputs)).expect("memory");
            let output = result::malloc_sync(size_of_val(&results[..])).expect("memory");
            result::memcpy_htod_sync(input, inputs).expect("copied");
            self.stream
                .launch_builder(&function)
                .arg(&input)
                .arg(&output)
                .arg(&n)
                .launch(LaunchConfig {
                    grid_dim: (INPUTS.div_ceil(256) as u32, 1, 1),
                    block_dim: (256, 1, 1),
                    shared_mem_bytes: 0,
                })
                .expect("launched");
            self.stream.synchronize().expect("finished");
            result::memcpy_dtoh_sync(&mut results, output).expect("copied");
            result::free_sync(input).expect("freed");
            result::free_sync(output).expect("freed");
        }
        let per = inputs.len() / INPUTS;
        for (i, result) in results.iter().enumerate() {
            let expected = expected(i).canonical();
            if !expected.identical(result) {
                let given = &inputs[per * i..per * (i + 1)];
                self.failures.push(format!("{name}{given:?} = {expected:?} on the CPU, {result:?} on the GPU"));
                return;
            }
        }
    }
}

impl Check for Compare {
    fn operator<T: Sample, O: Operator<T>>(&mut self, name: &str, operator: O) {
        let inputs: Vec<T> = samples(self.case as u64, 2 * INPUTS);
        self.run(name, &inputs, &|i| operator.combine(inputs[2 * i], inputs[2 * i + 1]));
    }
    fn function<I: Sample, R: Sample, F: Function<(I,), Output = R>>(&mut self, name: &str, function: F) {
        let inputs: Vec<I> = samples(self.case as u64, INPUTS);
        self.run(name, &inputs, &|i| function.call((inputs[i],)));
    }
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn the_same_bits_on_the_gpu() {
    let mut kernels = Kernels::default();
    operators_cases::all(&mut kernels);
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
    let ptx = compile_ptx_with_opts(kernels.program(), options).expect("it compiles");
    let module = context.load_module(ptx).expect("it loads");
    let mut compare = Compare { stream: context.default_stream(), module, case: 0, failures: Vec::new() };
    operators_cases::all(&mut compare);
    assert!(
        compare.failures.is_empty(),
        "{} of {}:\n{}",
        compare.failures.len(),
        compare.case,
        compare.failures.join("\n")
    );
}
