//! Values of a matrix as a file has them: integers stay integers.

use crate::element::{Value, Values, with_values};
use crate::failure::{quoted, shown};
use crate::number::{is_number, is_whole};
use upsweep_dynamic::Number;

/// Explanation for an integer that 64 bits do not hold beside the others.
const TOO_WIDE: &str = "whole numbers are those of i64, or of u64 if none is negative";

/// Appends an integer. The values are u64 from the first one on that i64 does not hold.
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

/// Appends the number in a text. The values are f64 from the first fraction on. Until then `negative_zeros` records the
/// places of `-0`, which keeps its sign as a float.
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

/// Converts values to f64; an error is the index and the value of an integer that f64 does not have.
pub(super) fn exact_floats(values: &Values) -> Result<Vec<f64>, (usize, i128)> {
    let float = |(at, number)| match number {
        Number::Float(x) => Ok(x),
        Number::Integer(n) if n as f64 as i128 == n => Ok(n as f64),
        Number::Integer(n) => Err((at, n)),
    };
    with_values!(values, x => x.iter().map(|&x| Number::from(x)).enumerate().map(float).collect())
}

/// Values as integers, if their type is an integer's.
pub(super) fn whole(values: &Values) -> Option<Vec<i128>> {
    let number = |number| if let Number::Integer(n) = number { Some(n) } else { None };
    with_values!(values, x => x.iter().map(|&x| number(Number::from(x))).collect())
}
