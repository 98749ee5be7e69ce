//! Tests of kernels in the emulator, without a GPU: selections, runs, and expansions of counts.

use super::{CAPABILITY, KernelSource, THREADS, run};
use crate::expand::{self, ExpandParams};
use crate::search::{self, SearchParams};
use crate::select::{self, SelectParams};
use crate::variants::{EitherOdd, FirstBit};
use upsweep_core::call::expand::Expanded;
use upsweep_core::call::search::Ascending;
use upsweep_core::call::select::{Choose, FirstOf, Flagged, LastOf, Unasked, Where};
use upsweep_core::operator::Element;
use upsweep_core::segments::Equal;
use upsweep_plan::expand::{ExpandPlan, ExpandSizes};
use upsweep_plan::select::{SelectPlan, SelectSizes};

/// Runs the kernel that selects by `choice` among at most `len` elements, on `cases` random inputs. Results are indices
/// of `index` bytes, or elements if `index` is 0.
fn selection<I: Element, C: Choose<I>>(choice: &C, index: usize, others: bool, len: usize, cases: u32) {
    selection_of_runs::<I, (I,), C>(choice, index, others, (0, false), len, cases);
}

/// Runs a selection that also stores a number of `bytes` bytes with each selected element, on `cases` random inputs.
/// The number is the length of the element's run if `lengths` is true, else the index where the run begins. The choice
/// takes the arguments `A` of an element.
fn selection_of_runs<I: Element, A, C: Choose<I, A>>(
    choice: &C,
    index: usize,
    others: bool,
    (bytes, lengths): (usize, bool),
    len: usize,
    cases: u32,
) {
    select::with_functions_of::<I, A, _, _>(choice, |functions| {
        let sizes = SelectSizes { run: bytes, lengths, ..select::sizes_of::<I, A, C>(choice, index, others) };
        let plan = SelectPlan::new(len, sizes, CAPABILITY);
        let source = select::kernel(&plan, functions).source::<SelectParams>()?;
        // A block has half as many threads as on a GPU, and so half as many results. With half of the ring (the shared
        // memory in which results wait) there is room for the results of as many tiles.
        let ring = [("RING_BYTES", plan.ring / 32 * 16)];
        let ring = if others { &ring[..0] } else { &ring };
        run(&format!("select {sizes:?}"), &source, &[&[("GROUPS", 2)], ring, THREADS].concat(), cases);
        Ok(())
    })
    .unwrap();
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_selections() {
    selection::<u32, _>(&Where(FirstBit), 0, false, 1 << 20, 20);
    selection::<u8, _>(&Where(FirstBit), 0, false, 1 << 33, 12);
    selection::<(u8, u8, u8), _>(&Where(FirstBit), 0, false, 1 << 20, 12);
    selection::<u64, _>(&Flagged(&[true]), 0, false, 1 << 20, 12);
    selection::<u32, _>(&Flagged(&[0u8]), 8, false, 1 << 20, 12);
    selection::<u16, _>(&Where(FirstBit), 4, false, 1 << 20, 12);
    selection::<u32, _>(&Where(FirstBit), 0, true, 1 << 20, 12);
    selection::<u8, _>(&Flagged(&[true]), 0, true, 1 << 20, 12);
    selection::<u16, _>(&LastOf(Equal), 0, true, 1 << 33, 12);
    selection::<u8, _>(&FirstOf(Equal), 4, true, 1 << 20, 12);
    selection::<u32, _>(&FirstOf(Equal), 0, false, 1 << 20, 12);
    selection::<u8, _>(&LastOf(Equal), 0, false, 1 << 20, 12);
    selection::<(u8, u8, u8), _>(&LastOf(Equal), 4, false, 1 << 20, 12);
    selection::<(u32, u32), _>(&Flagged(&[true]), 4, false, 1 << 20, 12);
    let both = Where(EitherOdd);
    selection_of_runs::<(u32, u32), (u32, u32), _>(&both, 0, false, (0, false), 1 << 20, 12);
    selection_of_runs::<(u32, u32), (u32, u32), _>(&both, 0, true, (0, false), 1 << 20, 12);
}

/// Runs the kernels that expand counts of `count` bytes to results of `result` bytes, on `cases` random inputs.
fn expansion<T: Element>(expanded: Expanded, count: usize, result: usize, cases: u32) {
    select::with_functions::<T, _, _>(&Where(Unasked), |functions| {
        let plan = ExpandPlan::new(1 << 10, ExpandSizes { expanded, count, result }, CAPABILITY);
        let [all, _] = expand::kernels(&plan, functions);
        let both = KernelSource { root: "emulator/expand/expand.cuh", ..all.source::<ExpandParams>()? };
        let few = &[("GROUPS", 2), ("MARKS", 2048), ("LARGE_TILE", 4096)];
        run(&format!("expand {sizes:?}", sizes = plan.sizes), &both, &[few, THREADS].concat(), cases);
        Ok(())
    })
    .unwrap();
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_expansions() {
    expansion::<u32>(Expanded::Owner, 4, 4, 20);
    expansion::<u32>(Expanded::Rank, 8, 8, 12);
    expansion::<u8>(Expanded::Value, 4, 1, 12);
    expansion::<(u8, u8, u8)>(Expanded::Value, 8, 3, 12);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_runs() {
    selection_of_runs::<u32, (u32,), _>(&FirstOf(Equal), 0, false, (4, true), 1 << 20, 20);
    selection_of_runs::<u32, (u32,), _>(&FirstOf(Equal), 0, false, (4, false), 1 << 20, 12);
    selection_of_runs::<u8, (u8,), _>(&FirstOf(Equal), 0, false, (8, true), 1 << 33, 12);
    selection_of_runs::<(u8, u8, u8), ((u8, u8, u8),), _>(&FirstOf(Equal), 0, false, (8, true), 1 << 20, 12);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_searches() {
    for (upper, index) in [(false, 4), (true, 8)] {
        select::with_functions::<u32, _, _>(&FirstOf(Ascending), |functions| {
            let source = search::kernel(functions, upper, index).source::<SearchParams>()?;
            run(&format!("search, upper: {upper}"), &source, THREADS, 20);
            Ok(())
        })
        .unwrap();
    }
}
