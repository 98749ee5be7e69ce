//! Arrays without elements, of as many lines as a shape can describe: each call ends at once, and its results fit the
//! shape.
//!
//! They run on the CPU.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::time::{Duration, Instant};
use upsweep::prelude::*;
use upsweep::{Error, MovingSum, Pyramid, Recurrence, Sort, TopK, Tridiagonal};

const MANY: usize = 1 << 40;

/// Shapes without elements: with few lines along any axis, with many, and with more than `usize` holds.
const SHAPES: &[&[usize]] = &[
    &[0],
    &[0, 3],
    &[3, 0],
    &[50, 0],
    &[2, 0, 3],
    &[0, 0],
    &[0, MANY],
    &[MANY, 0],
    &[1 << 20, 0, 1 << 20],
    &[MANY, 0, 1],
    &[0, 1, MANY],
    &[3, MANY, 0],
    &[usize::MAX, 2, 0],
    &[0, usize::MAX, 3],
];

#[function]
fn first_of(a: u32, _b: u32, _c: u32, _d: u32) -> u32 {
    a
}

/// Number of results of a reduction of `shape` along `axis`, if they are few enough to store.
fn results(shape: &[usize], axis: usize) -> Option<usize> {
    let mut others = shape.iter().enumerate().filter(|&(at, _)| at != axis).map(|(_, &n)| n);
    let product = if others.clone().any(|n| n == 0) { Some(0) } else { others.try_fold(1, usize::checked_mul) };
    product.filter(|&n| n < 1 << 10)
}

fn every_family(device: &Device) {
    let none: &[u32] = &[];
    let floats: &[f64] = &[];
    for &shape in SHAPES {
        for axis in 0..shape.len() {
            let what = format!("{shape:?} along {axis}");
            let begun = Instant::now();
            let empty = |found: upsweep::Result<Vec<u32>>| assert_eq!(found, Ok(vec![]), "{what}");
            empty(Scan::new(Sum).axis(shape, axis).run_to_vec(device, none));
            empty(Scan::new(Sum).axis(shape, axis).exclusive().reverse().run_to_vec(device, none));
            empty(Scan::new(Sum).axes(shape, &[axis]).run_to_array(device, none).and_then(|y| y.into_vec()));
            let all: Vec<usize> = (axis..shape.len()).chain(0..axis).collect();
            empty(Scan::new(Sum).axes(shape, &all).run_to_array(device, none).and_then(|y| y.into_vec()));
            if let Some(results) = results(shape, axis) {
                let found = Reduce::new(Sum).axis(shape, axis).run_to_array(device, none).and_then(|y| y.into_vec());
                assert_eq!(found, Ok(vec![0; results]), "{what}");
            }
            empty(Sort::new().axis(shape, axis).run_to_vec(device, none));
            empty(
                Sort::new().axis(shape, axis).indices().run_to_array::<_, u32>(device, none).and_then(|y| y.into_vec()),
            );
            let (mut keys, mut values) = ([0u32; 0], [0u8; 0]);
            Sort::pairs().axis(shape, axis).run_in_place(device, (&mut keys, &mut values)).expect(&what);
            let (b, a) = ([0.5, 0.25], [1.0, -0.5]);
            for reverse in [false, true] {
                let filter = Recurrence::new(&b, &a).axis(shape, axis);
                let filter = if reverse { filter.reverse() } else { filter };
                assert_eq!(filter.run_to_vec(device, floats), Ok(vec![]), "{what}");
            }
            // Without feedback and memory there are no states, however many lines there are.
            let mut states = [0.0; 0];
            let plain = Recurrence::new(&[2.0], &[1.0]).axis(shape, axis);
            assert_eq!(plain.run_with_state(device, floats, &mut [0.0; 0], &mut states), Ok(()), "{what}");
            let system = Tridiagonal::new(floats, floats, floats).axis(shape, axis);
            assert_eq!(system.run_to_vec(device, floats), Ok(vec![]), "{what}");
            if axis + 1 == shape.len() {
                for top in [TopK::largest(0), TopK::smallest(0).sorted()] {
                    empty(top.axis(shape, axis).run_to_vec(device, none));
                    let places = top.indices().axis(shape, axis).run_to_array::<_, u64>(device, none);
                    assert_eq!(places.and_then(|y| y.into_vec()), Ok(vec![]), "{what}");
                }
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "{what}: {:?}", begun.elapsed());
        }
    }
}

/// Families whose shape is an image's.
fn images(device: &Device) {
    let none: &[u32] = &[];
    for zero in 0..4 {
        for other in [1, 2, 64, MANY] {
            let mut shape = [other; 4];
            shape[zero] = 0;
            let begun = Instant::now();
            let sums = MovingSum::new(shape).rows(1, 1).columns(2, 2).run_to_array::<_, u32, u32>(device, none);
            let pyramid = Pyramid::new(FirstOf, shape, 1);
            let pyramids = [pyramid.run_to_array(device, none), pyramid.with_input().run_to_array(device, none)];
            for found in [sums].into_iter().chain(pyramids) {
                match found.and_then(|y| y.into_vec()) {
                    Ok(results) => assert_eq!(results, [], "{shape:?}"),
                    Err(error) => {
                        assert!(other == MANY && matches!(error, Error::Shape { .. }), "{shape:?}: {error:?}")
                    }
                }
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "{shape:?}: {:?}", begun.elapsed());
        }
    }
}

/// Lines without elements leave their states unchanged.
fn states_stay(device: &Device) {
    let (b, a) = ([0.5, 0.25], [1.0, -0.5]);
    let none: &[f64] = &[];
    let mut states = [7.0; 3];
    Recurrence::new(&b, &a)
        .axis(&[0, 3], 0)
        .state(&[1.0, 2.0, 3.0])
        .run_with_state(device, none, &mut [0.0; 0], &mut states)
        .unwrap();
    assert_eq!(states, [1.0, 2.0, 3.0]);
    Recurrence::new(&b, &a).axis(&[0, 3], 0).run_with_state(device, none, &mut [0.0; 0], &mut states).unwrap();
    assert_eq!(states, [0.0; 3]);
}

#[test]
fn every_family_ends_at_once() {
    every_family(&Device::cpu());
}

#[test]
fn images_without_pixels() {
    images(&Device::cpu());
}

#[test]
fn lines_of_nothing_keep_their_states() {
    states_stay(&Device::cpu());
}
