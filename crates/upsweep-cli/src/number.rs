//! Numbers as text.

use crate::failure::{quoted, shown};
use upsweep_dynamic::Number;

/// The integer that `text` says where `str::parse` saw none: `3.0` and `1e3` are whole numbers too.
pub(crate) fn integer(text: &str, element: &str, smallest: i128, largest: i128) -> Result<i128, String> {
    let said = || shown(text);
    let n = match text.parse::<i128>() {
        Ok(n) => n,
        Err(_) => {
            let x: f64 = text.parse().map_err(|_| not_a_number(text))?;
            if !x.is_finite() {
                return Err(format!("{} is not finite and {element} holds only integers", said()));
            }
            if x.fract() != 0.0 {
                return Err(format!(
                    "{} is not an integer and {element} holds only integers: --type f64 takes it",
                    said()
                ));
            }
            Number::Float(x).integer().unwrap_or(i128::MAX)
        }
    };
    if (smallest..=largest).contains(&n) {
        Ok(n)
    } else {
        Err(format!("{} does not fit {element} ({smallest} to {largest})", said()))
    }
}

/// Whether `text` is written as an integer: digits, and a sign at most.
pub(crate) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks that the float `value`, which `text` was parsed to, is what it says, if that is an integer. Decimal fractions are
/// rounded; an integer is not, unless it is one that a float is written as: JavaScript writes 2^64 as 18446744073709552000.
pub(crate) fn whole_as_written<T: Into<f64>>(text: &str, element: &str, value: T) -> Result<(), String> {
    if !is_whole(text) {
        return Ok(());
    }
    let value: f64 = value.into();
    let digits = text.trim_start_matches(['+', '-']).trim_start_matches('0');
    let written = |float: String| float == if digits.is_empty() { "0" } else { digits };
    if written(format!("{:.0}", value.abs())) || written(value.abs().to_string()) {
        return Ok(());
    }
    Err(not_exactly(text, element, value))
}

/// `text`, an integer, would have to be rounded to `value`.
pub(crate) fn not_exactly(text: &str, element: &str, value: f64) -> String {
    let taker = match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(_), _) => "give --type i64, or ",
        (_, Ok(_)) => "give --type u64, or ",
        _ => "",
    };
    let text = shown(text);
    format!("{text} is not exactly a value of {element}, {value:.0} is: {taker}write {text}.0 to have it rounded")
}

/// Whether `text` writes infinity in words.
pub(crate) fn says_infinity(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']);
    word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity")
}

/// Whether `text` is any number.
pub(crate) fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

pub(crate) fn not_a_number(text: &str) -> String {
    format!("{} is not a number", quoted(text))
}
