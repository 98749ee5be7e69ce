//! Result types of sums and products: 64 bits for integers by default, with overflow checks.
//!
//! The command line asks for the checks and for the 64 bits. No pairs of types are compiled for them: integers are
//! converted on the host, for a reduction block by block, each while it is in the cache.

use crate::args::Summing;
use crate::element::{Type, Values};
use crate::failure::{Failure, Result, note};
use crate::write::OutputForm;
use upsweep_dynamic::{Number, Op, View};

/// Types of a scan or a reduction, and whether overflow is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sums {
    /// Type of the results.
    pub(crate) results: Type,
    /// Type in which the device computes.
    pub(crate) computed: Type,
    /// Whether a result that does not fit its type is an error.
    pub(crate) checked: bool,
    /// Whether the ending of the output's name sets the type of the results.
    by_ending: bool,
}

impl Sums {
    /// Chooses the types for values of type `element`, whose results go to an output of this form.
    pub(crate) fn new(asked: Summing, op: Op, element: Type, form: OutputForm) -> Result<Self> {
        let own = Self { results: element, computed: element, checked: false, by_ending: false };
        if !is_sum(op) {
            return Ok(own);
        }
        let ending = match form {
            OutputForm::Raw(Some(named)) if asked.sum_type.is_none() && element.integers().is_some() => {
                Some(named).filter(|&named| named != Type::Bool && named.integers().is_some())
            }
            _ => None,
        };
        let wide = |element| if is_signed(element) { Type::I64 } else { Type::U64 };
        let default = if element.integers().is_some() { wide(element) } else { element };
        let results = asked.sum_type.or(ending).unwrap_or(default);
        let computed = match (results.integers(), element.integers()) {
            (None, _) => results,
            (Some(_), Some(_)) => wide(element),
            (Some(_), None) => wide(results),
        };
        if asked.wrap && results.integers().is_none() {
            let reason = format!("only integers wrap around, and the sums are {results}: leave it out");
            return Err(Failure::Input(format!("--wrap: {reason}")));
        }
        let checked = results.integers().is_some() && !asked.wrap;
        Ok(Self { results, computed, checked, by_ending: ending.is_some() })
    }

    /// Fails if the output file `name` is of another type than the results.
    pub(crate) fn check_output(&self, form: OutputForm, op: Op, name: &str) -> Result<()> {
        let option = if is_sum(op) { "--sum-type" } else { "--type" };
        form.check_as(self.results, name, Some(option))
    }

    /// Prints a note about the type of the results if the output file does not record it and it differs from that of
    /// the values.
    pub(crate) fn note_width(&self, form: OutputForm, element: Type) {
        if form == OutputForm::Raw(None) && self.results != element {
            let (results, bytes) = (self.results, self.results.size());
            note(&format!("the results are {results}, of {bytes} bytes each: --sum-type says another type"));
        }
    }

    /// Converts the values to the type of the computation. Returns `None` if they have it, or if both types are
    /// integers: then the computation widens the values itself.
    pub(crate) fn converted(&self, values: View<'_>) -> upsweep_dynamic::Result<Option<Values>> {
        let integers = values.element().integers().is_some() && self.computed.integers().is_some();
        (!integers && values.element() != self.computed).then(|| values.nearest(self.computed)).transpose()
    }

    /// Converts the values to the type of the computation, integers to wider ones.
    pub(crate) fn in_computed(&self, values: View<'_>) -> upsweep_dynamic::Result<Values> {
        let integers = values.element().integers().is_some() && self.computed.integers().is_some();
        if integers { values.to_type(self.computed) } else { values.nearest(self.computed) }
    }

    /// Converts an initial value from the type of the results to that of the computation, integers modulo 2^64.
    pub(crate) fn init(&self, init: Number) -> Number {
        match (init, self.computed) {
            (Number::Integer(n), Type::I64) => Number::Integer(i128::from(n as i64)),
            (Number::Integer(n), Type::U64) => Number::Integer(i128::from(n as u64)),
            _ => init,
        }
    }

    /// Converts the computed values to the type of the results, integers by dropping upper bits.
    pub(crate) fn results(&self, computed: Values) -> upsweep_dynamic::Result<Values> {
        if self.results == self.computed { Ok(computed) } else { computed.modulo(self.results) }
    }

    /// Returns advice for the message about a result that does not fit. `value` is the exact result, if known.
    pub(crate) fn advice(&self, value: Option<i128>) -> String {
        let fits = |element: Type| value.zip(element.integers()).is_some_and(|(value, range)| range.contains(&value));
        let taker = if fits(self.computed) { self.computed } else { Type::F64 };
        let ending = if self.by_ending { format!(" and name it .{taker}") } else { String::new() };
        format!("give --sum-type {taker}{ending}, or --wrap to let it wrap around")
    }

    /// Returns the words of the summary that name the type of the results, or an empty text if that is the type of the
    /// values.
    pub(crate) fn words(&self, element: Type) -> String {
        if self.results == element { String::new() } else { format!(" in {}", self.results) }
    }
}

impl Summing {
    /// Fails if an option for sums and products was given and none of `ops` is one, or if the type is bool.
    pub(crate) fn check(self, ops: &[Op]) -> Result<()> {
        let given = [("--sum-type", self.sum_type.is_some()), ("--wrap", self.wrap)];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given && !ops.iter().any(|&op| is_sum(op))) {
            return Err(Failure::Input(format!("{option}: is for sums and products: leave it out")));
        }
        if self.sum_type == Some(Type::Bool) {
            return Err(Failure::Input("--sum-type bool: sums are numbers: i64 counts".to_owned()));
        }
        Ok(())
    }
}

/// Whether `op` is a sum or a product, whose results may be too large for the type of the values.
pub(crate) fn is_sum(op: Op) -> bool {
    matches!(op, Op::Sum | Op::Product)
}

/// Whether sums of this type are signed integers. Sums of bool are, as in NumPy.
fn is_signed(element: Type) -> bool {
    element == Type::Bool || element.integers().is_some_and(|range| *range.start() < 0)
}
