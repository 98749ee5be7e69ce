//! Part of the list of kernels that are compiled where there is no GPU: scans along two axes.

use super::super::features::Features;
use super::super::scan_axes::{ScanAxesParams, kernel, plan};
use super::{AddMasked, List};
use half::f16;
use upsweep_core::halves::InF32;
use upsweep_core::operator::builtin::{First, Max, Sum};
use upsweep_core::operator::{Same, Widen};
use upsweep_core::segments::Whole;
use upsweep_core::steps::{JobSteps, Parts};

impl List {
    /// Adds the kernels of scans along two axes to the list: with states of all sizes, of few interleaved lines, with a
    /// border, and of an operator that captures a value.
    pub(super) fn axes(&mut self) {
        let plain = Features::PLAIN;
        self.two_axes("f32", &Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), plain);
        self.two_axes(
            "f32 with a border",
            &Parts::<f32, f32, _, _, _>::new(Sum, Same, Same),
            Features { exclusive: true, ..plain },
        );
        self.two_axes("u8 as u32", &Parts::<u8, u32, _, _, _>::new(Sum, Widen::<u32>::new(), Same), plain);
        self.two_axes("f32 as f64", &Parts::<f32, f64, _, _, _>::new(Sum, Widen::<f64>::new(), Same), plain);
        self.two_axes("f64 max", &Parts::<f64, f64, _, _, _>::new(Max, Same, Same), plain);
        self.two_axes("f16", &InF32(Parts::<f16, f16, _, _, _>::new(Sum, Same, Same)), plain);
        self.two_axes("3 bytes", &Parts::<(u8, u8, u8), (u8, u8, u8), _, _, _>::new(First, Same, Same), plain);
        self.two_axes(
            "u32 by 3",
            &Parts::<u32, u32, _, _, _>::new(Sum, Same, Same),
            Features { interleaved: 3, ..plain },
        );
        self.two_axes("u32 values", &Parts::<u32, u32, _, _, _>::new(AddMasked { mask: 0xff }, Same, Same), plain);
    }

    fn two_axes<S: JobSteps>(&mut self, name: &str, steps: &S, features: Features)
    where
        S::In: upsweep_core::inputs::Read<Functions: Default>,
        S::Out: upsweep_core::outputs::Write<Functions: Default>,
    {
        let capability = self.capability;
        self.with_functions::<S, Whole>(steps, None, |list, functions| {
            let plan = plan((1, 1 << 14, 1 << 14), features.interleaved, functions.layouts, capability);
            plan.iter().for_each(|plan| list.add::<ScanAxesParams>("axes", name, kernel(plan, features, functions)));
        });
    }
}
