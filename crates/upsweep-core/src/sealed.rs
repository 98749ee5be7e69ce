//! Traits that upsweep's own crates alone implement.

/// Supertrait of traits whose answers unchecked code relies on, here or in a kernel. Nobody else can implement it, as
/// the crate `upsweep` does not export it. `On` are the subtrait's own parameters, so that another crate cannot
/// implement the subtrait for its own parameter types on a type of this crate.
pub trait Sealed<On = ()> {}

macro_rules! numbers {
    ($($t:ty)*) => { $(impl Sealed for $t {})* };
}
numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool half::f16 half::bf16 }
