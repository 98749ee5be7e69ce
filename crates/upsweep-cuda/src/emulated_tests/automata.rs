//! Tests of kernels in the emulator, without a GPU: automata (DFAs).

use super::{CAPABILITY, THREADS, run};
use crate::automaton;
use crate::select::with_functions;
use upsweep_core::call::select::{Unasked, Where};
use upsweep_plan::automaton::{AutomatonPlan, AutomatonSizes};

/// Runs, on `cases` random texts, the two kernels that find the state in which each tile begins, and the kernel that
/// stores the events.
fn automaton(states: usize, classes: usize, index: usize, len: usize, threads: &[(&str, usize)], cases: u32) {
    let plan = AutomatonPlan::new(len, AutomatonSizes { states, classes, listed: 100, index }, CAPABILITY);
    with_functions::<u8, _, _>(&Where(Unasked), |functions| {
        for kernel in automaton::kernels(&plan, functions) {
            let source = automaton::source_of(&kernel, &plan)?;
            let few = &[("GROUPS", 2), ("EVENTS_AT_ONCE", 500), ("TILES_A_WARP", 2)];
            run(&format!("{} {:?}", source.entry, plan.sizes), &source, &[few, threads].concat(), cases);
        }
        Ok(())
    })
    .unwrap();
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_automata() {
    automaton(8, 16, 4, 1 << 20, THREADS, 20);
    automaton(16, 60, 8, 1 << 15, &[("THREADS", 256)], 60);
    automaton(32, 30, 8, 1 << 30, THREADS, 12);
    automaton(56, 256, 4, 1 << 20, THREADS, 12);
}
