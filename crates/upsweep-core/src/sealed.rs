//! Traits that upsweep's own crates alone implement.

/// Above a trait whose answers unchecked code relies on, here or in a kernel: nobody else can implement it, as the crate `upsweep` does not export
/// this one.
/// `On` are the trait's own parameters, so that types of this crate cannot have it for a type of another one either.
pub trait Sealed<On = ()> {}

macro_rules! numbers {
    ($($t:ty)*) => { $(impl Sealed for $t {})* };
}
numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool half::f16 half::bf16 }
