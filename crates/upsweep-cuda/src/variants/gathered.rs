//! Part of the list of kernels that are compiled where there is no GPU: reductions by offsets of gathered elements,
//! such as sparse products.

use super::super::reduce::gathered::{self, GatheredParams};
use super::List;
use upsweep_core::inputs::Gathered;
use upsweep_core::operator::builtin::Sum;
use upsweep_core::operator::{MapWith, Same, Zip, function};
use upsweep_core::segments::Offsets;
use upsweep_core::steps::Parts;

#[function]
fn term(value: f32, x: f32) -> f32 {
    value * x
}

impl List {
    pub(super) fn apart(&mut self) {
        let product = Parts::<Zip<(f32, Gathered<f32, u32>)>, f32, _, _, _>::new(Sum, MapWith(Term), Same);
        let capability = self.capability;
        self.with_functions::<_, Offsets<'static, [u64]>>(&product, None, |list, functions| {
            for (name, segments) in [("of a sparse product", 1 << 22), ("of short rows", 1 << 23)] {
                let plan = gathered::plan(1 << 26, segments, functions.layouts, capability);
                for kernel in gathered::kernels(&plan, gathered::features(false), functions) {
                    list.add::<GatheredParams>(kernel.kernel.1, name, kernel);
                }
            }
        });
    }
}
