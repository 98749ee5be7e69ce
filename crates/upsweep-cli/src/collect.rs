//! Values as text, on their way into an array.

use crate::element::{Type, Value, Values, with_type};

/// Takes values as text, one by one.
pub(crate) trait Collector {
    /// Takes the next value.
    fn push(&mut self, text: &str) -> Result<(), String>;

    /// All values.
    fn finish(self: Box<Self>) -> Values;
}

/// What takes the values of type `element`, or finds the type out: i64 while all are integers, else f64.
pub(crate) fn collector(element: Option<Type>) -> Box<dyn Collector> {
    match element {
        Some(element) => with_type!(element, T => Box::new(Typed::<T>(Vec::new()))),
        None => Box::new(Inferred::Integers(Vec::new())),
    }
}

struct Typed<T>(Vec<T>);

impl<T: Value> Collector for Typed<T>
where
    Vec<T>: Into<Values>,
{
    fn push(&mut self, text: &str) -> Result<(), String> {
        self.0.push(T::parse(text)?);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Values {
        self.0.into()
    }
}

enum Inferred {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

impl Collector for Inferred {
    fn push(&mut self, text: &str) -> Result<(), String> {
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

    fn finish(self: Box<Self>) -> Values {
        match *self {
            Self::Integers(values) => values.into(),
            Self::Floats(values) => values.into(),
        }
    }
}
