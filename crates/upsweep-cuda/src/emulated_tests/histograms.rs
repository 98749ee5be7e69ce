//! Tests of kernels in the emulator, without a GPU: histograms.

use super::{CAPABILITY, THREADS, run};
use crate::histogram::{self, HistogramParams};
use upsweep_core::bins::{ByFunction, NoRule};
use upsweep_core::operator::{Element, Map, Same, Source};
use upsweep_core::steps::Held;
use upsweep_core::tally::Amount;
use upsweep_plan::histogram::{HistogramJob, HistogramPlan};

/// Runs the kernel of a histogram that has `columns` counters a bin, on `cases` random inputs. `rule` returns the bin
/// of an element.
fn counted<T: Element, M: Map<T, Output = u32>, O: Element>(rule: M, job: HistogramJob, columns: usize, cases: u32) {
    let text = |source: &mut Source| histogram::text_of::<T, M, O>(source, &rule);
    let held = Held::nothing();
    let functions = histogram::functions::<T, M, O>(&text, &held);
    let plan = HistogramPlan::new(job, CAPABILITY, 132);
    let source = histogram::kernel(&plan, histogram::COUNT, &functions).source::<HistogramParams>().unwrap();
    let name = format!("histogram {} {job:?}", std::any::type_name::<(T, M, O)>());
    // The two `HALVES` constants make 16-bit counters full after a few elements, and have them inspected after each
    // batch of vectors.
    run(&name, &source, &[THREADS, &[("COLUMNS", columns), ("HALVES_TURN", 2048), ("HALF_FULL", 8)]].concat(), cases);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_histograms() {
    fn job<T>() -> HistogramJob {
        HistogramJob::plain::<T>(1 << 21, 256)
    }
    counted::<u8, _, u32>(ByFunction::new(Same), job::<u8>(), 32, 25);
    counted::<u8, _, u64>(ByFunction::new(Same), HistogramJob { channels: (3, 2), ..job::<u8>() }, 32, 25);
    counted::<u32, _, u32>(ByFunction::new(Same), job::<u32>(), 8, 25);
    counted::<u16, _, u64>(
        ByFunction::new(Same),
        HistogramJob { bins: 1 << 18, channels: (2, 2), ..job::<u16>() },
        1,
        25,
    );
    counted::<u32, _, u32>(ByFunction::new(Same), HistogramJob { bins: 1 << 16, ..job::<u32>() }, 1, 40);
    counted::<u32, _, u64>(
        ByFunction::new(Same),
        HistogramJob { bins: 1 << 18, channels: (3, 2), ..job::<u32>() },
        1,
        25,
    );
    counted::<f32, _, u32>(NoRule, HistogramJob { by_edges: true, ..job::<f32>() }, 16, 25);
    counted::<u32, _, i64>(ByFunction::new(Same), HistogramJob { amount: Amount::Whole(8), ..job::<u32>() }, 4, 25);
    counted::<u32, _, f32>(ByFunction::new(Same), HistogramJob { amount: Amount::Float, ..job::<u32>() }, 2, 25);
    counted::<u32, _, f32>(ByFunction::new(Same), HistogramJob { amount: Amount::Exponent, ..job::<u32>() }, 8, 25);
    counted::<f32, _, f64>(NoRule, HistogramJob { amount: Amount::Exponent, by_edges: true, ..job::<f32>() }, 2, 25);
    let rows = |job| HistogramJob { rows: 7, ..job };
    counted::<u8, _, u32>(ByFunction::new(Same), rows(job::<u8>()), 32, 25);
    counted::<u8, _, u64>(ByFunction::new(Same), rows(HistogramJob { channels: (3, 2), ..job::<u8>() }), 32, 25);
    counted::<u32, _, u32>(ByFunction::new(Same), rows(HistogramJob { bins: 1 << 16, ..job::<u32>() }), 1, 40);
    counted::<f32, _, u32>(NoRule, rows(HistogramJob { by_edges: true, ..job::<f32>() }), 16, 25);
    let amount = |amount| rows(HistogramJob { amount, ..job::<u32>() });
    counted::<u32, _, i64>(ByFunction::new(Same), amount(Amount::Whole(8)), 4, 25);
    counted::<u32, _, f32>(ByFunction::new(Same), amount(Amount::Float), 2, 25);
    counted::<u32, _, f64>(ByFunction::new(Same), amount(Amount::Exponent), 8, 25);
}
