//! Tests of kernels in the emulator, without a GPU: pyramids.

use super::run;
use crate::pyramid::{PyramidParams, kernel, with_functions};
use upsweep_core::operator::{Element, Function, function};
use upsweep_plan::pyramid::PyramidPlan;

/// Functions of four values whose result depends on the order of the arguments.
#[function]
fn of_bytes(a: u8, b: u8, c: u8, d: u8) -> u8 {
    a ^ b.rotate_left(1) ^ c.rotate_left(3) ^ d.rotate_left(6)
}
#[function]
fn of_halves(a: u16, b: u16, c: u16, d: u16) -> u16 {
    a ^ b.rotate_left(1) ^ c.rotate_left(3) ^ d.rotate_left(6)
}
#[function]
fn of_words(#[param] by: u32, a: u32, b: u32, c: u32, d: u32) -> u32 {
    ((a * by + b) * by + c) * by + d
}
#[function]
fn of_floats(a: f64, b: f64, c: f64, d: f64) -> f64 {
    ((a * 0.5 + b) * 0.5 + c) * 0.5 + d
}

/// Runs the kernel of pyramids for images of `channels` channels, on `cases` random inputs. Tiles are smaller than on a
/// GPU.
fn pyramid<T: Element, F: Function<(T, T, T, T), Output = T>>(
    of_four: F,
    channels: usize,
    with_input: bool,
    cases: u32,
) {
    let mut plan = PyramidPlan::new(size_of::<T>(), channels);
    plan.tile = plan.tile.map(|side| if plan.whole_pixels { side / 4 } else { side.min(8) });
    with_functions::<T, F, _>(&of_four, |functions| {
        let mut source = kernel(&plan, with_input, functions).source::<PyramidParams>()?;
        // SAFETY: no value that a test's functions capture has padding, so all bytes are initialised.
        let values: Vec<u8> = functions.held.values.bytes().iter().map(|byte| unsafe { byte.assume_init() }).collect();
        if !values.is_empty() {
            source.prelude.insert_str(0, &format!("#define VALUES {{ {values:?} }}\n").replace(['[', ']'], ""));
        }
        run(&format!("pyramid {with_input} {plan:?}"), &source, &[("THREADS", 64)], cases);
        Ok(())
    })
    .unwrap();
}

#[test]
#[ignore = "needs Linux and a C++20 compiler with -fsanitize=thread: g++ 12 or later, or $CXX"]
fn emulated_pyramids() {
    pyramid(OfBytes, 4, true, 60);
    pyramid(OfBytes, 1, false, 40);
    pyramid(OfBytes, 3, false, 40);
    pyramid(OfBytes, 19, true, 40);
    pyramid(OfHalves, 3, true, 40);
    pyramid(OfWords { by: 77 }, 4, false, 40);
    pyramid(OfFloats, 1, true, 40);
    pyramid(OfFloats, 5, false, 40);
}
