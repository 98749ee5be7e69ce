//! Part of the list of kernels that are compiled where there is no GPU: inputs and outputs that are not one buffer.

use super::*;
use upsweep_core::inputs::{Applied, Bit, Counting, Gathered, Near, Repeated};
use upsweep_core::outputs::Scattered;

impl List {
    /// Adds the kernels of jobs whose inputs or outputs are not one buffer.
    pub(super) fn inputs(&mut self) {
        type Two = Zip<(f32, Gathered<f32, u32>)>;
        type Four = Zip<(f32, Near<f32>, Bit<u32>, u8)>;
        type Computed = Zip<(Applied<Same, Counting<u64>>, Repeated<u64>)>;
        type Places = Scattered<f32, Counting<u32>>;
        let two = Parts::<Two, f32, _, _, _>::new(Sum, MapWith(Times), Same);
        let four = Parts::<Four, f32, _, _, _>::new(Sum, MapWith(Mixed), Same);
        self.families::<_, Whole>("four inputs", &four, None, Features::PLAIN);
        self.families::<_, Whole>("f32 and gathered f32", &two, None, Features::PLAIN);
        let one_pass = Features { heads: Heads::Rows, by_segment: true, ..Features::PLAIN };
        self.with_functions::<_, Whole>(&two, None, |list, functions| {
            list.scans("f32 and gathered f32 by rows", one_pass, functions);
        });
        let computed = Parts::<Computed, Zip<(u64, u64)>, _, _, _>::new(First, Same, Same);
        self.families::<_, Whole>("computed", &computed, None, Features::PLAIN);
        let reversed = Features { reverse: true, ..Features::PLAIN };
        let scattered = Parts::<Zip<(f32, f32)>, Places, _, _, _>::new(Sum, MapWith(Times), Same);
        self.families::<_, Whole>("scattered", &scattered, None, reversed);
    }
}
