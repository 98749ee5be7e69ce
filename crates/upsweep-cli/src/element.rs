//! The element types of the command line, and arrays of any one of them.

use crate::args::Op;
use crate::number::Number;
use crate::operators::{Bits, Extreme};
use clap::ValueEnum;
use half::f16;
use std::fmt::Debug;
use std::io::{self, Read};
use upsweep::operator::builtin::{Product, Sum};
use upsweep::{Element, Operator};

/// A type that the command line scans.
pub(crate) trait Value: Element + bytemuck::NoUninit + Default + PartialEq + Debug {
    /// The value, without loss.
    fn number(self) -> Number;

    /// The value that is exactly `number`, if there is one.
    fn exactly(number: Number) -> Option<Self>;

    /// The value that `text` says, rounded to nearest for floats; or what is wrong with it.
    fn parse(text: &str) -> Result<Self, String>;

    /// Appends the shortest text that reads back as the value.
    fn format(self, text: &mut Vec<u8>);

    /// Fills `values` with the machine's own representation from `reader`.
    fn read(values: &mut [Self], reader: &mut dyn Read) -> io::Result<()>;

    /// The value with its bytes in the other order.
    #[must_use]
    fn swap(self) -> Self;

    /// Calls `visitor` with the operator that `op` names, if the type has it.
    fn with_operator<V: Visitor<Self>>(op: Op, visitor: V) -> Option<V::Output>;
}

/// A computation that works with any operator.
pub(crate) trait Visitor<T: Element> {
    type Output;
    fn visit<O: Operator<T>>(self, operator: O) -> Self::Output;
}

/// `with_type!(a type, T => expression)`: the expression, with that type as `T`.
macro_rules! with_type {
    (@one $t:ident $rust:ty, $body:expr) => {{
        type $t = $rust;
        $body
    }};
    ($of:expr, $t:ident => $body:expr) => {
        match $of {
            $crate::element::Type::Bool => with_type!(@one $t bool, $body),
            $crate::element::Type::I8 => with_type!(@one $t i8, $body),
            $crate::element::Type::I16 => with_type!(@one $t i16, $body),
            $crate::element::Type::I32 => with_type!(@one $t i32, $body),
            $crate::element::Type::I64 => with_type!(@one $t i64, $body),
            $crate::element::Type::U8 => with_type!(@one $t u8, $body),
            $crate::element::Type::U16 => with_type!(@one $t u16, $body),
            $crate::element::Type::U32 => with_type!(@one $t u32, $body),
            $crate::element::Type::U64 => with_type!(@one $t u64, $body),
            $crate::element::Type::F16 => with_type!(@one $t half::f16, $body),
            $crate::element::Type::F32 => with_type!(@one $t f32, $body),
            $crate::element::Type::F64 => with_type!(@one $t f64, $body),
        }
    };
}
pub(crate) use with_type;

/// `with_values!(values, x => expression)`: the expression, with the vector in `values` as `x`.
macro_rules! with_values {
    ($of:expr, $x:ident => $body:expr) => {
        match $of {
            $crate::element::Values::Bool($x) => $body,
            $crate::element::Values::I8($x) => $body,
            $crate::element::Values::I16($x) => $body,
            $crate::element::Values::I32($x) => $body,
            $crate::element::Values::I64($x) => $body,
            $crate::element::Values::U8($x) => $body,
            $crate::element::Values::U16($x) => $body,
            $crate::element::Values::U32($x) => $body,
            $crate::element::Values::U64($x) => $body,
            $crate::element::Values::F16($x) => $body,
            $crate::element::Values::F32($x) => $body,
            $crate::element::Values::F64($x) => $body,
        }
    };
}
pub(crate) use with_values;

macro_rules! element_types {
    ($($rust:ident $variant:ident $numpy:literal),* $(,)?) => {
        /// An element type.
        #[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Type { $($variant),* }

        impl Type {
            /// Every type.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in Rust, which is its name on the command line.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($rust)),* }
            }

            /// Its name in a NumPy header, without the byte order.
            pub(crate) fn numpy(self) -> &'static str {
                match self { $(Self::$variant => $numpy),* }
            }

            /// The bytes of a value.
            pub(crate) fn size(self) -> usize {
                match self { $(Self::$variant => size_of::<$rust>()),* }
            }
        }

        /// Values of one type.
        #[derive(Debug)]
        pub(crate) enum Values { $($variant(Vec<$rust>)),* }

        impl Values {
            /// The type of the values.
            pub(crate) fn element(&self) -> Type {
                match self { $(Self::$variant(_) => Type::$variant),* }
            }
        }

        $(impl From<Vec<$rust>> for Values {
            fn from(values: Vec<$rust>) -> Self { Self::$variant(values) }
        })*
    };
}
element_types! {
    bool Bool "b1",
    i8 I8 "i1", i16 I16 "i2", i32 I32 "i4", i64 I64 "i8",
    u8 U8 "u1", u16 U16 "u2", u32 U32 "u4", u64 U64 "u8",
    f16 F16 "f2", f32 F32 "f4", f64 F64 "f8",
}

impl Type {
    /// All names, for messages.
    pub(crate) fn names() -> String {
        Self::ALL.iter().map(|t| t.name()).collect::<Vec<_>>().join(" ")
    }
}

impl Values {
    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        with_values!(self, x => x.len())
    }

    /// Appends value `index` as text.
    pub(crate) fn format(&self, index: usize, text: &mut Vec<u8>) {
        with_values!(self, x => if let Some(value) = x.get(index) { value.format(text) });
    }

    /// Signed integers as the unsigned ones with the same bits; others as they are.
    #[must_use]
    pub(crate) fn unsigned(self) -> Self {
        use bytemuck::allocation::cast_vec;
        match self {
            Self::I8(x) => Self::U8(cast_vec(x)),
            Self::I16(x) => Self::U16(cast_vec(x)),
            Self::I32(x) => Self::U32(cast_vec(x)),
            Self::I64(x) => Self::U64(cast_vec(x)),
            other => other,
        }
    }

    /// What [`unsigned`](Self::unsigned) made of values of type `element`, as those values.
    #[must_use]
    pub(crate) fn back_to(self, element: Type) -> Self {
        use bytemuck::allocation::cast_vec;
        match (self, element) {
            (Self::U8(x), Type::I8) => Self::I8(cast_vec(x)),
            (Self::U16(x), Type::I16) => Self::I16(cast_vec(x)),
            (Self::U32(x), Type::I32) => Self::I32(cast_vec(x)),
            (Self::U64(x), Type::I64) => Self::I64(cast_vec(x)),
            (other, _) => other,
        }
    }

    /// The machine's representation of all the values.
    pub(crate) fn bytes(&self) -> &[u8] {
        with_values!(self, x => bytemuck::cast_slice(x))
    }
}

macro_rules! integers {
    ($op:ident $visitor:ident $($t:ident)*: $operators:expr) => { $(impl Value for $t {
        fn number(self) -> Number { Number::Integer(i128::from(self)) }
        fn exactly(number: Number) -> Option<Self> { number.integer()?.try_into().ok() }
        fn parse(text: &str) -> Result<Self, String> {
            text.parse().or_else(|_| {
                crate::number::integer(text, stringify!($t), Self::MIN.into(), Self::MAX.into())
                    .and_then(|n| Self::try_from(n).map_err(|e| e.to_string()))
            })
        }
        fn format(self, text: &mut Vec<u8>) { write_text(text, format_args!("{self}")); }
        fn read(values: &mut [Self], reader: &mut dyn Read) -> io::Result<()> {
            reader.read_exact(bytemuck::cast_slice_mut(values))
        }
        fn swap(self) -> Self { self.swap_bytes() }
        fn with_operator<V: Visitor<Self>>($op: Op, $visitor: V) -> Option<V::Output> { $operators }
    })* };
}
integers! { op visitor u8 u16 u32 u64: Some(match op {
    Op::Sum => visitor.visit(Sum),
    Op::Product => visitor.visit(Product),
    Op::Min | Op::Max => visitor.visit(Extreme::new::<Self>(op)),
    Op::And | Op::Or | Op::Xor => visitor.visit(Bits::new(op, 0, !0)),
}) }
// The others are computed as unsigned.
integers! { op visitor i8 i16 i32 i64: match op {
    Op::Min | Op::Max => Some(visitor.visit(Extreme::new::<Self>(op))),
    _ => None,
} }

macro_rules! floats {
    ($($t:ident, $wide:ident, |$number:ident| $exactly:expr);* $(;)?) => { $(impl Value for $t {
        fn number(self) -> Number { Number::Float(self.into()) }
        fn exactly($number: Number) -> Option<Self> { $exactly }
        fn parse(text: &str) -> Result<Self, String> {
            let value = text.parse::<Self>().map_err(|_| crate::number::not_a_number(text))?;
            // Text such as 1e999 parses to infinity without saying it.
            if value.is_infinite() && !crate::number::says_infinity(text) {
                return Err(format!("{text} does not fit {} (largest: {:e})", stringify!($t), $wide::from(Self::MAX)));
            }
            Ok(value)
        }
        // The debug form has a point or an exponent, so that a float stays a float when it is read again.
        fn format(self, text: &mut Vec<u8>) { write_text(text, format_args!("{:?}", $wide::from(self))); }
        fn read(values: &mut [Self], reader: &mut dyn Read) -> io::Result<()> {
            reader.read_exact(bytemuck::cast_slice_mut(values))
        }
        fn swap(self) -> Self { Self::from_bits(self.to_bits().swap_bytes()) }
        fn with_operator<V: Visitor<Self>>(op: Op, visitor: V) -> Option<V::Output> {
            Some(match op {
                Op::Sum => visitor.visit(Sum),
                Op::Product => visitor.visit(Product),
                Op::Min | Op::Max => visitor.visit(Extreme::new::<Self>(op)),
                Op::And | Op::Or | Op::Xor => return None,
            })
        }
    })* };
}
floats! {
    f16, f32, |number| number.float(|x| f16::from_f64(x).to_f64()).map(f16::from_f64);
    f32, f32, |number| number.float(|x| f64::from(x as f32)).map(|x| x as f32);
    f64, f64, |number| number.float(|x| x);
}

impl Value for bool {
    fn number(self) -> Number {
        Number::Integer(self.into())
    }
    fn exactly(number: Number) -> Option<Self> {
        match number.integer()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "0" | "false" | "False" | "FALSE" => Ok(false),
            "1" | "true" | "True" | "TRUE" => Ok(true),
            _ => Err(format!("{} is not a bool (true, false, 1 or 0)", crate::failure::quoted(text))),
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
                // As NumPy reads it: what is not 0 is true.
                *value = byte != 0;
            }
        }
        Ok(())
    }
    fn swap(self) -> Self {
        self
    }
    fn with_operator<V: Visitor<Self>>(op: Op, visitor: V) -> Option<V::Output> {
        matches!(op, Op::And | Op::Or | Op::Xor).then(|| visitor.visit(Bits::new(op, false, true)))
    }
}

fn write_text(text: &mut Vec<u8>, arguments: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    let _ = io::Write::write_fmt(text, arguments);
}
