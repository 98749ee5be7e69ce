//! Tests in the emulator, without a GPU: reductions by offsets of gathered elements. The emulator has no tables: the
//! kernels read one buffer.

use super::{By, THREADS, Then, run};
use crate::job::{Functions, text_of};
use crate::reduce::gathered::{self, GatheredParams};
use upsweep_core::operator::builtin::Sum;
use upsweep_core::operator::{Element, Operator, Same, Source};
use upsweep_core::segments::Offset;
use upsweep_core::steps::{Held, Parts};

/// Runs, on `cases` random inputs, the kernel that finds where tiles begin and the kernel that reduces segments.
fn reduced<O: Offset, I: Element, Op: Operator<I>>(operator: Op, has_init: bool, cases: u32) {
    let steps = Parts::<I, I, Op, Same, Same>::new(operator, Same, Same);
    let text = |source: &mut Source| text_of::<_, By<O>>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<Parts<I, I, Op, Same, Same>, By<O>>(&text, &held);
    let plan = gathered::plan(1 << 20, 1 << 16, functions.layouts, (9, 0));
    for kernel in gathered::kernels(&plan, gathered::features(has_init), &functions) {
        let source = kernel.source::<GatheredParams>().unwrap();
        let name = format!("{} {}", source.entry, std::any::type_name::<(O, I, Op)>());
        run(&name, &source, &[&[("GROUPS", 2)], THREADS].concat(), cases);
    }
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_segments_apart() {
    reduced::<u32, u32, _>(Then, false, 60);
    reduced::<u64, i64, _>(Sum, true, 60);
    reduced::<i32, u8, _>(Sum, false, 60);
}
