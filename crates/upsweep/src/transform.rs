//! Transform: a function of each element (map), with gathers and scatters.
//!
//! ```text
//! new(f)   r[i] = f(x[i]), of several inputs f(a[i], b[i], ..)
//! copy()   r[i] = x[i], where the input or the output is more than a buffer: a gather, a scatter
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn larger(a: u32, b: u32) -> u32 {
//!     a.max(b)
//! }
//!
//! let device = Device::cpu();
//! let larger: Array<u32> = Transform::new(Larger).run_to_array(&device, (&[3, 1, 7], &[0, 4, 1]))?;
//! assert_eq!(larger.to_vec()?, [3, 4, 7]);
//! let mut turned = [0u32; 3];
//! Transform::copy().run(&device, &larger, Scatter::to(&mut turned).at(&[2u32, 1, 0]))?;
//! assert_eq!(turned, [7, 4, 3]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! A function before a scan or reduction is its `map`, and a function of the results is its `finish`: neither costs a
//! pass of its own.
//!
//! **Cost.** Each input is read once and each result written once, by one kernel on CUDA.

use crate::array::Array;
use crate::count::Count;
use crate::device::{Backend, Device};
#[cfg(feature = "cuda")]
use crate::options::Options;
use upsweep_core::buffer::{Input, Output, ViewMut};
#[cfg(feature = "cuda")]
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
#[cfg(feature = "cuda")]
use upsweep_core::init::Init;
#[cfg(feature = "cuda")]
use upsweep_core::inputs::First;
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::builtin::Last;
use upsweep_core::operator::{Element, Function, Map, MapWith, Same};
use upsweep_core::outputs::{Outputs, Target, Write};
#[cfg(feature = "cuda")]
use upsweep_core::segments::{Segmentation, Whole};
use upsweep_core::steps::Parts;

/// Function of each element: see the [module](self). Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a transform does nothing until it is run"]
pub struct Transform<M = Same> {
    map: M,
}

impl<F> Transform<MapWith<F>> {
    /// Makes a transform by a `#[function]` of as many arguments as there are inputs.
    pub fn new(function: F) -> Self {
        Self { map: MapWith(function) }
    }
}

impl Transform {
    /// Makes a transform that copies the elements.
    pub fn copy() -> Self {
        Self { map: Same }
    }
}

impl<M> Transform<M> {
    /// Stores a result for each element of `input` in `output`. On CUDA the work is enqueued on the device's stream and
    /// the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`]: the output has another length than the input
    /// - [`Error::Index`]: an index of a gather or scatter is out of bounds; on CUDA the next call that waits returns
    ///   it
    /// - [`Error::Options`]: an input without a length
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, 'y, X, Y>(&self, device: &Device, input: X, output: Y) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Outputs<'y>,
        M: Map<X::Value, X::Args, Output = Y::Value>,
    {
        let input = input.given();
        let len = len_of::<X::Item>(&input)?;
        self.dispatch::<X::Item, Y::Item>(device, input, output.given(), len)
    }

    /// Runs like [`run`](Self::run), into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`] for a counted input: the length of a new array must be known.
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x>,
        O: Element,
        M: Map<X::Value, X::Args, Output = O>,
    {
        if X::Item::COUNTED {
            let reason = "the device knows how many results there are: give an output with room for all";
            return Err(Error::Options { options: "a new array for a counted input", reason });
        }
        let input = input.given();
        let len = len_of::<X::Item>(&input)?;
        device.compute_array(len, |output| self.dispatch::<X::Item, O>(device, input, output, len))
    }

    /// Runs like [`run_to_array`](Self::run_to_array), into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run_to_array`](Self::run_to_array).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x>,
        O: Element,
        M: Map<X::Value, X::Args, Output = O>,
    {
        device.refuse_in_capture("reading the results of a transform")?;
        self.run_to_array(device, input)?.into_vec()
    }

    pub(crate) fn dispatch<I, O>(
        &self,
        device: &Device,
        input: I::Given<'_>,
        output: O::Given<'_>,
        len: usize,
    ) -> Result<()>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args, Output = O::Value>,
    {
        let found = O::len(&output, "output")?.unwrap_or(len);
        if found != len {
            return Err(Error::Length { what: "output", found, expected: len });
        }
        let steps = Parts::<I, O, Last, M, Same>::new(Last, self.map, Same);
        match &device.0 {
            Backend::Cpu => upsweep_cpu::transform::run(steps, input, output, len),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                let options = Options::new(Last);
                let (shape, segments) = (options.shape(len)?, options.segments.kind());
                let init = options.init.source();
                let job: Job<'_, '_, '_, _, Whole> =
                    Job { input: Elements::Given(input), output, shape, init, segments, steps };
                upsweep_cuda::transform::run(cuda, job)
            }
        }
    }
}

/// Stores `map` of each value of an input in a new array on the device. Of a counted input, what follows the counted
/// values is unspecified.
///
/// # Errors
/// As [`Transform::run`]; [`Error::Driver`] in a capture.
pub(crate) fn evaluated<I: Read, M>(device: &Device, given: I::Given<'_>, map: M) -> Result<Array<M::Output>>
where
    M: Map<I::Value, I::Args>,
{
    device.refuse_in_capture("an input that is computed into memory first")?;
    let len = len_of::<I>(&given)?;
    let transform = Transform { map };
    if !I::COUNTED {
        return device.compute_array(len, |output| transform.dispatch::<I, M::Output>(device, given, output, len));
    }
    let mut made = device.to_be_written(len)?;
    transform.dispatch::<I, M::Output>(device, given, Target::new(made.view_mut()), len)?;
    Ok(made)
}

/// Replaces each of the first `count` elements of `output` by what `function` makes of it, in host memory.
pub(crate) fn in_place<T: Element>(
    output: ViewMut<'_, T>,
    count: usize,
    function: impl Function<(T,), Output = T>,
) -> Result<()> {
    let counted = output.into_host("output")?.get_mut(..count).unwrap_or_default();
    upsweep_cpu::transform::run_in_place(counted, |x| function.call((x,)));
    Ok(())
}

/// Stores `function` of each of the first `count` elements of `from` in `output`. `from` has room for as many as
/// `output`; on the host it has those elements alone.
///
/// # Errors
/// As [`Transform::run`].
#[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "on the host the array has as many elements"))]
pub(crate) fn of_counted<T, O, F>(
    device: &Device,
    (from, count): (&Array<T>, &Count),
    output: O::Given<'_>,
    function: F,
) -> Result<()>
where
    T: Element,
    O: Write,
    F: Function<(T,), Output = O::Value>,
{
    let transform = Transform::new(function);
    match &device.0 {
        Backend::Cpu => {
            let (len, found) = (from.len(), O::len(&output, "output")?);
            if let Some(found) = found.filter(|&found| found < len) {
                return Err(Error::Length { what: "output", found, expected: len });
            }
            let steps = Parts::<T, O, Last, MapWith<F>, Same>::new(Last, transform.map, Same);
            upsweep_cpu::transform::run(steps, from.view(), output, len)
        }
        #[cfg(feature = "cuda")]
        Backend::Cuda(_) => transform.dispatch::<First<T>, O>(device, count.of(from).given(), output, from.len()),
    }
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;
    use crate::{Error, Result};

    /// Weighted sum of two elements and an index, for the tests.
    #[crate::function]
    fn weighted(#[param] w: f64, a: f64, b: f64, at: u64) -> f64 {
        w * a + b * at as f64
    }

    #[test]
    fn loops_and_chunks_give_what_a_loop_gives() -> Result<()> {
        let device = Device::cpu();
        for n in [0, 1, 2, 4095, 4096, 4097, 100_003] {
            let a: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let b: Vec<f64> = (0..n).map(|i| 1.0 / (i + 1) as f64).collect();
            let found: Array<f64> = Transform::new(Weighted { w: 0.5 }).run_to_array(&device, (&a, &b, 0..n as u64))?;
            let expected: Vec<f64> = (0..n).map(|i| 0.5 * a[i] + b[i] * i as f64).collect();
            assert!(found.to_vec()? == expected, "{n} elements");
            let mut turned = vec![0.0; n];
            let places: Vec<usize> = (0..n).map(|i| n - 1 - i).collect();
            Transform::copy().run(&device, &a, Scatter::to(&mut turned).at(&places))?;
            assert!(turned.iter().rev().eq(&a), "{n} elements");
        }
        Ok(())
    }

    #[test]
    fn faults() {
        let device = Device::cpu();
        let index = |index| Err(Error::Index { at: 1, index, len: 2 });
        let mut out = [0u8; 3];
        assert_eq!(Transform::copy().run(&device, Gather::of(&[7u8, 8]).at(&[0, 2, -1]), &mut out), index(2));
        assert_eq!(Transform::copy().run(&device, &[7u8, 8], Scatter::to(&mut out[..2]).at(&[1, -1])), index(-1));
        let length = Error::Length { what: "output", found: 3, expected: 2 };
        assert_eq!(Transform::copy().run(&device, &[7u8, 8], &mut out), Err(length));
        // The payload of a NaN is not kept.
        let mut nan = [0.0f32];
        let strange = [f32::from_bits(0xffc0_0123)];
        assert_eq!(Transform::copy().run(&device, &strange, &mut nan), Ok(()));
        assert_eq!(nan.map(f32::to_bits), [f32::NAN.to_bits()]);
    }
}
