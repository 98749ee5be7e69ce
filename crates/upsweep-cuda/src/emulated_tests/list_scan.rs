//! Tests of kernels in the emulator, without a GPU: scans along a linked list.

use super::{Buffers, Then, run};
use crate::job::{Functions, text_of};
use crate::list_scan::{ListScanParams, Step, kernel};
use upsweep_core::operator::{Same, Source};
use upsweep_core::segments::Whole;
use upsweep_core::steps::{Held, Parts};

fn along<S: Buffers>(name: &str, steps: &S, exclusive: bool) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    let source = kernel(Step::Results { of_pieces: false }, exclusive, &functions).source::<ListScanParams>().unwrap();
    run(name, &source, &[("THREADS", 64), ("SPACING", 4), ("RANKED", 32)], 60);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_lists() {
    along("along", &Parts::<u32, u32, _, _, _>::new(Then, Same, Same), false);
    along("along, exclusive", &Parts::<u32, u32, _, _, _>::new(Then, Same, Same), true);
}
