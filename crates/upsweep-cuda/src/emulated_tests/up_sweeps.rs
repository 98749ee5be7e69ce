//! Tests of kernels in the emulator, without a GPU: up-sweeps.

use super::{Buffers, Then, run};
use crate::job::{Functions, text_of};
use crate::up_sweep::{UpSweepParams, kernel};
use upsweep_core::operator::builtin::Max;
use upsweep_core::operator::{Same, Source};
use upsweep_core::segments::Whole;
use upsweep_core::steps::{Held, Parts};

fn up_sweep<S: Buffers>(name: &str, steps: &S) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    run(name, &kernel(&functions).source::<UpSweepParams>().unwrap(), &[("THREADS", 64)], 40);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_up_sweeps() {
    up_sweep("up-sweep of u32", &Parts::<u32, u32, _, _, _>::new(Then, Same, Same));
    up_sweep("up-sweep of f64", &Parts::<f64, f64, _, _, _>::new(Max, Same, Same));
}
