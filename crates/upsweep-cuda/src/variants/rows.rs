//! Part of the list of kernels that are compiled where there is no GPU: reductions of rows, each by one warp.

use super::super::reduce::rows::{RowsParams, kernel, plan};
use super::{AddMasked, List, Times};
use half::bf16;
use upsweep_core::halves::InF32;
use upsweep_core::inputs::Read;
use upsweep_core::operator::builtin::{ArgMax, FourPowers, Logarithm, Max, Sum, SumOfPowers};
use upsweep_core::operator::{Enumerate, MapWith, Same, Zip};
use upsweep_core::outputs::Write;
use upsweep_core::segments::Whole;
use upsweep_core::shape::Shape;
use upsweep_core::steps::{JobSteps, Parts};

const SHAPE: Shape = Shape { outer: 1 << 16, len: 1 << 12, inner: 1 };

/// Returns the constants of the kernel in which each warp reduces a row.
#[cfg(test)]
pub(super) fn constants(functions: &super::super::job::Functions<'_>) -> upsweep_plan::constants::Constants {
    plan(SHAPE, functions.layouts, functions.known.form).map(|plan| plan.constants()).unwrap_or_default()
}

impl List {
    /// Adds the kernels of reductions of rows to the list: by operators that commute and by others, of elements of all
    /// sizes.
    pub(super) fn rows(&mut self) {
        self.row("f32", &Parts::<f32, f32, _, _, _>::new(Sum, Same, Same));
        self.row("u8 max", &Parts::<u8, u8, _, _, _>::new(Max, Same, Same));
        self.row("bf16", &InF32(Parts::<bf16, bf16, _, _, _>::new(Sum, Same, Same)));
        self.row("u32 values", &Parts::<u32, u32, _, _, _>::new(AddMasked { mask: 0xff }, Same, Same));
        self.row("f64 argmax", &Parts::<f64, (f64, u64), _, _, _>::new(ArgMax, Enumerate, Same));
        let products = Parts::<Zip<(f32, f32)>, f32, _, _, _>::new(Sum, MapWith(Times), Same);
        self.row("products", &products);
        let powers = Parts::<[f32; 4], f32, _, _, _>::new(SumOfPowers, MapWith(FourPowers), Logarithm);
        self.row("powers", &powers);
    }

    fn row<S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>>(
        &mut self,
        name: &str,
        steps: &S,
    ) {
        self.with_functions::<_, Whole>(steps, None, |list, functions| {
            let plan = plan(SHAPE, functions.layouts, functions.known.form);
            for has_init in [false, true] {
                let kernel = plan.map(|plan| kernel(&plan, has_init, functions));
                kernel.into_iter().for_each(|kernel| list.add::<RowsParams>("rows", name, kernel));
            }
        });
    }
}
