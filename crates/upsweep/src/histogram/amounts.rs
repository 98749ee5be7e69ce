//! Amounts that are added up in bins, and the call of a histogram on a device.

use super::rules::WithRule;
use crate::device::{Backend, Device};
use upsweep_core::bins;
use upsweep_core::buffer::{Input, View, ViewMut};
use upsweep_core::call::bounds::Bounds;
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::{Element, Map, Number};
use upsweep_core::steps::Held;
#[cfg(feature = "cuda")]
use upsweep_core::tally::Amount;
use upsweep_core::tally::{Count, Weight};
#[cfg(feature = "cuda")]
use upsweep_plan::histogram::HistogramJob;

/// Amount 1 for each element: a bin's result is the number of its elements.
#[derive(Clone, Copy, Debug)]
pub struct Ones;

/// Weight of each element: a bin's result is the sum of its elements' weights.
#[derive(Debug)]
pub struct Weights<'a, W: ?Sized>(pub(super) &'a W);

impl<W: ?Sized> Clone for Weights<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<W: ?Sized> Copy for Weights<'_, W> {}

/// Call of a histogram, whose options have been checked against its buffers.
#[doc(hidden)]
#[derive(Debug)]
pub struct Job<'a, T, O> {
    pub(super) device: &'a Device,
    pub(super) input: View<'a, T>,
    pub(super) output: ViewMut<'a, O>,
    pub(super) bins: usize,
    pub(super) channels: (usize, usize),
    pub(super) bounds: Bounds,
}

impl<T: Element, O: Element> Job<'_, T, O> {
    fn slots(&self) -> upsweep_cpu::histogram::Slots {
        let (channels, counted) = self.channels;
        upsweep_cpu::histogram::Slots { bins: self.bins, channels, counted }
    }

    #[cfg(feature = "cuda")]
    fn on_cuda<M: Map<T, Output = u32>>(
        self,
        cuda: &upsweep_cuda::Cuda,
        rule: M,
        edges: Option<View<'_, T>>,
        weights: Option<View<'_, O>>,
        amount: Amount,
    ) -> Result<()> {
        let Self { input, output, bins, channels, bounds, .. } = self;
        // A kernel relies on these lengths, and an input that the program implements could return another length than
        // before.
        for (what, found, expected) in [
            ("edges", edges.as_ref().map(View::len), bins + 1),
            ("weights", weights.as_ref().map(View::len), input.len()),
        ] {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(Error::Length { what, found, expected });
            }
        }
        let job = HistogramJob {
            len: input.len(),
            input: size_of::<T>(),
            number: align_of::<T>() == size_of::<T>(),
            bins,
            channels,
            amount,
            by_edges: edges.is_some(),
            rows: bounds.count(),
        };
        let call = upsweep_cuda::histogram::Call { input, weights, edges, output, job, bounds };
        upsweep_cuda::histogram::run(cuda, rule, call)
    }
}

/// Amount of each element, 1 or its weight, added up and stored as `O`.
pub trait Amounts<O: Element>: Copy {
    /// Checks that there are `len` weights, or that counts of `len` elements, after so many `before`, fit the type `O`.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not `len` weights, [`Error::Options`] if counts of all elements may not fit `O`.
    #[doc(hidden)]
    fn check(&self, before: u64, len: usize) -> Result<()>;
    #[doc(hidden)]
    fn run<T: Element, M: Map<T, Output = u32>>(
        &self,
        job: Job<'_, T, O>,
        rule: Rule<'_, T, M>,
        quick: impl Fn(T) -> u32 + Sync + Copy,
        exact: impl Fn(T) -> u32 + Sync + Copy,
    ) -> Result<()>;
}

/// Binning rule in the form that CUDA takes: a map from elements to numbers of bins, or edges.
#[doc(hidden)]
#[derive(Debug)]
pub struct Rule<'a, T, M> {
    map: M,
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "on the CPU a function knows them"))]
    edges: Option<View<'a, T>>,
}

impl<T: Element, M: Map<T, Output = u32>> Rule<'_, T, M> {
    /// Refuses functions that capture more than a kernel has room for, on the CPU as on CUDA.
    fn check(&self) -> Result<()> {
        Held::nothing().add_function::<M>(|values| self.map.values(values))
    }
}

impl<O: Count> Amounts<O> for Ones {
    fn check(&self, before: u64, len: usize) -> Result<()> {
        if before.saturating_add(len as u64) > O::MOST {
            let reason = "a bin may have more elements than u32 holds: give an output of u64";
            return Err(Error::Options { options: "a histogram of u32", reason });
        }
        Ok(())
    }

    fn run<T: Element, M: Map<T, Output = u32>>(
        &self,
        job: Job<'_, T, O>,
        rule: Rule<'_, T, M>,
        quick: impl Fn(T) -> u32 + Sync + Copy,
        exact: impl Fn(T) -> u32 + Sync + Copy,
    ) -> Result<()> {
        match &job.device.0 {
            Backend::Cpu => {
                rule.check()?;
                let slots = job.slots();
                upsweep_cpu::histogram::count(
                    job.input.on_host("input")?,
                    &job.bounds,
                    slots,
                    (quick, exact),
                    job.output.into_host("output")?,
                )
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => job.on_cuda(cuda, rule.map, rule.edges, None, Amount::One),
        }
    }
}

impl<O: Weight, W: Input<Item = O> + ?Sized> Amounts<O> for Weights<'_, W> {
    fn check(&self, _: u64, len: usize) -> Result<()> {
        let found = self.0.view().len();
        if found != len {
            return Err(Error::Length { what: "weights", found, expected: len });
        }
        Ok(())
    }

    fn run<T: Element, M: Map<T, Output = u32>>(
        &self,
        job: Job<'_, T, O>,
        rule: Rule<'_, T, M>,
        quick: impl Fn(T) -> u32 + Sync + Copy,
        exact: impl Fn(T) -> u32 + Sync + Copy,
    ) -> Result<()> {
        let weights = self.0.view();
        match &job.device.0 {
            Backend::Cpu => {
                rule.check()?;
                let (slots, weights) = (job.slots(), weights.on_host("weights")?);
                upsweep_cpu::histogram::sum(
                    (job.input.on_host("input")?, weights),
                    &job.bounds,
                    slots,
                    (quick, exact),
                    job.output.into_host("output")?,
                )
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => job.on_cuda(cuda, rule.map, rule.edges, Some(weights), O::AMOUNT),
        }
    }
}

/// Action that runs `job` with the binning rule it is given.
pub(super) struct Run<'a, 'j, T, O, W> {
    pub(super) job: Job<'j, T, O>,
    pub(super) amounts: &'a W,
}

impl<T: Element, O: Element, W: Amounts<O>> WithRule<T> for Run<'_, '_, T, O, W> {
    fn function<M: Map<T, Output = u32>>(self, rule: M, quick: impl Fn(T) -> u32 + Sync + Copy) -> Result<()> {
        self.amounts.run(self.job, Rule { map: rule, edges: None }, quick, move |x| rule.apply(x, 0))
    }

    fn edges(self, edges: View<'_, T>) -> Result<()>
    where
        T: Number,
    {
        match &self.job.device.0 {
            Backend::Cpu => {
                let host = edges.on_host("edges")?;
                if let Some(index) = bins::descends(host) {
                    return Err(Error::Edges { index });
                }
                self.amounts.run(
                    self.job,
                    Rule { map: bins::NoRule, edges: None },
                    |x| bins::between(host, x),
                    |x| bins::between(host, x),
                )
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => {
                let nowhere = |_| bins::OUTSIDE;
                self.amounts.run(self.job, Rule { map: bins::NoRule, edges: Some(edges) }, nowhere, nowhere)
            }
        }
    }
}
