//! Conditions on the elements of an array: those of `select --where`, whose only column is `x`.

use crate::element::Type;
use crate::expression::value::Row;
use crate::expression::{Columns, Expression, Found, Kind, Name, parse};
use crate::failure::{Failure, Result};
use upsweep_dynamic::{Number, Value};

/// Columns that a condition on an array may use: only `x`, its elements.
struct Elements(Kind);

impl Columns for Elements {
    fn find(&self, column: &Name) -> Found<(usize, Kind)> {
        match column {
            Name::Called(name) if name == "x" => Ok((0, self.0)),
            _ => Err("an array has no columns: its values are x".to_owned()),
        }
    }
}

/// Element of an array, which takes the place of a row in a condition.
struct Element(Number);

impl Row for Element {
    fn number(&self, _: usize) -> Found<Number> {
        Ok(self.0)
    }
    fn text(&self, _: usize) -> Found<&[u8]> {
        Ok(b"")
    }
    fn bool(&self, _: usize) -> Found<bool> {
        Ok(self.0 == Number::Integer(1))
    }
    fn is_null(&self, _: usize) -> bool {
        matches!(self.0, Number::Float(x) if x.is_nan())
    }
}

/// Parses the condition on an array of this type.
pub(crate) fn of_elements(condition: &str, element: Type) -> Result<Expression> {
    let kind = if element == Type::Bool { Kind::Bool } else { Kind::Number };
    parse(condition, &Elements(kind)).map_err(|wrong| Failure::Input(format!("--where {}", wrong.within(condition))))
}

/// Sets for each of the values `x`, which begin at index `start`, whether the condition holds.
pub(crate) fn mark<T: Value>(
    condition: &Expression,
    x: &[T],
    start: usize,
    flags: &mut [bool],
    name: &str,
) -> Result<()> {
    for (at, (flag, &x)) in flags.iter_mut().zip(x).enumerate() {
        *flag = condition
            .holds(&Element(x.into()))
            .map_err(|reason| Failure::input(name, format!("at {}: {reason}", start + at)))?;
    }
    Ok(())
}
