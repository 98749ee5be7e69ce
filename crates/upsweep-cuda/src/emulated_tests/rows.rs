//! Tests of kernels in the emulator, without a GPU: reductions of rows, a warp each, and of rows and columns by the trees
//! of float sums.

use super::{Buffers, Placed, THREADS, Then, in_f32, run};
use crate::job::{Functions, text_of};
use crate::reduce::column_totals::{self, ColumnTotalsParams};
use crate::reduce::row_totals::{self, RowTotalsParams};
use crate::reduce::rows::{self, RowsParams};
use half::bf16;
use upsweep_core::operator::builtin::{Max, Product, Sum};
use upsweep_core::operator::{Map, Same, Source, Widen};
use upsweep_core::segments::Whole;
use upsweep_core::shape::Shape;
use upsweep_core::steps::{Held, Parts};

/// Runs the kernel in which each warp reduces a row, on `cases` random inputs.
fn reduced<S: Buffers>(steps: S, has_init: bool, cases: u32) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    let shape = Shape { outer: 1 << 16, len: 1 << 12, inner: 1 };
    let plan = rows::plan(shape, functions.layouts, functions.known.form).unwrap();
    let source = rows::kernel(&plan, has_init, &functions).source::<RowsParams>().unwrap();
    run(&format!("rows {}", std::any::type_name::<S>()), &source, THREADS, cases);
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_rows() {
    reduced(Parts::<u32, u32, _, _, _>::new(Then, Same, Same), true, 40);
    reduced(Parts::<u32, u32, _, _, _>::new(Sum, Placed, Same), false, 40);
    reduced(Parts::<u8, u8, _, _, _>::new(Max, Same, Same), false, 20);
    reduced(Parts::<u8, u64, _, _, _>::new(Sum, Widen::<u64>::new(), Same), true, 20);
}

impl Map<f32> for Placed {
    type Output = f32;
    fn apply(&self, x: f32, index: u64) -> f32 {
        x + index as f32 * 77.0
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        source.define("placed f32", "placed", |_, name| {
            format!("__device__ __forceinline__ f32 {name}(f32 x, u64 index) {{ return x + (f32)index * 77; }}")
        })
    }
}

/// Runs the kernels of float sums and products of rows of `len` elements, or of any length that has the same plan, on
/// `cases` random inputs.
fn totals<S: Buffers>(steps: S, len: usize, has_init: bool, cases: u32) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    let plan = row_totals::plan(Shape { outer: 1 << 10, len, inner: 1 }, functions.layouts).unwrap();
    let [reducing, joining] = row_totals::kernels(&plan, has_init, &functions);
    let name = format!("row totals {} of {len} {has_init}", std::any::type_name::<S>());
    run(&name, &reducing.source::<RowTotalsParams>().unwrap(), if plan.is_short() { &[] } else { THREADS }, cases);
    if plan.parts > 1 {
        run(&format!("joined {name}"), &joining.source::<RowTotalsParams>().unwrap(), THREADS, cases);
    }
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_row_totals() {
    for len in [1, 2, 3, 8, 32, 100, 200, 1 << 16] {
        totals(Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), len, len % 2 == 1, 20);
    }
    for len in [1, 30, 64, 500, 1 << 16] {
        totals(Parts::<f64, f64, _, _, _>::new(Product, Same, Same), len, true, 20);
    }
    for len in [3, 128, 1 << 12] {
        totals(in_f32::<bf16>(), len, len == 100, 20);
    }
    totals(Parts::<f32, f32, _, _, _>::new(Sum, Placed, Same), 1 << 12, false, 20);
    totals(Parts::<f32, f32, _, _, _>::new(Sum, Placed, Same), 20, false, 20);
}

/// Runs the kernels of float sums and products of `columns` columns, on `cases` random inputs.
fn column_totals<S: Buffers>(steps: S, columns: usize, has_init: bool, cases: u32) {
    let text = |source: &mut Source| text_of::<S, Whole>(source, &steps, None, &Default::default());
    let held = Held::nothing();
    let functions = Functions::of::<S, Whole>(&text, &held);
    let plan = column_totals::plan(Shape { outer: 2, len: 1 << 20, inner: columns }, functions.layouts).unwrap();
    for kernel in column_totals::kernels(&plan, has_init, &functions) {
        let name = format!("{} {columns} {} {has_init}", kernel.kernel.1, std::any::type_name::<S>());
        run(&name, &kernel.source::<ColumnTotalsParams>().unwrap(), &[], cases);
    }
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_column_totals() {
    column_totals(Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), 100, false, 30);
    column_totals(Parts::<f64, f64, _, _, _>::new(Product, Same, Same), 17, true, 30);
    column_totals(in_f32::<bf16>(), 100, true, 30);
    column_totals(Parts::<f32, f32, _, _, _>::new(Sum, Placed, Same), 30, false, 30);
    for columns in [2, 3, 8, 16] {
        column_totals(Parts::<f32, f32, _, _, _>::new(Sum, Same, Same), columns, columns == 3, 20);
    }
    column_totals(Parts::<f64, f64, _, _, _>::new(Product, Same, Same), 5, true, 20);
    column_totals(Parts::<f32, f32, _, _, _>::new(Sum, Placed, Same), 4, false, 20);
}
