//! Sizes whose products and sums overflow: the same errors, with and without the compiler's overflow checks.

use upsweep::operator::{Same, function};
use upsweep::prelude::*;
use upsweep::{
    Array, Automaton, Bits, Error, Expand, Histogram, Merge, MovingSum, Nth, Pyramid, Recurrence, Result, Scatter,
    Segments, Sort, TopK, Tridiagonal, varying,
};

const MOST: usize = usize::MAX;
const HALF: usize = MOST / 2 + 1;
/// Third of 2^64, rounded up: three of them are 2 modulo 2^64.
const THIRD: usize = MOST / 3 + 1;
const NONE: &[u32] = &[];

#[function]
fn sum_of_four(a: u32, b: u32, c: u32, d: u32) -> u32 {
    a + b + c + d
}

#[function]
fn neither(x: bool) -> bool {
    !x
}

fn len<T: upsweep::Element>(found: Result<Array<T>>) -> Result<usize> {
    found.map(|array| array.len())
}

fn shape_error(shape: &[usize], len: usize) -> Result<usize> {
    Err(Error::Shape { shape: shape.to_vec(), len })
}

const NO_MEMORY: Result<usize> = Err(Error::OutOfMemory { bytes: MOST });

/// Shapes with more elements than `usize` holds.
#[test]
fn too_many_elements() {
    let device = &Device::cpu();
    for shape in [&[HALF, 2][..], &[1 << 32, 1 << 32], &[3, THIRD], &[MOST, MOST], &[2, 2, MOST], &[MOST, 1, 2]] {
        for (axis, x) in (0..shape.len()).flat_map(|axis| [(axis, NONE), (axis, &[1, 2])]) {
            let expected = shape_error(shape, x.len());
            let b = [1u32];
            assert_eq!(len(Scan::new(Sum).axis(shape, axis).run_to_array(device, x)), expected);
            assert_eq!(len(Reduce::new(Sum).axis(shape, axis).run_to_array(device, x)), expected);
            assert_eq!(len(Sort::new().axis(shape, axis).run_to_array(device, x)), expected);
            assert_eq!(len(TopK::largest(1).axis(shape, axis).run_to_array(device, x)), expected);
            assert_eq!(len(Recurrence::new(&b, &b).axis(shape, axis).run_to_array(device, x)), expected);
            assert_eq!(len(Scan::new(Sum).axes(shape, &[axis]).run_to_array(device, x)), expected);
            let y: Vec<f64> = x.iter().map(|&x| x.into()).collect();
            assert_eq!(len(Tridiagonal::new(&y, &y, &y).axis(shape, axis).run_to_array(device, &y)), expected);
            let along = varying::first_order::<'_>().axis(shape, axis).run_to_array(device, (&y, &y));
            assert_eq!(len::<f64>(along), expected);
        }
        let mut image = [1; 4];
        image[..shape.len()].copy_from_slice(shape);
        assert_eq!(len::<u32>(MovingSum::new(image).run_to_array(device, NONE)), shape_error(&image, 0));
        assert_eq!(len(Pyramid::new(SumOfFour, image, 0).run_to_array(device, NONE)), shape_error(&image, 0));
    }
}

/// Arrays without elements, with more lines than `usize` holds: there is nothing to scan, and there are too many
/// results.
#[test]
fn too_many_lines_of_none() {
    let device = &Device::cpu();
    for (shape, axis) in [
        (&[3, 0, THIRD][..], 1),
        (&[1 << 32, 0, 1 << 32], 1),
        (&[MOST, 2, 0], 2),
        (&[0, MOST, 2], 0),
        (&[HALF, 0, 2], 1),
    ] {
        assert_eq!(len(Scan::new(Sum).axis(shape, axis).run_to_array(device, NONE)), Ok(0), "{shape:?}");
        assert_eq!(len(Reduce::new(Sum).axis(shape, axis).run_to_array(device, NONE)), NO_MEMORY, "{shape:?}");
        let mut out = [7u32; 2];
        let found = Reduce::new(Sum).axis(shape, axis).run(device, NONE, &mut out);
        assert_eq!(found, Err(Error::Length { what: "output", found: 2, expected: MOST }), "{shape:?}");
        assert_eq!(out, [7; 2]);
    }
    // Along another axis there is no line.
    for (shape, axis) in [(&[MOST, 2, 0][..], 0), (&[MOST, 2, 0], 1), (&[0, MOST, MOST], 1), (&[0, MOST, MOST], 2)] {
        assert_eq!(len(Scan::new(Sum).axis(shape, axis).run_to_array(device, NONE)), Ok(0), "{shape:?}");
        assert_eq!(len(Reduce::new(Sum).axis(shape, axis).run_to_array(device, NONE)), Ok(0), "{shape:?}");
        assert_eq!(len(Scan::new(Sum).axes(shape, &[axis]).run_to_array(device, NONE)), Ok(0), "{shape:?}");
    }
}

#[test]
fn borders_that_no_number_holds() {
    let device = &Device::cpu();
    let table = |shape: &[usize], axes: &[usize]| {
        len::<u32>(Scan::new(Sum).exclusive().with_total().axes(shape, axes).run_to_array(device, NONE))
    };
    assert_eq!(table(&[MOST, 0], &[1, 0]), NO_MEMORY);
    assert_eq!(table(&[0, MOST], &[1, 0]), NO_MEMORY);
    assert_eq!(table(&[MOST, 0], &[1]), NO_MEMORY);
    assert_eq!(table(&[HALF, 0, 2], &[1]), NO_MEMORY);
    assert_eq!(table(&[MOST, 0], &[0]), Ok(0));
    assert_eq!(table(&[MOST, MOST, 0], &[1, 0]), Ok(0));
    assert_eq!(table(&[0, 2], &[1, 0]), Ok(3));
    let mut out = [7u32; 2];
    let found = Scan::new(Sum).exclusive().with_total().axes(&[MOST, 0], &[1, 0]).run(device, NONE, &mut out);
    assert_eq!(found, Err(Error::OutOfMemory { bytes: MOST }));
    let found = Scan::new(Sum).axes(&[MOST, MOST, 0], &[1, 0]).run(device, NONE, &mut out);
    assert_eq!(found, Err(Error::Length { what: "output", found: 2, expected: 0 }));
    assert_eq!(Scan::new(Sum).axes(&[MOST, MOST, 0], &[1, 0]).run(device, NONE, &mut out[..0]), Ok(()));
    assert_eq!(out, [7; 2]);
}

#[test]
fn images_without_pixels() {
    let device = &Device::cpu();
    for shape in [[MOST, 0, MOST, MOST], [0, MOST, MOST, MOST], [MOST, MOST, 0, MOST], [MOST, MOST, MOST, 0]] {
        let windows = MovingSum::new(shape).rows(MOST, MOST).columns(MOST, MOST);
        assert_eq!(len::<u32>(windows.run_to_array(device, NONE)), Ok(0), "{shape:?}");
        let halved = Pyramid::new(SumOfFour, shape, 0).with_input();
        assert_eq!(len(halved.run_to_array(device, NONE)), Ok(0), "{shape:?}");
        assert_eq!(
            windows.run(device, NONE, &mut [0; 2]),
            Err(Error::Length { what: "output", found: 2, expected: 0 })
        );
    }
    let wide = MovingSum::new([1, 2, 2, 1]).rows(MOST, MOST).columns(MOST, MOST);
    assert_eq!(wide.run_to_array(device, &[1u32, 2, 3, 4]).unwrap().to_vec(), Ok(vec![10; 4]));
    let many = Pyramid::new(SumOfFour, [1, 1, 1, 1], MOST);
    assert_eq!(len(many.run_to_array(device, &[1])), NO_MEMORY);
}

/// Other numbers that a caller passes.
#[test]
fn other_numbers() {
    let device = &Device::cpu();
    // A range has more elements with its total than can be counted; none of these is computed.
    let all = || 0u64..u64::MAX;
    assert_eq!(len(Scan::new(Sum).run_to_array(device, all())), NO_MEMORY);
    assert_eq!(len(Scan::new(Sum).exclusive().with_total().run_to_array(device, all())), NO_MEMORY);
    assert_eq!(len(Transform::new(Same).run_to_array(device, i64::MIN..i64::MAX)), NO_MEMORY);
    assert_eq!(len(Transform::new(Same).run_to_array(device, std::ops::Range { start: 5i64, end: -5 })), Ok(0));
    let length = Err(Error::Length { what: "output", found: 1, expected: MOST });
    assert_eq!(Scan::new(Sum).with_total().run(device, all(), &mut [0; 1]), length);
    assert_eq!(Scan::new(Sum).run(device, all(), Scatter::to(&mut [0; 1]).at(&[0u32])), length);
    let words = Err(Error::Length { what: "words of the bit mask", found: 3, expected: MOST / 8 + 1 });
    assert_eq!(len(Transform::new(Neither).run_to_array(device, Bits::of(&[0u8; 3], MOST))), words);
    let rank = |len| Err(Error::Rank { what: "the first", rank: MOST, len });
    assert_eq!(len(TopK::largest(MOST).run_to_array(device, &[1u32, 2])), rank(2));
    assert_eq!(len(TopK::largest(MOST).axis(&[0, MOST], 1).run_to_array(device, NONE)), Ok(0));
    let first = Err(Error::Rank { what: "the first", rank: 1, len: 0 });
    assert_eq!(len(TopK::largest(1).axis(&[MOST, 2, 0], 2).run_to_array(device, NONE)), first);
    assert_eq!(len(TopK::largest(0).axis(&[MOST, 2, 0], 2).run_to_array(device, NONE)), Ok(0));
    let place = Err(Error::Rank { what: "place", rank: MOST, len: 2 });
    assert_eq!(len(Nth::at(&[MOST]).run_to_array(device, &[1u32, 2])), place);
    let mut counts = [0u32; 2];
    let bins = |bins| Err(Error::Bins { bins, most: upsweep::histogram::MAX_BINS });
    assert_eq!(Histogram::even(0.0..=1.0, MOST).run(device, &[0.5], &mut counts), bins(MOST));
    assert_eq!(Histogram::by(Same, HALF).run(device, &[1u32], &mut counts), bins(HALF));
    let channels = Histogram::even(0.0..=1.0, 2).channels(MOST, MOST).run(device, &[0.5], &mut counts);
    assert!(matches!(channels, Err(Error::Channels { channels: MOST, counted: MOST, .. })), "{channels:?}");
    assert_eq!(
        len(Expand::new().run_to_array::<_, u64>(device, &[u64::MAX / 4])),
        Err(Error::OutOfMemory { bytes: MOST })
    );
    assert_eq!(device.filled(MOST, 0u8).map(drop), Err(Error::OutOfMemory { bytes: MOST }));
    assert_eq!(len(Merge::new().run_to_array(device, (NONE, NONE))), Ok(0));
    let offsets =
        Err(Error::Offsets { index: 1, offset: MOST as i128, rule: "is the last and is not the number of elements" });
    let segments = Reduce::new(Sum).segments(Segments::Offsets(&[0, MOST]));
    assert_eq!(len(segments.run_to_array(device, NONE)), offsets);
    let none = Automaton::new(0, &[], |_, _| upsweep::automaton::Step { next: MOST, tells: MOST });
    assert!(matches!(none, Err(Error::Automaton { what: "states", found: 0, .. })));
}

/// Plans of any sizes.
#[test]
fn plans_of_any_sizes() {
    let device = Device::cpu();
    for n in [0, 1, HALF, MOST] {
        for axis in [None, Some(0), Some(1)] {
            let shape = [n / 3, 3];
            let len = if axis.is_some() { n / 3 * 3 } else { n };
            let (scan, reduce) = match axis {
                None => (Scan::new(Sum), Reduce::new(Sum)),
                Some(axis) => (Scan::new(Sum).axis(&shape, axis), Reduce::new(Sum).axis(&shape, axis)),
            };
            let shown = scan.plan::<u64, u64>(&device, len).map(|plan| plan.to_string());
            assert!(shown.is_ok_and(|text| text.contains(&format!("{len} of 8 bytes"))), "{n} {axis:?}");
            assert!(reduce.plan::<u64, u64>(&device, len).map(|plan| plan.to_string()).is_ok(), "{n} {axis:?}");
        }
    }
    let uncountable = Reduce::new(Sum).axis(&[3, 0, THIRD], 1).plan::<u64, u64>(&device, 0);
    assert!(uncountable.is_ok_and(|plan| !plan.to_string().is_empty()));
}
