//! Histograms of bytes and floats, over few and many bins, of values spread evenly and unevenly.

use crate::gpu::Gpu;
use rayon::prelude::*;
use std::cell::RefCell;
use upsweep::histogram::Even;
use upsweep::prelude::*;
use upsweep_bench::{Outcome, Value, hash};

/// Distribution of the values that are counted, between 0 and 1.
#[derive(Clone, Copy)]
enum Values {
    Uniform,
    Constant,
    /// Each value is one of two, at random.
    Pair,
    Sorted,
    Zipf,
}

impl Values {
    /// Returns the value at `index` of an array of `n` values; `n` is a power of two.
    fn at(self, index: usize, n: usize) -> f32 {
        let uniform = || (hash(index) >> 40) as f32 / (1 << 24) as f32;
        match self {
            Self::Uniform => uniform(),
            Self::Constant => 0.6,
            Self::Pair => [0.3, 0.6][hash(index) as usize % 2],
            Self::Sorted => ((index << 24) / n) as f32 / (1 << 24) as f32,
            // The frequency of a value is proportional to its reciprocal, from 2^-16 to 1.
            Self::Zipf => (16.0 * (uniform() - 1.0)).exp2(),
        }
    }

    fn name(self, bins: usize) -> String {
        let suffix = match self {
            Self::Uniform => "",
            Self::Constant => "_constant",
            Self::Pair => "_two_values",
            Self::Sorted => "_sorted",
            Self::Zipf => "_zipf",
        };
        format!("histogram_{bins}{suffix}")
    }
}

pub(crate) fn bench(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    for log2n in sizes.iter().copied().filter(|&size| size <= 28) {
        for values in [Values::Uniform, Values::Constant, Values::Pair, Values::Sorted, Values::Zipf] {
            let scale = |x: f32| (x * 256.0) as u8;
            bins(gpu, log2n, values, &[256], scale, 256.0, f64::from)?;
            bins(gpu, log2n, values, &[256, 2048, 65_536, 1 << 20], |x| x, 1.0, f64::from)?;
        }
    }
    Ok(())
}

/// Measures histograms of values from 0 to `high`, one for each number of bins.
fn bins<T: Value + Even>(
    gpu: &mut Gpu,
    log2n: u32,
    values: Values,
    all_bins: &[usize],
    make: fn(f32) -> T,
    high: f64,
    back: fn(T) -> f64,
) -> Outcome {
    let n = 1usize << log2n;
    if !gpu.fits::<T>(n) || !all_bins.iter().any(|&bins| gpu.wants::<T>(&values.name(bins))) {
        return Ok(());
    }
    let host: Vec<T> = (0..n).into_par_iter().map(|index| make(values.at(index, n))).collect();
    let input = gpu.upload(&host)?;
    for &bins in all_bins {
        let algo = values.name(bins);
        if !gpu.wants::<T>(&algo) {
            continue;
        }
        let histogram = Histogram::even(0.0..=high, bins);
        let output = RefCell::new(gpu.upload(&vec![0u32; bins])?);
        histogram.run(gpu.device(), &input, &mut *output.borrow_mut())?;
        // Computing the bin is exact, because the number of bins and `high` are powers of two.
        let count = |mut counts: Vec<u32>, part: &[T]| {
            part.iter().for_each(|&x| counts[(back(x) * bins as f64 / high) as usize] += 1);
            counts
        };
        let add = |a: Vec<u32>, b: Vec<u32>| a.iter().zip(b).map(|(a, b)| a + b).collect();
        let zeros = || vec![0u32; bins];
        let expected: Vec<u32> = host.par_chunks(1 << 24).fold(zeros, count).reduce(zeros, add);
        let found = output.borrow().to_vec()?;
        if let Some(bin) = (0..bins).find(|&bin| found[bin] != expected[bin]) {
            return Err(format!("{algo}: bin {bin} has {}, not {}", found[bin], expected[bin]).into());
        }
        gpu.time::<T>(&algo, n, n * size_of::<T>(), |device, _, _| {
            histogram.run(device, &input, &mut *output.borrow_mut())
        })?;
    }
    Ok(())
}
