//! Special elements: infinities, NaN and zeros.

use crate::support::on_each_backend;
use crate::support::place::Place;
use upsweep::prelude::*;

on_each_backend! { what_is_not_finite_stays_behind, without_feedback_it_ends, zeros_of_an_unstable_recurrence_stay }

fn run(place: &Place, b: &[f32], a: &[f32], x: &[f32]) -> Vec<f32> {
    let input = place.upload(x, 0);
    let mut output = place.poisoned::<f32>(x.len(), 0);
    Recurrence::new(b, a).run(&place.device, &input, &mut output).unwrap();
    output.check_guards()
}

fn what_is_not_finite_stays_behind(place: &Place) {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for at in [0, 17, 5000, 29_999] {
            let mut x = vec![1.0f32; 30_000];
            x[at] = bad;
            let y = run(place, &[1.0], &[1.0, -1.2, 0.4], &x);
            assert!(y[..at].iter().all(|y| y.is_finite()), "before {bad} at {at}");
            assert!(y[at..].iter().all(|y| !y.is_finite()), "after {bad} at {at}");
        }
    }
}

fn without_feedback_it_ends(place: &Place) {
    for order in [1, 2, 9, 16] {
        for at in [0, 31, 3000, 29_000] {
            let mut x = vec![1.0f32; 30_000];
            x[at] = f32::INFINITY;
            let b = vec![0.5; order + 1];
            let y = run(place, &b, &[1.0], &x);
            for (i, y) in y.iter().enumerate() {
                let seen = (at..=at + order).contains(&i);
                assert_eq!(
                    *y,
                    if seen { f32::INFINITY } else { 0.5 * (i.min(order) + 1) as f32 },
                    "{i}, {at}, order {order}"
                );
            }
        }
    }
}

/// Zeros stay zeros though the powers of the transition are infinite long before the end.
fn zeros_of_an_unstable_recurrence_stay(place: &Place) {
    let mut x = vec![0.0f32; 40_000];
    for at in [0, 3071, 3072, 39_990] {
        x[at] = 1.0;
        let y = run(place, &[1.0], &[1.0, -2.0], &x);
        assert!(y[..at].iter().all(|&y| y == 0.0));
        for (i, &y) in y[at..].iter().enumerate() {
            assert!(y == if i < 128 { 2f32.powi(i as i32) } else { f32::INFINITY }, "{i} after {at}: {y}");
        }
        x[at] = 0.0;
    }
}
