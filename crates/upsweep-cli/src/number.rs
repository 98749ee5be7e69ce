//! Numbers as text.

use crate::failure::quoted;
use upsweep_dynamic::Number;

/// The integer that `text` says where `str::parse` saw none: `3.0` and `1e3` are whole numbers too.
pub(crate) fn integer(text: &str, element: &str, smallest: i128, largest: i128) -> Result<i128, String> {
    let n = match text.parse::<i128>() {
        Ok(n) => n,
        Err(_) => {
            let x: f64 = text.parse().map_err(|_| not_a_number(text))?;
            if !x.is_finite() {
                return Err(format!("{text} is not finite and {element} holds only integers"));
            }
            if x.fract() != 0.0 {
                return Err(format!("{text} is not an integer and {element} holds only integers: --type f64 takes it"));
            }
            Number::Float(x).integer().unwrap_or(i128::MAX)
        }
    };
    if (smallest..=largest).contains(&n) {
        Ok(n)
    } else {
        Err(format!("{text} does not fit {element} ({smallest} to {largest})"))
    }
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
