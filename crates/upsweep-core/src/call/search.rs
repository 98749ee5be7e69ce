//! The call of a binary search, with its buffers, and the order of numbers that it uses.

use crate::buffer::View;
use crate::operator::{Element, Function, Source};
use crate::outputs::Target;
use half::{bf16, f16};

/// Order of numbers, ascending: NaN is the last, and -0 equals +0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ascending;

/// A number that has an order: every integer, `bool`, `f16`, `bf16`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order of its own",
    label = "not a number",
    note = "integers, bool and floats have one; of others say it with `.by(less)`"
)]
pub trait Ordered: Element {
    /// Whether the number comes before `other` in ascending order.
    #[doc(hidden)]
    fn precedes(self, other: Self) -> bool;
}
macro_rules! integers {
    ($($t:ty)*) => { $(impl Ordered for $t {
        #[inline(always)]
        fn precedes(self, other: Self) -> bool {
            self < other
        }
    })* };
}
integers! { bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
macro_rules! floats {
    ($($t:ty)*) => { $(impl Ordered for $t {
        #[inline(always)]
        fn precedes(self, other: Self) -> bool {
            self < other || (other.is_nan() && !self.is_nan())
        }
    })* };
}
floats! { f16 bf16 f32 f64 }

impl<T: Ordered> Function<(T, T)> for Ascending {
    type Output = bool;
    #[inline(always)]
    fn call(&self, (a, b): (T, T)) -> bool {
        a.precedes(b)
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = T::cuda_type(source);
        source.define(&format!("precedes {ty}"), "precedes", |_, name| {
            format!(
                "__device__ __forceinline__ bool {name}({ty} a, {ty} b) {{ return arith::lt(a, b) || (arith::ne(b, b) && arith::eq(a, a)); }}"
            )
        })
    }
}

/// Call that finds the position of each of `values` in `sorted` by binary search, with its buffers.
pub struct Searching<'a, I: Element, O: Element> {
    pub sorted: View<'a, I>,
    pub values: View<'a, I>,
    pub output: Target<'a, O>,
    /// Whether the position of a value is behind the elements equal to it; else it is before them.
    pub upper: bool,
}
