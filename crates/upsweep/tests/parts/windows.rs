//! Moving sums of an image whose rows come in parts.

use crate::support::cuts;
use upsweep::{Carry, Device, Error, MovingSum, function};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;

on_each_backend!(windows_of_parts, windows_of_floats, windows_by_way_of_bytes, windows_that_are_refused);

#[function]
fn with_number(sum: u64, n: u64) -> u64 {
    sum * 1000 + n
}

/// Returns, for each value of an image, the sum over its window and the number of values there, by loops.
fn summed(x: &[u32], [width, channels]: [usize; 2], [above, below]: [usize; 2], [left, right]: [usize; 2]) -> Vec<u64> {
    let height = x.len() / (width * channels);
    let at = |i: usize| (i / (width * channels), i / channels % width, i % channels);
    let of = |i: usize| {
        let (row, column, channel) = at(i);
        let (mut sum, mut n) = (0, 0);
        for row in row.saturating_sub(above)..(row + below + 1).min(height) {
            for column in column.saturating_sub(left)..(column + right + 1).min(width) {
                sum += u64::from(x[(row * width + column) * channels + channel]);
                n += 1;
            }
        }
        sum * 1000 + n
    };
    (0..x.len()).map(of).collect()
}

/// Returns the results of an image in parts: `$moving` is a moving sum of `$height` rows.
macro_rules! in_parts {
    ($place:expr, $rng:expr, $x:expr, ($row:expr, $below:expr), $cuts:expr, |$height:ident| $moving:expr, $T:ty) => {{
        let (mut all, mut carry) = (Vec::<$T>::new(), Carry::new());
        for pair in $cuts.windows(2) {
            let $height = pair[1] - pair[0];
            let part = $place.upload(&$x[pair[0] * $row..pair[1] * $row], $rng.below(3));
            let room = ($height + $below.min(pair[0])) * $row + $rng.below(2);
            let mut output = $place.poisoned::<$T>(room, $rng.below(2));
            let results = $moving.run_with_carry(&$place.device, &part, &mut output, &mut carry).unwrap();
            results.append(&output.check_guards(), &mut all).unwrap();
        }
        assert_eq!(carry.position(), $x.len() as u64);
        all
    }};
}

fn windows_of_parts(place: &Place) {
    let mut rng = Rng::new(1);
    for (height, width, channels) in [(1, 1, 1), (40, 1, 1), (700, 3, 2), (90, 40, 1), (5, 9, 4), (3000, 1, 1)] {
        for rows in [[0, 0], [1, 1], [3, 0], [0, 4], [7, 30], [5000, 2]] {
            let columns = [rng.below(3), rng.below(width)];
            let row = width * channels;
            let x: Vec<u32> = (0..height * row).map(|_| rng.next() as u32 % 1000).collect();
            let expected = summed(&x, [width, channels], rows, columns);
            let mut all_cuts = vec![cuts(&mut rng, height)];
            if height <= 90 {
                all_cuts.push((0..=height).collect());
            }
            for cuts in all_cuts {
                let found = in_parts!(
                    place,
                    rng,
                    x,
                    (row, rows[1]),
                    cuts,
                    |height| MovingSum::new([1, height, width, channels])
                        .rows(rows[0], rows[1])
                        .columns(columns[0], columns[1])
                        .accumulate::<u64>()
                        .finish(WithNumber),
                    u64
                );
                assert!(found == expected, "{height} x {width} x {channels}, {rows:?}, {columns:?}, cut at {cuts:?}");
            }
        }
    }
}

/// Windows of one row have the bits of one call, and others are near it.
fn windows_of_floats(place: &Place) {
    let mut rng = Rng::new(2);
    let x: Vec<f32> = (0..200 * 50).map(|_| (rng.next() as u32 as f32) * 1e-9).collect();
    let whole = |rows: usize| {
        let moving = MovingSum::new([1, 200, 50, 1]).rows(rows, rows).columns(4, 7);
        moving.run_to_vec::<_, _, f32>(&place.device, &place.upload(&x, 0)).unwrap()
    };
    let cuts = cuts(&mut rng, 200);
    let of = |rng: &mut Rng, rows: usize| {
        in_parts!(
            place,
            rng,
            x,
            (50, rows),
            cuts,
            |height| MovingSum::new([1, height, 50, 1]).rows(rows, rows).columns(4, 7),
            f32
        )
    };
    let bits = |x: Vec<f32>| x.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    assert!(bits(of(&mut rng, 0)) == bits(whole(0)), "cut at {cuts:?}");
    for (found, expected) in of(&mut rng, 5).into_iter().zip(whole(5)) {
        assert!((found - expected).abs() <= 1e-4 * expected.abs(), "{found} for {expected}");
    }
}

/// A carry becomes bytes after each part, and goes on from them, on the host and here in turns.
fn windows_by_way_of_bytes(place: &Place) {
    let mut rng = Rng::new(3);
    let x: Vec<u32> = (0..100).map(|_| rng.next() as u32 % 1000).collect();
    let (mut all, mut bytes) = (Vec::new(), Carry::new().to_bytes().unwrap());
    for (turn, range) in [0..1, 1..40, 40..40, 40..41, 41..100].into_iter().enumerate() {
        let mut carry = Carry::from_bytes(&bytes).unwrap();
        let moving = MovingSum::new([1, range.len(), 1, 1]).rows(5, 3).accumulate::<u64>().finish(WithNumber);
        let mut out = vec![0; range.len() + 3];
        let results = if turn % 2 == 0 {
            let mut output = place.poisoned(range.len() + 3, 0);
            let part = place.upload(&x[range], 0);
            let results = moving.run_with_carry(&place.device, &part, &mut output, &mut carry).unwrap();
            out = output.check_guards();
            results
        } else {
            moving.run_with_carry(&Device::cpu(), &x[range], &mut out, &mut carry).unwrap()
        };
        results.append(&out, &mut all).unwrap();
        bytes = carry.to_bytes().unwrap();
    }
    assert_eq!(all, summed(&x, [1, 1], [5, 3], [0, 0]));
}

fn windows_that_are_refused(place: &Place) {
    let x = place.upload(&[1u64, 2, 3, 4], 0);
    let (mut out, mut carry) = (place.poisoned::<u64>(8, 0), Carry::new());
    let run = |moving: MovingSum, out: &mut _, carry: &mut Carry| {
        moving.run_with_carry(&place.device, &x, out, carry).map(drop)
    };
    let two = MovingSum::new([1, 2, 2, 1]);
    run(two.rows(1, 1), &mut out, &mut carry).unwrap();
    for other in [two.rows(1, 2), two.rows(1, 1).columns(1, 0), MovingSum::new([1, 2, 1, 2]).rows(1, 1)] {
        let Err(Error::Carry { reason }) = run(other, &mut out, &mut carry) else { panic!("a carry of {other:?}") };
        assert!(reason.contains("windows of 1 and 1 rows, 0 and 0 columns, of rows of 2 x 1"), "{reason}");
    }
    let planes = run(MovingSum::new([2, 1, 2, 1]), &mut out, &mut carry);
    assert!(matches!(planes, Err(Error::Options { options: "a part of an array", .. })), "{planes:?}");
    let shape = run(MovingSum::new([1, 3, 2, 1]).rows(1, 1), &mut out, &mut carry);
    assert_eq!(shape, Err(Error::Shape { shape: vec![1, 3, 2, 1], len: 4 }));
    let length = run(two.rows(1, 1), &mut place.poisoned::<u64>(5, 0), &mut carry);
    assert_eq!(length, Err(Error::Length { what: "output", found: 5, expected: 6 }));
    let endless = run(two.rows(usize::MAX, 1), &mut out, &mut Carry::new());
    assert!(matches!(endless, Err(Error::OutOfMemory { .. })), "{endless:?}");
    // After an error the carry is as before.
    run(two.rows(1, 1), &mut out, &mut carry).unwrap();
    assert_eq!((&out.check_guards()[..6], carry.position()), (&[5, 8, 7, 10, 4, 6][..], 8));
}
