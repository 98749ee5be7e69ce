//! Range histogram: the prefix sums of a histogram, for the number of elements in any range of bins, and for quantiles.
//!
//! ```text
//! P[k] = h[0] + ... + h[k - 1],  k = 0 .. bins            the exclusive scan of the counts, and the total
//! counts of [a, b]      P[b + 1] - P[a]                  both ends included
//! quantile q            the bin of the ceil(q n)-th smallest element (numpy.quantile, method "inverted_cdf")
//! ```
//!
//! ```
//! use upsweep::operator::Same;
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let x = [3u32, 1, 7, 0, 4, 1, 6, 3];
//! let mut counts = [0u32; 8];
//! Histogram::by(Same, 8).run(&device, &x, &mut counts)?;
//! let ranges = RangeHistogram::build(&device, &counts)?;
//! assert_eq!(ranges.count(&device, 1, 4)?, 5);
//! assert_eq!(ranges.total(&device)?, 8);
//!
//! let mut bins = [0u64; 2];
//! ranges.quantiles(&device, &[0.5, 1.0], &mut bins)?;
//! assert_eq!(bins, [3, 7]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! Lensch and Strzodka's slides take `P[b] - P[a]` of the inclusive scan, which leaves out `h[a]`.
//!
//! **Cost.** One scan of the counts to build it. A range reads two sums, a quantile the logarithm of `bins`.

use crate::array::Array;
use crate::device::{Backend, Device};
use crate::histogram::Count;
use crate::options::expect_length;
use crate::scan::Scan;
use upsweep_core::buffer::{Input, Output};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::WidenFrom;
use upsweep_core::operator::builtin::Sum;

/// Prefix sums of a histogram: see the [module](self).
#[derive(Debug)]
pub struct RangeHistogram {
    prefixes: Array<u64>,
}

impl RangeHistogram {
    /// Builds the prefix sums of the numbers of elements in each bin, `u32` or `u64`.
    ///
    /// # Errors
    /// As [`Scan::run`].
    pub fn build<I>(device: &Device, counts: &I) -> Result<Self>
    where
        I: Input + ?Sized,
        I::Item: Count,
        u64: WidenFrom<I::Item>,
    {
        let prefixes = Scan::new(Sum).exclusive().accumulate::<u64>().with_total().run_to_array(device, counts)?;
        Ok(Self { prefixes })
    }

    /// Returns the number of bins.
    #[must_use]
    pub fn bins(&self) -> usize {
        self.prefixes.len() - 1
    }

    /// Returns the exclusive prefix sums of the bins, and the total: one more than there are bins.
    #[must_use]
    pub fn prefixes(&self) -> &Array<u64> {
        &self.prefixes
    }

    /// Stores for each range `(first, last)` of bins its number of elements, both ends included. A range that ends
    /// before it begins has none, and bins past the last have none.
    ///
    /// # Errors
    /// [`Error::Length`] when `output` has not one element for each range; [`Error::Place`], [`Error::Overlap`] as
    /// [`Scan::run`].
    pub fn counts<R, O>(&self, device: &Device, ranges: &R, output: &mut O) -> Result<()>
    where
        R: Input<Item = (u64, u64)> + ?Sized,
        O: Output<Item = u64> + ?Sized,
    {
        let (ranges, output) = (ranges.view(), output.view_mut());
        expect_length("output", output.len(), ranges.len())?;
        match &device.0 {
            Backend::Cpu => {
                upsweep_cpu::range_histogram::counts(
                    self.on_host()?,
                    ranges.on_host("ranges")?,
                    output.into_host("output")?,
                );
                Ok(())
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => upsweep_cuda::histogram::range::counts(cuda, self.prefixes.view(), ranges, output),
        }
    }

    /// Stores for each share `q` from 0 to 1 the bin of the `ceil(q n)`-th smallest element: of the smallest one for 0,
    /// of the largest for 1. A share beyond is clamped. Without elements, and for NaN, the number of bins is stored,
    /// which is no bin.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub fn quantiles<Q, O>(&self, device: &Device, shares: &Q, output: &mut O) -> Result<()>
    where
        Q: Input<Item = f64> + ?Sized,
        O: Output<Item = u64> + ?Sized,
    {
        let (shares, output) = (shares.view(), output.view_mut());
        expect_length("output", output.len(), shares.len())?;
        match &device.0 {
            Backend::Cpu => {
                upsweep_cpu::range_histogram::quantiles(
                    self.on_host()?,
                    shares.on_host("shares")?,
                    output.into_host("output")?,
                );
                Ok(())
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                upsweep_cuda::histogram::range::quantiles(cuda, self.prefixes.view(), shares, output)
            }
        }
    }

    /// Returns the number of elements in the bins `first` to `last`, both included. On CUDA this waits for the result.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub fn count(&self, device: &Device, first: u64, last: u64) -> Result<u64> {
        device.refuse_in_capture("reading a count of a range")?;
        let range = device.upload(&[(first, last)])?;
        let mut count = device.upload(&[0u64])?;
        self.counts(device, &range, &mut count)?;
        count.to_vec()?.first().copied().ok_or(Error::Length { what: "output", found: 0, expected: 1 })
    }

    /// Returns the number of elements in all bins. On CUDA this waits for the result.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub fn total(&self, device: &Device) -> Result<u64> {
        self.count(device, 0, u64::MAX)
    }

    fn on_host(&self) -> Result<&[u64]> {
        self.prefixes.view().on_host("range histogram")
    }
}
