//! Reader of binary data, straight into the array that is scanned.

use crate::element::{Type, Value, Values, with_type};
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::show::Places;
use std::io::{ErrorKind, Read};
use upsweep_dynamic::Number;

/// Number of bytes of the array that are read and converted at once: so few that they stay in the cache meanwhile.
const CHUNK: usize = 1 << 18;

/// Failure because a file has `found` bytes of an array of which its header promises `promised`.
pub(crate) fn truncated(name: &str, promised: usize, found: usize) -> Failure {
    let reason = format!("is truncated: its header promises {promised} bytes of data and {found} follow");
    Failure::input(name, reason)
}

/// Layout of the values of one array in a binary file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored<'a> {
    pub(crate) element: Type,
    /// Whether the file's byte order is the reverse of this machine's.
    pub(crate) swapped: bool,
    /// Number of values in the file.
    pub(crate) len: usize,
    /// Shape of the array.
    pub(crate) shape: &'a [usize],
    /// Whether the file was seen to hold `len` values, so that memory for all may be allocated at once.
    pub(crate) certain: bool,
}

impl Stored<'_> {
    /// Reads the values into an array of type `target`. The memory is that of the array, and of a small buffer if the
    /// types differ.
    pub(crate) fn read(self, reader: &mut dyn Read, target: Type, name: &str, progress: &Progress) -> Result<Values> {
        let wrong_end = |read: usize| {
            if self.certain {
                return Failure::changed(name);
            }
            let found = read.saturating_mul(self.element.size());
            let promised = self.len.saturating_mul(self.element.size());
            truncated(name, promised, found)
        };
        with_type!(target, T => {
            let mut values: Vec<T> = Vec::new();
            let memory = |_| Failure::memory(name, self.len.saturating_mul(size_of::<T>()));
            if self.certain {
                upsweep_core::memory::ask(|| values.try_reserve_exact(self.len)).map_err(memory)?;
            }
            let mut source = Source::new(self, target);
            while values.len() < self.len {
                let start = values.len();
                let count = (self.len - start).min(CHUNK / size_of::<T>());
                upsweep_core::memory::ask(|| values.try_reserve(count)).map_err(memory)?;
                values.resize(start + count, T::default());
                source.read(reader, &mut values[start..]).map_err(|e| match e {
                    Problem::Io(e) if e.kind() == ErrorKind::UnexpectedEof => wrong_end(start),
                    Problem::Io(e) => Failure::reading(name, &e),
                    Problem::Inexact { offset, number } => Failure::input(name, format!(
                        "element {} is {number}, which is not exactly a value of type {target}",
                        Places { name: "element", first: 0, left_out: &[], shape: self.shape }.of(start + offset),
                    )),
                })?;
                progress.step(count * self.element.size());
            }
            Ok(values.into())
        })
    }
}

enum Problem {
    Io(std::io::Error),
    Inexact { offset: usize, number: Number },
}

/// Reader of values in one chunk of the array after the other.
struct Source<'a> {
    stored: Stored<'a>,
    /// Function that reads stored values as numbers; `None` if the array has the type of the file.
    decode: Option<fn(&mut dyn Read, bool, &mut [Number]) -> std::io::Result<()>>,
    numbers: Vec<Number>,
}

impl<'a> Source<'a> {
    fn new(stored: Stored<'a>, target: Type) -> Self {
        let decode = (stored.element != target).then(|| with_type!(stored.element, S => decode::<S> as _));
        Self { stored, decode, numbers: Vec::new() }
    }

    fn read<T: Value>(&mut self, reader: &mut dyn Read, values: &mut [T]) -> std::result::Result<(), Problem> {
        let Some(decode) = self.decode else {
            T::read(values, reader).map_err(Problem::Io)?;
            if self.stored.swapped {
                values.iter_mut().for_each(|value| *value = value.swap());
            }
            return Ok(());
        };
        const NUMBERS: usize = 1024;
        for (k, values) in values.chunks_mut(NUMBERS).enumerate() {
            self.numbers.resize(values.len(), Number::Integer(0));
            decode(reader, self.stored.swapped, &mut self.numbers).map_err(Problem::Io)?;
            for (i, (value, &number)) in values.iter_mut().zip(&self.numbers).enumerate() {
                *value = T::exactly(number).ok_or(Problem::Inexact { offset: k * NUMBERS + i, number })?;
            }
        }
        Ok(())
    }
}

/// Reads values of type `S` to all elements of `numbers`. Their bytes are reversed if `swapped`.
fn decode<S: Value>(reader: &mut dyn Read, swapped: bool, numbers: &mut [Number]) -> std::io::Result<()> {
    let mut values = [S::default(); 128];
    for numbers in numbers.chunks_mut(values.len()) {
        let values = &mut values[..numbers.len()];
        S::read(values, reader)?;
        for (number, &value) in numbers.iter_mut().zip(&*values) {
            *number = if swapped { value.swap() } else { value }.number();
        }
    }
    Ok(())
}
