//! Tests of scans along several axes.

use crate::{Random, cases};
use upsweep::prelude::*;
use upsweep::{Error, ScanAxes};

cases! { all_shapes, does_not_commute, bands, errors }

/// Maps x -> a x + b modulo 2^32, which do not commute.
#[derive(Element, Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
struct Line {
    a: u32,
    b: u32,
}

#[operator]
fn after(f: Line, g: Line) -> Line {
    Line { a: f.a * g.a, b: g.a * f.b + g.b }
}

#[function]
fn wide(x: u8) -> u64 {
    x as u64
}

/// Reference scan along one axis: exclusive with a border, exclusive, or inclusive.
fn along<T: Copy>(
    x: &[T],
    shape: &mut [usize],
    axis: usize,
    (exclusive, total, reverse): (bool, bool, bool),
    zero: Option<T>,
    plus: &impl Fn(T, T) -> T,
) -> Vec<T> {
    let (len, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let outer: usize = shape[..axis].iter().product();
    let results = len + usize::from(total);
    let mut out = vec![None; outer * results * inner];
    for o in 0..outer {
        for i in 0..inner {
            let mut sum = zero;
            for k in 0..results {
                let k = if reverse { len - 1 - k } else { k };
                let next = x.get((o * len + k) * inner + i).filter(|_| k < len);
                let with = next.map(|&x| sum.map_or(x, |sum| plus(sum, x)));
                out[(o * results + k) * inner + i] = if exclusive { sum } else { with };
                sum = with.or(sum);
            }
        }
    }
    shape[axis] = results;
    out.into_iter().map(Option::unwrap).collect()
}

fn all_shapes(device: &Device) {
    let mut random = Random(1);
    let shapes: [(&[usize], &[usize]); 12] = [
        (&[2, 3], &[1, 0]),
        (&[1, 1], &[1, 0]),
        (&[0, 4], &[1, 0]),
        (&[4, 0], &[1, 0]),
        (&[5, 7], &[0, 1]),
        (&[6], &[0]),
        (&[3, 5, 4], &[1, 0]),
        (&[2, 5, 4, 3], &[2, 1]),
        (&[2, 3, 4], &[2, 1, 0]),
        (&[2, 3, 4], &[2, 0]),
        (&[2, 3, 4], &[0, 2, 1]),
        (&[67, 301], &[1, 0]),
    ];
    for (shape, axes) in shapes {
        let x = random.bytes(shape.iter().product());
        let given = device.upload(&x).unwrap();
        for (exclusive, total, reverse) in [
            (false, false, false),
            (false, false, true),
            (true, false, false),
            (true, false, true),
            (true, true, false),
        ] {
            let (mut expected, mut results): (Vec<u64>, _) = (x.iter().map(|&x| x.into()).collect(), shape.to_vec());
            for &axis in axes {
                expected = along(&expected, &mut results, axis, (exclusive, total, reverse), Some(0), &|a, b| a + b);
            }
            let scan = Scan::new(Sum).map(Wide);
            let scan = if exclusive { scan.exclusive() } else { scan };
            let scan = if total { scan.with_total() } else { scan };
            let scan = if reverse { scan.reverse() } else { scan };
            let mut found = device.filled(expected.len(), 77u64).unwrap();
            scan.axes(shape, axes).run(device, &given, &mut found).unwrap();
            let case = format!("{shape:?} {axes:?} {exclusive} {total} {reverse}");
            assert_eq!(found.to_vec().unwrap(), expected, "{case}");
        }
    }
}

/// An operator that does not commute and has no identity: first along rows, then from row to row.
fn does_not_commute(device: &Device) {
    let mut random = Random(2);
    let (h, w) = (40, 90);
    let x: Vec<Line> = (0..h * w).map(|_| Line { a: random.next() as u32, b: random.next() as u32 }).collect();
    let mut found = device.filled(x.len(), Line::default()).unwrap();
    let given = device.upload(&x).unwrap();
    Scan::new(After).axes(&[h, w], &[1, 0]).run(device, &given, &mut found).unwrap();
    let (mut shape, mut expected, inclusive) = (vec![h, w], x, (false, false, false));
    for axis in [1, 0] {
        expected = along(&expected, &mut shape, axis, inclusive, None, &after);
    }
    assert_eq!(found.to_vec().unwrap(), expected);
    let refused = Scan::new(After).exclusive().axes(&[h, w], &[1, 0]).run(device, &given, &mut found);
    assert!(matches!(refused, Err(Error::NoIdentity { .. })));
}

/// Arrays of more than one band of 2 MiB, with a batch axis before and channels after.
fn bands(device: &Device) {
    let mut random = Random(3);
    for (shape, axes, total) in [
        (&[900usize, 1100][..], &[1usize, 0][..], false),
        (&[900, 1100], &[1, 0], true),
        (&[2, 300, 400, 3], &[2, 1], true),
        (&[2, 300, 400, 3], &[2, 1], false),
        (&[3, 700_001], &[1, 0], true),
        (&[700_001, 3], &[1, 0], true),
    ] {
        let x = random.bytes(shape.iter().product());
        let (mut expected, mut results): (Vec<u64>, _) = (x.iter().map(|&x| x.into()).collect(), shape.to_vec());
        for &axis in axes {
            expected = along(&expected, &mut results, axis, (total, total, false), Some(0), &|a, b| a + b);
        }
        let scan = Scan::new(Sum).map(Wide);
        let scan = if total { scan.exclusive().with_total() } else { scan };
        let (given, mut found) = (device.upload(&x).unwrap(), device.filled(expected.len(), 77u64).unwrap());
        scan.axes(shape, axes).run(device, &given, &mut found).unwrap();
        assert!(found.to_vec().unwrap() == expected, "{shape:?} {axes:?} {total}");
    }
}

fn errors(device: &Device) {
    let x = device.upload(&[1u64; 6]).unwrap();
    let refused = |scan: ScanAxes<'_, Sum>, len: usize| {
        let mut out = device.filled(len, 0u64).unwrap();
        scan.run(device, &x, &mut out).unwrap_err()
    };
    let sum = || Scan::new(Sum);
    assert!(matches!(refused(sum().axes(&[2, 4], &[1, 0]), 6), Error::Shape { .. }));
    assert!(matches!(refused(sum().axes(&[2, 3], &[1, 2]), 6), Error::Axis { axis: 2, axes: 2 }));
    assert!(matches!(refused(sum().axes(&[2, 3], &[1, 1]), 6), Error::Options { .. }));
    assert!(matches!(refused(sum().axes(&[2, 3], &[]), 6), Error::Options { .. }));
    assert!(matches!(refused(sum().axis(&[6], 0).axes(&[2, 3], &[1]), 6), Error::Options { .. }));
    assert!(matches!(refused(sum().with_total().axes(&[2, 3], &[1, 0]), 12), Error::Options { .. }));
    assert!(matches!(
        refused(sum().exclusive().reverse().with_total().axes(&[2, 3], &[1, 0]), 12),
        Error::Options { .. }
    ));
    let short = refused(sum().exclusive().with_total().axes(&[2, 3], &[1, 0]), 6);
    assert!(matches!(short, Error::Length { found: 6, expected: 12, .. }), "{short}");
}
