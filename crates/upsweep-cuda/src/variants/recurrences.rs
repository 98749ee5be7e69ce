//! Part of the list of kernels that are compiled where there is no GPU: linear recurrences (IIR filters).

use super::List;
use crate::features::{Features, Heads};
use crate::recurrence::{self, RecurrenceLinesParams};
use crate::scan::ScanParams;
use upsweep_core::call::recurrence::{ComputesOn, System};
use upsweep_core::operator::Element;
use upsweep_plan::recurrence::{Form, RecurrencePlan};

const DIRECT: Form = Form { order: 2, sections: 0, feedback: true, careful: false, basis: true };

impl List {
    /// Adds the kernels of recurrences to the list: of numbers of each type, of some orders, of cascades, of rows, and
    /// of strided lines.
    pub(super) fn recurrences(&mut self) {
        for order in [1, 2, 4, 8, 16] {
            self.recurrence::<f32, f32>("f32", Form { order, ..DIRECT }, Features::PLAIN);
            self.recurrence::<f64, f64>("f64", Form { order, ..DIRECT }, Features::PLAIN);
        }
        let rows = Features { heads: Heads::Rows, has_init: true, carries: true, ..Features::PLAIN };
        self.recurrence::<f64, f32>("f64 of f32", DIRECT, Features::PLAIN);
        self.recurrence::<f32, f32>("f32", DIRECT, rows);
        self.recurrence::<f64, f64>("f64", Form { order: 3, ..DIRECT }, Features { reverse: true, ..rows });
        self.recurrence::<i32, i32>("i32", Form { order: 3, basis: false, ..DIRECT }, rows);
        self.recurrence::<u64, u64>("u64", Form { basis: false, ..DIRECT }, Features::PLAIN);
        self.recurrence::<f32, f32>(
            "f32",
            Form { feedback: false, careful: true, basis: false, ..DIRECT },
            Features::PLAIN,
        );
        self.recurrence::<f32, f32>("f32", Form { order: 8, sections: 4, ..DIRECT }, Features::PLAIN);
        self.recurrence::<f64, f64>("f64", Form { order: 16, sections: 8, ..DIRECT }, Features::PLAIN);
        let lines = Features { has_init: true, carries: true, ..Features::PLAIN };
        self.lines::<f32, f32>("f32", &[1.0; 3], lines);
        self.lines::<f64, f32>("f64 of f32", &[1.0; 17], Features { reverse: true, ..lines });
    }

    fn recurrence<C: ComputesOn<I>, I: Element>(&mut self, name: &str, form: Form, features: Features) {
        let _none = recurrence::with_functions::<C, I, _>(|functions| {
            let sizes = features.sizes(functions.layouts);
            let plan = RecurrencePlan::new(1 << 20, form, sizes, size_of::<C>(), self.capability);
            let kernel = recurrence::kernel(&plan, features, functions);
            let source = kernel.source_with_numbers::<ScanParams>(plan.numbers() * size_of::<C>())?;
            self.kernels.push((format!("recurrence {name} {form:?} {features:?}"), source));
            Ok(())
        });
    }

    fn lines<C: ComputesOn<I>, I: Element>(&mut self, name: &str, coefficients: &[C], features: Features) {
        let _none = recurrence::with_functions::<C, I, _>(|functions| {
            let system = System::new(coefficients, coefficients)?;
            let (kernel, form) = recurrence::lines_kernel(&system, features, functions);
            let source = kernel.source_with_numbers::<RecurrenceLinesParams>(form.coefficients() * size_of::<C>())?;
            self.kernels.push((format!("recurrence lines {name} {form:?} {features:?}"), source));
            Ok(())
        });
    }
}
