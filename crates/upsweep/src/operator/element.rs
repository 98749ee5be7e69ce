//! What can be scanned: plain values with the same layout in Rust and in CUDA C++.

use super::Source;

/// A plain value that upsweep scans: every integer, `bool`, `f16`, `bf16`, `f32`, `f64`, tuples of them and structs
/// with `#[derive(Element)]`, to 64 bytes.
///
/// # Safety
/// - [`cuda_type`](Element::cuda_type) names a C++ type with this type's size, alignment and field offsets.
/// - Every value that the type's CUDA operators can produce is a valid value of the Rust type.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Adds the type's definition to `source` and returns its CUDA C++ name.
    fn cuda_type(source: &mut Source) -> String;

    /// The value with every NaN in it replaced by the positive quiet NaN without payload (`f32::NAN`). Results are
    /// stored in this form, so that NaN payloads, which processors choose differently, never show.
    #[must_use]
    #[inline(always)]
    fn canonical(self) -> Self {
        self
    }
}

macro_rules! plain_elements {
    ($($rust:ty => $cuda:literal),* $(,)?) => { $(
        // SAFETY: the C++ type is the CUDA spelling of the same fixed-width type; bool is one byte, 0 or 1, on both.
        unsafe impl Element for $rust {
            fn cuda_type(_: &mut Source) -> String {
                $cuda.to_owned()
            }
        }
    )* };
}
plain_elements! {
    bool => "bool",
    i8 => "i8", i16 => "i16", i32 => "i32", i64 => "i64", i128 => "i128", isize => "i64",
    u8 => "u8", u16 => "u16", u32 => "u32", u64 => "u64", u128 => "u128", usize => "u64",
}

macro_rules! float_elements {
    ($($rust:ty => $cuda:literal),* $(,)?) => { $(
        // SAFETY: the C++ type is the CUDA spelling of the same IEEE 754 or bfloat16 type; every bit pattern is valid.
        unsafe impl Element for $rust {
            fn cuda_type(_: &mut Source) -> String {
                $cuda.to_owned()
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                if self.is_nan() { <$rust>::NAN } else { self }
            }
        }
    )* };
}
float_elements! { half::f16 => "f16", half::bf16 => "bf16", f32 => "f32", f64 => "f64" }
