//! Histogram: the number of elements in each bin.

use crate::buffer::Buffer;
use crate::values::room;
use crate::{Result, Type, Value, View, f16, with_view};
use std::ops::RangeInclusive;
use upsweep::Device;
use upsweep::histogram::{Even, EvenBins, MAX_BINS};

/// Histogram with its bins: see [`upsweep::histogram`] for the formulas.
///
/// ```
/// use upsweep_dynamic::{Histogram, View};
///
/// let waits = View::F32(&[0.5, 2.5, 9.0, 2.0, 10.0, 11.0]);
/// let histogram = Histogram::even(0.0..=10.0, 5);
/// assert_eq!(histogram.run(&upsweep::Device::cpu(), waits)?, [1, 2, 0, 0, 2]);
/// # Ok::<(), upsweep_dynamic::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a histogram does nothing until it is run"]
pub struct Histogram(How);

#[derive(Clone, Debug, PartialEq)]
enum How {
    Even { low: f64, high: f64, bins: usize },
    Edges(Vec<f64>),
}

impl Histogram {
    /// Makes `bins` bins of equal width, from the start of the range to its end, both included.
    pub fn even(range: RangeInclusive<f64>, bins: usize) -> Self {
        let (low, high) = range.into_inner();
        // The library and NumPy widen an empty range in the same way.
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        Self(How::Even { low, high, bins })
    }

    /// Makes a bin between each edge and the next. Elements of any type are compared with the edges as `f64`, as in
    /// NumPy.
    pub fn edges(edges: Vec<f64>) -> Self {
        Self(How::Edges(edges))
    }

    /// Returns the number of bins.
    #[must_use]
    pub fn bins(&self) -> usize {
        match &self.0 {
            How::Even { bins, .. } => *bins,
            How::Edges(edges) => edges.len().saturating_sub(1),
        }
    }

    /// Returns the edges of the bins for elements of type `element`, one more than there are bins. The edges of bins of
    /// equal width are rounded to `f32` or `f16` for elements of that type.
    #[must_use]
    pub fn edges_for(&self, element: Type) -> Vec<f64> {
        match &self.0 {
            How::Edges(edges) => edges.clone(),
            &How::Even { low, high, bins } => {
                let step = (high - low) / bins as f64;
                let exact = |k: usize| if k == bins { high } else { k as f64 * step + low };
                let rounded = |x: f64| match element {
                    Type::F32 => f64::from(x as f32),
                    Type::F16 => f16::from_f64(x).to_f64(),
                    _ => x,
                };
                (0..=bins).map(|k| rounded(exact(k))).collect()
            }
        }
    }

    /// Counts the elements of `x` in each bin. On CUDA the time includes the copies to the device and back.
    ///
    /// # Errors
    /// [`Error::Upsweep`](crate::Error::Upsweep): as [`upsweep::Histogram::run`].
    pub fn run(&self, device: &Device, x: View<'_>) -> Result<Vec<u64>> {
        let bins = self.bins();
        if bins == 0 || bins > MAX_BINS {
            return Err(upsweep::Error::Bins { bins, most: MAX_BINS }.into());
        }
        let mut counts = Buffer::zeroed(device, bins)?;
        match &self.0 {
            How::Edges(edges) => {
                check(edges, |a, b| a <= b)?;
                let mut numbers: Vec<f64> = room(x.len())?;
                with_view!(x, x => numbers.extend(x.iter().map(|&x| x.number().nearest())));
                let x = Buffer::new(device, numbers)?;
                let edges = Buffer::new(device, &edges[..])?;
                upsweep::Histogram::edges(&edges).run(device, &x, &mut counts)?;
            }
            &How::Even { low, high, bins } => {
                let even = upsweep::Histogram::even(low..=high, bins);
                match x {
                    View::Bool(x) => {
                        let mut bytes: Vec<u8> = room(x.len())?;
                        bytes.extend(x.iter().map(|&x| u8::from(x)));
                        count(&even, device, &bytes, &mut counts)?;
                    }
                    View::F16(x) => {
                        // Edges are computed only from a valid range: this call without elements returns the error of
                        // an invalid one.
                        even.run(&Device::cpu(), &[0f64; 0], &mut vec![0u64; bins])?;
                        self.of_halves(device, x, &mut counts)?;
                    }
                    View::I8(x) => count(&even, device, x, &mut counts)?,
                    View::I16(x) => count(&even, device, x, &mut counts)?,
                    View::I32(x) => count(&even, device, x, &mut counts)?,
                    View::I64(x) => count(&even, device, x, &mut counts)?,
                    View::U8(x) => count(&even, device, x, &mut counts)?,
                    View::U16(x) => count(&even, device, x, &mut counts)?,
                    View::U32(x) => count(&even, device, x, &mut counts)?,
                    View::U64(x) => count(&even, device, x, &mut counts)?,
                    View::F32(x) => count(&even, device, x, &mut counts)?,
                    View::F64(x) => count(&even, device, x, &mut counts)?,
                }
            }
        }
        counts.into_vec()
    }

    /// Counts `f16` elements in bins of equal width, whose edges are rounded to `f16`, as in NumPy.
    fn of_halves(&self, device: &Device, x: &[f16], counts: &mut Buffer<'_, u64>) -> Result<()> {
        let edges: Vec<f16> = self.edges_for(Type::F16).into_iter().map(f16::from_f64).collect();
        check(&edges, |a, b| a < b)?;
        let (x, edges) = (Buffer::new(device, x)?, Buffer::new(device, edges)?);
        Ok(upsweep::Histogram::edges(&edges).run(device, &x, counts)?)
    }
}

fn count<T: Value + Even>(
    even: &upsweep::Histogram<EvenBins>,
    device: &Device,
    x: &[T],
    counts: &mut Buffer<'_, u64>,
) -> Result<()> {
    Ok(even.run(device, &Buffer::new(device, x)?, counts)?)
}

/// Checks the edges on the host, because on a GPU not this call but a later one would return the error.
///
/// # Errors
/// [`upsweep::Error::Edges`] with the index of the first edge for which `ascends(previous, edge)` is false.
fn check<T>(edges: &[T], ascends: fn(&T, &T) -> bool) -> Result<()> {
    match edges.windows(2).position(|pair| !ascends(&pair[0], &pair[1])) {
        Some(before) => Err(upsweep::Error::Edges { index: before + 1 }.into()),
        None => Ok(()),
    }
}
