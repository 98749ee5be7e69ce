//! Values of a matrix in the number type of the file: integers stay integers.

use crate::element::{Value, Values, with_values};
use crate::failure::{quoted, shown};
use crate::number::{is_number, is_whole};
use upsweep_dynamic::Number;

/// Part of an error message about an integer that does not fit the 64-bit type of the values before it.
const TOO_WIDE: &str = "whole numbers are those of i64, or of u64 if none is negative";

/// Appends an integer to `values`. These are i64 up to the first integer that i64 does not hold, and then u64.
pub(super) fn push_whole(values: &mut Values, n: i128) -> Result<(), String> {
    let too_wide = || format!("{n} is not read: {TOO_WIDE}");
    match values {
        Values::I64(x) => match i64::try_from(n) {
            Ok(n) => x.push(n),
            Err(_) => {
                let so_far = x.iter().map(|&n| u64::try_from(n)).chain([u64::try_from(n)]);
                *values = so_far.collect::<Result<Vec<u64>, _>>().map_err(|_| too_wide())?.into();
            }
        },
        Values::U64(x) => x.push(u64::try_from(n).map_err(|_| too_wide())?),
        _ => return Err(too_wide()),
    }
    Ok(())
}

/// Appends the number in `text` to `values`. From the first fraction on the values are f64. Until then `negative_zeros`
/// records the indices of `-0`, which keeps its sign in the conversion to floats.
pub(super) fn push_text(values: &mut Values, negative_zeros: &mut Vec<usize>, text: &str) -> Result<(), String> {
    if !is_number(text) {
        return Err(format!("{} is not a number", quoted(text)));
    }
    let to_round = |n: &str, why: &str| {
        let n = shown(n);
        format!("{n} is not exactly a value of f64, as {why}: write {n}.0 to have it rounded")
    };
    if let (Ok(n), false) = (text.parse(), matches!(values, Values::F64(_))) {
        if n == 0 && text.starts_with('-') {
            negative_zeros.push(values.len());
        }
        return push_whole(values, n);
    }
    let value = <f64 as Value>::parse(text).map_err(|wrong| match is_whole(text) {
        true => to_round(text, "the other values are"),
        false => wrong.words(false),
    })?;
    if !matches!(values, Values::F64(_)) {
        let mut floats = exact_floats(values).map_err(|(_, n)| to_round(&n.to_string(), "others are"))?;
        negative_zeros.drain(..).for_each(|at| floats[at] = -0.0);
        *values = floats.into();
    }
    if let Values::F64(x) = values {
        x.push(value);
    }
    Ok(())
}

/// Converts values to f64. The error is the index and the value of the first integer that is not exactly a value of
/// f64.
pub(super) fn exact_floats(values: &Values) -> Result<Vec<f64>, (usize, i128)> {
    let float = |(at, number)| match number {
        Number::Float(x) => Ok(x),
        Number::Integer(n) if n as f64 as i128 == n => Ok(n as f64),
        Number::Integer(n) => Err((at, n)),
    };
    with_values!(values, x => x.iter().map(|&x| Number::from(x)).enumerate().map(float).collect())
}

/// Returns the values as integers, or `None` if their type is a float type.
pub(super) fn whole(values: &Values) -> Option<Vec<i128>> {
    let number = |number| if let Number::Integer(n) = number { Some(n) } else { None };
    with_values!(values, x => x.iter().map(|&x| number(Number::from(x))).collect())
}
