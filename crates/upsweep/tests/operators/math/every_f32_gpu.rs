//! Functions of every f32 on the GPU: the same bits as on the CPU.

use super::ONE;
use crate::bits::load;
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use std::fmt::Write;
use std::thread;
use upsweep::operator::arith::math;
use upsweep::operator::{Element, Source};

/// Number of f32 that a kernel takes at once.
const BLOCK: u32 = 1 << 24;

/// C++ code of the functions in [`ONE`], in the same order.
const CUDA: [fn(&mut Source) -> String; ONE.len()] = [
    math::exp,
    math::exp2,
    math::exp_m1,
    math::tanh,
    math::ln,
    math::log2,
    math::ln_1p,
    math::sin,
    math::cos,
    math::tan,
    math::atan,
    math::cbrt,
];

/// Returns a kernel for each function. A kernel stores the bits of the function's values for the f32 whose bits begin
/// with `first`.
fn program() -> String {
    let mut source = Source::new();
    let mut kernels = String::new();
    for (i, define) in CUDA.iter().enumerate() {
        let name = define(&mut source);
        let infallible = writeln!(
            kernels,
            "extern \"C\" __global__ void every_{i}(u32 first, u32 *out) {{\n  \
             const u32 i = blockIdx.x * blockDim.x + threadIdx.x;\n  \
             out[i] = arith::raw_bits(canonical({name}(arith::from_bits<f32>(first + i))));\n}}"
        );
        infallible.expect("it is a String");
    }
    format!("{}\n{}\n{kernels}", include_str!("../../../../upsweep-cuda/kernels/arith.cuh"), source.text())
}

#[test]
#[ignore = "needs a CUDA GPU, and a minute or two of 16 cores"]
fn every_f32_has_the_same_bits_on_the_gpu() {
    let context = CudaContext::new(0).expect("a GPU");
    let module = load(&context, program());
    let stream = context.default_stream();
    let mut out = stream.alloc_zeros::<u32>(BLOCK as usize).expect("memory");
    let mut bits = vec![0u32; BLOCK as usize];
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = bits.len().div_ceil(threads);
    for (i, (name, function, _)) in ONE.into_iter().enumerate() {
        let kernel = module.load_function(&format!("every_{i}")).expect("the kernel is there");
        for block in 0..=u32::MAX / BLOCK {
            let first = block * BLOCK;
            let config = LaunchConfig { grid_dim: (BLOCK / 256, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
            // SAFETY: these are the kernel's parameters, and it stores as many bits as there are threads.
            unsafe { stream.launch_builder(&kernel).arg(&first).arg(&mut out).launch(config) }.expect("launched");
            stream.memcpy_dtoh(&out, &mut bits).expect("copied");
            thread::scope(|scope| {
                for (at, there) in bits.chunks(part).enumerate() {
                    let start = first + (at * part) as u32;
                    scope.spawn(move || {
                        for (given, &there) in (start..=u32::MAX).zip(there) {
                            let here = function(f32::from_bits(given)).canonical().to_bits();
                            assert_eq!(here, there, "{name} of the bits {given:#x}, on the CPU and on the GPU");
                        }
                    });
                }
            });
        }
    }
}
