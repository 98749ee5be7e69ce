//! Sums of f16 and bf16: steps of a job whose operator combines f32.
//!
//! A sum of halves is an ordinary job for every backend: its map widens the elements to f32, the operator combines f32,
//! and its finish narrows the results (`InF32`). So each result is rounded once, when it is stored.

use crate::inputs::Read;
#[cfg(feature = "cuda")]
use crate::operator::Source;
#[cfg(feature = "cuda")]
use crate::operator::builtin::Sum;
use crate::operator::{Element, Form, Function, Halves, Map, Operator};
use crate::outputs::Write;
#[cfg(feature = "cuda")]
use crate::steps::{Code, Known};
use crate::steps::{Held, JobSteps, Parts, Steps};
use crate::tree::row_len;
use std::mem::MaybeUninit;

/// Whether sums by `Op` of `T` are combined in f32: those of f16 and bf16, which would soon stop growing in their own
/// type.
pub const fn sums_in_f32<T: Element, Op: Operator<T>>() -> bool {
    matches!(Op::FORM, Form::Sum) && T::HALVES.is_some()
}

/// Steps of a sum of f16 or bf16 that is combined in f32 and rounded once, when it is stored: see [`sums_in_f32`].
pub struct InF32<I, O, Op, M, F>(pub Parts<I, O, Op, M, F>);

impl<I, O, Op: Copy, M: Copy, F: Copy> Clone for InF32<I, O, Op, M, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I, O, Op: Copy, M: Copy, F: Copy> Copy for InF32<I, O, Op, M, F> {}

impl<I, O, Op, M, F> Steps for InF32<I, O, Op, M, F>
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
{
    type In = I;
    type Acc = f32;
    type Out = O;

    const LANES: bool = Op::LANES;
    const NUMBERS: [usize; 3] = [0; 3];
    const VECTORS: bool = false;
    const EXACT: bool = false;
    const QUICK: bool = false;
    const TREE: bool = true;

    #[inline(always)]
    fn same_map() -> bool {
        false
    }

    #[inline(always)]
    fn same_finish() -> bool {
        false
    }

    #[inline(always)]
    fn tree(&self) -> (usize, f32) {
        (row_len(size_of::<I::Value>(), size_of::<O::Value>()), -0.0)
    }

    #[inline(always)]
    fn neutral(&self, x: f32) -> f32 {
        x
    }

    #[inline(always)]
    fn encode(&self, value: f32) -> f32 {
        value
    }

    #[inline(always)]
    fn decode(&self, value: f32) -> f32 {
        value
    }

    #[inline(always)]
    fn combine_encoded(&self, a: f32, b: f32) -> f32 {
        a + b
    }

    #[inline(always)]
    fn load(&self, x: I::Value, index: usize) -> f32 {
        widen(self.0.map.apply(x, index as u64))
    }

    #[inline(always)]
    fn combine(&self, a: f32, b: f32) -> f32 {
        a + b
    }

    #[inline(always)]
    fn store(&self, value: f32) -> O::Value {
        self.0.store(narrow(value))
    }

    #[inline(always)]
    fn store_encoded(&self, value: f32) -> O::Value {
        self.store(value)
    }
}

impl<I, O, Op, M, F> JobSteps for InF32<I, O, Op, M, F>
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
{
    type Given = M::Output;

    #[inline(always)]
    fn identity(&self) -> Option<f32> {
        self.0.operator.identity().map(widen)
    }

    #[inline(always)]
    fn given(&self, value: M::Output) -> f32 {
        widen(value)
    }

    #[inline(always)]
    fn carried(&self, value: f32) -> M::Output {
        narrow::<M::Output>(value).canonical()
    }

    fn values(&self, held: &mut Held) {
        self.0.values(held);
    }

    #[cfg(feature = "cuda")]
    fn known() -> Known {
        Known { same_map: false, same_finish: false, ..Parts::<I, O, Op, M, F>::known() }
    }

    #[cfg(feature = "cuda")]
    fn code(&self, source: &mut Source) -> Code {
        let Code { types: [input, half, output, _], load, store, .. } = self.0.code(source);
        let acc = f32::cuda_type(source);
        let combine = Operator::<f32>::cuda_function(&Sum, source);
        let load = source.define(&format!("in f32 {load}"), "load_f32", |_, name| {
            format!("__device__ __forceinline__ {acc} {name}({input} x, u64 index) {{ return cast<{acc}>({load}(x, index)); }}")
        });
        let given = source.define(&format!("to f32 {half}"), "to_f32", |_, name| {
            format!("__device__ __forceinline__ {acc} {name}({half} x) {{ return cast<{acc}>(x); }}")
        });
        let carried = source.define(&format!("from f32 {half}"), "from_f32", |_, name| {
            format!("__device__ __forceinline__ {half} {name}({acc} x) {{ return arith::narrow<{half}>(x); }}")
        });
        let store = source.define(&format!("from f32 {store}"), "store_f32", |_, name| {
            format!("__device__ __forceinline__ {output} {name}({acc} x) {{ return {store}({carried}(x)); }}")
        });
        Code { types: [input, acc, output, half], load, combine, store, given, carried }
    }
}

/// Converts an f16 or bf16 to f32. Values of other types, for which [`sums_in_f32`] is false, become NaN, which is no
/// plausible sum.
#[inline(always)]
fn widen<T: Element>(x: T) -> f32 {
    match T::HALVES {
        Some(Halves { widen, .. }) => widen(x),
        None => f32::NAN,
    }
}

/// Rounds f32 to f16 or bf16.
#[inline(always)]
fn narrow<T: Element>(x: f32) -> T {
    match T::HALVES {
        Some(Halves { narrow, .. }) => narrow(x),
        // SAFETY: zero bits are a value of every element type. (This line is never reached, as `sums_in_f32` is false
        // for other types than f16 and bf16.)
        None => unsafe { MaybeUninit::zeroed().assume_init() },
    }
}
