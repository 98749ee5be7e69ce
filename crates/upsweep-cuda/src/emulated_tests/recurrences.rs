//! Tests of kernels in the emulator, without a GPU: linear recurrences (IIR filters), of integers.

use super::{CAPABILITY, THREADS, features, run};
use crate::features::Heads;
use crate::recurrence;
use crate::scan::ScanParams;
use upsweep_core::call::recurrence::ComputesOn;
use upsweep_core::operator::Element;
use upsweep_plan::recurrence::{Form, RecurrencePlan};

/// Runs a linear recurrence on numbers `C`, on `cases` random inputs. [`features`] lists the letters in `options`.
fn recurrence<C: ComputesOn<C> + Element>(form: Form, heads: Heads, options: &str, cases: u32) {
    recurrence::with_functions::<C, C, _>(|functions| {
        let features = features(heads, options);
        let sizes = features.sizes(functions.layouts);
        let plan = RecurrencePlan::new(1 << 20, form, sizes, size_of::<C>(), CAPABILITY);
        let kernel = recurrence::kernel(&plan, features, functions);
        let source = kernel.source_with_numbers::<ScanParams>(plan.numbers() * size_of::<C>())?;
        // A tile has fewer warps than on a GPU, so there is one level less of powers of the transition (they carry
        // states over a thread, a warp, a tile).
        let constants = &[&[("GROUPS", 2)], THREADS].concat();
        run(&format!("recurrence {form:?} {features:?}"), &source, constants, cases);
        Ok(())
    })
    .unwrap();
}

const DIRECT: Form = Form { order: 2, sections: 0, feedback: true, careful: false, basis: false };

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_recurrences() {
    recurrence::<u32>(DIRECT, Heads::None, "", 30);
    recurrence::<u32>(DIRECT, Heads::None, "ric", 30);
    recurrence::<u32>(DIRECT, Heads::Rows, "ic", 30);
    recurrence::<u64>(Form { order: 1, ..DIRECT }, Heads::Rows, "ric", 20);
    recurrence::<u64>(Form { order: 5, ..DIRECT }, Heads::None, "i", 12);
    recurrence::<u32>(Form { order: 3, feedback: false, careful: true, basis: false, ..DIRECT }, Heads::Rows, "", 12);
    // Lines that begin with states of zero: the first pass over a thread's elements is a weighted sum. After them,
    // recurrences with so many states that the lanes of a warp share the products.
    recurrence::<u32>(DIRECT, Heads::Rows, "rc", 20);
    recurrence::<u32>(Form { order: 8, ..DIRECT }, Heads::Rows, "", 12);
    recurrence::<u32>(Form { order: 11, ..DIRECT }, Heads::Rows, "ric", 8);
    recurrence::<u32>(Form { order: 4, sections: 2, ..DIRECT }, Heads::None, "c", 12);
}
