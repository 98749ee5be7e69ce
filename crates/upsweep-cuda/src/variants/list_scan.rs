//! Part of the list of kernels that are compiled where there is no GPU: scans along a linked list.

use super::super::list_scan::{self, ListScanParams, Step};
use super::{AddMasked, List, Weighed};
use upsweep_core::inputs::{Counting, Read};
use upsweep_core::operator::builtin::{Last, Max, Sum};
use upsweep_core::operator::{MapWith, Same};
use upsweep_core::outputs::Write;
use upsweep_core::segments::Whole;
use upsweep_core::steps::{JobSteps, Parts};

impl List {
    /// Adds the kernels of scans along a linked list: of numbers, of computed elements, of functions that capture
    /// values, and of large elements.
    pub(super) fn along(&mut self) {
        self.along_of("u64 computed", false, &Parts::<Counting<u64>, u64, _, _, _>::new(Sum, Same, Same));
        self.along_of("f64 max", true, &Parts::<f64, f64, _, _, _>::new(Max, Same, Same));
        let values =
            Parts::<u32, u32, _, _, _>::new(AddMasked { mask: 0xff }, MapWith(Weighed { weights: [1; 5] }), Same);
        self.along_of("u32 values", true, &values);
        self.along_of("64 bytes", false, &Parts::<[u64; 8], [u64; 8], _, _, _>::new(Last, Same, Same));
    }

    fn along_of<S>(&mut self, name: &str, exclusive: bool, steps: &S)
    where
        S: JobSteps<In: Read<Functions: Default>, Out: Write<Functions: Default>>,
    {
        self.with_functions::<S, Whole>(steps, None, |list, functions| {
            for step in [
                Step::Totals { of_pieces: false },
                Step::Totals { of_pieces: true },
                Step::Rank,
                Step::Results { of_pieces: true },
                Step::Results { of_pieces: false },
            ] {
                list.add::<ListScanParams>(
                    "along",
                    &format!("{name} {step:?}"),
                    list_scan::kernel(step, exclusive, functions),
                );
            }
        });
    }
}
