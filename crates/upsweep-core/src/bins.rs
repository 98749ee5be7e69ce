//! Histogram rules, from an element to its bin, written once for the CPU and for CUDA.

mod even;
mod floor;

use crate::error::{Error, Result};
use crate::operator::{Element, Function, Map, Number, Source, Spread, Values};
use std::marker::PhantomData;

pub use even::Even;

/// Largest number of bins of one channel.
pub const MAX_BINS: usize = 1 << 20;

/// Result of a rule for an element outside all bins.
pub const OUTSIDE: u32 = u32::MAX - 1;

/// Result of the quick look (the cheap first rule of even bins) for an element that needs the exact rule. It is greater
/// than any other result.
pub const UNSURE: u32 = u32::MAX;

/// Returns the bin of the element `x` among ascending edges, which bound `edges.len() - 1` bins; [`OUTSIDE`] if it is
/// in none.
#[inline]
pub fn between<T: Number>(edges: &[T], x: T) -> u32 {
    let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else { return OUTSIDE };
    if !(T::le(first, x) && T::le(x, last)) {
        return OUTSIDE;
    }
    let above = edges.partition_point(|&edge| T::le(edge, x));
    above.min(edges.len() - 1) as u32 - 1
}

/// Returns the index of the first edge that is less than the edge before it, or is NaN.
pub fn descends<T: Number>(edges: &[T]) -> Option<usize> {
    let wrong = |at: usize| !T::le(edges[at.max(1) - 1], edges[at]);
    (0..edges.len()).find(|&at| wrong(at))
}

/// An integer type in which a caller's function returns bin numbers.
pub trait BinNumber: Element {
    /// Returns the bin number; for a number that no bin has, [`OUTSIDE`] or another number greater than any bin.
    fn bin(self) -> u32;
    /// Returns the bin number as an index; `usize::MAX` if it is negative or does not fit.
    fn index(self) -> usize;
}
macro_rules! bin_numbers {
    ($($t:ty)*) => { $(impl BinNumber for $t {
        #[inline(always)]
        fn bin(self) -> u32 {
            u32::try_from(self).unwrap_or(OUTSIDE).min(OUTSIDE)
        }
        #[inline(always)]
        fn index(self) -> usize {
            usize::try_from(self).unwrap_or(usize::MAX)
        }
    })* };
}
bin_numbers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

/// Rule of a histogram that calls a function from an element, as the arguments `Args`, to its bin number.
#[derive(Debug)]
pub struct ByFunction<F, Args>(F, PhantomData<fn() -> Args>);

impl<F, Args> ByFunction<F, Args> {
    /// Makes the rule of a function.
    pub fn new(function: F) -> Self {
        Self(function, PhantomData)
    }
}
impl<F: Copy, Args> Clone for ByFunction<F, Args> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F: Copy, Args> Copy for ByFunction<F, Args> {}

impl<T, Args, F> Map<T> for ByFunction<F, Args>
where
    T: Element + Spread<Args>,
    Args: 'static,
    F: Function<Args, Output: BinNumber>,
{
    type Output = u32;

    #[inline(always)]
    fn apply(&self, x: T, _: u64) -> u32 {
        self.0.call(x.spread()).bin()
    }

    fn values(&self, values: &mut Values) {
        self.0.values(values);
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let (input, number) = (T::cuda_type(source), F::Output::cuda_type(source));
        let (function, args) = (self.0.cuda_function(source), T::cuda_args("x"));
        source.define(&format!("bin {function} {input}"), "bin", |_, name| {
            format!(
                "__device__ __forceinline__ u32 {name}({input} x, u64) {{\n  const {number} bin = {function}({args});\n  \
                 return bin >= 0 && (u64)bin < 0xffffffffu ? (u32)bin : 0xfffffffeu;\n}}"
            )
        })
    }
}

/// Placeholder rule of histograms by edges, which never call it.
#[derive(Clone, Copy)]
pub struct NoRule;

impl<T: Element> Map<T> for NoRule {
    type Output = u32;
    fn apply(&self, _: T, _: u64) -> u32 {
        OUTSIDE
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = T::cuda_type(source);
        source.define(&format!("no rule {ty}"), "no_rule", |_, name| {
            format!("__device__ __forceinline__ u32 {name}({ty}, u64) {{ return ~0u; }}")
        })
    }
}

/// Checks that the number of bins is from 1 to [`MAX_BINS`].
///
/// # Errors
/// [`Error::Bins`] when it is not.
pub fn check_bins(bins: usize) -> Result<usize> {
    if bins == 0 || bins > MAX_BINS {
        return Err(Error::Bins { bins, most: MAX_BINS });
    }
    Ok(bins)
}
