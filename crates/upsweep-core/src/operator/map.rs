//! Maps: functions of each element before a scan combines it, and of each result before it is stored.

use super::{Element, Function, Source, Spread, Values, WidenFrom};
use std::marker::PhantomData;

/// A map from the element `x` at position `index` (along the axis; with segments, in the flat array) to the operand of
/// the operator.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a map of these elements",
    label = "not a map of `{I}`",
    note = "a map is given by `.map(Name)`, with the name that `#[function] fn name(x: T) -> U {{ .. }}` makes"
)]
pub trait Map<I: Element, Args = (I,)>: Copy + Send + Sync + 'static {
    /// Operand type of the operator.
    type Output: Element;

    /// Whether an operand may depend on the position of its element.
    #[doc(hidden)]
    const INDEXED: bool = true;

    /// Returns the operand for the element `x` at position `index`.
    fn apply(&self, x: I, index: u64) -> Self::Output;

    /// Adds the map's values, as [`Operator::values`](super::Operator::values) does.
    fn values(&self, _values: &mut Values) {}

    /// Adds the map to `source` and returns the name of a CUDA C++ device function `Output name(I, u64)`.
    fn cuda_function(&self, source: &mut Source) -> String;
}

/// An output element type that can store values of the type `T`: `T` itself. The call's other bounds require it too,
/// but this one has a helpful message.
#[diagnostic::on_unimplemented(
    message = "the output holds `{Self}` and the results are `{T}`",
    label = "not an output for `{T}`",
    note = "to sum small integers in a wider type, and store that, write `.accumulate::<u64>()`; to convert results, give \
            `.finish(Name)` the name that `#[function] fn name(x: T) -> U {{ .. }}` makes"
)]
pub trait Stores<T> {}

impl<T> Stores<T> for T {}

/// The identity: leaves elements and results as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Same;

impl<I: Element, Args> Map<I, Args> for Same {
    type Output = I;
    const INDEXED: bool = false;

    #[inline(always)]
    fn apply(&self, x: I, _: u64) -> I {
        x
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = I::cuda_type(source);
        source.define(&format!("map same {ty}"), "map_same", |_, name| {
            format!("__device__ __forceinline__ {ty} {name}({ty} x, u64) {{ return x; }}")
        })
    }
}

impl<T: Element> Function<(T,)> for Same {
    type Output = T;

    #[inline(always)]
    fn call(&self, (x,): (T,)) -> T {
        x
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = T::cuda_type(source);
        source.define(&format!("same {ty}"), "same", |_, name| {
            format!("__device__ __forceinline__ {ty} {name}({ty} x) {{ return x; }}")
        })
    }
}

/// Finish of a `MovingSum` that has none of its own: it returns the sum, and ignores the number of values in the
/// window.
#[derive(Clone, Copy, Debug)]
pub struct OnlySum;

impl<A: Element> Function<(A, u64)> for OnlySum {
    type Output = A;

    #[inline(always)]
    fn call(&self, (sum, _): (A, u64)) -> A {
        sum
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = A::cuda_type(source);
        source.define(&format!("only sum {ty}"), "only_sum", |_, name| {
            format!("__device__ __forceinline__ {ty} {name}({ty} sum, u64) {{ return sum; }}")
        })
    }
}

/// Applies a [`Function`] to each element.
#[derive(Clone, Copy, Debug)]
pub struct MapWith<F>(pub F);

impl<I: Element + Spread<Args>, Args, F: Function<Args, Output: Element>> Map<I, Args> for MapWith<F> {
    type Output = F::Output;
    const INDEXED: bool = false;

    #[inline(always)]
    fn apply(&self, x: I, _: u64) -> F::Output {
        self.0.call(x.spread())
    }

    fn values(&self, values: &mut Values) {
        self.0.values(values);
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let (input, output) = (I::cuda_type(source), F::Output::cuda_type(source));
        let (function, args) = (self.0.cuda_function(source), I::cuda_args("x"));
        source.define(&format!("map {function} {input}"), "map", |_, name| {
            format!("__device__ __forceinline__ {output} {name}({input} x, u64) {{ return {function}({args}); }}")
        })
    }
}

/// Pairs each element with its position: `x` becomes `(x, index)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Enumerate;

impl<I: Element, Args> Map<I, Args> for Enumerate {
    type Output = (I, u64);

    #[inline(always)]
    fn apply(&self, x: I, index: u64) -> (I, u64) {
        (x, index)
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let (input, output) = (I::cuda_type(source), <(I, u64)>::cuda_type(source));
        source.define(&format!("enumerate {input}"), "enumerate", |_, name| {
            format!(
                "__device__ __forceinline__ {output} {name}({input} x, u64 index) {{ {output} r; r.f0 = x; r.f1 = index; return r; }}"
            )
        })
    }
}

/// Converts each element to the wider type `U` without loss.
#[derive(Debug)]
pub struct Widen<U>(PhantomData<fn() -> U>);

impl<U> Widen<U> {
    /// Creates the conversion to `U`.
    #[must_use]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}
impl<U> Default for Widen<U> {
    fn default() -> Self {
        Self::new()
    }
}
impl<U> Clone for Widen<U> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<U> Copy for Widen<U> {}

impl<I: Element, Args, U: WidenFrom<I>> Map<I, Args> for Widen<U> {
    type Output = U;
    const INDEXED: bool = false;

    #[inline(always)]
    fn apply(&self, x: I, _: u64) -> U {
        U::widen_from(x)
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let (from, to) = (I::cuda_type(source), U::cuda_type(source));
        source.define(&format!("widen {from} {to}"), "widen", |_, name| {
            format!("__device__ __forceinline__ {to} {name}({from} x, u64) {{ return cast<{to}>(x); }}")
        })
    }
}

/// The map `map` of elements of which the first stands at `position`: of a part of an array.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct From<M> {
    /// Map that gets positions in the whole array.
    pub map: M,
    /// Number of elements before.
    pub position: u64,
}

impl<I: Element, Args, M: Map<I, Args>> Map<I, Args> for From<M> {
    type Output = M::Output;

    #[inline(always)]
    fn apply(&self, x: I, index: u64) -> M::Output {
        self.map.apply(x, self.position + index)
    }

    fn values(&self, values: &mut Values) {
        self.map.values(values);
        values.push(self.position);
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let (input, output) = (I::cuda_type(source), M::Output::cuda_type(source));
        let (map, position) = (self.map.cuda_function(source), source.value::<u64>());
        source.define(&format!("{map} from {position}"), "from", |_, name| {
            format!(
                "__device__ __forceinline__ {output} {name}({input} x, u64 index) {{ return {map}(x, {position} + index); }}"
            )
        })
    }
}
