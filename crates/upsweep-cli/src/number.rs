//! Numbers on their way from one type to another, and numbers as text.

use crate::failure::quoted;

/// A number as wide as any element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// The number, if it is whole.
    pub(crate) fn integer(self) -> Option<i128> {
        // Every finite f64 of at most this size is an i128.
        const LIMIT: f64 = 1e38;
        match self {
            Self::Integer(n) => Some(n),
            Self::Float(x) if x.fract() == 0.0 && x.abs() <= LIMIT => Some(x as i128),
            Self::Float(_) => None,
        }
    }

    /// The number as a float, if `round`, the rounding to the wanted type, leaves it as it is.
    pub(crate) fn float(self, round: impl Fn(f64) -> f64) -> Option<f64> {
        let (x, whole) = match self {
            Self::Integer(n) => (n as f64, Some(n)),
            Self::Float(x) => (x, None),
        };
        let rounded = round(x);
        let same = match whole {
            Some(n) => rounded.is_finite() && rounded as i128 == n,
            None => rounded == x || x.is_nan(),
        };
        same.then_some(rounded)
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(n) => write!(f, "{n}"),
            Self::Float(x) => write!(f, "{x:?}"),
        }
    }
}

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

/// Takes values as text, one by one.
pub(crate) trait Collector {
    /// Takes the next value.
    fn push(&mut self, text: &str) -> Result<(), String>;

    /// All values.
    fn finish(self: Box<Self>) -> crate::element::Values;
}

/// What takes the values of type `element`, or finds the type out: i64 while all are integers, else f64.
pub(crate) fn collector(element: Option<crate::element::Type>) -> Box<dyn Collector> {
    use crate::element::with_type;
    match element {
        Some(element) => with_type!(element, T => Box::new(Typed::<T>(Vec::new()))),
        None => Box::new(Inferred::Integers(Vec::new())),
    }
}

struct Typed<T>(Vec<T>);

impl<T: crate::element::Value> Collector for Typed<T>
where
    Vec<T>: Into<crate::element::Values>,
{
    fn push(&mut self, text: &str) -> Result<(), String> {
        self.0.push(T::parse(text)?);
        Ok(())
    }

    fn finish(self: Box<Self>) -> crate::element::Values {
        self.0.into()
    }
}

enum Inferred {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

impl Collector for Inferred {
    fn push(&mut self, text: &str) -> Result<(), String> {
        use crate::element::Value;
        match self {
            Self::Floats(values) => values.push(Value::parse(text)?),
            Self::Integers(values) => match text.parse() {
                Ok(value) => values.push(value),
                Err(_) if text.parse::<i128>().is_ok() => {
                    return Err(format!("{text} does not fit i64: give --type u64 or --type f64"));
                }
                Err(_) => {
                    let value = Value::parse(text)?;
                    // Same size and alignment: the elements are rewritten where they lie.
                    let mut floats: Vec<f64> = std::mem::take(values).into_iter().map(|n| n as f64).collect();
                    floats.push(value);
                    *self = Self::Floats(floats);
                }
            },
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> crate::element::Values {
        match *self {
            Self::Integers(values) => values.into(),
            Self::Floats(values) => values.into(),
        }
    }
}
