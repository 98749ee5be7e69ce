//! Tests of kernels in the emulator, without a GPU: scans and reductions of interleaved lines.

use super::*;
use crate::columns::{self, ColumnsParams};
use upsweep_core::inputs::Applied;

/// Runs the scan of interleaved lines, or their reduction, on `cases` random inputs. A lane has `vector` lines.
fn interleaved<I: Element, M: Map<I>, Op: Operator<M::Output>>(
    map: M,
    operator: Op,
    features: Features,
    vector: usize,
    cases: u32,
) {
    type Of<I, Op, M> = Parts<I, <M as Map<I>>::Output, Op, M, Same>;
    let steps = Of::<I, Op, M>::new(operator, map, Same);
    let text = |source: &mut Source| text_of::<_, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<Of<I, Op, M>, Whole>(&text, &held);
    let plan = columns::plan(functions.layouts, features.pass);
    assert!(plan.vectors().any(|known| known == vector), "{plan:?}");
    let source = columns::kernel(&plan, vector, features, &functions).source::<ColumnsParams>().unwrap();
    run(&format!("columns by {vector} {}", name::<(I, M, Op)>(features)), &source, THREADS, cases);
}

/// Runs the kernel of interleaved lines on `cases` random inputs. Its map is declared to gather (read other memory by
/// computed positions), so that elements are loaded as fields and are mapped once.
fn mapped_once(features: Features, cases: u32) {
    let steps = Parts::<Applied<Same, u32>, u32, _, _, _>::new(Then, Same, Same);
    let text = |source: &mut Source| text_of::<_, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<Parts<Applied<Same, u32>, u32, Then, Same, Same>, Whole>(&text, &held);
    let plan = columns::plan(functions.layouts, features.pass);
    let mut source = columns::kernel(&plan, 1, features, &functions).source::<ColumnsParams>().unwrap();
    let apart = |apart: bool| format!("READS_APART = {apart}");
    assert!(source.prelude.contains(&apart(false)));
    source.prelude = source.prelude.replace(&apart(false), &apart(true));
    run(&format!("columns mapped once {features:?}"), &source, THREADS, cases);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_columns() {
    interleaved::<u32, _, _>(Same, Then, features(Heads::None, "xri"), 4, 60);
    interleaved::<u32, _, _>(Same, Then, features(Heads::None, "x"), 2, 60);
    interleaved::<u32, _, _>(Same, Then, features(Heads::None, "r"), 1, 60);
    interleaved::<u32, _, _>(Same, Then, features(Heads::None, "s"), 4, 60);
    interleaved::<u8, _, _>(Same, Sum, features(Heads::None, "xr"), 4, 60);
    interleaved::<f64, _, _>(Same, Max, features(Heads::None, "i"), 2, 60);
    interleaved::<u32, _, _>(Placed, Then, features(Heads::None, "r"), 2, 60);
    mapped_once(features(Heads::None, "xr"), 60);
    mapped_once(features(Heads::None, "s"), 60);
}
