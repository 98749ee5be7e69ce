//! Cases of moving sums.

use crate::expect;
use upsweep::prelude::*;
use upsweep::{Error, MovingSum};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend! {
    windows_of_small_images, windows_of_all_widths, windows_of_all_heights, long_series, sums_of_channels, what_is_not_finite, the_order_of_floats,
    how_exact_floats_are, wrong_windows
}

#[function]
fn with_number(sum: i64, n: u64) -> (i64, u64) {
    (sum, n)
}
#[function]
fn scaled(#[param] by: i64, x: i16) -> i64 {
    x as i64 * by
}
#[function]
fn mean(sum: f64, n: u64) -> f32 {
    (sum / n as f64) as f32
}
#[function]
fn wide(x: f32) -> f64 {
    x as f64
}

type Shape = [usize; 4];

/// Rows or columns of the image in the window of `at`.
fn within(at: usize, [before, after]: [usize; 2], size: usize) -> std::ops::Range<usize> {
    at.saturating_sub(before)..at.saturating_add(after).saturating_add(1).min(size)
}

/// Sums over windows and their numbers of values, from a summed-area table.
fn sums_of(x: &[i16], [planes, h, w, channels]: Shape, rows: [usize; 2], columns: [usize; 2]) -> Vec<(i64, u64)> {
    let mut sums = vec![(0, 0); x.len()];
    for (plane, c) in (0..planes).flat_map(|plane| (0..channels).map(move |c| (plane, c))) {
        let index = |y: usize, x: usize| ((plane * h + y) * w + x) * channels + c;
        let mut table = vec![vec![0i64; w + 1]; h + 1];
        for y in 0..h {
            for column in 0..w {
                table[y + 1][column + 1] =
                    i64::from(x[index(y, column)]) + table[y][column + 1] + table[y + 1][column] - table[y][column];
            }
        }
        for y in 0..h {
            for column in 0..w {
                let (v, u) = (within(y, rows, h), within(column, columns, w));
                let sum = table[v.end][u.end] - table[v.start][u.end] - table[v.end][u.start] + table[v.start][u.start];
                sums[index(y, column)] = (sum, (v.len() * u.len()) as u64);
            }
        }
    }
    sums
}

/// Compares with a table, at an aligned place and one element after it.
fn check(place: &Place, x: &[i16], shape: Shape, rows: [usize; 2], columns: [usize; 2]) {
    let case = format!("{shape:?}, rows {rows:?}, columns {columns:?}");
    let expected: Vec<(i64, u64)> = sums_of(x, shape, rows, columns).iter().map(|&(sum, n)| (sum * 3, n)).collect();
    let narrow: Vec<i64> = expected.iter().map(|&(sum, _)| sum / 3).collect();
    let moving = MovingSum::new(shape).rows(rows[0], rows[1]).columns(columns[0], columns[1]);
    for offset in [0, 1] {
        let values = place.upload(x, offset);
        let mut found = place.poisoned::<(i64, u64)>(expected.len(), offset);
        moving.map(Scaled { by: 3 }).finish(WithNumber).run(&place.device, &values, &mut found).unwrap();
        expect(&found, &expected, &case);
        // Where only one of both is aligned.
        let mut found = place.poisoned::<i64>(expected.len(), 1 - offset);
        moving.accumulate::<i64>().run(&place.device, &values, &mut found).unwrap();
        expect(&found, &narrow, &format!("{case}, sums alone"));
    }
}

fn random(rng: &mut Rng, shape: Shape) -> Vec<i16> {
    (0..shape.iter().product()).map(|_| rng.next() as i16).collect()
}

fn windows_of_small_images(place: &Place) {
    let mut rng = Rng::new(51);
    for (i, (h, w)) in [1, 2, 5, 17].iter().flat_map(|&h| [1, 2, 7, 8, 9, 17, 40].map(|w| (h, w))).enumerate() {
        let shape = [1 + i % 3, h, w, 1 + i % 2];
        let x = random(&mut rng, shape);
        for reach in [0, 1, 3, 4, 8, 100] {
            // How a window lies in its chunks makes a kernel of its own, so there are few.
            let other = [0, 5, 11][rng.next() as usize % 3];
            check(place, &x, shape, [reach, other], [other, reach]);
        }
        check(place, &x, shape, [usize::MAX; 2], [usize::MAX; 2]);
    }
}

/// Windows over few and over many columns of a strip, and windows that begin and end at each place of a chunk.
fn windows_of_all_widths(place: &Place) {
    let mut rng = Rng::new(52);
    let shape = [1, 20, 2500, 1];
    let x = random(&mut rng, shape);
    for left in 0..18 {
        check(place, &x[..2 * 2500], [1, 2, 2500, 1], [1, 0], [left, [0, 6, 19][rng.next() as usize % 3]]);
    }
    for columns in [[0, 0], [50, 50], [0, 100], [127, 3], [700, 701], [1700, 0], [0, 1699], [1600, 1600]] {
        check(place, &x, shape, [2, 3], columns);
    }
}

/// Parts of rows that are lower than windows, and parts that are higher.
fn windows_of_all_heights(place: &Place) {
    let mut rng = Rng::new(53);
    for shape in [[1, 1300, 10, 1], [2, 700, 33, 1], [1, 1040, 600, 1]] {
        let x = random(&mut rng, shape);
        for rows in [[0, 0], [1, 0], [0, 1], [37, 30], [600, 5], [0, 1200]] {
            check(place, &x, shape, rows, [2, 11]);
        }
    }
}

/// Series as rows and as columns, of more parts and strips than one, with windows from a few values to all. Sums of
/// whole numbers in f64 are exact in every order.
fn long_series(place: &Place) {
    let mut rng = Rng::new(58);
    for (shape, along) in
        [([1, 1, 60_001, 1], 2), ([1, 60_001, 1, 1], 1), ([1, 1, 20_003, 3], 2), ([2, 20_003, 3, 1], 1)]
    {
        let x = random(&mut rng, shape);
        for reach in [[10, 10], [0, 9], [0, 1700], [2900, 3000], [40_000, 2], [30_000, 60_000]] {
            let (rows, columns) = if along == 1 { (reach, [0, 0]) } else { ([0, 0], reach) };
            if place.is_cuda() && columns[0] + columns[1] > 3000 {
                continue;
            }
            check(place, &x, shape, rows, columns);
            let expected: Vec<f64> = sums_of(&x, shape, rows, columns).iter().map(|&(sum, _)| sum as f64).collect();
            let moving = MovingSum::new(shape).rows(rows[0], rows[1]).columns(columns[0], columns[1]);
            let mut found = place.poisoned::<f64>(x.len(), 0);
            moving.accumulate::<f64>().run(&place.device, &place.upload(&x, 0), &mut found).unwrap();
            expect(&found, &expected, &format!("{shape:?}, reach {reach:?} in f64"));
        }
    }
}

fn sums_of_channels(place: &Place) {
    let mut rng = Rng::new(54);
    for channels in [2, 3, 4, 5, 9, 70] {
        for (h, w) in [(3, 9), (40, 300)] {
            let shape = [2, h, w, channels];
            let x = random(&mut rng, shape);
            check(place, &x, shape, [1, 2], [3, 2]);
            check(place, &x, shape, [5, 0], [20, 33]);
        }
    }
    // More columns than a block has room for with all channels.
    let shape = [1, 3, 2000, 3];
    check(place, &random(&mut rng, shape), shape, [1, 1], [900, 900]);
}

/// Infinities and NaN count in the windows that have them, and in no other.
fn what_is_not_finite(place: &Place) {
    let mut rng = Rng::new(55);
    for ([h, w], reach) in [([60, 90], 2), ([60, 90], 9), ([700, 20], 40)] {
        let mut x: Vec<f32> = (0..h * w).map(|_| (rng.next() % 1000) as f32).collect();
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NAN] {
            x[rng.next() as usize % (h * w)] = odd;
        }
        let mut expected = Vec::new();
        for (y, column) in (0..h).flat_map(|y| (0..w).map(move |column| (y, column))) {
            let (v, u) = (within(y, [reach; 2], h), within(column, [reach; 2], w));
            let n = v.len() * u.len();
            let sum: f64 = v.flat_map(|v| u.clone().map(move |u| (v, u))).map(|(v, u)| f64::from(x[v * w + u])).sum();
            expected.push(((sum / n as f64) as f32).canonical());
        }
        let moving = MovingSum::new([1, h, w, 1]).rows(reach, reach).columns(reach, reach).map(Wide).finish(Mean);
        let mut found = place.poisoned::<f32>(h * w, 0);
        moving.run(&place.device, &place.upload(&x, 0), &mut found).unwrap();
        expect(&found, &expected, &format!("{h} x {w}, reach {reach}"));
    }
}

/// Bits of float sums: the same on every device, and for each plane and channel the same as for an image of its own.
fn the_order_of_floats(place: &Place) {
    let mut rng = Rng::new(56);
    for (shape, rows, columns) in [
        ([1, 300, 1000, 1], [3, 3], [3, 3]),
        ([1, 300, 1000, 1], [50, 49], [50, 51]),
        ([2, 100, 130, 3], [4, 0], [20, 9]),
        ([1, 600, 40, 1], [0, 0], [7, 30]),
        ([1, 1, 5000, 1], [0, 0], [400, 3]),
    ] {
        let x: Vec<f32> = (0..shape.iter().product()).map(|_| rng.next() as f32 / 1e19 - 0.9).collect();
        let moving = MovingSum::new(shape).rows(rows[0], rows[1]).columns(columns[0], columns[1]);
        let expected = moving.run_to_array(&Device::cpu(), &x).unwrap().to_vec().unwrap();
        let mut found = place.poisoned::<f32>(x.len(), 0);
        moving.run(&place.device, &place.upload(&x, 0), &mut found).unwrap();
        expect(&found, &expected, &format!("{shape:?} in f32"));
        let channels = shape[3];
        if channels > 1 {
            let one: Vec<f32> = x.iter().skip(1).step_by(channels).copied().collect();
            let of_one = MovingSum::new([shape[0], shape[1], shape[2], 1]);
            let of_one = of_one.rows(rows[0], rows[1]).columns(columns[0], columns[1]);
            let mut found = place.poisoned::<f32>(one.len(), 0);
            of_one.run(&place.device, &place.upload(&one, 0), &mut found).unwrap();
            let expected: Vec<f32> = expected.iter().skip(1).step_by(channels).copied().collect();
            expect(&found, &expected, "a channel");
        }
    }
}

/// Sums of f32 in f64, compared with exact sums.
fn how_exact_floats_are(place: &Place) {
    let (h, w, reach) = (1100, 37, 8);
    let mut rng = Rng::new(57);
    let x: Vec<f32> = (0..h * w).map(|_| rng.next() as f32 / 1e19 - 0.9).collect();
    // Multiples of 2^-40 are exact in i128.
    let exact: Vec<i128> = x.iter().map(|&x| (f64::from(x) * 2f64.powi(60)) as i128).collect();
    let moving = MovingSum::new([1, h, w, 1]).rows(reach, reach).columns(reach, reach).map(Wide);
    let found = moving.run_to_array(&place.device, &place.upload(&x, 0)).unwrap().to_vec().unwrap();
    for (at, found) in found.iter().enumerate() {
        let (v, u) = (within(at / w, [reach; 2], h), within(at % w, [reach; 2], w));
        let sum: i128 = v.map(|v| u.clone().map(|u| exact[v * w + u]).sum::<i128>()).sum();
        let off = (found - sum as f64 / 2f64.powi(60)).abs();
        assert!(off < 4000.0 * 2f64.powi(-53) * (2 * reach + 1) as f64, "{at}: {found} is off by {off}");
    }
}

fn wrong_windows(place: &Place) {
    let x = place.upload(&[1u8; 48], 0);
    let run = |shape: Shape, room: usize| {
        let mut out = place.poisoned::<u8>(room, 0);
        let outcome = MovingSum::new(shape).rows(1, 1).run(&place.device, &x, &mut out);
        if outcome.is_err() {
            expect(&out, &vec![u8::poison(); room], "refused");
        }
        outcome
    };
    assert_eq!(run([1, 6, 8, 1], 48), Ok(()));
    assert_eq!(run([1, 6, 8, 2], 48), Err(Error::Shape { shape: vec![1, 6, 8, 2], len: 48 }));
    assert_eq!(run([usize::MAX, 2, 2, 2], 48), Err(Error::Shape { shape: vec![usize::MAX, 2, 2, 2], len: 48 }));
    assert_eq!(run([1, 6, 8, 1], 47), Err(Error::Length { what: "output", found: 47, expected: 48 }));
    let (none, mut out) = (place.upload::<u8>(&[], 0), place.poisoned::<u8>(0, 0));
    for shape in [[0, 6, 8, 1], [1, 0, 8, 1], [1, 4, 0, usize::MAX], [1, 4, 4, 0]] {
        assert_eq!(MovingSum::new(shape).rows(3, 3).columns(2, 9).run(&place.device, &none, &mut out), Ok(()));
    }
    // A window that is wider than a block of a GPU; the CPU has no blocks.
    let line = place.upload(&vec![1u32; 10_000], 0);
    let mut sums = place.poisoned::<u32>(10_000, 0);
    let wide = MovingSum::new([1, 1, 10_000, 1]).columns(4999, 5000).run(&place.device, &line, &mut sums);
    if place.is_cuda() {
        let error = wide.unwrap_err();
        assert!(matches!(error, Error::Window { columns: 10_000, most: 3000..4096 }), "{error:?}");
        assert!(error.to_string().starts_with("the window has 10000 columns, and on CUDA at most"), "{error}");
    } else {
        wide.unwrap();
        assert_eq!(sums.check_guards()[0], 5001);
    }
    let mut out = [0u8; 16];
    let host = MovingSum::new([1, 4, 4, 1]).run(&place.device, &place.upload(&[0u8; 16], 0), &mut out[..]);
    let expected = Error::Place { what: "output", found: "host", expected: "CUDA" };
    assert_eq!(host, if place.is_cuda() { Err(expected) } else { Ok(()) });
}

/// More values than 32 bits count.
#[cfg(feature = "cuda")]
#[test]
#[ignore = "needs a CUDA GPU"]
fn past_32_bits() {
    #[function]
    fn byte_of(i: u64) -> u8 {
        (i * 7 + i / 70001) as u8
    }
    #[function]
    fn checked(sum: u32, n: u64) -> u8 {
        (sum as u64 * 3 + n) as u8
    }
    let (h, w, reach) = (65_000, 70_001, 9);
    let device = Place::cuda().device;
    let x: Array<u8> = Transform::new(ByteOf).run_to_array(&device, 0..(h * w) as u64).unwrap();
    let moving = MovingSum::new([1, h, w, 1]).rows(reach, 2).columns(reach, 40).accumulate::<u32>().finish(Checked);
    let found = moving.run_to_array(&device, &x).unwrap().to_vec().unwrap();
    for at in (0..h * w).step_by(100_003).chain([h * w - 1, 1 << 32, (1 << 32) - 1]) {
        let (v, u) = (within(at / w, [reach, 2], h), within(at % w, [reach, 40], w));
        let n = (v.len() * u.len()) as u64;
        let sum: u64 = v.map(|v| u.clone().map(|u| u64::from(ByteOf.call(((v * w + u) as u64,)))).sum::<u64>()).sum();
        assert_eq!(found[at], Checked.call((sum as u32, n)), "{at}");
    }
}
