//! Scans along two axes.

use super::*;
use crate::cuda::scan_axes::{self, ScanAxesParams};
use crate::cuda::scan_axes_strips::{self, ScanStripsParams};
use crate::plan::scan_axes::AxesPlan;
use crate::plan::scan_axes_strips::StripsPlan;

/// Blocks are smaller than on a GPU.
const SMALL: &[(&str, usize)] = &[("THREADS", 128), ("ROWS", 3)];

/// Runs cases of a plan.
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
    axes(then(Placed), features(Heads::None, "x"), &[("ROWS", 1)], 60);
    axes(then(Same), lines(3, plain), &[("ROWS", 2)], 60);
    axes(Parts::<u32, u32, _, _, _>::new(Sum, Same, Same), plain, &[], 60);
    axes(Parts::<u8, u32, _, _, _>::new(Sum, Widen::<u32>::new(), Same), plain, &[("THREADS", 256)], 60);
    axes(Parts::<u8, u8, _, _, _>::new(Sum, Same, Same), features(Heads::None, "x"), &[], 60);
    axes(Parts::<f64, f64, _, _, _>::new(Max, Same, Same), plain, &[("PARTS", 1)], 60);
    axes(in_f32::<f16>(), plain, &[], 60);
}

/// Blocks, groups and spans are smaller than on a GPU.
const SMALL_STRIPS: &[(&str, usize)] = &[
    ("THREADS", 64),
    ("LOOK_BACK_WARPS", 2),
    ("ROWS", 3),
    ("GROUP_STRIPS", 2),
    ("SPAN_GROUPS", 2),
    ("AHEAD", 2),
    ("LAG", 3),
    ("RING", 5),
];

/// The same of strips.
fn strips<S: Buffers>(steps: S, constants: &[(&str, usize)], cases: u32) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    let features = features(Heads::None, "");
    let [input, acc, output] = S::BYTES;
    let acc = acc.max(functions.layouts.acc.size);
    let plan = StripsPlan::of((1, 1 << 14, 1 << 14), (input, acc, output), CAPABILITY).unwrap();
    let source = scan_axes_strips::kernel(&plan, features, &functions).source::<ScanStripsParams>().unwrap();
    run(&format!("strips {}", name::<S>(features)), &source, &[SMALL_STRIPS, constants].concat(), cases);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_axes_by_strips() {
    strips(then(Same), &[], 60);
    strips(then(Placed), &[("ROWS", 6), ("SPAN_GROUPS", 4)], 60);
    strips(then(Same), &[("AHEAD", 1), ("RING", 4), ("GROUP_LAG", 2)], 60);
    strips(Parts::<u32, u32, _, _, _>::new(Sum, Same, Same), &[], 60);
    strips(
        Parts::<u8, u32, _, _, _>::new(Sum, Widen::<u32>::new(), Same),
        &[("THREADS", 128), ("LOOK_BACK_WARPS", 2)],
        60,
    );
    strips(Parts::<u8, u8, _, _, _>::new(Sum, Same, Same), &[], 60);
    strips(Parts::<u32, f64, _, _, _>::new(Max, Widen::<f64>::new(), Same), &[("PARTS", 1)], 60);
    strips(in_f32::<f16>(), &[], 60);
}
