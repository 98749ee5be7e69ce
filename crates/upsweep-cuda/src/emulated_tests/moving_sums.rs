//! Tests of kernels in the emulator, without a GPU: moving sums.

use super::run;
use crate::moving_sum::{MovingSumParams, kernel, with_functions};
use upsweep_core::operator::{Element, Function, Map, MapWith, Number, OnlySum, Same, Widen, function};
use upsweep_plan::moving_sum::{MovingSumPlan, Windows};

#[function]
fn times(#[param] by: f64, x: u16) -> f64 {
    x as f64 * by
}
#[function]
fn mean(sum: f64, n: u64) -> f64 {
    sum / n as f64
}
#[function]
fn with_number(sum: u64, n: u64) -> (u8, u64) {
    ((sum % 251) as u8, sum * 1000 + n)
}

/// Runs moving sums by blocks of few threads, on `cases` random inputs. The window reaches `rows` rows up and down and
/// `columns` columns to each side; it matters only whether each is 0, few or many.
fn moving_sum<T, A, O, M, F>(map: M, finish: F, channels: usize, [rows, columns]: [usize; 2], cases: u32)
where
    T: Element,
    A: Number,
    O: Element,
    M: Map<T, (T,), Output = A>,
    F: Function<(A, u64), Output = O>,
{
    let shape = [1, 1000, 1000, channels];
    let windows = Windows::new(shape, shape.iter().product(), [rows; 2], [columns; 2]).unwrap();
    let plan = MovingSumPlan::new(&windows, size_of::<A>()).unwrap();
    with_functions::<T, A, O, _, _, _>(&map, &finish, |functions| {
        let mut source = kernel(&plan, functions).source::<MovingSumParams>()?;
        // SAFETY: no value that a test's functions capture has padding, so all bytes are initialised.
        let values: Vec<u8> = functions.held.values.bytes().iter().map(|byte| unsafe { byte.assume_init() }).collect();
        if !values.is_empty() {
            source.prelude.insert_str(0, &format!("#define VALUES {{ {values:?} }}\n").replace(['[', ']'], ""));
        }
        run(&format!("moving sum {rows} {columns} {plan:?}"), &source, &[("THREADS", 64)], cases);
        Ok(())
    })
    .unwrap();
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_moving_sums() {
    moving_sum::<f64, f64, _, _, _>(Same, Mean, 1, [5, 20], 60);
    moving_sum::<f64, f64, _, _, _>(Same, OnlySum, 2, [5, 3], 40);
    moving_sum::<f64, f64, _, _, _>(Same, OnlySum, 1, [0, 20], 40);
    moving_sum::<u8, u64, _, _, _>(Widen::new(), WithNumber, 3, [2, 20], 40);
    moving_sum::<u8, u32, _, _, _>(Widen::new(), OnlySum, 1, [0, 2], 40);
    moving_sum::<u16, f64, _, _, _>(MapWith(Times { by: 0.5 }), Mean, 1, [2, 20], 40);
    moving_sum::<i32, i32, _, _, _>(Same, OnlySum, 5, [2, 20], 40);
}
