//! The built-in operators.

use super::{Element, Operator, Source};

// A provisional form: to be written with #[operator].
macro_rules! provisional {
    ($name:ident, $stem:literal, |$a:ident, $b:ident| $combine:expr, $cuda:literal, { $($t:ty => $id:expr),* }) => {
        #[doc = concat!("The operator `", $stem, "`.")]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;
        $(impl Operator<$t> for $name {
            #[inline(always)]
            fn combine(&self, $a: $t, $b: $t) -> $t { $combine }
            fn identity(&self) -> Option<$t> { Some($id) }
            fn cuda_function(&self, source: &mut Source) -> String {
                let ty = <$t>::cuda_type(source);
                source.define(&format!("{} {ty}", $stem), $stem, |_, name| {
                    format!("__device__ __forceinline__ {ty} {name}({ty} a, {ty} b) {{ return {}; }}", $cuda)
                })
            }
        })*
    };
}
trait Add: Copy { fn add(self, b: Self) -> Self; }
macro_rules! adds { ($($t:ty)*) => { $(impl Add for $t { #[inline(always)] fn add(self, b: Self) -> Self { self.wrapping_add(b) } })* } }
adds! { i8 i16 i32 i64 u8 u16 u32 u64 }
impl Add for f32 { #[inline(always)] fn add(self, b: Self) -> Self { self + b } }
impl Add for f64 { #[inline(always)] fn add(self, b: Self) -> Self { self + b } }
provisional!(Sum, "sum", |a, b| a.add(b), "add(a, b)", { i8 => 0, i16 => 0, i32 => 0, i64 => 0, u8 => 0, u16 => 0, u32 => 0, u64 => 0, f32 => 0.0, f64 => 0.0 });
provisional!(Max, "max", |a, b| if a > b { a } else { b }, "a > b ? a : b", { i8 => i8::MIN, i16 => i16::MIN, i32 => i32::MIN, i64 => i64::MIN, u8 => 0, u16 => 0, u32 => 0, u64 => 0 });
