//! An input computed from other inputs by a function.

use super::{Faults, Inputs, Read, Streams};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading};
use crate::buffer::View;
use crate::error::Result;
use crate::operator::{Element, Function, Item, Single, Spread};
use std::marker::PhantomData;

/// A function of each value of an input: `Apply(function, input)` is `function(x[i])`, for several inputs
/// `function(a[i], b[i])`. As the indices of a [`Gather`](super::Gather) or the places of a
/// [`Scatter`](crate::outputs::Scatter), it computes the positions of elements.
///
/// ```
/// use upsweep::prelude::*;
///
/// /// Where element `i` of the transposed matrix lies in a matrix of `rows` x `columns`.
/// #[function]
/// fn transposed(#[param] rows: u64, #[param] columns: u64, i: u64) -> u64 {
///     i % rows * columns + i / rows
/// }
///
/// let device = Device::cpu();
/// let matrix = [1, 2, 3, 4, 5, 6];
/// let index = Apply(Transposed { rows: 2, columns: 3 }, 0..6u64);
/// let columns: Vec<i32> = Scan::new(Last).run_to_vec(&device, Gather::of(&matrix).at(index))?;
/// assert_eq!(columns, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), upsweep::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Apply<F, X>(pub F, pub X);

/// Type that stands for the values of an [`Apply`] at each position (its `Item`): results of `F` for the values of `A`.
#[derive(Debug)]
pub struct Applied<F, A>(PhantomData<fn() -> (F, A)>);
impl<F, A> Clone for Applied<F, A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F, A> Copy for Applied<F, A> {}

impl<F: Function<A::Args, Output: Element>, A: Item> Item for Applied<F, A> {
    type Value = F::Output;
    type Args = (F::Output,);
}
impl<F: Function<A::Args, Output: Element>, A: Item> Single for Applied<F, A> {}

impl<'a, F: Function<X::Args, Output: Element>, X: Inputs<'a>> Inputs<'a> for Apply<F, X> {
    type Value = F::Output;
    type Args = (F::Output,);
    type Item = Applied<F, X::Item>;

    fn given(self) -> (F, <X::Item as Read>::Given<'a>) {
        (self.0, self.1.given())
    }
}

// SAFETY: memory is read by `A` alone, which reads within its own length.
unsafe impl<F: Function<A::Args, Output: Element>, A: Read> Read for Applied<F, A> {
    type Given<'a> = (F, A::Given<'a>);
    type Place = (F, A::Place);

    fn again<'g>((function, input): &'g Self::Given<'_>) -> Self::Given<'g> {
        (*function, A::again(input))
    }

    fn len((_, input): &Self::Given<'_>, what: &'static str) -> Result<Option<usize>> {
        A::len(input, what)
    }

    const COUNTED: bool = A::COUNTED;

    fn length<'g>((_, input): &'g Self::Given<'_>) -> Option<&'g View<'g, u64>> {
        A::length(input)
    }

    fn place((function, input): &Self::Given<'_>, what: &'static str, faults: &Faults) -> Result<Self::Place> {
        Ok((*function, A::place(input, what, faults)?))
    }

    #[inline(always)]
    unsafe fn read((function, input): &Self::Place, at: usize) -> F::Output {
        // SAFETY: the caller guarantees that the pointers of `input` are valid and that `at` is less than its number of
        // values, as `A::read` requires.
        function.call(unsafe { A::read(input, at) }.spread())
    }

    #[inline(always)]
    fn address((_, input): &Self::Place, at: usize) -> (*const u8, usize) {
        A::address(input, at)
    }

    #[inline(always)]
    fn fetch((_, input): &Self::Place, at: usize, len: usize, fetch: impl Fn(*const u8, usize) + Copy) {
        A::fetch(input, at, len, fetch);
    }

    #[inline(always)]
    fn gathered_from((_, input): &Self::Place) -> usize {
        A::gathered_from(input)
    }

    #[inline(always)]
    unsafe fn fetch_gathered((_, input): &Self::Place, at: usize, fetch: impl Fn(*const u8) + Copy) {
        // SAFETY: as in `read`.
        unsafe { A::fetch_gathered(input, at, fetch) };
    }

    const STREAMS: Streams = A::STREAMS;
    #[cfg(feature = "cuda")]
    const MAY_FAULT: bool = A::MAY_FAULT;
    #[cfg(feature = "cuda")]
    const APART: bool = A::APART;

    #[cfg(feature = "cuda")]
    type Functions = (F, A::Functions);
    #[cfg(feature = "cuda")]
    fn functions((function, input): &Self::Given<'_>) -> Self::Functions {
        (*function, A::functions(input))
    }

    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(
        (function, input): &'a Self::Given<'_>,
        what: &'static str,
        opening: &mut Opening<'_, L>,
    ) -> Result<()> {
        opening.function::<F>(|values| function.values(values));
        A::open(input, what, opening)
    }

    #[cfg(feature = "cuda")]
    fn text((function, functions): &Self::Functions, reading: &mut Reading<'_>, at: &str) -> String {
        let function = function.cuda_function(reading.source);
        let value = A::text(functions, reading, at);
        // The value's expression is long, so that it is bound once for all arguments.
        let (ty, args) = (A::Value::cuda_type(reading.source), A::Value::cuda_args("v"));
        format!("[&](const {ty}& v) {{ return {function}({args}); }}({value})")
    }
}
