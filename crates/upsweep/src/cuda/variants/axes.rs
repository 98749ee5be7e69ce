//! Scans along two axes.

use super::*;
use crate::cuda::scan_axes::{self, ScanAxesParams};
use crate::plan::scan_axes::AxesPlan;

impl List {
    /// Tables of sums of every size, of many rows and of few, with a border; extremes, and an operator that is neither.
    pub(super) fn axes(&mut self) {
        let bordered = Features { exclusive: true, ..Features::PLAIN };
        for features in [Features::PLAIN, bordered] {
            self.axes_of("f32", &sum::<f32>(), features);
            self.axes_of("u8 as u32", &Parts::<u8, u32, _, _, _>::new(Sum, Widen::<u32>::new(), Same), features);
            self.axes_of("f32 as f64", &Parts::<f32, f64, _, _, _>::new(Sum, Widen::<f64>::new(), Same), features);
        }
        self.axes_of("u8", &sum::<u8>(), Features::PLAIN);
        self.axes_of("u64", &sum::<u64>(), Features::PLAIN);
        self.axes_of("u128", &sum::<u128>(), Features::PLAIN);
        self.axes_of("f16", &InF32(Parts::<f16, f16, _, _, _>::new(Sum, Same, Same)), Features::PLAIN);
        self.axes_of("f64 max", &Parts::<f64, f64, _, _, _>::new(Max, Same, Same), Features::PLAIN);
        self.axes_of("3 bytes", &Parts::<(u8, u8, u8), (u8, u8, u8), _, _, _>::new(First, Same, Same), Features::PLAIN);
        self.axes_of("3 x f32", &sum::<f32>(), Features { interleaved: 3, ..Features::PLAIN });
    }

    fn axes_of<S: Steps<In: Read<Functions: Default>, Out: Write<Functions: Default>>>(
        &mut self,
        name: &str,
        steps: &S,
        features: Features,
    ) {
        let capability = self.capability;
        self.with_functions::<S, Whole>(steps, None, |list, functions| {
            let layouts = functions.layouts;
            let sizes = [layouts.input, layouts.acc, layouts.output].map(|layout| layout.size * features.interleaved);
            for (rows, height) in [("many", 1 << 14), ("some", 1 << 12), ("few", 1 << 10)] {
                let plan = AxesPlan::new((1, height, height), sizes.into(), capability);
                let name = format!("{name} {features:?}");
                if let Some(plan) = plan {
                    list.add::<ScanAxesParams>(
                        &format!("axes of {rows} rows"),
                        &name,
                        scan_axes::kernel(&plan, features, functions),
                    );
                }
            }
        });
    }
}
