//! Element types as text and bytes.

use crate::number::NoValue;
use half::f16;
use std::io::{self, Read};
use upsweep_dynamic::Number;
pub(crate) use upsweep_dynamic::{Type, Values, with_type, with_values};

/// Element type that is parsed, formatted, and read from bytes.
pub(crate) trait Value: upsweep_dynamic::Value {
    /// Parses `text`; floats are rounded to nearest.
    fn parse(text: &str) -> Result<Self, NoValue>;

    /// Appends the shortest text that reads back as the value.
    fn format(self, text: &mut Vec<u8>);

    /// Fills `values` with bytes of `reader`, which has values in this machine's own representation.
    fn read(values: &mut [Self], reader: &mut dyn Read) -> io::Result<()>;

    /// Returns the value with its bytes reversed.
    #[must_use]
    fn swap(self) -> Self;
}

/// Parses a number without rounding an integer: an integer has up to 128 bits, and all other numbers are f64.
pub(crate) fn exact(text: &str) -> Result<Number, String> {
    if !crate::number::is_whole(text) {
        return <f64 as Value>::parse(text).map(Number::Float).map_err(|wrong| wrong.words(false));
    }
    text.parse()
        .map(Number::Integer)
        .map_err(|_| format!("{} has more digits than are computed with", crate::failure::quoted(text)))
}

/// Appends element number `index` of `values` as text; nothing if there is none.
pub(crate) fn format(values: &Values, index: usize, text: &mut Vec<u8>) {
    with_values!(values, x => if let Some(&value) = x.get(index) { Value::format(value, text) });
}

macro_rules! integers {
    ($($t:ident)*) => { $(impl Value for $t {
        fn parse(text: &str) -> Result<Self, NoValue> {
            text.parse().or_else(|_| {
                crate::number::integer(text, stringify!($t), Self::MIN.into(), Self::MAX.into())
                    .and_then(|n| Self::try_from(n).map_err(|e| e.to_string().into()))
            })
        }
        fn format(self, text: &mut Vec<u8>) { write_text(text, format_args!("{self}")); }
        fn read(values: &mut [Self], reader: &mut dyn Read) -> io::Result<()> {
            reader.read_exact(bytemuck::cast_slice_mut(values))
        }
        fn swap(self) -> Self { self.swap_bytes() }
    })* };
}
integers! { i8 i16 i32 i64 u8 u16 u32 u64 }

macro_rules! floats {
    ($($t:ident, $wide:ident);*) => { $(impl Value for $t {
        fn parse(text: &str) -> Result<Self, NoValue> {
            let value = text.parse::<Self>().map_err(|_| crate::number::not_a_number(text))?;
            // Text such as 1e999 parses to infinity without naming it.
            if value.is_infinite() && !crate::number::says_infinity(text) {
                let (text, largest) = (crate::failure::shown(text), $wide::from(Self::MAX));
                return Err(format!("{text} does not fit {} (largest: {largest:e})", stringify!($t)).into());
            }
            // Integers of at most `DIGITS` digits are always exact.
            if text.len() > Self::DIGITS as usize {
                crate::number::whole_as_written(text, stringify!($t), $wide::from(value))?;
            }
            Ok(value)
        }
        // The debug form has a point or an exponent, so that a float stays a float when it is read again.
        fn format(self, text: &mut Vec<u8>) { write_text(text, format_args!("{:?}", $wide::from(self))); }
        fn read(values: &mut [Self], reader: &mut dyn Read) -> io::Result<()> {
            reader.read_exact(bytemuck::cast_slice_mut(values))
        }
        fn swap(self) -> Self { Self::from_bits(self.to_bits().swap_bytes()) }
    })* };
}
floats! { f16, f32; f32, f32; f64, f64 }

impl Value for bool {
    fn parse(text: &str) -> Result<Self, NoValue> {
        match text {
            "0" | "false" | "False" | "FALSE" => Ok(false),
            "1" | "true" | "True" | "TRUE" => Ok(true),
            _ => Err(format!("{} is not a bool (true, false, 1 or 0)", crate::failure::quoted(text)).into()),
        }
    }
    fn format(self, text: &mut Vec<u8>) {
        write_text(text, format_args!("{self}"));
    }
    fn read(values: &mut [Self], reader: &mut dyn Read) -> io::Result<()> {
        let mut bytes = [0u8; 4096];
        for chunk in values.chunks_mut(bytes.len()) {
            let bytes = &mut bytes[..chunk.len()];
            reader.read_exact(bytes)?;
            for (value, &byte) in chunk.iter_mut().zip(&*bytes) {
                // NumPy's rule: every byte but 0 is true.
                *value = byte != 0;
            }
        }
        Ok(())
    }
    fn swap(self) -> Self {
        self
    }
}

fn write_text(text: &mut Vec<u8>, arguments: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    let _ = io::Write::write_fmt(text, arguments);
}
