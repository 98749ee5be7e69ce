//! Signals of complex numbers: those of their real and of their imaginary parts, to the bit for integers.

use crate::support::on_each_backend;
use crate::support::place::Place;
use crate::support::random::Rng;
use crate::support::sizes;
use upsweep::num_complex::Complex;
use upsweep::operator::Number;
use upsweep::prelude::*;
use upsweep::recurrence::{Coefficient, Signal};

on_each_backend! { signals, lines_and_states, parts_with_a_carry, floats, states_that_lack_a_part }

fn random<T>(rng: &mut Rng, len: usize, of: impl Fn(u64) -> T) -> Vec<Complex<T>> {
    (0..len).map(|_| Complex { re: of(rng.next()), im: of(rng.next()) }).collect()
}

/// The real and the imaginary parts, filtered each for itself.
fn apart<C, T>(place: &Place, recurrence: &Recurrence<'_, C>, x: &[Complex<T>]) -> Vec<Complex<T>>
where
    C: Coefficient,
    T: Number + Signal<C>,
{
    let filtered = |part: Vec<T>| {
        let input = place.device.upload(&part).unwrap();
        recurrence.run_to_vec(&place.device, &input).unwrap()
    };
    let re = filtered(x.iter().map(|z| z.re).collect());
    let im = filtered(x.iter().map(|z| z.im).collect());
    re.into_iter().zip(im).map(|(re, im)| Complex { re, im }).collect()
}

fn signals(place: &Place) {
    let mut rng = Rng::new(1);
    let (b, a) = ([3i64, -1, 2], [1i64, 5, -7]);
    let backward = Recurrence::new(&b, &a).reverse();
    for len in sizes::few() {
        let x = random(&mut rng, len, |bits| bits as i64);
        let input = place.device.upload(&x).unwrap();
        let recurrence = Recurrence::new(&b, &a);
        let expected = apart(place, &recurrence, &x);
        assert_eq!(recurrence.run_to_vec(&place.device, &input).unwrap(), expected, "{len} elements");
        let mut data = place.device.upload(&x).unwrap();
        recurrence.run_in_place(&place.device, &mut data).unwrap();
        assert_eq!(data.to_vec().unwrap(), expected, "{len} elements in place");
        assert_eq!(
            backward.run_to_vec(&place.device, &input).unwrap(),
            apart(place, &backward, &x),
            "{len} elements in reverse"
        );
    }
}

/// Lines along each axis, from the states that the call before left: those of the real parts first.
fn lines_and_states(place: &Place) {
    let mut rng = Rng::new(2);
    let (b, a) = ([3u32, 1, 2], [1u32, 5, 7]);
    let device = &place.device;
    for shape in [[3, 40, 2], [1, 1, 1], [2, 0, 3], [5, 3000, 1]] {
        for axis in 0..3 {
            let (recurrence, len) = (Recurrence::new(&b, &a).axis(&shape, axis), shape.iter().product());
            let x = random(&mut rng, len, |bits| bits as u32);
            let numbers = if shape[axis] == 0 { 0 } else { len / shape[axis] * 2 };
            let before: Vec<u32> = (0..2 * numbers).map(|_| rng.next() as u32).collect();
            let of_part = |part: usize, x: Vec<u32>| {
                let states = device.upload(&before[part * numbers..][..numbers]).unwrap();
                let (x, mut after) = (device.upload(&x).unwrap(), device.room::<u32>(numbers).unwrap());
                let mut y = device.room::<u32>(len).unwrap();
                recurrence.state(&states).run_with_state(device, &x, &mut y, &mut after).unwrap();
                (y.to_vec().unwrap(), after.to_vec().unwrap())
            };
            if numbers == 0 && len > 0 || shape[axis] == 0 {
                continue;
            }
            let (re, mut states) = of_part(0, x.iter().map(|z| z.re).collect());
            let (im, of_im) = of_part(1, x.iter().map(|z| z.im).collect());
            states.extend(of_im);
            let (first, input) = (device.upload(&before).unwrap(), device.upload(&x).unwrap());
            let (mut y, mut last) = (device.upload(&x).unwrap(), device.room::<u32>(2 * numbers).unwrap());
            recurrence.state(&first).run_with_state(device, &input, &mut y, &mut last).unwrap();
            let expected: Vec<_> = re.into_iter().zip(im).map(|(re, im)| Complex { re, im }).collect();
            assert_eq!(y.to_vec().unwrap(), expected, "{shape:?} along {axis}");
            assert_eq!(last.to_vec().unwrap(), states, "{shape:?} along {axis}: the states");
        }
    }
}

fn parts_with_a_carry(place: &Place) {
    let mut rng = Rng::new(3);
    let (b, a) = ([3u64, 1], [1u64, 5]);
    let (recurrence, device) = (Recurrence::new(&b, &a), &place.device);
    let x = random(&mut rng, 20_000, |bits| bits);
    let (mut carry, mut found) = (Carry::new(), vec![]);
    for part in x.chunks(7001) {
        let (input, mut y) = (device.upload(part).unwrap(), device.upload(part).unwrap());
        recurrence.run_with_carry(device, &input, &mut y, &mut carry).unwrap();
        found.extend(y.to_vec().unwrap());
    }
    assert_eq!(found, apart(place, &recurrence, &x));
}

/// Elements of f32 and of f64, computed in f64. An infinity stays in its part.
fn floats(place: &Place) {
    let mut rng = Rng::new(4);
    let (b, a) = ([0.2f64, 0.1], [1.0f64, -0.9]);
    let recurrence = Recurrence::new(&b, &a);
    for len in [1, 1000, 100_003] {
        let unit = |bits: u64| (bits >> 40) as f32 / (1 << 24) as f32 - 0.5;
        let mut x = random(&mut rng, len, unit);
        x[len / 2].im = f32::INFINITY;
        let y = recurrence.run_to_vec(&place.device, &place.device.upload(&x).unwrap()).unwrap();
        let (mut before, mut last) = ([0.0f64; 2], [0.0f64; 2]);
        for (i, (x, y)) in x.iter().zip(&y).enumerate() {
            for (part, (x, y)) in [(x.re, y.re), (x.im, y.im)].into_iter().enumerate() {
                let x = f64::from(x);
                let expected = 0.2 * x + 0.1 * before[part] + 0.9 * last[part];
                (before[part], last[part]) = (x, expected);
                let error = (f64::from(y) - expected).abs();
                assert!(
                    error < 1e-6 || !expected.is_finite() && !y.is_finite(),
                    "{len}: {i}, {part}: {y}, not {expected}"
                );
            }
        }
    }
}

fn states_that_lack_a_part(place: &Place) {
    let device = &place.device;
    let (x, states) =
        (device.upload(&[Complex { re: 1.0f64, im: 2.0 }; 3]).unwrap(), device.upload(&[0.0f64]).unwrap());
    let error = Recurrence::new(&[1.0f64], &[1.0, 0.5]).state(&states).run_to_vec(device, &x).unwrap_err();
    assert_eq!(error, upsweep::Error::Length { what: "initial states", found: 1, expected: 2 });
}
