//! Collectors of values given as text: growing arrays that report a lack of memory.

use crate::element::{Type, Value, Values, with_type};
use crate::failure::{Failure, shown};
use crate::number::{NoValue, is_whole, not_exactly, short};
use upsweep_core::memory;

/// Reason why a value is refused.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The text is no valid value; the reason is in words.
    Wrong(String),
    /// There is no memory for this number of bytes.
    Memory(usize),
}

impl From<String> for Refused {
    fn from(reason: String) -> Self {
        Self::Wrong(reason)
    }
}

impl Refused {
    /// Returns the failure to report: a lack of memory, with the name of the file, or what `wrong` makes of the reason
    /// why the value is refused.
    pub(crate) fn failure(self, name: &str, wrong: impl FnOnce(String) -> Failure) -> Failure {
        match self {
            Self::Wrong(reason) => wrong(reason),
            Self::Memory(bytes) => Failure::memory(name, bytes),
        }
    }
}

/// Appends `value`, if there is memory for it.
pub(crate) fn push<T>(values: &mut Vec<T>, value: T) -> Result<(), Refused> {
    reserve(values, 1)?;
    values.push(value);
    Ok(())
}

fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), Refused> {
    if values.capacity() - values.len() >= more {
        return Ok(());
    }
    let bytes = values.len().saturating_add(more).saturating_mul(size_of::<T>());
    memory::ask(|| values.try_reserve(more)).map_err(|_| Refused::Memory(bytes))
}

/// Taker of values given as text, one by one.
pub(crate) trait Push {
    /// Parses `text` and appends the value.
    fn push(&mut self, text: &str) -> Result<(), Refused>;

    /// Appends the value of a cell that is a [short](short) number, as most are, faster than [`push`](Self::push) does. Returns
    /// `false`, and appends nothing, if the cell is for that.
    fn push_short(&mut self, _: &[u8]) -> Result<bool, Refused> {
        Ok(false)
    }
}

/// Collector of values given as text.
pub(crate) trait Collector: Push {
    /// Returns all values that were appended.
    fn finish(self: Box<Self>) -> Values;
}

/// Creates a collector of values of type `element`; if that is `None`, of i64 while all values are integers, and else
/// of f64. With `typed`, errors name the command's option for the type.
pub(crate) fn collector(element: Option<Type>, typed: bool) -> Box<dyn Collector> {
    match element {
        Some(element) => with_type!(element, T => Box::new(Typed::<T> { values: Vec::new(), typed })),
        None => {
            Box::new(Inferred { values: Numbers::Integers { values: Vec::new(), negative_zeros: Vec::new() }, typed })
        }
    }
}

/// Creates a collector of the values of a column that are of type `element`, which [`collector`] has found in it if it is not asked
/// for: then cells that are short are read fast, and those that are wrong are told as by that.
pub(crate) fn collector_of(element: Type, asked: Option<Type>, typed: bool) -> Box<dyn Collector> {
    match (asked, element) {
        (None, Type::F64) => Box::new(Inferred { values: Numbers::Floats(Vec::new()), typed }),
        _ => collector(asked, typed),
    }
}

struct Typed<T> {
    values: Vec<T>,
    typed: bool,
}

impl<T: Value> Push for Typed<T> {
    fn push(&mut self, text: &str) -> Result<(), Refused> {
        let value = T::parse(text).map_err(|wrong| wrong.words(self.typed))?;
        push(&mut self.values, value)
    }
}

impl<T: Value> Collector for Typed<T>
where
    Vec<T>: Into<Values>,
{
    fn finish(self: Box<Self>) -> Values {
        self.values.into()
    }
}

struct Inferred {
    values: Numbers,
    typed: bool,
}

enum Numbers {
    Integers {
        values: Vec<i64>,
        /// Indices of `-0` among the values, which keep their sign if the values become floats.
        negative_zeros: Vec<usize>,
    },
    Floats(Vec<f64>),
}

impl Push for Inferred {
    fn push(&mut self, text: &str) -> Result<(), Refused> {
        match &mut self.values {
            Numbers::Floats(values) => push(values, float(text, self.typed)?),
            Numbers::Integers { values, negative_zeros } => match text.parse() {
                Ok(value) => {
                    if value == 0 && text.starts_with('-') {
                        push(negative_zeros, values.len())?;
                    }
                    push(values, value)
                }
                Err(_) => {
                    let value = fraction(text, self.typed, || values.iter().copied().find(is_rounded))?;
                    reserve(values, 1)?;
                    // An i64 and an f64 have the same size and alignment, so the vector is rewritten in place.
                    let mut floats: Vec<f64> = std::mem::take(values).into_iter().map(|n| n as f64).collect();
                    negative_zeros.iter().for_each(|&at| floats[at] = -0.0);
                    floats.push(value);
                    self.values = Numbers::Floats(floats);
                    Ok(())
                }
            },
        }
    }

    fn push_short(&mut self, cell: &[u8]) -> Result<bool, Refused> {
        match (&mut self.values, short(cell)) {
            (Numbers::Integers { values, .. }, Some((value, 0))) => push(values, value)?,
            // Both are exact, so the quotient is the float that is next to the number.
            (Numbers::Floats(values), Some((value, decimals))) => push(values, value as f64 / POWERS[decimals])?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Collector for Inferred {
    fn finish(self: Box<Self>) -> Values {
        match self.values {
            Numbers::Integers { values, .. } => values.into(),
            Numbers::Floats(values) => values.into(),
        }
    }
}

/// Finder of the type of values given as text, none of which it keeps: i64 while all are integers, and else f64.
pub(crate) struct Finder {
    typed: bool,
    /// Whether there was a fraction.
    are_floats: bool,
    /// First integer that no f64 is.
    rounded: Option<i64>,
}

/// Number of which the type is found.
enum Found {
    Integer(i64),
    Float(f64),
}

impl Finder {
    pub(crate) fn new(typed: bool) -> Self {
        Self { typed, are_floats: false, rounded: None }
    }

    /// Type of the values so far. Once it is f64, it stays.
    pub(crate) fn element(&self) -> Type {
        if self.are_floats { Type::F64 } else { Type::I64 }
    }

    /// Parses the next number.
    fn next(&mut self, text: &str) -> Result<Found, Refused> {
        if self.are_floats {
            return float(text, self.typed).map(Found::Float);
        }
        match text.parse() {
            Ok(integer) => {
                self.rounded = self.rounded.or(Some(integer).filter(is_rounded));
                Ok(Found::Integer(integer))
            }
            Err(_) => {
                let number = fraction(text, self.typed, || self.rounded)?;
                self.are_floats = true;
                Ok(Found::Float(number))
            }
        }
    }
}

impl Push for Finder {
    fn push(&mut self, text: &str) -> Result<(), Refused> {
        self.next(text).map(drop)
    }

    fn push_short(&mut self, cell: &[u8]) -> Result<bool, Refused> {
        // Short integers are exact in f64.
        Ok(matches!(short(cell), Some((_, decimals)) if decimals == 0 || self.are_floats))
    }
}

/// Parses a number among fractions. The advice of an error to choose another type is left out: no integer type takes them all.
fn float(text: &str, typed: bool) -> Result<f64, Refused> {
    Value::parse(text).map_err(|wrong: NoValue| wrong.for_any_type().words(typed).into())
}

/// Parses the first number that is no i64, by which the integers before it become floats; `rounded` finds one of these that no
/// f64 is.
fn fraction(text: &str, typed: bool, rounded: impl FnOnce() -> Option<i64>) -> Result<f64, Refused> {
    if is_whole(text) {
        return Err(too_large(text).words(typed).into());
    }
    let value = float(text, typed)?;
    match rounded() {
        None => Ok(value),
        Some(n) => {
            let reason = not_exactly(&n.to_string(), "f64", n as f64).for_any_type().words(typed);
            Err(format!("{} makes the values f64: {reason}", shown(text)).into())
        }
    }
}

/// Whether no f64 is this integer.
fn is_rounded(n: &i64) -> bool {
    (*n as f64) as i128 != i128::from(*n)
}

/// Numbers given as text that are taken away in parts: integers up to the first fraction, and floats from there on. Errors name the
/// command's option for the type.
pub(crate) struct Mixed {
    part: Part,
    finder: Finder,
}

/// Part of such numbers.
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) integers: Vec<i64>,
    /// The integers as floats, with the signs of zeros.
    pub(crate) same: Vec<f64>,
    /// Numbers from the first fraction on.
    pub(crate) floats: Vec<f64>,
}

impl Mixed {
    /// Makes the collector; `are_floats`: whether there was a fraction before.
    pub(crate) fn new(are_floats: bool) -> Self {
        Self { part: Part::default(), finder: Finder { are_floats, ..Finder::new(true) } }
    }

    /// Takes the numbers since the last call away.
    pub(crate) fn take(&mut self) -> Part {
        std::mem::take(&mut self.part)
    }
}

impl Push for Mixed {
    fn push(&mut self, text: &str) -> Result<(), Refused> {
        let Self { part: Part { integers, same, floats }, finder } = self;
        match finder.next(text)? {
            Found::Integer(integer) => {
                push(same, if integer == 0 && text.starts_with('-') { -0.0 } else { integer as f64 })?;
                push(integers, integer)
            }
            Found::Float(number) => push(floats, number),
        }
    }
}

/// Powers of ten, from 10^0 on.
const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Error for a text that is an integer outside of i64.
fn too_large(text: &str) -> NoValue {
    let unsigned = text.parse::<u64>().is_ok().then_some(Type::U64);
    let float = <f64 as Value>::parse(text).is_ok().then_some(Type::F64);
    let takers: Vec<Type> = unsigned.into_iter().chain(float).collect();
    let nor = if takers.is_empty() { ", nor exactly f64" } else { "" };
    NoValue::integer(format!("{} does not fit i64{nor}", shown(text)), takers, text)
}

/// Appends values of the file `name`. Fails if they are of another type.
pub(crate) fn append(all: &mut Values, values: &Values, name: &str) -> crate::failure::Result<()> {
    let (found, first) = (values.element(), all.element());
    if found != first {
        let reason = format!("has values of {found}, and the files before it of {first}: give --type");
        return Err(Failure::input(name, reason));
    }
    all.append(values.view()).map_err(|e| Failure::computing(name, &e))
}

/// List of texts, stored one after the other in one vector.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    pub(crate) fn push(&mut self, text: &[u8]) -> Result<(), Refused> {
        reserve(&mut self.bytes, text.len())?;
        self.bytes.extend_from_slice(text);
        push(&mut self.ends, self.bytes.len())
    }

    /// Removes all texts. Their memory stays for others.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }

    /// Returns text number `index`; an empty one if there is none.
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        let end = |index: Option<usize>| index.and_then(|index| self.ends.get(index)).copied();
        let start = end(index.checked_sub(1)).unwrap_or(0);
        end(Some(index)).and_then(|end| self.bytes.get(start..end)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_the_parsed_ones() {
        let whole =
            ["0", "7", "00", "-1", "123456789012345", "-999999999999999", "1234567890123456", "-0", "+1", "", "-"];
        let parts = [
            "0.5",
            "12.25",
            "-0.1",
            "0.000000000000001",
            "99999999999999.9",
            "123456.123456789",
            "1.",
            ".5",
            ".",
            "-.5",
            "1e5",
            "1.5.5",
            "nan",
            "0.1234567890123456",
            " 1",
            "-0.0",
            "0.3",
            "5.7",
        ];
        for (texts, floats) in [(&whole[..], false), (&whole[..], true), (&parts[..], true)] {
            for text in texts {
                let [mut by_text, mut by_cell] = [collector(None, false), collector(None, false)];
                if floats {
                    assert!(by_text.push("0.5").is_ok() && by_cell.push("0.5").is_ok());
                }
                if by_cell.push_short(text.as_bytes()).is_ok_and(|is_short| is_short) {
                    assert!(by_text.push(text).is_ok());
                    let [by_text, by_cell] = [by_text, by_cell].map(|values| values.finish());
                    assert_eq!(by_text.element(), by_cell.element(), "{text}");
                    assert_eq!(by_text.bytes(), by_cell.bytes(), "{text}");
                } else {
                    assert!(
                        text.len() > 15
                            || !text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
                            || text.ends_with('.')
                            || ["1e5", "1.5.5", "-0", "-0.0"].contains(text),
                        "{text}"
                    );
                }
            }
        }
    }
}
