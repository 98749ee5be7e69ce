//! Parts of an array, each of which goes on where the one before ended.

use super::*;

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_parts() {
    tiles::<Whole, f32, _>(Pipeline, Sum, features(Heads::None, "pc"), 60);
    tiles::<Whole, f64, _>(Pipeline, Sum, features(Heads::None, "xp"), 60);
    tiles::<Whole, f32, _>(TwoTiles, Sum, features(Heads::Flags, "xpci"), 60);
    tiles::<ByKey, f32, _>(Pipeline, Sum, features(Heads::Keys, "pc"), 60);
    tiles::<Whole, u32, _>(Pipeline, Then, features(Heads::None, "pc"), 60);
    tiles::<Whole, f64, _>(Pipeline, Max, features(Heads::None, "xpc"), 60);
    tiles::<Whole, i8, _>(Pipeline, Sum, features(Heads::None, "pci"), 60);
    tiles::<ByKey, u32, _>(Pipeline, Then, features(Heads::Keys, "xpci"), 60);
    tiles::<Whole, u32, _>(Pipeline, Sum, features(Heads::Flags, "pc"), 60);
    tiles::<ByKey, u32, _>(Wave, Then, features(Heads::Keys, "c"), 60);
    tiles_of::<Whole, _>(
        Pipeline,
        Parts::<u32, u32, _, _, _>::new(Then, Placed, Same),
        features(Heads::None, "pc"),
        60,
    );
    open_tiles::<Whole, _>(Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), features(Heads::None, ""));
    open_tiles::<Whole, _>(Parts::<f64, f64, _, _, _>::new(Product, Same, Same), features(Heads::None, "xi"));
    open_tiles::<Whole, _>(in_f32::<bf16>(), features(Heads::Flags, "x"));
    open_tiles::<ByKey, _>(Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), features(Heads::Keys, "i"));
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_totals_of_parts() {
    reduction::<u32, _, _>(Same, Then, features(Heads::None, "pi"), 60);
    reduction::<i8, _, _>(Same, Max, features(Heads::None, "p"), 60);
    reduction_of(Parts::<u32, u32, _, _, _>::new(Then, Placed, Same), features(Heads::None, "p"), 60);
    reduction_of(Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), features(Heads::None, "pi"), 60);
    reduction_of(Parts::<f64, f64, _, _, _>::new(Product, Same, Same), features(Heads::None, "p"), 60);
    totals(Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), features(Heads::None, ""));
    totals(Parts::<f64, f64, _, _, _>::new(Product, Same, Same), features(Heads::None, "i"));
    totals(in_f32::<bf16>(), features(Heads::None, "i"));
}

/// Runs the kernel that joins the totals of subtrees, on random inputs.
fn totals<S: Buffers>(steps: S, features: Features) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    let source = reduce::part::kernel(features, &functions).source::<reduce::part::PartParams>().unwrap();
    run(&format!("totals {}", name::<S>(features)), &source, &[], 60);
}

/// Runs the kernel of a part of an array, tile by tile, on random inputs.
fn open_tiles<G: Segmentation<Same: Default>, S: Buffers>(steps: S, features: Features) {
    let same = G::Same::default();
    let text = |source: &mut Source| text_of::<S, G>(source, &steps, Some(&same), &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, G>(&text, &held);
    let kernel = scan::part::kernel(functions.layouts.row, features, &functions);
    let source = kernel.source::<scan::part::OpenParams>().unwrap();
    run(&format!("open {}", name::<(S, G)>(features)), &source, &[], 200);
}
