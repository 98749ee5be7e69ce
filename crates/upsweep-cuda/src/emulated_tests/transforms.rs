//! Tests of kernels in the emulator, without a GPU: transforms.

use super::{Placed, THREADS, run};
use crate::job::{Functions, text_of};
use crate::transform::{self, TransformParams};
use upsweep_core::call::select::{Indices, Moved};
use upsweep_core::operator::builtin::Last;
use upsweep_core::operator::{Element, From, Map, MapWith, Operator, Same, Source, Widen};
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
    let mut held = Held::nothing();
    held.add_all::<_, Whole>(&steps, None).unwrap();
    let functions = Functions::of::<Of<I, M>, Whole>(&text, &held);
    let mut source = transform::kernel(&transform::plan(1 << 20, functions.layouts), &functions)
        .source::<TransformParams>()
        .unwrap();
    // SAFETY: no value that a test's functions hold has padding, so all bytes are initialised.
    let values: Vec<u8> = held.values.bytes().iter().map(|byte| unsafe { byte.assume_init() }).collect();
    if !values.is_empty() {
        source.prelude.insert_str(0, &format!("#define VALUES {{ {values:?} }}\n").replace(['[', ']'], ""));
    }
    run(&format!("transform {}", std::any::type_name::<(I, M)>()), &source, THREADS, cases);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_transforms() {
    transformed::<u32, _>(Placed, 40);
    transformed::<u8, _>(Widen::<u64>::new(), 40);
    transformed::<f64, _>(Same, 40);
    // What parts of arrays go on with: positions, and indices.
    transformed::<u32, _>(From { map: Placed, position: 1 << 40 }, 20);
    transformed::<i32, _>(MapWith(Moved::<Indices, u8>::new(1000)), 20);
}
