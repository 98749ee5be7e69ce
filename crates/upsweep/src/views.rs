//! Arrays of the crate `ndarray` along an axis, with the feature `ndarray`: views of any strides, in host memory.
//!
//! ```text
//! Scan::run_views(device, axis, x, y)             y has the scan of each line of x along the axis
//! Scan::run_view_in_place(device, axis, x)        x has
//! Scan::run_view_to_array(device, axis, x)        a new array has
//! Reduce::run_views, run_view_to_array            one result for each line; the axis goes from the shape
//! ```
//!
//! ```
//! use upsweep::ndarray::{Axis, array};
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let mut a = array![[1, 2, 3], [4, 5, 6]];
//! let running = Scan::new(Sum).run_view_to_array(&device, Axis(1), a.view())?;
//! assert_eq!(running, array![[1, 3, 6], [4, 9, 15]]);
//! // The transposed view of `a` has the columns of `a` as its lines along the last axis.
//! Scan::new(Sum).run_view_in_place(&device, Axis(1), a.view_mut().reversed_axes())?;
//! assert_eq!(a, array![[1, 2, 3], [5, 7, 9]]);
//! assert_eq!(Reduce::new(Max).run_view_to_array(&device, Axis(0), a.view())?, array![5, 7, 9]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** A view without gaps is read and written where it lies, in one pass, whatever the order of its axes in memory:
//! row-major, column-major (Fortran order), any permutation. The elements of any other view (a part of the columns, every
//! second row, a reversed axis) are copied to memory of their own first, by one thread. So are those of an input whose axes
//! lie in another order than those of the output. Results for an output with gaps are copied to it afterwards.
//!
//! **Bits.** Results have the bits of the call on a row-major array whose axes are in the order in which they lie in
//! memory: in that of the output of `Scan::run_views`, in that of the input of the other calls.

use crate::array::Array;
use crate::device::Device;
use crate::reduce::Reduce;
use crate::scan::Scan;
use ndarray::{ArrayView, ArrayViewD, ArrayViewMut, ArrayViewMutD, Axis, Dimension, IxDyn, RemoveAxis};
use std::borrow::Cow;
use std::cmp::Reverse;
use upsweep_core::error::{Error, Result};
use upsweep_core::init::Init;
use upsweep_core::memory;
use upsweep_core::operator::{Element, Function, Map, Operator, Stores};
use upsweep_core::segments::Whole;
use upsweep_core::shape::product;

impl<Op: Copy, M: Copy, F: Copy, V: Copy> Scan<'_, Op, M, F, Whole, V> {
    /// Scans each line of `input` along `axis` into `output`, a view of the same shape: see [`views`](crate::views).
    ///
    /// # Errors
    /// [`Error::Axis`] when there is no such axis, [`Error::Length`] when an axis of the output has another length than
    /// that of the input, or there is another number of axes. [`Error::Place`] on CUDA, whose devices take arrays in their
    /// own memory, unless they are [`streamed`](Device::streamed). Else as [`run`](Self::run).
    pub fn run_views<T, O, D>(
        &self,
        device: &Device,
        axis: Axis,
        input: ArrayView<'_, T, D>,
        output: ArrayViewMut<'_, O, D>,
    ) -> Result<()>
    where
        T: Element,
        O: Element + Stores<<F as Function<(M::Output,)>>::Output>,
        D: Dimension,
        M: Map<T>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        same_shape(input.shape(), output.shape())?;
        let (input, output) = (input.into_dyn(), output.into_dyn());
        let lie = Lie::of(output.shape(), output.strides(), axis)?;
        let (shape, at) = (lie.permuted(output.shape()), lie.place(axis));
        let scan = Scan { options: self.options.with_axis(&shape, at), direction: self.direction };
        let elements = contiguous(input.permuted_axes(IxDyn(&lie.order)))?;
        results_in(output.permuted_axes(IxDyn(&lie.order)), |results| scan.run(device, &*elements, results))
    }

    /// Scans each line of `data` along `axis` in place: see [`views`](crate::views).
    ///
    /// # Errors
    /// As [`run_views`](Self::run_views).
    pub fn run_view_in_place<T, D>(&self, device: &Device, axis: Axis, data: ArrayViewMut<'_, T, D>) -> Result<()>
    where
        T: Element,
        D: Dimension,
        M: Map<T>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = T>,
        V: Init<M::Output>,
    {
        let data = data.into_dyn();
        let lie = Lie::of(data.shape(), data.strides(), axis)?;
        let (shape, at) = (lie.permuted(data.shape()), lie.place(axis));
        let scan = Scan { options: self.options.with_axis(&shape, at), direction: self.direction };
        let mut data = data.permuted_axes(IxDyn(&lie.order));
        if let Some(elements) = data.as_slice_mut() {
            return scan.run_in_place(device, elements);
        }
        let mut elements = contiguous(data.view())?.into_owned();
        scan.run_in_place(device, &mut elements)?;
        store(&mut data, &elements)
    }

    /// Scans each line of `input` along `axis` into a new array, whose axes lie in memory as those of the input: see
    /// [`views`](crate::views).
    ///
    /// # Errors
    /// As [`run_views`](Self::run_views).
    pub fn run_view_to_array<T, O, D>(
        &self,
        device: &Device,
        axis: Axis,
        input: ArrayView<'_, T, D>,
    ) -> Result<ndarray::Array<O, D>>
    where
        T: Element,
        O: Element,
        D: Dimension,
        M: Map<T>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        let input = input.into_dyn();
        let lie = Lie::of(input.shape(), input.strides(), axis)?;
        let (shape, at) = (lie.permuted(input.shape()), lie.place(axis));
        let scan = Scan { options: self.options.with_axis(&shape, at), direction: self.direction };
        let elements = contiguous(input.permuted_axes(IxDyn(&lie.order)))?;
        let results: Array<O> = scan.run_to_array(device, &*elements)?;
        array(results.into_vec()?, &shape, &lie.order)
    }
}

impl<Op: Copy, M: Copy, F: Copy, V: Copy> Reduce<'_, Op, M, F, Whole, V> {
    /// Reduces each line of `input` along `axis` into an element of `output`, a view of the shape that is left without the
    /// axis: see [`views`](crate::views).
    ///
    /// # Errors
    /// As [`Scan::run_views`]; [`Error::NoIdentity`] when the lines are empty, the operator has no identity and there is no
    /// `init`.
    pub fn run_views<T, O, D>(
        &self,
        device: &Device,
        axis: Axis,
        input: ArrayView<'_, T, D>,
        output: ArrayViewMut<'_, O, D::Smaller>,
    ) -> Result<()>
    where
        T: Element,
        O: Element + Stores<<F as Function<(M::Output,)>>::Output>,
        D: RemoveAxis,
        M: Map<T>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        let (input, output) = (input.into_dyn(), output.into_dyn());
        let lie = Lie::of(input.shape(), input.strides(), axis)?;
        same_shape(&without(input.shape(), axis), output.shape())?;
        let (shape, at) = (lie.permuted(input.shape()), lie.place(axis));
        let reduce = Reduce { options: self.options.with_axis(&shape, at) };
        let elements = contiguous(input.permuted_axes(IxDyn(&lie.order)))?;
        results_in(output.permuted_axes(IxDyn(&lie.order_without(axis))), |results| {
            reduce.run(device, &*elements, results)
        })
    }

    /// Reduces each line of `input` along `axis` into an element of a new array, whose axes lie in memory as those of the
    /// input: see [`views`](crate::views).
    ///
    /// # Errors
    /// As [`run_views`](Self::run_views).
    pub fn run_view_to_array<T, O, D>(
        &self,
        device: &Device,
        axis: Axis,
        input: ArrayView<'_, T, D>,
    ) -> Result<ndarray::Array<O, D::Smaller>>
    where
        T: Element,
        O: Element,
        D: RemoveAxis,
        M: Map<T>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        let input = input.into_dyn();
        let lie = Lie::of(input.shape(), input.strides(), axis)?;
        let (shape, at) = (lie.permuted(input.shape()), lie.place(axis));
        let reduce = Reduce { options: self.options.with_axis(&shape, at) };
        let elements = contiguous(input.permuted_axes(IxDyn(&lie.order)))?;
        let results: Array<O> = reduce.run_to_array(device, &*elements)?;
        array(results.into_vec()?, &without(&shape, Axis(at)), &lie.order_without(axis))
    }
}

/// Order in which the axes of an array lie in memory.
struct Lie {
    /// Numbers of the axes, that of the longest stride first.
    order: Vec<usize>,
}

impl Lie {
    /// Finds the order of the axes of an array of this `shape` with these `strides`.
    ///
    /// # Errors
    /// [`Error::Axis`] when the array has no such `axis`.
    fn of(shape: &[usize], strides: &[isize], Axis(axis): Axis) -> Result<Self> {
        if axis >= shape.len() {
            return Err(Error::Axis { axis, axes: shape.len() });
        }
        let mut order: Vec<usize> = (0..shape.len()).collect();
        // The stride of an axis of one element says nothing.
        let stride = |axis: usize| if shape[axis] == 1 { usize::MAX } else { strides[axis].unsigned_abs() };
        order.sort_by_key(|&axis| Reverse(stride(axis)));
        Ok(Self { order })
    }

    /// Returns the lengths of axes in the order in which they lie in memory.
    fn permuted(&self, shape: &[usize]) -> Vec<usize> {
        self.order.iter().map(|&axis| shape[axis]).collect()
    }

    /// Returns the place of an axis in memory.
    fn place(&self, Axis(axis): Axis) -> usize {
        self.order.iter().position(|&other| other == axis).unwrap_or(0)
    }

    /// Returns the order of the axes that are left without `axis`.
    fn order_without(&self, Axis(axis): Axis) -> Vec<usize> {
        self.order.iter().filter(|&&other| other != axis).map(|&other| other - usize::from(other > axis)).collect()
    }
}

fn without(shape: &[usize], Axis(axis): Axis) -> Vec<usize> {
    [&shape[..axis], &shape[axis + 1..]].concat()
}

/// # Errors
/// [`Error::Length`] for shapes that differ.
fn same_shape(expected: &[usize], found: &[usize]) -> Result<()> {
    let length = |what, expected, found| Err(Error::Length { what, found, expected });
    if found.len() != expected.len() {
        return length("axes of the output", expected.len(), found.len());
    }
    match expected.iter().zip(found).find(|(expected, found)| expected != found) {
        Some((&expected, &found)) => length("an axis of the output", expected, found),
        None => Ok(()),
    }
}

/// Returns the elements in row-major order: where they lie if they have that order in memory, else copies.
fn contiguous<T: Element>(view: ArrayViewD<'_, T>) -> Result<Cow<'_, [T]>> {
    if let Some(elements) = view.to_slice() {
        return Ok(Cow::Borrowed(elements));
    }
    let mut copies = memory::room(view.len())?;
    let room = ArrayViewMutD::from_shape(view.raw_dim(), &mut copies.spare_capacity_mut()[..view.len()]);
    view.assign_to(room.map_err(|_| overflow(view.shape()))?);
    // SAFETY: there is room for `view.len()` elements, and all of them have been assigned.
    unsafe { copies.set_len(view.len()) };
    Ok(Cow::Owned(copies))
}

/// Has `run` write results in row-major order: to `output` if it has that order in memory, else to memory that is copied
/// there.
fn results_in<O: Element>(mut output: ArrayViewMutD<'_, O>, run: impl Fn(&mut [O]) -> Result<()>) -> Result<()> {
    if let Some(results) = output.as_slice_mut() {
        return run(results);
    }
    let mut results = contiguous(output.view())?.into_owned();
    run(&mut results)?;
    store(&mut output, &results)
}

fn store<T: Element>(to: &mut ArrayViewMutD<'_, T>, elements: &[T]) -> Result<()> {
    let elements = ArrayViewD::from_shape(to.raw_dim(), elements).map_err(|_| overflow(to.shape()))?;
    to.assign(&elements);
    Ok(())
}

/// Makes an array of `elements`, whose axes lie in memory in this order, with lengths of `shape` in that order.
fn array<T: Element, D: Dimension>(elements: Vec<T>, shape: &[usize], order: &[usize]) -> Result<ndarray::Array<T, D>> {
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &axis)| back[axis] = place);
    let lying = ndarray::ArrayD::from_shape_vec(IxDyn(shape), elements).map_err(|_| overflow(shape))?;
    lying.permuted_axes(IxDyn(&back)).into_dimensionality().map_err(|_| overflow(shape))
}

/// Error of a shape that ndarray refuses. It never does: arrays have these shapes already.
fn overflow(shape: &[usize]) -> Error {
    Error::Shape { shape: shape.to_vec(), len: product(shape) }
}
