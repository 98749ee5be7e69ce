//! Views of ndarray along an axis, against loops over their lines: every order of the axes in memory, gaps, reversed
//! axes, axes of no and of one element.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use upsweep::ndarray::{
    Array1, Array2, ArrayD, ArrayView, ArrayViewD, ArrayViewMutD, Axis, Dimension, IxDyn, RemoveAxis, ShapeBuilder,
    Slice, arr0, array,
};
use upsweep::operator::builtin::First;
use upsweep::prelude::*;
use upsweep::{Error, Result};
use upsweep_testing::operators::{Affine, Then, then};

fn element(i: usize) -> Affine {
    Affine { m: 2 * i as u32 + 1, c: (i as u32).wrapping_mul(0x9e37_79b9) }
}

/// Scans each line by a loop.
fn scanned(x: &ArrayViewD<'_, Affine>, axis: Axis) -> ArrayD<Affine> {
    let mut y = x.to_owned();
    for mut line in y.lanes_mut(axis) {
        (1..line.len()).for_each(|i| line[i] = then(line[i - 1], line[i]));
    }
    y
}

fn reduced(x: &ArrayViewD<'_, Affine>, axis: Axis) -> ArrayD<Affine> {
    x.fold_axis(axis, Affine { m: 1, c: 0 }, |&a, &b| then(a, b))
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let shorter = permutations(n - 1);
    shorter.iter().flat_map(|order| (0..n).map(move |at| [&order[..at], &[n - 1], &order[at..]].concat())).collect()
}

/// Calls `each` with views of this shape, and a name: whole arrays with their axes in each order, parts with gaps, and
/// reversed axes.
fn each_view(shape: &[usize], mut each: impl FnMut(&str, ArrayViewMutD<'_, Affine>)) {
    for order in permutations(shape.len()) {
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &axis)| back[axis] = place);
        let lying: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
        let of = |lying: &[usize]| {
            let len = lying.iter().product();
            ArrayD::from_shape_vec(IxDyn(lying), (0..len).map(element).collect()).unwrap()
        };
        let mut whole = of(&lying);
        each(&format!("axes {order:?}"), whole.view_mut().permuted_axes(IxDyn(&back)));
        for axis in 0..shape.len() {
            let mut wide = lying.clone();
            wide[axis] = 2 * wide[axis] + 3;
            let (mut wide, len) = (of(&wide), lying[axis] as isize);
            let before = wide.clone();
            let every_second = Slice::new(1, Some(1 + 2 * len), 2);
            let part = wide.slice_axis_mut(Axis(axis), every_second);
            each(&format!("axes {order:?}, every second of axis {axis}"), part.permuted_axes(IxDyn(&back)));
            // What is between the elements of a view stays as it is.
            let left = Slice::new(0, None, 2);
            assert_eq!(wide.slice_axis(Axis(axis), left), before.slice_axis(Axis(axis), left));
            let mut reversed = of(&lying);
            reversed.invert_axis(Axis(axis));
            each(&format!("axes {order:?}, axis {axis} reversed"), reversed.view_mut().permuted_axes(IxDyn(&back)));
        }
    }
}

const SHAPES: &[&[usize]] = &[
    &[0],
    &[1],
    &[7],
    &[1_000],
    &[3, 5],
    &[1, 6],
    &[6, 1],
    &[0, 4],
    &[4, 0],
    &[130, 90],
    &[3, 4, 5],
    &[2, 1, 9],
    &[2, 3, 1, 4],
];

#[test]
fn scans() {
    let (device, scan) = (Device::cpu(), Scan::new(Then));
    for shape in SHAPES {
        for axis in (0..shape.len()).map(Axis) {
            each_view(shape, |name, mut view| {
                let case = format!("{shape:?}, {axis:?}, {name}");
                let expected = scanned(&view.view(), axis);
                let found = scan.run_view_to_array(&device, axis, view.view()).unwrap();
                assert_eq!(found, expected, "{case}, to a new array");
                let mut row_major = ArrayD::from_elem(IxDyn(shape), element(5));
                scan.run_views(&device, axis, view.view(), row_major.view_mut()).unwrap();
                assert_eq!(row_major, expected, "{case}, to a row-major array");
                // From a row-major array to the view, which has gaps or another order.
                let input = view.as_standard_layout().into_owned();
                view.fill(element(3));
                scan.run_views(&device, axis, input.view(), view.view_mut()).unwrap();
                assert_eq!(view, expected, "{case}, to a view");
                view.assign(&input);
                scan.run_view_in_place(&device, axis, view.view_mut()).unwrap();
                assert_eq!(view, expected, "{case}, in place");
            });
        }
    }
}

#[test]
fn reductions() {
    let (device, reduce) = (Device::cpu(), Reduce::new(Then));
    for shape in SHAPES {
        for axis in (0..shape.len()).map(Axis) {
            each_view(shape, |name, view| {
                let case = format!("{shape:?}, {axis:?}, {name}");
                let expected = reduced(&view.view(), axis);
                let found = reduce.run_view_to_array(&device, axis, view.view()).unwrap();
                assert_eq!(found, expected, "{case}, to a new array");
                each_view(expected.shape(), |to, mut output| {
                    output.fill(element(9));
                    reduce.run_views(&device, axis, view.view(), output.view_mut()).unwrap();
                    assert_eq!(output, expected, "{case}, to {to}");
                });
            });
        }
    }
}

#[test]
fn options_and_new_arrays() -> Result<()> {
    let device = Device::cpu();
    let a = Array2::from_shape_fn((3, 4).f(), |(i, k)| (4 * i + k) as u8 * 10);
    let exclusive = Scan::new(Sum).accumulate::<u64>().exclusive().init(7).reverse();
    let found = exclusive.run_view_to_array(&device, Axis(1), a.view())?;
    assert_eq!(found, array![[67, 57, 37, 7], [187, 137, 77, 7], [307, 217, 117, 7]]);
    // The axes of a new array lie as those of its input.
    assert_eq!(found.strides(), [1, 3]);
    let begin = [100u64];
    let sums = Reduce::new(Sum).accumulate::<u64>().init_from(&begin);
    assert_eq!(sums.run_view_to_array(&device, Axis(0), a.view())?, array![220, 250, 280, 310]);
    let line = Array1::from_iter(0..5u32);
    assert_eq!(Reduce::new(Max).run_view_to_array(&device, Axis(0), line.view())?, arr0(4));
    // A broadcast row, whose stride is 0.
    let rows = line.broadcast((2, 5)).unwrap();
    assert_eq!(Scan::new(Sum).run_view_to_array(&device, Axis(0), rows)?, array![[0, 1, 2, 3, 4], [0, 2, 4, 6, 8]]);
    Ok(())
}

/// A view without gaps has the bits of the row-major array that it lies in.
#[test]
fn bits_are_those_of_the_array_in_memory() -> Result<()> {
    let device = Device::cpu();
    let a = Array2::from_shape_fn((90, 1_100), |(i, k)| 1.0 / (i * 1_100 + k + 3) as f32);
    for axis in [0, 1] {
        let mut expected = a.clone();
        let along = Scan::new(Sum).axis(&[90, 1_100], axis);
        along.run_in_place(&device, expected.as_slice_mut().unwrap())?;
        let mut found = a.clone();
        Scan::new(Sum).run_view_in_place(&device, Axis(1 - axis), found.view_mut().reversed_axes())?;
        assert_eq!(found.map(|x| x.to_bits()), expected.map(|x| x.to_bits()));
    }
    Ok(())
}

#[test]
fn refusals() {
    fn scan<D: Dimension>(axis: usize, x: ArrayView<'_, u32, D>, y: &mut ArrayD<u32>) -> Result<()> {
        Scan::new(Sum).run_views(&Device::cpu(), Axis(axis), x.into_dyn(), y.view_mut())
    }
    fn reduce<D: RemoveAxis>(axis: usize, x: ArrayView<'_, u32, D>) -> Result<()> {
        Reduce::new(First).run_view_to_array(&Device::cpu(), Axis(axis), x).map(drop)
    }
    let a = array![[1u32, 2, 3], [4, 5, 6]];
    let mut y = ArrayD::zeros(IxDyn(&[2, 3]));
    assert_eq!(scan(2, a.view(), &mut y), Err(Error::Axis { axis: 2, axes: 2 }));
    assert_eq!(reduce(2, a.view()), Err(Error::Axis { axis: 2, axes: 2 }));
    assert_eq!(scan(0, arr0(1).view(), &mut ArrayD::zeros(IxDyn(&[]))), Err(Error::Axis { axis: 0, axes: 0 }));
    let length = |what, found, expected| Err(Error::Length { what, found, expected });
    assert_eq!(scan(0, a.t(), &mut y), length("an axis of the output", 2, 3));
    assert_eq!(scan(0, a.row(0), &mut y), length("axes of the output", 2, 1));
    let none = Array2::<u32>::zeros((0, 3));
    assert!(matches!(reduce(0, none.view()), Err(Error::NoIdentity { .. })));
    assert_eq!(reduce(1, none.view()), Ok(()));
    // On a line a total would have no place.
    let total = Scan::new(Sum).with_total();
    let row = y.index_axis_mut(Axis(0), 0).into_dimensionality().unwrap();
    assert!(total.run_views(&Device::cpu(), Axis(0), a.row(0), row).is_err());
    assert!(total.run_view_to_array(&Device::cpu(), Axis(0), a.row(0)).is_err());
    assert!(total.run_view_in_place(&Device::cpu(), Axis(0), a.clone().row_mut(0)).is_err());
}
