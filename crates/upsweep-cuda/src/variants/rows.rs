//! Part of the list of kernels that are compiled where there is no GPU: reductions of rows, each by one warp, and of rows
//! and columns by the trees of float sums.

use super::super::reduce::column_totals::{self, ColumnTotalsParams};
use super::super::reduce::row_totals::{self, RowTotalsParams};
use super::super::reduce::rows::{RowsParams, kernel, plan};
use super::{AddMasked, List, Times};
use half::bf16;
use upsweep_core::halves::InF32;
use upsweep_core::inputs::Read;
use upsweep_core::operator::builtin::{ArgMax, FourPowers, Logarithm, Max, Product, Sum, SumOfPowers};
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

/// Returns the constants of the kernels of float sums of rows and columns.
#[cfg(test)]
pub(super) fn constants_of_totals(
    functions: &super::super::job::Functions<'_>,
) -> [upsweep_plan::constants::Constants; 5] {
    let rows = |len| row_totals::plan(Shape { len, ..SHAPE }, functions.layouts).map(|plan| plan.constants());
    let columns = |inner| {
        let plan = column_totals::plan(Shape { inner, ..SHAPE }, functions.layouts);
        plan.map(|plan| plan.constants((functions.layouts.input.size, functions.layouts.streams))).unwrap_or_default()
    };
    let ([narrow, _], [wide, joining]) = (columns(3), columns(1 << 10));
    [rows(1 << 12).unwrap_or_default(), rows(10).unwrap_or_default(), narrow, wide, joining]
}

impl List {
    /// Adds the kernels of reductions of rows to the list: by operators that commute and by others, of elements of all
    /// sizes.
    pub(super) fn rows(&mut self) {
        self.row("u8 max", &Parts::<u8, u8, _, _, _>::new(Max, Same, Same));
        self.row("u32 values", &Parts::<u32, u32, _, _, _>::new(AddMasked { mask: 0xff }, Same, Same));
        self.row("f64 argmax", &Parts::<f64, (f64, u64), _, _, _>::new(ArgMax, Enumerate, Same));
        let products = Parts::<Zip<(f32, f32)>, f32, _, _, _>::new(Max, MapWith(Times), Same);
        self.row("products", &products);
        let powers = Parts::<[f32; 4], f32, _, _, _>::new(SumOfPowers, MapWith(FourPowers), Logarithm);
        self.row("powers", &powers);
        for len in [1, 3, 30, 60, 100, 200, 400, 1000, 1 << 20] {
            self.row_totals(&format!("f32 of {len}"), &Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), len);
        }
        let products = Parts::<Zip<(f32, f32)>, f32, _, _, _>::new(Sum, MapWith(Times), Same);
        for len in [10, 100, 1 << 14] {
            self.row_totals(&format!("f64 of {len}"), &Parts::<f64, f64, _, _, _>::new(Product, Same, Same), len);
            self.row_totals(&format!("bf16 of {len}"), &InF32(Parts::<bf16, bf16, _, _, _>::new(Sum, Same, Same)), len);
            self.row_totals(&format!("products of {len}"), &products, len);
        }
        self.column_totals("f32", &Parts::<f32, f32, _, _, _>::new(Sum, Same, Same));
        self.column_totals("f64", &Parts::<f64, f64, _, _, _>::new(Product, Same, Same));
        self.column_totals("bf16", &InF32(Parts::<bf16, bf16, _, _, _>::new(Sum, Same, Same)));
        self.column_totals("products", &products);
    }

    fn column_totals<S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>>(
        &mut self,
        name: &str,
        steps: &S,
    ) {
        self.with_functions::<_, Whole>(steps, None, |list, functions| {
            for (inner, has_init) in [(2, true), (3, false), (5, true), (16, false), (100, false), (1000, true)] {
                let shape = Shape { outer: 1, len: 1 << 20, inner };
                let Some(plan) = column_totals::plan(shape, functions.layouts) else { continue };
                for kernel in column_totals::kernels(&plan, has_init, functions) {
                    list.add::<ColumnTotalsParams>("column totals", &format!("{inner} of {name}"), kernel);
                }
            }
        });
    }

    fn row_totals<S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>>(
        &mut self,
        name: &str,
        steps: &S,
        len: usize,
    ) {
        self.with_functions::<_, Whole>(steps, None, |list, functions| {
            let Some(plan) = row_totals::plan(Shape { outer: 1000, len, inner: 1 }, functions.layouts) else { return };
            let joins = plan.parts > 1;
            let kernels = row_totals::kernels(&plan, len % 2 == 1, functions);
            for kernel in kernels.into_iter().take(if joins { 2 } else { 1 }) {
                list.add::<RowTotalsParams>("row totals", name, kernel);
            }
        });
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
