//! Runs of equal neighbours, of an array in a file or of parts that come one after the other.
//!
//! Threads find the runs of their chunks at the same time. In its turn a chunk joins its first run to the one that the chunk before
//! it has left open, and leaves its own last one open.

use super::ArrayFile;
use super::fold::{CHUNK, fold};
use crate::element::{Type, Values, with_values};
use crate::failure::{Failure, Result};
use upsweep::Device;
use upsweep_dynamic::{Number, View, runs};

/// Taker of the values of runs that have ended, and of their lengths.
pub(crate) type Take<'a> = dyn FnMut(&Values, &[u64]) -> Result<()> + Send + 'a;

/// Run to which the next values may belong.
#[derive(Debug)]
pub(crate) struct Open {
    /// Its first value, alone.
    pub(crate) value: Values,
    pub(crate) length: u64,
}

/// Runs of parts.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) open: Option<Open>,
}

impl Joined {
    /// Adds the runs of the next part: the values that come first in each, and their lengths. `take` takes those that have ended.
    pub(crate) fn add(&mut self, mut values: Values, mut lengths: Vec<u64>, take: &mut Take<'_>) -> Result<()> {
        let Some(first) = lengths.first_mut() else { return Ok(()) };
        match self.open.take() {
            Some(open) if number(&open.value).is_some_and(|value| number(&values) == Some(value)) => {
                *first += open.length;
                // Zeros of both signs are equal.
                set_first(&mut values, &open.value);
            }
            Some(open) => take(&open.value, &[open.length])?,
            None => {}
        }
        let last = with_values!(&mut values, x => x.pop().map(|value| Values::from(vec![value])));
        self.open = last.zip(lengths.pop()).map(|(value, length)| Open { value, length });
        if values.is_empty() { Ok(()) } else { take(&values, &lengths) }
    }

    /// Goes on from numbers that [`numbers`](Self::numbers) returned. `None`: there are no such runs of this type.
    pub(crate) fn of_numbers(element: Type, numbers: &[u64]) -> Option<Self> {
        let &[value, length] = numbers else { return numbers.is_empty().then(Self::default) };
        // So long that adding what a file may have leaves 64 bits.
        if length == 0 || length > u64::MAX / 2 {
            return None;
        }
        // Aligned as a value of any type.
        let bits = [value.to_le()];
        let bytes = bytemuck::cast_slice::<u64, u8>(&bits).get(..element.size())?;
        let value = View::from_bytes(element, bytes).and_then(|value| value.to_values()).ok()?;
        Some(Self { open: Some(Open { value, length }) })
    }

    /// Numbers that tell the run that is open, if there is one: the bits of its value, and its length.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        self.open
            .iter()
            .flat_map(|Open { value, length }| {
                let mut bits = [0; size_of::<u64>()];
                bits.iter_mut().zip(value.bytes()).for_each(|(bit, &byte)| *bit = byte);
                [u64::from_le_bytes(bits), *length]
            })
            .collect()
    }

    /// Ends the last run.
    pub(crate) fn finish(self, take: &mut Take<'_>) -> Result<()> {
        self.open.map_or(Ok(()), |Open { value, length }| take(&value, &[length]))
    }
}

/// Returns the first of the values.
fn number(values: &Values) -> Option<Number> {
    with_values!(values, x => x.first().map(|&x| Number::from(x)))
}

/// Puts the first of `from`, which has the same type, in place of the first of the values.
fn set_first(values: &mut Values, from: &Values) {
    macro_rules! same {
        ($($element:ident)*) => { match (values, from) {
            $((Values::$element(values), Values::$element(from)) => {
                values.iter_mut().zip(from).take(1).for_each(|(value, from)| *value = *from);
            })*
            _ => {}
        } };
    }
    same! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
}

/// Finds the runs of the file, which go on from those in `joined`. `take` takes those that end in it.
pub(crate) fn of_file(file: &ArrayFile, joined: Joined, take: &mut Take<'_>) -> Result<Joined> {
    let find = |_, values: &Values| runs(&Device::cpu(), values.view()).map_err(|e| Failure::computing(&file.name, &e));
    let add =
        |(joined, take): &mut (Joined, &mut Take<'_>), (values, lengths)| joined.add(values, lengths, &mut **take);
    fold(file, "reading", (joined, take), find, add).map(|(joined, _)| joined)
}

/// Distinct values of an array whose values come sorted: each NaN is the same value.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    joined: Joined,
    /// Number of NaN.
    nans: u64,
}

impl Distinct {
    /// Adds the next of the sorted values of the file `name`.
    pub(crate) fn add(&mut self, sorted: &Values, name: &str, take: &mut Take<'_>) -> Result<()> {
        let is_number = |x: Number| !matches!(x, Number::Float(x) if x.is_nan());
        let numbers = with_values!(sorted, x => x.partition_point(|&x| is_number(x.into())));
        self.nans += (sorted.len() - numbers) as u64;
        for start in (0..numbers).step_by(CHUNK) {
            let part = sorted.view().part(start..(start + CHUNK).min(numbers));
            let (values, lengths) = runs(&Device::cpu(), part).map_err(|e| Failure::computing(name, &e))?;
            self.joined.add(values, lengths, take)?;
        }
        Ok(())
    }

    /// Ends the last value of this type.
    pub(crate) fn finish(self, element: Type, name: &str, take: &mut Take<'_>) -> Result<()> {
        self.joined.finish(take)?;
        if self.nans == 0 {
            return Ok(());
        }
        let nan = View::F64(&[f64::NAN]).nearest(element).map_err(|e| Failure::computing(name, &e))?;
        take(&nan, &[self.nans])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    /// Runs of parts are those of the whole, wherever it is cut.
    #[test]
    fn runs_go_over_cuts() {
        let zeros = Values::F32(vec![-0.0, 0.0, 1.0, 1.0, f32::NAN, f32::NAN, 1.0, 0.0, -0.0, -0.0]);
        let bits = Values::U16(vec![7, 7, 7, 7, 1, 2, 2, 7, 7, 7]);
        for x in [zeros, bits] {
            let (values, lengths) = runs(&Device::cpu(), x.view()).unwrap();
            for first in 0..=x.len() {
                for second in first..=x.len() {
                    let (mut joined, mut bytes, mut counts) = (Joined::default(), Vec::new(), Vec::new());
                    let mut take = |values: &Values, lengths: &[u64]| {
                        bytes.extend_from_slice(values.bytes());
                        counts.extend_from_slice(lengths);
                        Ok(())
                    };
                    for part in [0..first, first..second, second..x.len()] {
                        let (values, lengths) = runs(&Device::cpu(), x.view().part(part)).unwrap();
                        joined.add(values, lengths, &mut take).unwrap();
                    }
                    joined.finish(&mut take).unwrap();
                    assert_eq!((&bytes[..], &counts), (values.bytes(), &lengths), "{first} {second}");
                }
            }
        }
    }
}
