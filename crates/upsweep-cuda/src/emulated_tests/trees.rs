//! Tests of scans of float sums and products in the emulator: the tree of their additions.

use super::{By, ByKey, Heads, Pipeline, SmallWave, TwoTiles, Wave, features, in_f32, tiles, tiles_of};
use half::{bf16, f16};
use upsweep_core::operator::builtin::{Product, Sum};
use upsweep_core::operator::{Same, Widen};
use upsweep_core::segments::Whole;
use upsweep_core::steps::Parts;

/// Checks scans of floats against the tree of their sums.
#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_trees() {
    tiles::<Whole, f32, _>(Wave, Sum, features(Heads::None, "ic"), 60);
    tiles::<Whole, f64, _>(Wave, Product, features(Heads::None, "xr"), 60);
    tiles::<By<u32>, f32, _>(Wave, Sum, features(Heads::Offsets, "x"), 60);
    tiles::<Whole, f32, _>(Pipeline, Sum, features(Heads::None, ""), 60);
    tiles::<Whole, f64, _>(Pipeline, Sum, features(Heads::None, "xrc"), 60);
    tiles::<Whole, f32, _>(Pipeline, Product, features(Heads::None, "ix"), 60);
    tiles_of::<Whole, _>(Pipeline, in_f32::<f16>(), features(Heads::None, "i"), 60);
    tiles_of::<Whole, _>(
        Pipeline,
        Parts::<f32, f64, _, Widen<f64>, _>::new(Sum, Widen::new(), Same),
        features(Heads::None, "x"),
        60,
    );
    tiles::<Whole, f64, _>(TwoTiles, Sum, features(Heads::Rows, "i"), 60);
    tiles::<Whole, f32, _>(Wave, Sum, features(Heads::Lines, "x"), 120);
    tiles::<Whole, f64, _>(SmallWave, Product, features(Heads::Lines, "ri"), 60);
    tiles::<Whole, f32, _>(Pipeline, Sum, features(Heads::Lines, "xr"), 120);
    tiles_of::<Whole, _>(Pipeline, in_f32::<bf16>(), features(Heads::Lines, "i"), 60);
    tiles::<Whole, f64, _>(TwoTiles, Sum, features(Heads::Lines, "i"), 60);
    tiles::<Whole, f32, _>(Pipeline, Sum, features(Heads::Flags, "xr"), 60);
    tiles::<ByKey, f32, _>(Pipeline, Sum, features(Heads::Keys, "i"), 60);
    tiles_of::<By<u64>, _>(Pipeline, in_f32::<bf16>(), features(Heads::Offsets, "r"), 60);
}
