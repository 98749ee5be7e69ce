//! Part of the list of kernels that are compiled where there is no GPU: automata (DFAs).

use super::List;
use crate::automaton;
use crate::select::with_functions;
use upsweep_core::call::select::{Unasked, Where};
use upsweep_plan::automaton::{AutomatonPlan, AutomatonSizes};

impl List {
    /// Adds the kernels of automata to the list: of few states and of many, with few classes of bytes and with one for
    /// each byte value.
    pub(super) fn automata(&mut self) {
        for (states, classes, index, len) in
            [(4, 10, 4, 1 << 20), (16, 20, 4, 1 << 30), (30, 40, 8, 1 << 33), (56, 256, 8, 1 << 33)]
        {
            let plan = AutomatonPlan::new(len, AutomatonSizes { states, classes, listed: 100, index }, self.capability);
            let _none = with_functions::<u8, _, _>(&Where(Unasked), |functions| {
                for kernel in automaton::kernels(&plan, functions) {
                    let source = automaton::source_of(&kernel, &plan)?;
                    self.kernels.push((format!("{} {states} states {classes} classes", source.entry), source));
                }
                Ok(())
            });
        }
    }
}
