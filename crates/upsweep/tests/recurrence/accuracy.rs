//! Errors of float results against twice the digits: at most four times those of the sequential loop, which SciPy has.

use crate::oracle::{Wide, butterworth, filter, wide};
use crate::support::place::Place;
use crate::support::random::Rng;
use crate::support::{on_each_backend, sizes};
use upsweep::prelude::*;

on_each_backend! {
    stable_filters, nearly_unstable_filters, unstable_filters, f64_for_f32, cascades_of_sections, cascades_that_undo_much,
    cascades_of_equal_zeros, the_same_bits
}

/// Sequential loop of `scipy.signal.lfilter` in the type `T`, each operation rounded.
macro_rules! loops {
    ($name:ident, $t:ty) => {
        fn $name(b: &[$t], a: &[$t], x: &[$t]) -> Vec<$t> {
            let order = b.len().max(a.len()) - 1;
            let mut z: Vec<$t> = vec![0.0; order + 1];
            x.iter()
                .map(|&x| {
                    let y = z[0] + b[0] * x;
                    for j in 0..order {
                        z[j] = z[j + 1] + b.get(j + 1).copied().unwrap_or(0.0) * x
                            - a.get(j + 1).copied().unwrap_or(0.0) * y;
                    }
                    y
                })
                .collect()
        }
    };
}
loops! { loop_f32, f32 }
loops! { loop_f64, f64 }

/// Largest error relative to the largest result so far, and the index of its result. Results from the first one close
/// to overflow on do not count.
#[track_caller]
fn worst(exact: &[Wide], found: &[f64], most: f64, case: &str) -> (f64, usize) {
    let (mut worst, mut largest, mut at) = (0.0f64, 0.0f64, 0);
    for (i, exact) in exact.iter().enumerate().take_while(|(_, exact)| exact.0.abs() <= most) {
        assert!(found[i].is_finite(), "{case}: result {i} is {} and must be {}", found[i], exact.0);
        largest = largest.max(exact.0.abs());
        let error = exact.minus(found[i]).abs();
        let beside = if largest > 0.0 { error / largest } else { error };
        if beside > worst {
            (worst, at) = (beside, i);
        }
    }
    (worst, at)
}

/// Compares errors with those of the loop, or with `of_loop`, if that is larger.
#[track_caller]
fn compare(exact: &[Wide], found: &[f64], (by_loop, of_loop): (&[f64], f64), digits: f64, most: f64, case: &str) {
    let exact = &exact[..by_loop.iter().take_while(|x| x.is_finite()).count()];
    let of_loop = worst(exact, by_loop, most, case).0.max(of_loop);
    let (worst, at) = worst(exact, found, most, case);
    let limit = 4.0 * of_loop + 2.0 * digits;
    assert!(
        worst <= limit,
        "{case}: the error of result {at} is {worst:e} of the largest, that of the loop {of_loop:e}"
    );
}

fn random_elements(rng: &mut Rng, len: usize) -> Vec<f64> {
    (0..len).map(|_| f64::from((rng.next() >> 40) as i32 - (1 << 23)) / f64::from(1 << 23)).collect()
}

/// Random filters whose poles have at most these radii.
fn filters(place: &Place, seed: u64, radii: &[f64], most_order: usize) {
    let mut rng = Rng::new(seed);
    let rounds = if sizes::reduced() { 1 } else { 3 };
    for round in 0..rounds {
        for order in 0..=most_order {
            for &radius in radii {
                let (b, a) = filter(&mut rng, order, radius);
                let len = [1000, 9000, 30_000][round % 3];
                let x = random_elements(&mut rng, len);
                let case = format!("order {order}, radius {radius}, {len} elements, round {round}, {b:?} {a:?}");
                of_f64(place, &b, &a, &x, &case);
                of_f32(place, &b, &a, &x, &case);
            }
        }
    }
}

fn of_f64(place: &Place, b: &[f64], a: &[f64], x: &[f64], case: &str) {
    let input = place.upload(x, 0);
    let mut output = place.poisoned::<f64>(x.len(), 0);
    Recurrence::new(b, a).run(&place.device, &input, &mut output).unwrap();
    let found = output.check_guards();
    compare(&wide(b, a, x), &found, (&loop_f64(b, a, x), 0.0), f64::EPSILON, 1e290, &format!("f64: {case}"));
}

fn of_f32(place: &Place, b: &[f64], a: &[f64], x: &[f64], case: &str) {
    let [b, a, x] = [b, a, x].map(|list| list.iter().map(|&x| x as f32).collect::<Vec<_>>());
    let input = place.upload(&x, 0);
    let mut output = place.poisoned::<f32>(x.len(), 0);
    Recurrence::new(&b, &a).run(&place.device, &input, &mut output).unwrap();
    let widen = |list: &[f32]| list.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
    let (found, by_loop) = (widen(&output.check_guards()), widen(&loop_f32(&b, &a, &x)));
    let exact = wide(&widen(&b), &widen(&a), &widen(&x));
    compare(&exact, &found, (&by_loop, 0.0), f32::EPSILON.into(), 1e30, &format!("f32: {case}"));
}

fn stable_filters(place: &Place) {
    filters(place, 21, &[0.1, 0.5, 0.9, 0.98], 16);
}

fn nearly_unstable_filters(place: &Place) {
    filters(place, 22, &[0.999, 0.99999, 1.0], 6);
}

fn unstable_filters(place: &Place) {
    filters(place, 23, &[1.0001, 1.01, 1.3, 2.5], 6);
}

fn f64_for_f32(place: &Place) {
    let mut rng = Rng::new(24);
    for order in 1..=8 {
        let (b, a) = filter(&mut rng, order, 0.999);
        let x = random_elements(&mut rng, 20_000);
        let short: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        let input = place.upload(&short, 0);
        let mut output = place.poisoned::<f32>(x.len(), 0);
        Recurrence::new(&b, &a).run(&place.device, &input, &mut output).unwrap();
        let exact = loop_f64(&b, &a, &x);
        for (i, (found, exact)) in output.check_guards().iter().zip(exact).enumerate() {
            let error = (f64::from(*found) - exact).abs();
            assert!(
                error <= 0.6 * f64::from(f32::EPSILON) * exact.abs() + 1e-9,
                "order {order}, result {i}: {found} and {exact}"
            );
        }
    }
}

/// Compares a cascade with its sections one after the other. The errors of the first results come from a few roundings,
/// in which the loop may be lucky: so its errors on multiples of these elements count, too.
fn cascade(place: &Place, sos: &[[f64; 6]], x: &[f64], case: &str) {
    const FIRST: usize = 100;
    const MULTIPLES: [f64; 7] = [1.0 / 3.0, 3.0, 5.0 / 3.0, 5.0, 7.0 / 3.0, 7.0, 8.0 / 3.0];
    let first = &x[..FIRST.min(x.len())];
    let multiples = MULTIPLES.map(|times| first.iter().map(|x| x * times).collect::<Vec<_>>());
    let (input, mut output) = (place.upload(x, 0), place.poisoned::<f64>(x.len(), 0));
    Recurrence::sections(sos).run(&place.device, &input, &mut output).unwrap();
    let by_loop = |x: &[f64]| sos.iter().fold(x.to_vec(), |x, section| loop_f64(&section[..3], &section[3..], &x));
    let error = |x: &Vec<f64>| worst(&wide_cascade(sos, x), &by_loop(x), 1e290, case).0;
    let of_loop = multiples.iter().map(error).fold(0.0, f64::max);
    let (exact, found) = (wide_cascade(sos, x), output.check_guards());
    compare(&exact, &found, (&by_loop(x), of_loop), f64::EPSILON, 1e290, &format!("f64: {case}"));

    let short = |x: &[f64]| x.iter().map(|&x| x as f32).collect::<Vec<_>>();
    let widen = |list: &[f32]| list.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
    let short_sos: Vec<[f32; 6]> = sos.iter().map(|section| section.map(|x| x as f32)).collect();
    let wide_sos: Vec<[f64; 6]> = short_sos.iter().map(|section| section.map(f64::from)).collect();
    let (input, mut output) = (place.upload(&short(x), 0), place.poisoned::<f32>(x.len(), 0));
    Recurrence::sections(&short_sos).run(&place.device, &input, &mut output).unwrap();
    let by_loop =
        |x: &[f32]| widen(&short_sos.iter().fold(x.to_vec(), |x, section| loop_f32(&section[..3], &section[3..], &x)));
    let exact = |x: &[f32]| wide_cascade(&wide_sos, &widen(x));
    let error = |x: &Vec<f64>| worst(&exact(&short(x)), &by_loop(&short(x)), 1e30, case).0;
    let of_loop = multiples.iter().map(error).fold(0.0, f64::max);
    let (x, found) = (short(x), widen(&output.check_guards()));
    compare(&exact(&x), &found, (&by_loop(&x), of_loop), f32::EPSILON.into(), 1e30, &format!("f32: {case}"));
}

fn cascades_of_sections(place: &Place) {
    let mut rng = Rng::new(25);
    for sections in 1..=8 {
        let sos: Vec<[f64; 6]> = (0..sections)
            .map(|_| {
                let (_, a) = filter(&mut rng, 2, 0.99);
                [0.5, 0.25, -0.125, a[0], a[1], a[2]]
            })
            .collect();
        cascade(place, &sos, &random_elements(&mut rng, 20_000), &format!("{sections} sections"));
    }
}

/// Sections that remove more and more of a signal, so that the states of the first ones are thousands of times the
/// results.
fn cascades_that_undo_much(place: &Place) {
    let mut rng = Rng::new(27);
    for round in 0..if sizes::reduced() { 4 } else { 40 } {
        let sos: Vec<[f64; 6]> = (0..8)
            .map(|_| {
                let (b, a) = (random_elements(&mut rng, 3), filter(&mut rng, 2, 0.4).1);
                [b[0] / 2.0, b[1] / 2.0, 0.0, a[0], a[1], a[2]]
            })
            .collect();
        cascade(place, &sos, &random_elements(&mut rng, 9000), &format!("round {round}, {sos:?}"));
    }
}

/// Butterworth filters, whose sections have the same zeros, and poles close together; the states of the first section
/// are the smallest.
fn cascades_of_equal_zeros(place: &Place) {
    let mut rng = Rng::new(28);
    for sections in 1..=8 {
        for (edge, small) in [(0.25, 1.0), (0.02, 1.0), (0.02, (-45f64).exp2()), (0.004, 1.0)] {
            let mut sos = butterworth(sections, edge);
            sos[0][..3].iter_mut().for_each(|b| *b *= small);
            sos[sections - 1][..3].iter_mut().for_each(|b| *b /= small);
            let case = format!("{sections} sections up to {edge} of the rate, {small} of it before the last one");
            cascade(place, &sos, &random_elements(&mut rng, 20_000), &case);
        }
    }
}

fn wide_cascade(sos: &[[f64; 6]], x: &[f64]) -> Vec<Wide> {
    let x = x.iter().map(|&x| Wide::of(x)).collect();
    sos.iter().fold(x, |x, section| wide_of_wide(&section[..3], &section[3..], &x))
}

fn wide_of_wide(b: &[f64], a: &[f64], x: &[Wide]) -> Vec<Wide> {
    let mut z = [Wide::of(0.0); 3];
    x.iter()
        .map(|&x| {
            let y = Wide::of(b[0]).mul(x).add(z[0]);
            for j in 0..2 {
                z[j] = Wide::of(b[j + 1]).mul(x).add(Wide::of(-a[j + 1]).mul(y)).add(z[j + 1]);
            }
            y
        })
        .collect()
}

/// Two equal calls, and the same call in place, give the same bits.
fn the_same_bits(place: &Place) {
    let mut rng = Rng::new(26);
    let (b, a) = filter(&mut rng, 3, 0.999);
    let len = if sizes::reduced() { 9000 } else { 3_000_000 };
    let x = random_elements(&mut rng, len);
    let mut first = None;
    for _ in 0..10 {
        let mut data = place.upload(&x, 0);
        Recurrence::new(&b, &a).run_in_place(&place.device, &mut data).unwrap();
        let bits: Vec<u64> = data.check_guards().iter().map(|y| y.to_bits()).collect();
        assert!(*first.get_or_insert_with(|| bits.clone()) == bits);
    }
}
