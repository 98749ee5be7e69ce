//! Numbers as text: parsing and its errors.

use crate::failure::{quoted, shown};
use upsweep_dynamic::{Number, Type};

/// Error of a text that is no value of the requested type, with advice.
#[derive(Debug)]
pub(crate) struct NoValue {
    reason: String,
    /// Element types that have the value.
    takers: Vec<Type>,
    /// Advice on how to write the text so that it is read as a float.
    float: Option<String>,
}

impl NoValue {
    /// Creates the error for an integer, with the advice that it is read as f64 if it is written as a fraction.
    pub(crate) fn integer(reason: String, takers: Vec<Type>, text: &str) -> Self {
        let rounded = if takers.contains(&Type::F64) { "" } else { " to have it rounded" };
        Self { reason, takers, float: Some(format!("write {}.0{rounded}", shown(text))) }
    }

    /// Returns this error without other types in its advice, for a place where no other type takes all values.
    pub(crate) fn for_any_type(self) -> Self {
        Self { takers: Vec::new(), ..self }
    }

    /// Returns the reason and the advice as text. With `typed`, the advice may name the option for the type.
    pub(crate) fn words(&self, typed: bool) -> String {
        let takers: Vec<String> = self.takers.iter().map(|taker| format!("--type {taker}")).collect();
        let types = (typed && !takers.is_empty()).then(|| format!("give {}", takers.join(" or ")));
        let float = self.float.clone().filter(|_| types.is_none() || !self.takers.contains(&Type::F64));
        let advice: Vec<String> = types.into_iter().chain(float).collect();
        let to = if advice.is_empty() { "" } else { ": " };
        format!("{}{to}{}", self.reason, advice.join(", or "))
    }
}

impl From<String> for NoValue {
    fn from(reason: String) -> Self {
        Self { reason, takers: Vec::new(), float: None }
    }
}

/// Parses an integer from `smallest` to `largest`. It may also have the forms `3.0` and `1e3`, which `str::parse`
/// refuses for integers.
pub(crate) fn integer(text: &str, element: &str, smallest: i128, largest: i128) -> Result<i128, NoValue> {
    let said = || shown(text);
    let n = match text.parse::<i128>() {
        Ok(n) => n,
        Err(_) => {
            let x: f64 = text.parse().map_err(|_| not_a_number(text))?;
            if !x.is_finite() {
                return Err(format!("{} is not finite and {element} holds only integers", said()).into());
            }
            if x.fract() != 0.0 {
                let reason = format!("{} is not an integer and {element} holds only integers", said());
                return Err(NoValue { reason, takers: vec![Type::F64], float: None });
            }
            Number::Float(x).integer().unwrap_or(i128::MAX)
        }
    };
    if (smallest..=largest).contains(&n) {
        Ok(n)
    } else {
        Err(format!("{} does not fit {element} ({smallest} to {largest})", said()).into())
    }
}

/// Returns a number that is written by at most 15 digits, and not as `-0`: an integer, which f64 holds, and the number of its
/// digits that are decimals.
pub(crate) fn short(text: &[u8]) -> Option<(i64, usize)> {
    let (digits, sign) = match text {
        [b'-', digits @ ..] => (digits, -1),
        digits => (digits, 1),
    };
    let (mut value, mut point) = (0, digits.len());
    for (at, &byte) in digits.iter().enumerate().take(17) {
        match byte {
            b'0'..=b'9' => value = 10 * value + i64::from(byte - b'0'),
            b'.' if point == digits.len() && at > 0 => point = at,
            _ => return None,
        }
    }
    let has_point = usize::from(point < digits.len());
    let decimals = digits.len() - point - has_point;
    let is_short = (1..=15).contains(&(digits.len() - has_point)) && decimals >= has_point && (value > 0 || sign > 0);
    is_short.then_some((sign * value, decimals))
}

/// Whether `text` is written as an integer: digits, and a sign at most.
pub(crate) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks that `value`, the float that `text` was parsed to, equals `text` if that is an integer. Decimal fractions may
/// be rounded, but an integer may not, unless it has the digits in which a float is written: JavaScript writes 2^64 as
/// 18446744073709552000.
pub(crate) fn whole_as_written<T: Into<f64>>(text: &str, element: &str, value: T) -> Result<(), NoValue> {
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

/// Returns the error for an integer `text` that would be rounded to `value`.
pub(crate) fn not_exactly(text: &str, element: &str, value: f64) -> NoValue {
    let takers = match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(_), _) => vec![Type::I64],
        (_, Ok(_)) => vec![Type::U64],
        _ => Vec::new(),
    };
    NoValue::integer(format!("{} is not exactly a value of {element}, {value:.0} is", shown(text)), takers, text)
}

/// Whether `text` is `inf` or `infinity`, with or without a sign.
pub(crate) fn says_infinity(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']);
    word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity")
}

/// Whether `text` can be parsed as f64: as a finite number, an infinity or NaN.
pub(crate) fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

pub(crate) fn not_a_number(text: &str) -> String {
    format!("{} is not a number", quoted(text))
}
