//! Cases of pyramids.

use crate::expect;
use upsweep::prelude::*;
use upsweep::{Error, Function};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;

on_each_backend! {
    every_small_shape, several_launches, elements_of_all_sizes, many_channels, what_is_stored_is_canonical, wrong_calls,
    other_places, thin_images
}

/// Function in which each of the four values has another part.
#[function]
fn of_bytes(a: u8, b: u8, c: u8, d: u8) -> u8 {
    a ^ b.rotate_left(1) ^ c.rotate_left(3) ^ d.rotate_left(6)
}
#[function]
fn of_words(#[param] by: u32, a: u32, b: u32, c: u32, d: u32) -> u32 {
    ((a * by + b) * by + c) * by + d
}
#[function]
fn of_floats(a: f32, b: f32, c: f32, d: f32) -> f32 {
    ((a * 0.5 + b) * 0.5 + c) * 0.5 + d
}
#[function]
fn of_doubles(a: f64, b: f64, c: f64, d: f64) -> f64 {
    a - b * 0.5 + c * 0.25 - d * 0.125
}
#[function]
fn of_halves(a: u16, b: u16, c: u16, d: u16) -> u16 {
    a ^ b.rotate_left(1) ^ c.rotate_left(3) ^ d.rotate_left(6)
}
#[function]
fn of_wide(a: u128, b: u128, c: u128, d: u128) -> u128 {
    a - b * 3 + c * 5 - d * 7
}
#[function]
fn of_fields(a: (u8, u32), b: (u8, u32), c: (u8, u32), d: (u8, u32)) -> (u8, u32) {
    (a.0 ^ d.0 ^ 1, b.1 - c.1)
}
#[function]
fn of_three(a: (u8, u8, u8), b: (u8, u8, u8), c: (u8, u8, u8), d: (u8, u8, u8)) -> (u8, u8, u8) {
    (a.0 ^ d.1, b.1 + c.2, a.2 - d.0)
}
#[function]
fn of_large(a: [u64; 8], b: [u64; 8], c: [u64; 8], d: [u64; 8]) -> [u64; 8] {
    [a[0], b[1], c[2], d[3], a[4] + b[4], c[5] - d[5], b[6], d[7]]
}

type Shape = [usize; 4];

fn halved(n: usize) -> usize {
    if n == 1 { 1 } else { n / 2 }
}

/// Levels of `x`, by loops.
fn levels_of<T: Sample, F: Function<(T, T, T, T), Output = T>>(f: F, x: &[T], shape: Shape, levels: usize) -> Vec<T> {
    let [planes, mut h, mut w, channels] = shape;
    let (mut all, mut above) = (Vec::new(), x.to_vec());
    for _ in 0..levels {
        let (hh, ww) = (halved(h), halved(w));
        let mut level = Vec::new();
        for (plane, y, x, c) in (0..planes).flat_map(|plane| {
            (0..hh).flat_map(move |y| (0..ww).flat_map(move |x| (0..channels).map(move |c| (plane, y, x, c))))
        }) {
            let at = |y: usize, x: usize| above[((plane * h + y.min(h - 1)) * w + x.min(w - 1)) * channels + c];
            let four = (at(2 * y, 2 * x), at(2 * y, 2 * x + 1), at(2 * y + 1, 2 * x), at(2 * y + 1, 2 * x + 1));
            level.push(f.call(four).canonical());
        }
        all.extend_from_slice(&level);
        (above, h, w) = (level, hh, ww);
    }
    all
}

/// Compares with loops: the levels alone, with the image, and in place; at an aligned place, and one element after it.
fn check<T: Sample, F: Function<(T, T, T, T), Output = T>>(place: &Place, f: F, x: &[T], shape: Shape, levels: usize) {
    let case = format!("{shape:?}, {levels} levels of {}", std::any::type_name::<T>());
    let expected = levels_of(f, x, shape, levels);
    let stored: Vec<T> = x.iter().map(|x| x.canonical()).chain(expected.iter().copied()).collect();
    for offset in [0, 1] {
        let values = place.upload(x, offset);
        let mut found = place.poisoned::<T>(expected.len(), offset);
        Pyramid::new(f, shape, levels).run(&place.device, &values, &mut found).unwrap();
        expect(&found, &expected, &case);
        // Where only one of both is aligned.
        let mut found = place.poisoned::<T>(stored.len(), 1 - offset);
        Pyramid::new(f, shape, levels).with_input().run(&place.device, &values, &mut found).unwrap();
        expect(&found, &stored, &format!("{case} with the image"));
        let mut found = place.poisoned::<T>(stored.len(), offset);
        Pyramid::new(f, shape, levels).with_input().run(&place.device, &values, &mut found).unwrap();
        expect(&found, &stored, &format!("{case} with the image, both at {offset}"));
        let poison = vec![T::poison(); expected.len()];
        let in_place: Vec<T> = x.iter().chain(&poison).copied().collect();
        let mut data = place.upload(&in_place, offset);
        Pyramid::new(f, shape, levels).run_in_place(&place.device, &mut data).unwrap();
        let unchanged: Vec<T> = x.iter().chain(&expected).copied().collect();
        expect(&data, &unchanged, &format!("{case} in place"));
    }
}

fn random<T: Sample>(rng: &mut Rng, shape: Shape) -> Vec<T> {
    (0..shape.iter().product()).map(|_| T::random(rng)).collect()
}

/// Number of halvings until both sizes are 1, at most.
fn most_levels([_, mut h, mut w, _]: Shape) -> usize {
    let mut levels = 0;
    while (h > 1 || w > 1) && [h, w].iter().all(|&n| n == 1 || n % 2 == 0) {
        (h, w, levels) = (halved(h), halved(w), levels + 1);
    }
    levels
}

fn every_small_shape(place: &Place) {
    let mut rng = Rng::new(31);
    let sizes = [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 40, 64, 80];
    for (i, (h, w)) in sizes.iter().flat_map(|&h| sizes.map(|w| (h, w))).enumerate() {
        let shape = [1 + i % 3, h, w, 1 + i % 5];
        let most = most_levels(shape);
        // Beyond the last pixel there are others of the same.
        let levels = if h == 1 && w == 1 { 3 } else { most };
        check(place, OfBytes, &random(&mut rng, shape), shape, levels);
        if most > 1 {
            check(place, OfBytes, &random(&mut rng, shape), shape, 1 + i % most);
        }
    }
    for shape in [[2, 5, 7, 3], [1, 1, 1, 1], [3, 64, 64, 4]] {
        check(place, OfBytes, &random(&mut rng, shape), shape, 0);
    }
}

/// More levels than a launch makes, with tiles of which some are complete.
fn several_launches(place: &Place) {
    let mut rng = Rng::new(32);
    for (h, w, channels) in [(256, 512, 4), (192, 320, 4), (1024, 64, 3), (128, 2048, 1), (384, 640, 2)] {
        let shape = [2, h, w, channels];
        let levels = most_levels(shape);
        check(place, OfBytes, &random(&mut rng, shape), shape, levels);
        check(place, OfWords { by: 77 }, &random(&mut rng, shape), shape, levels);
    }
    // Rows that are no multiples of 16 bytes.
    for (h, w) in [(128, 258), (136, 200)] {
        check(place, OfBytes, &random(&mut rng, [1, h, w, 4]), [1, h, w, 4], 1);
    }
}

fn elements_of_all_sizes(place: &Place) {
    let mut rng = Rng::new(33);
    for channels in 1..=5 {
        for (h, w) in [(128, 192), (66, 130), (8, 8)] {
            let shape = [1, h, w, channels];
            let levels = most_levels(shape);
            check(place, OfHalves, &random(&mut rng, shape), shape, levels);
            check(place, OfWords { by: 3 }, &random(&mut rng, shape), shape, levels);
            check(place, OfWide, &random(&mut rng, shape), shape, levels);
            let floats = |rng: &mut Rng| (0..h * w * channels).map(|_| (rng.next() as i32) as f32).collect::<Vec<_>>();
            check(place, OfFloats, &floats(&mut rng), shape, levels);
            let doubles: Vec<f64> = floats(&mut rng).into_iter().map(f64::from).collect();
            check(place, OfDoubles, &doubles, shape, levels);
            let fields: Vec<(u8, u32)> = (0..h * w * channels).map(|_| (rng.next() as u8, rng.next() as u32)).collect();
            check(place, OfFields, &fields, shape, levels);
            let three: Vec<(u8, u8, u8)> =
                (0..h * w * channels).map(|_| (rng.next() as u8, rng.next() as u8, rng.next() as u8)).collect();
            check(place, OfThree, &three, shape, levels);
        }
    }
    let large =
        |rng: &mut Rng, n: usize| (0..n).map(|_| std::array::from_fn(|_| rng.next())).collect::<Vec<[u64; 8]>>();
    check(place, OfLarge, &large(&mut rng, 32 * 16 * 3), [1, 32, 16, 3], 4);
}

fn many_channels(place: &Place) {
    let mut rng = Rng::new(34);
    for channels in [6, 7, 8, 9, 16, 31, 32, 33, 100] {
        for (planes, h, w) in [(1, 32, 48), (2, 4, 8)] {
            let shape = [planes, h, w, channels];
            check(place, OfBytes, &random(&mut rng, shape), shape, most_levels(shape));
            check(place, OfWide, &random(&mut rng, shape), shape, 1);
        }
    }
}

/// One row, one column, and many small images.
fn thin_images(place: &Place) {
    let mut rng = Rng::new(35);
    for shape in [[1, 1, 4096, 3], [1, 4096, 1, 3], [2, 2, 512, 1], [1, 512, 4, 4], [1000, 2, 2, 1], [300, 1, 1, 2]] {
        check(place, OfBytes, &random(&mut rng, shape), shape, most_levels(shape).max(1));
    }
}

fn what_is_stored_is_canonical(place: &Place) {
    let odd = f32::from_bits(0xffc0_1234);
    for (h, w) in [(2, 2), (128, 128)] {
        let x = vec![odd; h * w];
        let pyramid = Pyramid::new(OfFloats, [1, h, w, 1], 1).with_input();
        let found = pyramid.run_to_array(&place.device, &place.upload(&x, 0)).unwrap().to_vec().unwrap();
        assert_eq!(found.len(), h * w / 4 * 5);
        assert!(found.iter().all(|x| x.to_bits() == f32::NAN.canonical().to_bits()));
    }
}

fn wrong_calls(place: &Place) {
    let x = place.upload(&[1u8; 48], 0);
    let run = |shape: Shape, levels: usize, room: usize| {
        let mut out = place.poisoned::<u8>(room, 0);
        let outcome = Pyramid::new(OfBytes, shape, levels).run(&place.device, &x, &mut out);
        if outcome.is_err() {
            expect(&out, &vec![u8::poison(); room], "refused");
        }
        outcome
    };
    assert_eq!(run([1, 6, 8, 1], 1, 12), Ok(()));
    assert_eq!(run([1, 6, 8, 1], 2, 12 + 3), Err(Error::Halves { what: "height", size: 3, level: 1 }));
    assert_eq!(run([1, 16, 3, 1], 1, 8), Err(Error::Halves { what: "width", size: 3, level: 0 }));
    assert_eq!(run([1, 6, 8, 2], 1, 12), Err(Error::Shape { shape: vec![1, 6, 8, 2], len: 48 }));
    assert_eq!(run([usize::MAX, 2, 2, 2], 1, 12), Err(Error::Shape { shape: vec![usize::MAX, 2, 2, 2], len: 48 }));
    assert_eq!(run([1, 6, 8, 1], 1, 11), Err(Error::Length { what: "output", found: 11, expected: 12 }));
    assert_eq!(
        run([48, 1, 1, 1], usize::MAX, 11),
        Err(Error::Length { what: "output", found: 11, expected: usize::MAX })
    );
    let message = Error::Halves { what: "height", size: 3, level: 1 }.to_string();
    assert_eq!(message, "the height of level 1 is 3: what is halved must be even, or 1");
    // Nothing makes nothing.
    let (none, mut out) = (place.upload::<u8>(&[], 0), place.poisoned::<u8>(0, 0));
    for shape in [[0, 6, 8, 1], [1, 0, 8, 1], [1, 4, 0, usize::MAX], [1, 4, 4, 0]] {
        assert_eq!(Pyramid::new(OfBytes, shape, 1).run(&place.device, &none, &mut out), Ok(()));
        assert_eq!(Pyramid::new(OfBytes, shape, 1).with_input().results(), Ok(0));
    }
    assert_eq!(Pyramid::new(OfBytes, [2, 8, 4, 3], 2).with_input().results(), Ok(192 + 48 + 12));
}

fn other_places(place: &Place) {
    let mut out = [0u8; 4];
    let host = Pyramid::new(OfBytes, [1, 4, 4, 1], 1).run(&place.device, &place.upload(&[0u8; 16], 0), &mut out[..]);
    let expected = Error::Place { what: "output", found: "host", expected: "CUDA" };
    assert_eq!(host, if place.is_cuda() { Err(expected) } else { Ok(()) });
}
