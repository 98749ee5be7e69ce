//! Arrays of a type that is known only at run time: owned and borrowed.

use crate::{Error, Number, Result, Type, Value};
use bytemuck::allocation::{cast_vec, try_zeroed_vec};
use bytemuck::checked::CheckedCastError;
use half::f16;
use upsweep_core::pages::prefer_large;

/// Expands `with_values!(values, x => expression)` to the expression, with the vector in [`Values`] as `x`.
#[macro_export]
macro_rules! with_values {
    ($of:expr, $x:ident => $body:expr) => {
        $crate::with_values!(@Values, $of, $x => $body)
    };
    (@$enum:ident, $of:expr, $x:ident => $body:expr) => {
        match $of {
            $crate::$enum::Bool($x) => $body,
            $crate::$enum::I8($x) => $body,
            $crate::$enum::I16($x) => $body,
            $crate::$enum::I32($x) => $body,
            $crate::$enum::I64($x) => $body,
            $crate::$enum::U8($x) => $body,
            $crate::$enum::U16($x) => $body,
            $crate::$enum::U32($x) => $body,
            $crate::$enum::U64($x) => $body,
            $crate::$enum::F16($x) => $body,
            $crate::$enum::F32($x) => $body,
            $crate::$enum::F64($x) => $body,
        }
    };
}

/// Expands `with_view!(view, x => expression)` to the expression, with the slice in [`View`] as `x`.
#[macro_export]
macro_rules! with_view {
    ($of:expr, $x:ident => $body:expr) => {
        $crate::with_values!(@View, $of, $x => $body)
    };
}

macro_rules! arrays {
    ($($rust:ident $variant:ident),* $(,)?) => {
        /// Array whose element type is known only at run time: one of the variants.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is an array of the type of its name")]
        pub enum Values { $($variant(Vec<$rust>)),* }

        /// Borrowed array whose element type is known only at run time: one of the variants.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is an array of the type of its name")]
        pub enum View<'a> { $($variant(&'a [$rust])),* }

        /// Mutably borrowed array whose element type is known only at run time: one of the variants.
        #[derive(Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is an array of the type of its name")]
        pub enum ViewMut<'a> { $($variant(&'a mut [$rust])),* }

        impl Values {
            /// Borrows the array.
            #[must_use]
            pub fn view(&self) -> View<'_> {
                match self { $(Self::$variant(x) => View::$variant(x)),* }
            }

            /// Borrows the array mutably.
            pub fn view_mut(&mut self) -> ViewMut<'_> {
                match self { $(Self::$variant(x) => ViewMut::$variant(x)),* }
            }
        }

        impl View<'_> {
            /// Returns the type of the elements.
            #[must_use]
            pub fn element(&self) -> Type {
                match self { $(Self::$variant(_) => Type::$variant),* }
            }
        }

        impl ViewMut<'_> {
            /// Borrows the array for reading.
            #[must_use]
            pub fn view(&self) -> View<'_> {
                match self { $(Self::$variant(x) => View::$variant(x)),* }
            }
        }

        $(impl From<Vec<$rust>> for Values {
            fn from(values: Vec<$rust>) -> Self { Self::$variant(values) }
        }
        impl<'a> From<&'a [$rust]> for View<'a> {
            fn from(values: &'a [$rust]) -> Self { Self::$variant(values) }
        }
        impl<'a> From<&'a mut [$rust]> for ViewMut<'a> {
            fn from(values: &'a mut [$rust]) -> Self { Self::$variant(values) }
        })*
    };
}
arrays! {
    bool Bool, i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64, f16 F16, f32 F32, f64 F64,
}

impl Values {
    /// Appends elements, which must have the same type.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Options`] when the types differ.
    pub fn append(&mut self, more: View<'_>) -> Result<()> {
        macro_rules! of_types {
            ($($variant:ident)*) => {
                match (self, more) {
                    $((Self::$variant(all), View::$variant(more)) => {
                        let bytes = size_of_val(more);
                        let room = upsweep_core::memory::ask(|| all.try_reserve(more.len()));
                        room.map_err(|_| Error::OutOfMemory { bytes })?;
                        all.extend_from_slice(more);
                        Ok(())
                    })*
                    _ => {
                        let reason = "they have different types: give one like the other";
                        Err(Error::Options { options: "an array and what is appended", reason })
                    }
                }
            };
        }
        of_types! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
    }

    /// Makes `len` zeros (`false`) of type `element`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]
    pub fn zeroed(element: Type, len: usize) -> Result<Self> {
        crate::with_type!(element, T => zeroed::<T>(len).map(Self::from))
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn element(&self) -> Type {
        self.view().element()
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the machine's representation of all elements; for `bool`, bytes 0 and 1.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.view().bytes()
    }

    /// Converts 64-bit integers to the integer type `element`, modulo the number of its values. Values of other types
    /// stay as they are, and so do all values if `element` is a float type.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]
    pub fn modulo(self, element: Type) -> Result<Self> {
        let bits = match self {
            _ if element.integers().is_none() => return Ok(self),
            Self::I64(x) => cast_vec(x),
            Self::U64(x) => x,
            other => return Ok(other),
        };
        let unsigned = match element.size() {
            1 => Self::U8(each(&bits, |x| x as u8)?),
            2 => Self::U16(each(&bits, |x| x as u16)?),
            4 => Self::U32(each(&bits, |x| x as u32)?),
            _ => Self::U64(bits),
        };
        Ok(unsigned.back_to(element))
    }

    /// Converts signed integers to the unsigned ones with the same bits; other values stay as they are.
    pub(crate) fn unsigned(self) -> Self {
        match self {
            Self::I8(x) => Self::U8(cast_vec(x)),
            Self::I16(x) => Self::U16(cast_vec(x)),
            Self::I32(x) => Self::U32(cast_vec(x)),
            Self::I64(x) => Self::U64(cast_vec(x)),
            other => other,
        }
    }

    /// Converts the result of [`unsigned`](Self::unsigned) back to the type `element`, which the elements had before.
    pub(crate) fn back_to(self, element: Type) -> Self {
        match (self, element) {
            (Self::U8(x), Type::I8) => Self::I8(cast_vec(x)),
            (Self::U16(x), Type::I16) => Self::I16(cast_vec(x)),
            (Self::U32(x), Type::I32) => Self::I32(cast_vec(x)),
            (Self::U64(x), Type::I64) => Self::I64(cast_vec(x)),
            (other, _) => other,
        }
    }
}

impl<'a> View<'a> {
    /// Interprets `bytes` as elements of type `element` in the machine's representation.
    ///
    /// # Errors
    /// [`Error::Bytes`] when the bytes are no whole number of elements, do not lie at a multiple of the type's
    /// alignment, or, for `bool`, are neither 0 nor 1.
    pub fn from_bytes(element: Type, bytes: &'a [u8]) -> Result<Self> {
        // An empty slice may have any address.
        let bytes = if bytes.is_empty() { bytemuck::cast_slice::<u64, u8>(&[]) } else { bytes };
        let wrong = |e: CheckedCastError| {
            let reason = match e {
                CheckedCastError::InvalidBitPattern => "a byte is neither 0 nor 1",
                CheckedCastError::PodCastError(bytemuck::PodCastError::TargetAlignmentGreaterAndInputNotAligned) => {
                    "their address is not a multiple of the type's alignment"
                }
                CheckedCastError::PodCastError(_) => "their number is not a multiple of the type's size",
            };
            Error::Bytes { element, len: bytes.len(), reason }
        };
        crate::with_type!(element, T => bytemuck::checked::try_cast_slice::<u8, T>(bytes).map(Self::from))
            .map_err(wrong)
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        with_view!(self, x => x.len())
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the machine's representation of all elements; for `bool`, bytes 0 and 1.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        with_view!(*self, x => bytemuck::cast_slice(x))
    }

    /// Copies the array to an owned one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]
    pub fn to_values(&self) -> Result<Values> {
        with_view!(*self, x => copied(x).map(Values::from))
    }

    /// Converts the array to another type, if that changes no value.
    ///
    /// # Errors
    /// [`Error::Inexact`] with the first element that would change; [`Error::OutOfMemory`].
    pub fn to_type(&self, element: Type) -> Result<Values> {
        if element == self.element() {
            return self.to_values();
        }
        if let Some(widened) = self.widened(element) {
            return widened;
        }
        crate::with_type!(element, T => self.converted(T::exactly).map(Values::from))
    }

    /// Converts the array to a float type, each element to its nearest value; or to another type, if that changes no
    /// value.
    ///
    /// # Errors
    /// [`Error::Inexact`] with the first element that would change, or for floats with the first finite one that would
    /// become infinite; [`Error::OutOfMemory`].
    pub fn nearest(&self, element: Type) -> Result<Values> {
        match element {
            Type::F16 => self.converted(|number| finite(number, f16::from_f64(number.nearest()))).map(Values::F16),
            Type::F32 => self.converted(|number| finite(number, number.nearest_f32())).map(Values::F32),
            Type::F64 => self.converted(|number| Some(number.nearest())).map(Values::F64),
            _ => self.to_type(element),
        }
    }

    /// Converts each element by `of`, which returns `None` for a number that the type `T` does not have: an error.
    fn converted<T: Value>(&self, of: impl Fn(Number) -> Option<T>) -> Result<Vec<T>> {
        // Converts through [`Number`]s, 256 elements at a time: so each type has one loop that reads and one that
        // writes, instead of a loop for each pair of types.
        let mut numbers = [Number::Integer(0); 256];
        let mut values: Vec<T> = room(self.len())?;
        while values.len() < self.len() {
            let start = values.len();
            let numbers = &mut numbers[..(self.len() - start).min(256)];
            with_view!(self, x => {
                numbers.iter_mut().zip(&x[start..]).for_each(|(number, x)| *number = x.number());
            });
            for &number in &*numbers {
                let index = Some(values.len());
                let inexact = || Error::Inexact { what: "element", index, number, element: T::TYPE };
                values.push(of(number).ok_or_else(inexact)?);
            }
        }
        Ok(values)
    }

    /// Converts narrower integers to the 64-bit type `element`. Returns `None` for types of which it could change a
    /// value, and for other targets.
    fn widened(&self, element: Type) -> Option<Result<Values>> {
        Some(match (*self, element) {
            (Self::Bool(x), Type::I64) => each(x, i64::from).map(Values::I64),
            (Self::I8(x), Type::I64) => each(x, i64::from).map(Values::I64),
            (Self::I16(x), Type::I64) => each(x, i64::from).map(Values::I64),
            (Self::I32(x), Type::I64) => each(x, i64::from).map(Values::I64),
            (Self::U8(x), Type::I64) => each(x, i64::from).map(Values::I64),
            (Self::U16(x), Type::I64) => each(x, i64::from).map(Values::I64),
            (Self::U32(x), Type::I64) => each(x, i64::from).map(Values::I64),
            (Self::Bool(x), Type::U64) => each(x, u64::from).map(Values::U64),
            (Self::U8(x), Type::U64) => each(x, u64::from).map(Values::U64),
            (Self::U16(x), Type::U64) => each(x, u64::from).map(Values::U64),
            (Self::U32(x), Type::U64) => each(x, u64::from).map(Values::U64),
            _ => return None,
        })
    }

    /// Returns the elements in `range`, without copying them; none if it is not within the array.
    ///
    /// ```
    /// use upsweep_dynamic::View;
    ///
    /// let x = View::U8(&[3, 1, 7, 0]);
    /// assert_eq!((x.part(1..3).bytes(), x.part(1..5).len()), (&[1, 7][..], 0));
    /// ```
    #[must_use]
    pub fn part(self, range: std::ops::Range<usize>) -> Self {
        with_view!(self, x => View::from(x.get(range).unwrap_or_default()))
    }

    /// Converts signed integers to the unsigned ones with the same bits, as [`Values::unsigned`] does.
    pub(crate) fn unsigned(self) -> Self {
        match self {
            Self::I8(x) => Self::U8(bytemuck::cast_slice(x)),
            Self::I16(x) => Self::U16(bytemuck::cast_slice(x)),
            Self::I32(x) => Self::U32(bytemuck::cast_slice(x)),
            Self::I64(x) => Self::U64(bytemuck::cast_slice(x)),
            other => other,
        }
    }
}

impl ViewMut<'_> {
    /// Returns the type of the elements.
    #[must_use]
    pub fn element(&self) -> Type {
        self.view().element()
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Borrows the array mutably once more.
    pub(crate) fn reborrowed(&mut self) -> ViewMut<'_> {
        with_values!(@ViewMut, self, x => ViewMut::from(&mut x[..]))
    }

    /// Copies the elements of `x` to the places from `at` on; none if they are not within the array or have another type.
    pub fn put(&mut self, at: usize, x: View<'_>) {
        macro_rules! of_types {
            ($($variant:ident)*) => {
                match (self, x) {
                    $((Self::$variant(to), View::$variant(x)) => {
                        if let Some(to) = to.get_mut(at..).and_then(|to| to.get_mut(..x.len())) {
                            to.copy_from_slice(x);
                        }
                    })*
                    _ => {}
                }
            };
        }
        of_types! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
    }

    /// Converts signed integers to the unsigned ones with the same bits, as [`Values::unsigned`] does.
    pub(crate) fn unsigned(self) -> Self {
        match self {
            Self::I8(x) => Self::U8(bytemuck::cast_slice_mut(x)),
            Self::I16(x) => Self::U16(bytemuck::cast_slice_mut(x)),
            Self::I32(x) => Self::U32(bytemuck::cast_slice_mut(x)),
            Self::I64(x) => Self::U64(bytemuck::cast_slice_mut(x)),
            other => other,
        }
    }
}

/// Returns a vector of `of(value)` for each value of the slice `x`.
fn each<S: Copy, T>(x: &[S], of: impl Fn(S) -> T) -> Result<Vec<T>> {
    let mut values = room(x.len())?;
    values.extend(x.iter().map(|&x| of(x)));
    Ok(values)
}

/// Returns `rounded`, unless it is infinite and `number` is not.
fn finite<T: Value>(number: Number, rounded: T) -> Option<T> {
    let is_finite = |number: Number| number.nearest().is_finite();
    (is_finite(rounded.number()) || !is_finite(number)).then_some(rounded)
}

/// Makes an empty vector with room for `len` values.
pub(crate) fn room<T>(len: usize) -> Result<Vec<T>> {
    upsweep_core::memory::room(len).map_err(|_| no_memory::<T>(len))
}

/// Makes a vector of `len` zeros.
pub(crate) fn zeroed<T: bytemuck::Zeroable>(len: usize) -> Result<Vec<T>> {
    let mut zeros: Vec<T> = upsweep_core::memory::ask(|| try_zeroed_vec(len)).map_err(|()| no_memory::<T>(len))?;
    prefer_large(&mut zeros);
    Ok(zeros)
}

fn no_memory<T>(len: usize) -> Error {
    Error::OutOfMemory { bytes: len.saturating_mul(size_of::<T>()) }
}

/// Copies `values` to a new vector.
pub(crate) fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    let mut copy = room(values.len())?;
    copy.extend_from_slice(values);
    Ok(copy)
}
