//! Part of the list of kernels that are compiled where there is no GPU: image pyramids.

use super::super::pyramid::{PyramidParams, kernel, with_functions};
use super::List;
use upsweep_core::operator::builtin::First;
use upsweep_core::operator::{Element, Function, Operator, Source, function};
use upsweep_plan::pyramid::PyramidPlan;

#[function]
fn mean_u8(a: u8, b: u8, c: u8, d: u8) -> u8 {
    ((a as u32 + b as u32 + c as u32 + d as u32 + 2) / 4) as u8
}
#[function]
fn mean_u16(a: u16, b: u16, c: u16, d: u16) -> u16 {
    ((a as u32 + b as u32 + c as u32 + d as u32 + 2) / 4) as u16
}
#[function]
fn mean_f32(a: f32, b: f32, c: f32, d: f32) -> f32 {
    (((a as f64 + c as f64) + (b as f64 + d as f64)) * 0.25) as f32
}
#[function]
fn scaled_f64(#[param] by: f64, a: f64, b: f64, c: f64, d: f64) -> f64 {
    ((a + c) + (b + d)) * by
}

/// Function that returns the first of four elements of any type.
#[derive(Clone, Copy)]
struct FirstOfFour;
impl<T: Element> Function<(T, T, T, T)> for FirstOfFour {
    type Output = T;
    fn call(&self, (a, ..): (T, T, T, T)) -> T {
        a
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let (ty, first) = (T::cuda_type(source), Operator::<T>::cuda_function(&First, source));
        source.define(&format!("first of four {ty}"), "first_of_four", |_, name| {
            format!(
                "__device__ __forceinline__ {ty} {name}({ty} a, {ty} b, {ty} c, {ty} d) {{ return {first}({first}(a, b), {first}(c, d)); }}"
            )
        })
    }
}

impl List {
    /// Adds the kernels of pyramids to the list: of pixels of all sizes, whole ones and those split by channels, and of
    /// a function that captures a value.
    pub(super) fn pyramids(&mut self) {
        for with_input in [false, true] {
            self.pyramid::<u8, _>("u8 x 4", MeanU8, 4, with_input);
        }
        self.pyramid::<u8, _>("u8", MeanU8, 1, true);
        self.pyramid::<u8, _>("u8 x 3", MeanU8, 3, true);
        self.pyramid::<u8, _>("u8 x 8", MeanU8, 8, true);
        self.pyramid::<u8, _>("u8 x 19", MeanU8, 19, false);
        self.pyramid::<u16, _>("u16 x 3", MeanU16, 3, false);
        self.pyramid::<u16, _>("u16", MeanU16, 1, true);
        self.pyramid::<f32, _>("f32", MeanF32, 1, false);
        self.pyramid::<f32, _>("f32 x 3", MeanF32, 3, true);
        self.pyramid::<f32, _>("f32 x 4", MeanF32, 4, true);
        self.pyramid::<f64, _>("f64 values", ScaledF64 { by: 0.25 }, 1, true);
        self.pyramid::<f64, _>("f64 x 4 values", ScaledF64 { by: 0.25 }, 4, true);
        self.pyramid::<f64, _>("f64 x 5 values", ScaledF64 { by: 0.25 }, 5, true);
        self.pyramid::<(u8, u32), _>("fields", FirstOfFour, 2, true);
        self.pyramid::<[u64; 8], _>("64 bytes", FirstOfFour, 1, true);
    }

    fn pyramid<T: Element, F: Function<(T, T, T, T), Output = T>>(
        &mut self,
        name: &str,
        of_four: F,
        channels: usize,
        with_input: bool,
    ) {
        let plan = PyramidPlan::new(size_of::<T>(), channels);
        let name = if with_input { format!("{name} with input") } else { name.to_owned() };
        // Never fails: upsweep's own functions capture little.
        let _added = with_functions::<T, F, _>(&of_four, |functions| {
            self.add::<PyramidParams>("pyramid", &name, kernel(&plan, with_input, functions));
            Ok(())
        });
    }
}
