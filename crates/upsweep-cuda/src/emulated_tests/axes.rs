//! Tests of kernels in the emulator, without a GPU: scans along two axes.

use super::*;
use crate::scan_axes::{self, ScanAxesParams};
use upsweep_plan::scan_axes::AxesPlan;

/// Constants that replace those of the kernel, for blocks that are smaller than on a GPU.
const SMALL: &[(&str, usize)] = &[("THREADS", 64), ("ROWS", 4), ("TEAM_WARPS", 1), ("GROUP", 2), ("GROUPS", 2)];

/// Runs the scan along two axes with `steps`, on `cases` random inputs. `constants` replace those of the kernel.
fn axes<S: Buffers>(steps: S, features: Features, constants: &[(&str, usize)], cases: u32) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    let [input, acc, output] = S::BYTES.map(|bytes| bytes * features.interleaved);
    let acc = acc.max(functions.layouts.acc.size * features.interleaved);
    let plan = AxesPlan::new((1, 1 << 12, 1 << 12), (input, acc, output), CAPABILITY).unwrap();
    let source = scan_axes::kernel(&plan, features, &functions).source::<ScanAxesParams>().unwrap();
    run(&format!("axes {}", name::<S>(features)), &source, &[SMALL, constants].concat(), cases);
}

fn then<M: Map<u32, Output = u32>>(map: M) -> Parts<u32, u32, Then, M, Same> {
    Parts::new(Then, map, Same)
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_axes() {
    let plain = features(Heads::None, "");
    axes(then(Same), plain, &[], 60);
    axes(then(Placed), features(Heads::None, "x"), &[("ROWS", 1), ("LANES", 8)], 60);
    axes(then(Same), lines(3, plain), &[("ROWS", 2), ("KEPT_TILES", 2)], 60);
    axes(Parts::<u32, u32, _, _, _>::new(Sum, Same, Same), plain, &[], 60);
    axes(
        Parts::<u8, u32, _, _, _>::new(Sum, Widen::<u32>::new(), Same),
        plain,
        &[("THREADS", 128), ("LANES", 16), ("KEPT_TILES", 2)],
        60,
    );
    axes(Parts::<u8, u8, _, _, _>::new(Sum, Same, Same), features(Heads::None, "x"), &[], 60);
    axes(Parts::<f64, f64, _, _, _>::new(Max, Same, Same), plain, &[("GROUP", 3), ("AHEAD", 1)], 60);
    axes(in_f32::<f16>(), plain, &[], 60);
}
