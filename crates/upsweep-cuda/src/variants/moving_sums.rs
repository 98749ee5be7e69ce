//! Part of the list of kernels that are compiled where there is no GPU: moving sums.

use super::super::moving_sum::{MovingSumParams, kernel, with_functions};
use super::List;
use upsweep_core::operator::{Element, Function, Map, MapWith, Number, OnlySum, Same, Widen, function};
use upsweep_plan::moving_sum::{MovingSumPlan, Windows};

#[function]
fn wide(x: f32) -> f64 {
    x as f64
}
#[function]
fn square(#[param] by: f64, x: u16) -> f64 {
    x as f64 * x as f64 * by
}
#[function]
fn mean_of_floats(sum: f64, n: u64) -> f32 {
    (sum * (1.0 / n as f64)) as f32
}
#[function]
fn mean_of_bytes(sum: u64, n: u64) -> u8 {
    ((sum + n / 2) / n) as u8
}

impl List {
    /// Adds the kernels of moving sums to the list: windows of few and of many columns, of one row and of several, of
    /// one and of several channels, and blocks of all sizes.
    pub(super) fn moving_sums(&mut self) {
        for radius in [3, 50, 700] {
            self.moving_sum::<f32, f64, _, _, _>("f32", MapWith(Wide), MeanOfFloats, 1, [radius, radius]);
        }
        self.moving_sum::<u8, u64, _, _, _>("u8 x 3", Widen::new(), MeanOfBytes, 3, [5, 5]);
        self.moving_sum::<u8, u32, _, _, _>("u8", Widen::new(), OnlySum, 1, [0, 9]);
        self.moving_sum::<u16, f64, _, _, _>("u16 values", MapWith(Square { by: 0.5 }), OnlySum, 1, [9, 9]);
        self.moving_sum::<f64, f64, _, _, _>("f64", Same, OnlySum, 1, [50, 50]);
        self.moving_sum::<f32, f32, _, _, _>("f32 in f32", Same, OnlySum, 7, [1, 2]);
        self.moving_sum::<i128, i128, _, _, _>("i128", Same, OnlySum, 1, [20, 20]);
    }

    fn moving_sum<T, A, O, M, F>(&mut self, name: &str, map: M, finish: F, channels: usize, [rows, columns]: [usize; 2])
    where
        T: Element,
        A: Number,
        O: Element,
        M: Map<T, (T,), Output = A>,
        F: Function<(A, u64), Output = O>,
    {
        let shape = [1, 4096, 4096, channels];
        let windows = Windows::new(shape, shape.iter().product(), [rows; 2], [columns; 2]);
        let plan = windows.and_then(|windows| MovingSumPlan::new(&windows, size_of::<A>()));
        let name = format!("{name}, {columns} columns");
        // Never fails: upsweep's own functions capture little, and the windows fit.
        let _added = plan.and_then(|plan| {
            with_functions::<T, A, O, _, _, _>(&map, &finish, |functions| {
                self.add::<MovingSumParams>("moving sum", &name, kernel(&plan, functions));
                Ok(())
            })
        });
    }
}
