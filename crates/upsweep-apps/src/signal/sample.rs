//! Element types of signals, and the copy of single elements to the host.

use super::follow::Follow;
use upsweep::Shape;
#[cfg(feature = "cuda")]
use upsweep::{Array, Gather, Transform};
use upsweep::{Device, Element, Input, Result, View};
use upsweep_core::memory;

/// Element of a signal: `f32` or `f64`.
///
/// It is implemented for these types alone.
pub trait Sample: Element + Into<f64> + Follow + sealed::Sealed {}

impl Sample for f32 {}
impl Sample for f64 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// Copies the elements at `positions` of the axis, of each line, to the host: an array of the signal's shape with
/// `positions.len()` elements along the axis. On CUDA this waits.
#[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "the host's elements are read as they lie"))]
pub(super) fn picked<T: Sample, X>(device: &Device, x: &X, shape: Shape, positions: &[usize]) -> Result<Vec<f64>>
where
    X: Input<Item = T> + ?Sized,
{
    let Shape { outer, len, inner } = shape;
    let at = |o: usize, k: usize, i: usize| (o * len + k) * inner + i;
    let line = |o: usize| positions.iter().flat_map(move |&k| (0..inner).map(move |i| at(o, k, i)));
    let indices = (0..outer).flat_map(line);
    let number = positions.len() * shape.lines();
    match x.view() {
        View::Host(x) => memory::collected(number, indices.filter_map(|at| x.get(at)).map(|&x| x.into())),
        #[cfg(feature = "cuda")]
        View::Cuda(_) => {
            let indices = device.upload(&memory::collected(number, indices.map(|at| at as u64))?)?;
            let picked: Array<T> = Transform::copy().run_to_array(device, Gather::of(x).at(&indices))?;
            memory::collected(number, picked.into_vec()?.into_iter().map(Into::into))
        }
    }
}
