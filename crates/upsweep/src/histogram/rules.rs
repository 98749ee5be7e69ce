//! Kinds of bins, and the rules that they are.

use upsweep_core::bins::{BinNumber, ByFunction, Even, check_bins};
use upsweep_core::buffer::{Input, View};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::{Element, Function, Map, Number, Source, Spread};

/// Bins of equal width, made by [`Histogram::even`](super::Histogram::even).
#[derive(Clone, Copy, Debug)]
pub struct EvenBins {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) bins: usize,
}

/// Bins between neighbouring edges, made by [`Histogram::edges`](super::Histogram::edges).
#[derive(Debug)]
pub struct Edges<'a, E: ?Sized>(pub(super) &'a E);

impl<E: ?Sized> Clone for Edges<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: ?Sized> Copy for Edges<'_, E> {}

/// Bins whose numbers a function computes, made by [`Histogram::by`](super::Histogram::by).
#[derive(Clone, Copy, Debug)]
pub struct ByBins<F> {
    pub(super) function: F,
    pub(super) bins: usize,
}

/// Action that takes a binning rule: a function or edges. Each kind of bins calls the method for its kind of rule.
#[doc(hidden)]
pub trait WithRule<T: Element> {
    /// Runs with a rule that is a function to the number of an element's bin. `quick` is a cheaper function, which may
    /// leave an element's bin unsure.
    fn function<M: Map<T, Output = u32>>(self, rule: M, quick: impl Fn(T) -> u32 + Sync + Copy) -> Result<()>;
    /// Runs with a rule by edges: an element is compared with `edges`.
    fn edges(self, edges: View<'_, T>) -> Result<()>
    where
        T: Number;
}

/// Kind of bins for elements of the type `T`, which are the arguments `Args` of a function:
/// [`Histogram::even`](super::Histogram::even), [`Histogram::edges`](super::Histogram::edges) and
/// [`Histogram::by`](super::Histogram::by) make one.
pub trait Bins<T: Element, Args = (T,)>: Copy {
    /// Returns the number of bins.
    #[doc(hidden)]
    fn count(&self) -> Result<usize>;
    /// Adds the function of the bins to `source`, if there is one, and returns the rule's name.
    #[doc(hidden)]
    fn name(&self, source: &mut Source) -> String;
    #[doc(hidden)]
    fn with_rule<R: WithRule<T>>(&self, run: R) -> Result<()>;
}

impl<T: Even, Args> Bins<T, Args> for EvenBins {
    fn count(&self) -> Result<usize> {
        check_bins(self.bins)
    }
    fn name(&self, _: &mut Source) -> String {
        format!("even bins from {:?} to {:?}", self.low, self.high)
    }
    fn with_rule<R: WithRule<T>>(&self, run: R) -> Result<()> {
        let rule = T::rule(self.low, self.high, self.bins)?;
        run.function(rule, move |x| T::quick(&rule, x))
    }
}

impl<E: Input + ?Sized, Args> Bins<E::Item, Args> for Edges<'_, E>
where
    E::Item: Number,
{
    fn count(&self) -> Result<usize> {
        let found = self.0.view().len();
        if found < 2 {
            return Err(Error::TooFew { what: "edges", found, least: 2 });
        }
        check_bins(found - 1)
    }
    fn name(&self, _: &mut Source) -> String {
        "bins by edges".to_owned()
    }
    fn with_rule<R: WithRule<E::Item>>(&self, run: R) -> Result<()> {
        run.edges(self.0.view())
    }
}

impl<T, Args, F> Bins<T, Args> for ByBins<F>
where
    T: Element + Spread<Args>,
    Args: 'static,
    F: Function<Args, Output: BinNumber>,
{
    fn count(&self) -> Result<usize> {
        check_bins(self.bins)
    }
    fn name(&self, source: &mut Source) -> String {
        self.function.cuda_function(source);
        format!("bins by {}", std::any::type_name::<F>())
    }
    fn with_rule<R: WithRule<T>>(&self, run: R) -> Result<()> {
        let rule = ByFunction::<F, Args>::new(self.function);
        run.function(rule, move |x| rule.apply(x, 0))
    }
}
