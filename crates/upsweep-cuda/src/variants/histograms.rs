//! Part of the list of kernels that are compiled where there is no GPU: histograms.

use super::super::histogram::range::{self, RangeHistogramParams};
use super::super::histogram::{self, HistogramParams};
use super::List;
use half::f16;
use upsweep_core::bins::{ByFunction, Even, NoRule};
use upsweep_core::operator::{Element, Map, Same, Source};
use upsweep_core::steps::Held;
use upsweep_core::tally::Amount;
use upsweep_plan::histogram::{HistogramJob, HistogramPlan};

impl List {
    /// Adds the kernels of histograms to the list: of every kind of bins, with and without slices, channels and
    /// weights. (A slice is the part of the bins that one block counts.)
    pub(super) fn histograms(&mut self) {
        macro_rules! even {
            ($($ty:ty)*) => { $(if let Ok(rule) = <$ty>::rule(0.0, 10.0, 256) {
                self.histogram::<$ty, _, u32>(concat!("even ", stringify!($ty)), rule, |job| job);
            })* };
        }
        even! { u8 i16 u16 i32 u32 i64 u64 f32 f64 }
        let Ok(rule) = f32::rule(0.0, 10.0, 256) else { return };
        self.histogram::<f32, _, u32>("2048", rule, |job| HistogramJob { bins: 2048, ..job });
        self.histogram::<f32, _, u64>("65536", rule, |job| HistogramJob { bins: 1 << 16, ..job });
        self.histogram::<f32, _, u32>("channels", rule, |job| HistogramJob { channels: (3, 2), ..job });
        self.histogram::<f32, _, i32>("i32 weights", rule, |job| HistogramJob { amount: Amount::Whole(4), ..job });
        self.histogram::<f32, _, u64>("u64 weights", rule, |job| HistogramJob { amount: Amount::Whole(8), ..job });
        self.histogram::<f32, _, f32>("f32 weights", rule, |job| HistogramJob { amount: Amount::Float, ..job });
        self.histogram::<f32, _, f64>("f64 weights", rule, |job| HistogramJob { amount: Amount::Float, ..job });
        let rows = |job| HistogramJob { rows: 7, ..job };
        self.histogram::<u8, _, u32>("rows u8", ByFunction::new(Same), rows);
        self.histogram::<f32, _, u32>("rows f32", rule, rows);
        self.histogram::<f32, _, u64>("rows 65536", rule, |job| rows(HistogramJob { bins: 1 << 16, ..job }));
        self.histogram::<f32, _, f64>("rows weights", rule, |job| rows(HistogramJob { amount: Amount::Float, ..job }));
        let edges = |job| HistogramJob { by_edges: true, ..job };
        self.histogram::<u8, _, u32>("edges u8", NoRule, edges);
        self.histogram::<f32, _, u32>("edges f32", NoRule, edges);
        self.histogram::<f16, _, u32>("edges f16", NoRule, edges);
        self.histogram::<i128, _, u64>("edges i128", NoRule, edges);
        self.histogram::<(u8, u8, u8), _, u32>("triples", NoRule, |job| job);
        self.histogram::<i64, _, u32>("by i64", ByFunction::new(Same), |job| job);
        self.queries::<(u64, u64)>("ranges", false);
        self.queries::<f64>("quantiles", true);
        self.histogram::<i8, _, u32>("by i8 channels", ByFunction::new(Same), |job| HistogramJob {
            channels: (4, 3),
            ..job
        });
    }

    /// Adds the kernel of queries of a range histogram (prefix sums of a histogram's bins) to the list: with
    /// `quantiles` that of queries of quantiles, else of ranges.
    fn queries<T: Element>(&mut self, name: &str, quantiles: bool) {
        let text = |source: &mut Source| histogram::text_of::<T, NoRule, u64>(source, &NoRule);
        let held = Held::nothing();
        let functions = histogram::functions::<T, NoRule, u64>(&text, &held);
        self.add::<RangeHistogramParams>("range histogram", name, range::kernel(quantiles, &functions));
    }

    fn histogram<T: Element, M: Map<T, Output = u32>, O: Element>(
        &mut self,
        name: &str,
        rule: M,
        change: impl FnOnce(HistogramJob) -> HistogramJob,
    ) {
        let text = |source: &mut Source| histogram::text_of::<T, M, O>(source, &rule);
        let mut held = Held::nothing();
        if held.add_function::<M>(|values| rule.values(values)).is_err() {
            return;
        }
        let functions = histogram::functions::<T, M, O>(&text, &held);
        let job = change(HistogramJob::plain::<T>(1 << 28, 256));
        let plan = HistogramPlan::new(job, self.capability, 132);
        self.add::<HistogramParams>("histogram", name, histogram::kernel(&plan, histogram::COUNT, &functions));
        if job.amount == Amount::Float {
            self.add::<HistogramParams>("finish", name, histogram::kernel(&plan, histogram::FINISH, &functions));
            let plan = HistogramPlan::new(HistogramJob { amount: Amount::Exponent, ..job }, self.capability, 132);
            self.add::<HistogramParams>("exponents", name, histogram::kernel(&plan, histogram::COUNT, &functions));
        }
    }
}
