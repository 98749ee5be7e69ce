//! Part of the list of kernels that are compiled where there is no GPU: up-sweeps.

use super::super::up_sweep::{UpSweepParams, kernel};
use super::{AddMasked, List};
use upsweep_core::operator::builtin::{First, Max, Sum};
use upsweep_core::operator::{Element, Operator, Same};
use upsweep_core::segments::Whole;
use upsweep_core::steps::Parts;

impl List {
    /// Adds the kernels of up-sweeps of elements of all sizes, and of an operator that captures a value, to the list.
    pub(super) fn up_sweeps(&mut self) {
        self.up_sweep::<u8, _>("u8", Sum);
        self.up_sweep::<f32, _>("f32", Sum);
        self.up_sweep::<f64, _>("f64 max", Max);
        self.up_sweep::<(u8, u8, u8), _>("3 bytes", First);
        self.up_sweep::<[u64; 8], _>("64 bytes", First);
        self.up_sweep::<u32, _>("u32 values", AddMasked { mask: 0xff });
    }

    fn up_sweep<T: Element, Op: Operator<T>>(&mut self, name: &str, operator: Op) {
        let steps = Parts::<T, T, Op, Same, Same>::new(operator, Same, Same);
        self.with_functions::<_, Whole>(&steps, None, |list, functions| {
            list.add::<UpSweepParams>("up-sweep", name, kernel(functions));
        });
    }
}
