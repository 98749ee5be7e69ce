//! Kernels of scans and reductions of an array in parts.

use super::*;
use crate::reduce::part::PartParams;
use crate::scan::part::OpenParams;
use upsweep_core::operator::builtin::{Last, Product};

impl List {
    pub(super) fn parts(&mut self) {
        self.parts_of("f32", &sum::<f32>());
        self.parts_of("f64", &sum::<f64>());
        self.parts_of("bf16", &InF32(Parts::<bf16, bf16, _, _, _>::new(Sum, Same, Same)));
        let product = Parts::<f32, f64, _, _, _>::new(Product, Widen::<f64>::new(), Same);
        self.parts_of("f32 as f64 product", &product);
        self.parts_of("u8", &sum::<u8>());
        self.parts_of("u32 affine", &Parts::<(u32, u32), (u32, u32), _, _, _>::new(Last, Same, Same));
    }

    fn parts_of<S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>>(
        &mut self,
        name: &str,
        steps: &S,
    ) {
        let features = Features { has_init: true, ..Features::PLAIN };
        self.with_functions::<S, Whole>(steps, None, |list, functions| {
            let (layouts, form) = (functions.layouts, functions.known.form);
            let continues = Features { continues: true, ..features };
            let plan = reduce::plan(1 << 20, layouts, form);
            list.add::<ReduceParams>("reduce of a part", name, reduce::kernel(&plan, continues, functions));
            if layouts.lanes > 0 {
                list.add::<PartParams>("part", name, reduce::part::kernel(features, functions));
                list.add::<OpenParams>("open", name, scan::part::kernel(layouts.row, features, functions));
            }
        });
    }
}
