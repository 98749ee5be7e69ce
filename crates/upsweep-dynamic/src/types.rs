//! Element types.

use crate::Number;
use half::f16;
use std::fmt;
use std::ops::RangeInclusive;
use upsweep::Element;

/// Rust type of elements: implemented by the type that each variant of [`Type`] names, and by no other.
pub trait Value:
    Element + bytemuck::NoUninit + bytemuck::CheckedBitPattern + bytemuck::Zeroable + Default + PartialEq + fmt::Debug
{
    /// Variant of [`Type`] that names this type.
    const TYPE: Type;

    /// Returns the value as a [`Number`], without loss.
    fn number(self) -> Number;

    /// Returns the value that is exactly `number`, if there is one. Every NaN is one value.
    fn exactly(number: Number) -> Option<Self>;
}

impl<T: Value> From<T> for Number {
    fn from(value: T) -> Self {
        value.number()
    }
}

/// Expands `with_type!(a type, T => expression)` to the expression, with that type as `T`.
#[macro_export]
macro_rules! with_type {
    (@one $t:ident $rust:ty, $body:expr) => {{
        type $t = $rust;
        $body
    }};
    ($of:expr, $t:ident => $body:expr) => {
        match $of {
            $crate::Type::Bool => $crate::with_type!(@one $t bool, $body),
            $crate::Type::I8 => $crate::with_type!(@one $t i8, $body),
            $crate::Type::I16 => $crate::with_type!(@one $t i16, $body),
            $crate::Type::I32 => $crate::with_type!(@one $t i32, $body),
            $crate::Type::I64 => $crate::with_type!(@one $t i64, $body),
            $crate::Type::U8 => $crate::with_type!(@one $t u8, $body),
            $crate::Type::U16 => $crate::with_type!(@one $t u16, $body),
            $crate::Type::U32 => $crate::with_type!(@one $t u32, $body),
            $crate::Type::U64 => $crate::with_type!(@one $t u64, $body),
            $crate::Type::F16 => $crate::with_type!(@one $t $crate::f16, $body),
            $crate::Type::F32 => $crate::with_type!(@one $t f32, $body),
            $crate::Type::F64 => $crate::with_type!(@one $t f64, $body),
        }
    };
}

macro_rules! types {
    ($($rust:ident $variant:ident $numpy:literal),* $(,)?) => {
        /// Element type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the Rust type of its name")]
        pub enum Type { $($variant),* }

        impl Type {
            /// Every type.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the type's name in Rust, such as `f32`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($rust)),* }
            }

            /// Returns the type's name in NumPy's array protocol without the byte order, such as `f4`.
            #[must_use]
            pub fn numpy(self) -> &'static str {
                match self { $(Self::$variant => $numpy),* }
            }

            /// Returns the number of bytes of a value.
            #[must_use]
            pub fn size(self) -> usize {
                match self { $(Self::$variant => size_of::<$rust>()),* }
            }
        }
    };
}
types! {
    bool Bool "b1",
    i8 I8 "i1", i16 I16 "i2", i32 I32 "i4", i64 I64 "i8",
    u8 U8 "u1", u16 U16 "u2", u32 U32 "u4", u64 U64 "u8",
    f16 F16 "f2", f32 F32 "f4", f64 F64 "f8",
}

impl Type {
    /// Returns the least and the largest value of an integer type, and 0 and 1 for `bool`.
    #[must_use]
    pub fn integers(self) -> Option<RangeInclusive<i128>> {
        match self {
            Self::Bool => Some(0..=1),
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => {
                let half = 1 << (8 * self.size() - 1);
                Some(-half..=half - 1)
            }
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Some(0..=(1 << (8 * self.size())) - 1),
            Self::F16 | Self::F32 | Self::F64 => None,
        }
    }

    /// Whether `other` is an integer type, not `self`, that has all values of `self`, which is an integer type or
    /// `bool`. Returns `false` for float types.
    pub(crate) fn widens_to(self, other: Self) -> bool {
        let (Some(own), Some(others)) = (self.integers(), other.integers()) else { return false };
        self != other && others.contains(own.start()) && others.contains(own.end())
    }

    /// Returns the names of all types, separated by spaces, for messages.
    #[must_use]
    pub fn names() -> String {
        Self::ALL.iter().map(|t| t.name()).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

macro_rules! integers {
    ($($t:ident $variant:ident),*) => { $(impl Value for $t {
        const TYPE: Type = Type::$variant;
        fn number(self) -> Number { Number::Integer(i128::from(self)) }
        fn exactly(number: Number) -> Option<Self> { number.integer()?.try_into().ok() }
    })* };
}
integers! { i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64 }

macro_rules! floats {
    ($($t:ident $variant:ident, |$number:ident| $exactly:expr);* $(;)?) => { $(impl Value for $t {
        const TYPE: Type = Type::$variant;
        fn number(self) -> Number { Number::Float(self.into()) }
        fn exactly($number: Number) -> Option<Self> { $exactly }
    })* };
}
floats! {
    f16 F16, |number| number.float(|x| f16::from_f64(x).to_f64()).map(f16::from_f64);
    f32 F32, |number| number.float(|x| f64::from(x as f32)).map(|x| x as f32);
    f64 F64, |number| number.float(|x| x);
}

impl Value for bool {
    const TYPE: Type = Type::Bool;
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
}
