//! Element types: plain values with the same layout in Rust and in CUDA C++.

use super::{Source, halves};
use std::any::TypeId;
use std::fmt::Write;
use std::mem::{align_of, offset_of, size_of};

/// A plain value that upsweep scans: every integer, `Wrapping` of one, `bool`, `char`, `f16`, `bf16`, `f32`, `f64`; tuples
/// of two to eight of them, arrays of them and `#[repr(C)]` structs of them with `#[derive(Element)]`, to 64 bytes. With the
/// feature `num-complex` complex numbers, too.
///
/// ```
/// use upsweep::operator::Element;
///
/// #[derive(Element, Clone, Copy, PartialEq, Debug)]
/// #[repr(C)]
/// struct Affine {
///     m: f32,
///     c: f32,
/// }
/// ```
/// An element larger than 64 bytes does not compile (where it is first used on a device, if it is generic).
/// Neither does one of no bytes, such as an array of none, where it is first read or written:
///
/// ```compile_fail,E0080
/// use upsweep::{Device, Sort, function};
///
/// #[function]
/// fn less(a: [u32; 0], b: [u32; 0]) -> bool {
///     false
/// }
///
/// let sorted = Sort::by(Less).run_to_array(&Device::cpu(), &[[0u32; 0]; 9]);
/// ```
///
/// # Safety
/// - [`cuda_type`](Element::cuda_type) names a C++ type with this type's size, alignment and field offsets.
/// - Every value that the type's CUDA operators can produce is a valid value of the Rust type, and so are zero bits.
/// - A type whose [`WHOLE`](Element::WHOLE) is true is an integer of 8 to 64 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element that upsweep can scan",
    label = "not an Element",
    note = "elements are integers, bool, char, f16, bf16, f32, f64, tuples of 2 to 8 elements, arrays of elements, and \
            structs with #[derive(upsweep::operator::Element, Clone, Copy)] #[repr(C)]"
)]
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Type in which loops that only move values are compiled. It has the same size, and every bit pattern of the
    /// element is a value of it. It may be the element type itself.
    #[doc(hidden)]
    type Carrier: Element;

    /// Adds the type's definition to `source` and returns its CUDA C++ name.
    fn cuda_type(source: &mut Source) -> String;

    /// Returns a CUDA C++ expression for this value, with the same bits.
    fn cuda_value(self, source: &mut Source) -> String;

    /// Compares every field with `==`, as `==` does in an operator. NaN differs from itself, and -0 equals +0.
    #[must_use]
    fn equals(self, other: Self) -> bool;

    /// Replaces every NaN in the value by the positive quiet NaN without payload (`f32::NAN`). Results are stored in
    /// this form, so that NaN payloads, which processors choose differently, never show.
    #[must_use]
    #[inline(always)]
    fn canonical(self) -> Self {
        self
    }

    /// Whether a processor's vectors hold numbers of the type: integers of 8 to 64 bits, `f32` and `f64`.
    #[doc(hidden)]
    const LANE: bool = false;

    /// Number of [vector numbers](Element::LANE) in a value, if all have one size and there is nothing else; otherwise
    /// 0.
    #[doc(hidden)]
    const NUMBERS: usize = if Self::LANE { 1 } else { 0 };

    /// Whether the type is an integer of 8 to 64 bits: it has no padding, and values are equal exactly if their bytes
    /// are.
    #[doc(hidden)]
    const WHOLE: bool = false;

    /// Whether [`encode`](Element::encode) changes values of the type.
    #[doc(hidden)]
    const ENCODED: bool = false;

    /// Conversions of f16 and bf16 to f32, in which their sums are combined, and back.
    #[doc(hidden)]
    const HALVES: Option<Halves<Self>> = None;

    /// Encodes the value so that its order as an integer is that of IEEE 754-2019 `minimum` and `maximum`, -0 before
    /// +0. NaN, which wins, is the last for a maximum (`nan_last`), and the first for a minimum.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn encode(self, _nan_last: bool) -> Self {
        self
    }

    /// Inverse of [`encode`](Element::encode); every NaN becomes some NaN.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn decode(self) -> Self {
        self
    }

    /// Returns the larger of two encoded values if `later`, else the smaller one.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn extreme_encoded(self, other: Self, _later: bool) -> Self {
        other
    }
}

/// Returns the [`NUMBERS`](Element::NUMBERS) of a value of `size` bytes. `fields` has, for each of its fields, the size
/// in bytes and the [`NUMBERS`](Element::NUMBERS).
#[doc(hidden)]
#[must_use]
pub const fn numbers_of(fields: &[(usize, usize)], size: usize) -> usize {
    let (mut numbers, mut bytes, mut i) = (0, 0, 0);
    while i < fields.len() {
        let (size, of_field) = fields[i];
        if of_field == 0 || i > 0 && bytes != size / of_field {
            return 0;
        }
        (numbers, bytes) = (numbers + of_field, size / of_field);
        i += 1;
    }
    if numbers * bytes == size { numbers } else { 0 }
}

/// Conversion to f32, which is exact, and from f32, which rounds to nearest even.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Halves<T> {
    /// Conversion to f32.
    pub widen: fn(T) -> f32,
    /// Conversion from f32.
    pub narrow: fn(f32) -> T,
}

/// Largest size of an element, in bytes.
pub const MAX_ELEMENT_BYTES: usize = 64;

macro_rules! integer_elements {
    ($($rust:ty => $cuda:literal as $bits:ty),* $(,)?) => { $(
        // SAFETY: the C++ type is the CUDA spelling of the same fixed-width type; every bit pattern is valid.
        unsafe impl Element for $rust {
            type Carrier = $bits;
            const LANE: bool = true;
            const WHOLE: bool = true;
            fn cuda_type(_: &mut Source) -> String {
                $cuda.to_owned()
            }
            fn cuda_value(self, _: &mut Source) -> String {
                format!(concat!($cuda, "({:#x}ull)"), self as $bits)
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                self == other
            }
        }
    )* };
}
integer_elements! {
    i8 => "i8" as u8, i16 => "i16" as u16, i32 => "i32" as u32, i64 => "i64" as u64,
    u8 => "u8" as u8, u16 => "u16" as u16, u32 => "u32" as u32, u64 => "u64" as u64,
}
#[cfg(target_pointer_width = "64")]
integer_elements! { isize => "i64" as u64, usize => "u64" as u64 }
#[cfg(target_pointer_width = "32")]
integer_elements! { isize => "i32" as u32, usize => "u32" as u32 }

// SAFETY: u32 has the size and alignment of char; no CUDA operation makes a char, so that only values of inputs are
// stored.
unsafe impl Element for char {
    type Carrier = u32;
    fn cuda_type(_: &mut Source) -> String {
        "u32".to_owned()
    }
    fn cuda_value(self, _: &mut Source) -> String {
        format!("u32({:#x}ull)", u32::from(self))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }
}

macro_rules! wide_integer_elements {
    ($($rust:ty => $cuda:literal),*) => { $(
        // SAFETY: the C++ type is the CUDA spelling of the same fixed-width type; every bit pattern is valid.
        unsafe impl Element for $rust {
            type Carrier = Self;
            fn cuda_type(_: &mut Source) -> String {
                $cuda.to_owned()
            }
            fn cuda_value(self, _: &mut Source) -> String {
                let bits = self as u128;
                format!(concat!($cuda, "(int_lit({:#x}ull, {:#x}ull))"), (bits >> 64) as u64, bits as u64)
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                self == other
            }
        }
    )* };
}
wide_integer_elements! { i128 => "i128", u128 => "u128" }

// SAFETY: bool has one byte, 0 or 1, in Rust and in C++.
unsafe impl Element for bool {
    type Carrier = u8;
    fn cuda_type(_: &mut Source) -> String {
        "bool".to_owned()
    }
    fn cuda_value(self, _: &mut Source) -> String {
        self.to_string()
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }
}

macro_rules! float_elements {
    ($($rust:ty => $cuda:literal, $bits:ty, $signed:ty, $suffix:literal, $lane:literal, $halves:expr);* $(;)?) => { $(
        // SAFETY: the C++ type is the CUDA spelling of the same IEEE 754 or bfloat16 type; every bit pattern is valid.
        unsafe impl Element for $rust {
            type Carrier = $bits;
            const LANE: bool = $lane;
            const ENCODED: bool = $lane;
            const HALVES: Option<Halves<Self>> = $halves;
            #[inline(always)]
            fn encode(self, nan_last: bool) -> Self {
                let bits = self.to_bits();
                let nan = <$rust>::NAN.to_bits();
                let nan = if nan_last { nan } else { nan | !(<$bits>::MAX >> 1) };
                let is_nan = bits & (<$bits>::MAX >> 1) > <$rust>::INFINITY.to_bits();
                <$rust>::from_bits(if is_nan { nan } else { bits }).decode()
            }
            #[inline(always)]
            fn decode(self) -> Self {
                // In negative numbers all bits but the sign are flipped, so that more negative is less. The function is
                // its own inverse.
                let bits = self.to_bits();
                let sign = (bits as $signed >> (<$bits>::BITS - 1)) as $bits;
                <$rust>::from_bits(bits ^ (sign >> 1))
            }
            #[inline(always)]
            fn extreme_encoded(self, other: Self, later: bool) -> Self {
                let (a, b) = (self.to_bits() as $signed, other.to_bits() as $signed);
                <$rust>::from_bits(if later { a.max(b) } else { a.min(b) } as $bits)
            }
            fn cuda_type(_: &mut Source) -> String {
                $cuda.to_owned()
            }
            fn cuda_value(self, _: &mut Source) -> String {
                format!(concat!("arith::from_bits<", $cuda, ">({:#x}", $suffix, ")"), self.to_bits())
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                // The test is on the bits: the compiler may simplify `if x.is_nan() { NAN } else { x }` to `x`, because
                // all NaN are equivalent to it.
                let bits = self.to_bits();
                let nan = bits & (<$bits>::MAX >> 1) > <$rust>::INFINITY.to_bits();
                <$rust>::from_bits(if nan { <$rust>::NAN.to_bits() } else { bits })
            }
        }
    )* };
}
float_elements! {
    half::f16 => "f16", u16, i16, "u", false, Some(Halves { widen: halves::widen_f16, narrow: halves::narrow_f16 });
    half::bf16 => "bf16", u16, i16, "u", false, Some(Halves { widen: halves::widen_bf16, narrow: halves::narrow_bf16 });
    f32 => "f32", u32, i32, "u", true, None;
    f64 => "f64", u64, i64, "ull", true, None;
}

// SAFETY: `Array` in arith.cuh holds N values one after the other.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    type Carrier = [T::Carrier; N];
    const NUMBERS: usize = N * T::NUMBERS;
    fn cuda_type(source: &mut Source) -> String {
        const {
            assert!(N > 0, "an array without elements cannot be an element");
            assert!(size_of::<Self>() <= MAX_ELEMENT_BYTES, "an element has at most 64 bytes");
        }
        let ty = T::cuda_type(source);
        format!("Array<{ty}, {N}>")
    }
    fn cuda_value(self, source: &mut Source) -> String {
        let ty = T::cuda_type(source);
        let values: Vec<String> = self.iter().map(|x| x.cuda_value(source)).collect();
        format!("arith::array_of<{ty}>({})", values.join(", "))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self.iter().zip(&other).all(|(a, b)| a.equals(*b))
    }
    #[inline(always)]
    fn canonical(self) -> Self {
        self.map(T::canonical)
    }
}

/// A field of a struct or tuple, for its CUDA C++ definition.
#[doc(hidden)]
#[derive(Debug)]
pub struct Field {
    /// C++ name of the field.
    pub name: String,
    /// C++ type of the field.
    pub ty: String,
    /// Offset of the field in the Rust value, in bytes.
    pub offset: usize,
}

/// Memory layout of a Rust value and its fields.
#[doc(hidden)]
#[derive(Debug)]
pub struct Layout {
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Fields, in the order of their declaration.
    pub fields: Vec<Field>,
}

impl Layout {
    /// Creates the layout of `T` with `fields`.
    #[must_use]
    pub fn of<T>(fields: Vec<Field>) -> Self {
        Self { size: size_of::<T>(), align: align_of::<T>(), fields }
    }

    /// Returns the C++ definition of the struct `name`, with assertions of its layout.
    fn definition(&self, head: &str, name: &str) -> String {
        let mut text = format!("{head}struct alignas({}) {name} {{\n", self.align);
        let mut by_offset: Vec<&Field> = self.fields.iter().collect();
        by_offset.sort_by_key(|field| field.offset);
        let mut clears = String::new();
        for (i, Field { name, ty, offset }) in by_offset.iter().enumerate() {
            let next = by_offset.get(i + 1).map_or(self.size, |field| field.offset);
            let _infallible = writeln!(text, "  {ty} {name};");
            let _infallible = write!(
                clears,
                " arith::clear_padding(&to->{name}); arith::clear_bytes(&to->{name} + 1, {} - sizeof({ty}));",
                next - offset,
            );
        }
        let list = |item: &dyn Fn(&Field) -> String, separator: &str| {
            self.fields.iter().map(item).collect::<Vec<_>>().join(separator)
        };
        let parameters = list(&|f| format!("{} {}", f.ty, f.name), ", ");
        let assignments = list(&|f| format!("r.{0} = {0};", f.name), " ");
        let equalities = list(&|f| format!("arith::eq(a.{0}, b.{0})", f.name), " && ");
        let canonicals = list(&|f| format!("r.{0} = arith::canonical(r.{0});", f.name), " ");
        let _infallible = write!(
            text,
            "  __device__ static {name} make({parameters}) {{ {name} r; {assignments} return r; }}\n  \
             __device__ friend bool eq_fields({name} a, {name} b) {{ return {equalities}; }}\n  \
             __device__ friend {name} canonical_fields({name} r) {{ {canonicals} return r; }}\n  \
             __device__ friend void clear_between_fields({name} *to) {{{clears} }}\n}};\n\
             static_assert(sizeof({name}) == {} && alignof({name}) == {}, \"{name}: size\");",
            self.size, self.align,
        );
        for Field { name: field, offset, .. } in &self.fields {
            let _infallible =
                write!(text, "\nstatic_assert(__INTADDR__(&(({name} *)0)->{field}) == {offset}, \"{name}: {field}\");");
        }
        text
    }

    /// Adds the C++ definition of the struct `T` to `source` and returns its name, which begins with `stem`.
    pub fn define<T: 'static>(source: &mut Source, stem: &str, layout: impl FnOnce(&mut Source) -> Self) -> String {
        let key = format!("type {:?}", TypeId::of::<T>());
        source.define_type(&key, stem, |source, name| layout(source).definition("", name))
    }
}

macro_rules! tuple_elements {
    ($($($t:ident $i:tt)*;)*) => { $(
        // SAFETY: the C++ struct has this tuple's own offsets, size and alignment, which the text asserts.
        unsafe impl<$($t: Element),*> Element for ($($t,)*) {
            type Carrier = Self;
            const NUMBERS: usize = numbers_of(&[$((size_of::<$t>(), $t::NUMBERS)),*], size_of::<Self>());
            fn cuda_type(source: &mut Source) -> String {
                const { assert!(size_of::<Self>() <= MAX_ELEMENT_BYTES, "an element has at most 64 bytes") };
                let fields = vec![$(Field {
                    name: concat!("f", $i).to_owned(),
                    ty: $t::cuda_type(source),
                    offset: offset_of!(Self, $i),
                }),*];
                let types: Vec<&str> = fields.iter().map(|field| field.ty.as_str()).collect();
                let ty = format!("Tuple<{}>", types.join(", "));
                let layout = Layout::of::<Self>(fields);
                source.define_type(&ty, "tuple", |_, _| layout.definition("template <> ", &ty));
                ty
            }
            fn cuda_value(self, source: &mut Source) -> String {
                let ty = Self::cuda_type(source);
                let values = [$(self.$i.cuda_value(source)),*];
                format!("{ty}::make({})", values.join(", "))
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                $(self.$i.equals(other.$i))&&*
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                ($(self.$i.canonical(),)*)
            }
        }
    )* };
}
tuple_elements! {
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}
