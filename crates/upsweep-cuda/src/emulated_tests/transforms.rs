//! Tests of kernels in the emulator, without a GPU: transforms.

use super::{Placed, THREADS, run};
use crate::job::{Functions, text_of};
use crate::transform::{self, TransformParams};
use upsweep_core::operator::builtin::Last;
use upsweep_core::operator::{Element, Map, Operator, Same, Source, Widen};
use upsweep_core::segments::Whole;
use upsweep_core::steps::{Held, Parts};

/// Runs the kernel that transforms elements `I` by `map`, on `cases` random inputs.
fn transformed<I: Element, M: Map<I>>(map: M, cases: u32)
where
    Last: Operator<M::Output>,
{
    type Of<I, M> = Parts<I, <M as Map<I>>::Output, Last, M, Same>;
    let steps = Of::<I, M>::new(Last, map, Same);
    let text = |source: &mut Source| text_of::<_, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<Of<I, M>, Whole>(&text, &held);
    let source = transform::kernel(&transform::plan(1 << 20, functions.layouts), &functions)
        .source::<TransformParams>()
        .unwrap();
    run(&format!("transform {}", std::any::type_name::<(I, M)>()), &source, THREADS, cases);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_transforms() {
    transformed::<u32, _>(Placed, 40);
    transformed::<u8, _>(Widen::<u64>::new(), 40);
    transformed::<f64, _>(Same, 40);
}
