//! Totals of float sums and products: the bits of `upsweep_core::lanes`.

use half::{bf16, f16};
use std::fmt::Debug;
use upsweep::operator::builtin::{Product, Sum};
use upsweep::{Element, Gather, Operator, Reduce, Select, function};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;
use upsweep_testing::{lanes, on_each_backend, sizes};

on_each_backend!(
    lanes_of_arrays,
    lanes_of_halves,
    lanes_of_mapped_inputs,
    lanes_of_special_values,
    lanes_of_counted_inputs,
    lanes_of_long_arrays,
);

/// Numbers of elements around the ends of rows, chunks, and powers of two of these, of `lanes` lanes.
fn lengths(lanes: usize) -> Vec<usize> {
    let chunk = 8 * lanes;
    let ends =
        [lanes / 4, lanes, 3 * lanes, chunk, 2 * chunk, 7 * chunk, 8 * chunk, 33 * chunk, 128 * chunk, 300 * chunk];
    let near = ends.into_iter().flat_map(|end| [end - 1, end, end + 1, end + lanes + 3]);
    let all: Vec<usize> = (1..20).chain(near).collect();
    if sizes::reduced() { all.into_iter().filter(|&len| len <= 34 * chunk).collect() } else { all }
}

/// Returns numbers around zero, of several magnitudes.
fn numbers(len: usize, seed: u64) -> impl Iterator<Item = f64> {
    let mut rng = Rng::new(seed ^ len as u64);
    (0..len).map(move |_| (rng.next() as u32 as f64 - 2e9) * 0.125f64.powi(rng.below(6) as i32))
}

fn check<T: Copy + Debug>(found: T, expected: T, bits: fn(T) -> u64, what: &dyn Debug) {
    assert_eq!(bits(found), bits(expected), "{what:?}: {found:?} for {expected:?}");
}

/// Checks totals of `x`, misaligned by several offsets, with and without an initial value. `widened` are its elements as
/// they are combined, and `store` makes a result of what is combined.
fn check_totals<T, A, Op>(
    place: &Place,
    operator: Op,
    (x, widened): (&[T], &[A]),
    lanes: usize,
    combine: fn(A, A) -> A,
    (init, widened_init): (T, A),
    (store, bits): (fn(A) -> T, fn(T) -> u64),
) where
    T: Sample + Element + Debug,
    A: Copy,
    Op: Operator<T>,
{
    let len = x.len();
    let total = |init| store(lanes::reduce(widened.iter().copied(), lanes, init, combine).unwrap());
    for offset in [0, 1, 2, 5] {
        let input = place.upload(x, offset);
        let mut output = place.poisoned::<T>(1, offset);
        Reduce::new(operator).run(&place.device, &input, &mut output).unwrap();
        check(output.check_guards()[0], total(None), bits, &(len, offset));
        Reduce::new(operator).init(init).run(&place.device, &input, &mut output).unwrap();
        check(output.check_guards()[0], total(Some(widened_init)), bits, &(len, offset, "from a value"));
    }
}

fn lanes_of_arrays(place: &Place) {
    macro_rules! of {
        ($t:ident, $lanes:literal) => {
            for len in lengths($lanes) {
                let bits: fn($t) -> u64 = |x| x.to_bits().into();
                let x: Vec<$t> = numbers(len, 1).map(|x| x as $t).collect();
                check_totals(place, Sum, (&x, &x), $lanes, |a, b| a + b, (1.375, 1.375), (|x| x, bits));
                let x: Vec<$t> = numbers(len, 2).map(|x| (1.0 + x * 1e-13) as $t).collect();
                check_totals(place, Product, (&x, &x), $lanes, |a, b| a * b, (1.375, 1.375), (|x| x, bits));
            }
        };
    }
    of!(f32, 128);
    of!(f64, 64);
}

/// Sums of f16 and bf16 are combined in f32, and rounded once. Large numbers that cancel each other leave what their sums
/// with small ones lost: else the rounding would hide every grouping.
fn lanes_of_halves(place: &Place) {
    macro_rules! of {
        ($t:ident) => {
            for len in lengths(128) {
                let mut rng = Rng::new(len as u64);
                let mut large = 60_000.0;
                let number = |x: f64| {
                    if rng.below(2) == 0 {
                        return (x * 2e-11) as f32;
                    }
                    large = -large;
                    large
                };
                let x: Vec<$t> = numbers(len, 3).map(number).map($t::from_f32).collect();
                let widened: Vec<f32> = x.iter().map(|x| x.to_f32()).collect();
                let init = ($t::from_f32(0.5), 0.5);
                let rounded: (fn(f32) -> $t, fn($t) -> u64) = ($t::from_f32, |x| x.to_bits().into());
                check_totals(place, Sum, (&x, &widened), 128, |a, b| a + b, init, rounded);
            }
        };
    }
    of!(f16);
    of!(bf16);
}

#[function]
fn weighed(a: f32, b: f64) -> f64 {
    f64::from(a) * b
}

#[function]
fn half_of(x: u8) -> f32 {
    x as f32 * 0.3f32
}

#[function]
fn first_of(a: f32, _b: u8, _c: u16) -> f32 {
    a
}

/// Inputs of several buffers, of elements that are mapped to larger ones, ranges, and gathers.
fn lanes_of_mapped_inputs(place: &Place) {
    let device = &place.device;
    for len in lengths(64) {
        let a: Vec<f32> = numbers(len, 4).map(|x| x as f32).collect();
        let b: Vec<f64> = numbers(len, 5).collect();
        let bytes: Vec<u8> = numbers(len, 6).map(|x| (x as i64 & 0xff) as u8).collect();
        let words: Vec<u16> = vec![7; len];
        let (on_a, on_b) = (place.upload(&a, len % 3), place.upload(&b, 0));
        let (on_bytes, on_words) = (place.upload(&bytes, 5), place.upload(&words, 1));

        // A pair has 16 bytes.
        let products = a.iter().zip(&b).map(|(&a, &b)| f64::from(a) * b);
        let expected = lanes::reduce(products, 32, None, |a, b| a + b).unwrap();
        let found: f64 = Reduce::new(Sum).map(Weighed).run_to_host(device, (&on_a, &on_b)).unwrap();
        check(found, expected, f64::to_bits, &("pairs", len));

        let expected = lanes::reduce(a.iter().copied(), 64, None, |a, b| a + b).unwrap();
        let found: f32 = Reduce::new(Sum).map(FirstOf).run_to_host(device, (&on_a, &on_bytes, &on_words)).unwrap();
        check(found, expected, |x| x.to_bits().into(), &("triples of 8 bytes", len));

        let halves = bytes.iter().map(|&x| f32::from(x) * 0.3);
        let expected = lanes::reduce(halves, 128, None, |a, b| a + b).unwrap();
        let found: f32 = Reduce::new(Sum).map(HalfOf).run_to_host(device, &on_bytes).unwrap();
        check(found, expected, |x| x.to_bits().into(), &("bytes", len));

        let expected = lanes::reduce(bytes.iter().map(|&x| f64::from(x)), 64, None, |a, b| a + b).unwrap();
        let found: f64 = Reduce::new(Sum).accumulate::<f64>().run_to_host(device, &on_bytes).unwrap();
        check(found, expected, f64::to_bits, &("bytes in f64", len));

        // Indices are wider than the elements.
        let indices: Vec<u64> = (0..len as u64).rev().collect();
        let on_indices = place.upload(&indices, 0);
        let expected = lanes::reduce(a.iter().rev().copied(), 128, None, |a, b| a + b).unwrap();
        let found: f32 = Reduce::new(Sum).run_to_host(device, Gather::of(&on_a).at(&on_indices)).unwrap();
        check(found, expected, |x| x.to_bits().into(), &("gathered", len));
    }
}

/// NaN, infinities, and zeros of both signs: the neutral value must not show.
fn lanes_of_special_values(place: &Place) {
    let sum = |x: &[f32]| -> f32 { Reduce::new(Sum).run_to_host(&place.device, &place.upload(x, 0)).unwrap() };
    for len in lengths(128) {
        assert_eq!(sum(&vec![-0.0; len]).to_bits(), (-0.0f32).to_bits(), "{len}");
        let mut x = vec![-0.0; len];
        x[len / 2] = 0.0;
        assert_eq!(sum(&x).to_bits(), 0, "{len}");
        x[len - 1] = f32::INFINITY;
        assert_eq!(sum(&x), f32::INFINITY, "{len}");
        x[len / 3] = f32::from_bits(0xff80_0001);
        assert_eq!(sum(&x).to_bits(), f32::NAN.to_bits(), "{len}");
    }
    assert_eq!(sum(&[]).to_bits(), 0);
    let product: f64 = Reduce::new(Product).run_to_host(&place.device, &place.upload::<f64>(&[], 0)).unwrap();
    assert_eq!(product, 1.0);
}

#[function]
fn is_small(x: f32) -> bool {
    x.abs() < 1e9f32
}

/// A length that only the device knows changes no bits.
fn lanes_of_counted_inputs(place: &Place) {
    for len in lengths(128) {
        let x: Vec<f32> = numbers(len, 8).map(|x| x as f32).collect();
        let kept: Vec<f32> = x.iter().copied().filter(|x| x.abs() < 1e9).collect();
        let expected = lanes::reduce(kept, 128, Some(0.25), |a, b| a + b).unwrap();
        let input = place.upload(&x, 1);
        let mut room = place.poisoned::<f32>(len, 0);
        let count = Select::new(IsSmall).run(&place.device, &input, &mut room).unwrap();
        let mut total = place.poisoned::<f32>(1, 0);
        Reduce::new(Sum).init(0.25).run(&place.device, count.of(&room), &mut total).unwrap();
        check(total.check_guards()[0], expected, |x| x.to_bits().into(), &len);
    }
}

/// Arrays of which each thread and block has many chunks.
fn lanes_of_long_arrays(place: &Place) {
    let lengths = if sizes::reduced() { vec![100_003] } else { vec![1 << 20, 3_000_017, (1 << 24) + 1025] };
    for len in lengths {
        let x: Vec<f64> = numbers(len, 9).collect();
        let expected = lanes::reduce(x.iter().copied(), 64, None, |a, b| a + b).unwrap();
        check(place.device.reduce(&place.upload(&x, 0), Sum).unwrap(), expected, f64::to_bits, &len);
        let x: Vec<f32> = x.into_iter().map(|x| x as f32).collect();
        let expected = lanes::reduce(x.iter().copied(), 128, None, |a, b| a + b).unwrap();
        check(place.device.reduce(&place.upload(&x, 3), Sum).unwrap(), expected, |x| x.to_bits().into(), &len);
    }
}
