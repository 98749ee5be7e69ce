//! Integers, whose results are known to the bit: all orders, lengths around every boundary, axes, states, both
//! directions.

use crate::oracle::{Integer, by_definition, with_states};
use crate::support::on_each_backend;
use crate::support::place::Place;
use crate::support::random::Rng;
use crate::support::sample::Sample;
use crate::support::sizes;
use upsweep::prelude::*;
use upsweep::recurrence::{Coefficient, Signal};

on_each_backend! {
    orders, lengths_of_u32, lengths_of_u64, signed_integers, states_of_lines, axes, cascades, chunks_joined, in_place_at_any_address
}

fn numbers<T: Integer>(rng: &mut Rng, len: usize) -> Vec<T> {
    (0..len).map(|_| T::of(rng.next())).collect()
}

/// Random coefficients; a[0] is 1.
fn coefficients<T: Integer>(rng: &mut Rng, b: usize, a: usize) -> (Vec<T>, Vec<T>) {
    let (b, mut a) = (numbers(rng, b), numbers(rng, a));
    a[0] = T::of(1);
    (b, a)
}

#[track_caller]
fn expect<T: Sample + PartialEq>(found: &[T], expected: &[T], case: &str) {
    assert_eq!(found.len(), expected.len(), "{case}");
    if let Some(at) = (0..found.len()).find(|&i| found[i] != expected[i]) {
        panic!("{case}: result {at} of {} is {:?} and must be {:?}", found.len(), found[at], expected[at]);
    }
}

/// Checks one line, forward and in reverse, without states and with them.
#[track_caller]
fn whole<T>(place: &Place, rng: &mut Rng, (b, a): (usize, usize), len: usize)
where
    T: Integer + Sample + Coefficient + Signal<T>,
{
    let ((b, a), x) = (coefficients::<T>(rng, b, a), numbers::<T>(rng, len));
    let order = b.len().max(a.len()) - 1;
    let case = format!("order {order} of {} and {}, {len} elements", b.len(), a.len());
    let input = place.upload(&x, rng.below(4));
    let mut output = place.poisoned(len, rng.below(4));
    let recurrence = Recurrence::new(&b, &a);
    recurrence.run(&place.device, &input, &mut output).unwrap();
    let mut states = vec![T::of(0); order];
    let expected = with_states(&b, &a, &mut states, &x);
    expect(&output.check_guards(), &expected, &case);
    if len <= 300 {
        expect(&expected, &by_definition(&b, &a, &x), "the oracle");
    }

    let mut states = numbers::<T>(rng, order);
    let (first, mut last) = (place.upload(&states, 0), place.poisoned(order, 1));
    let backward: Vec<T> = x.iter().rev().copied().collect();
    let mut expected = with_states(&b, &a, &mut states, &backward);
    expected.reverse();
    recurrence.reverse().state(&first).run_with_state(&place.device, &input, &mut output, &mut last).unwrap();
    expect(&output.check_guards(), &expected, &format!("{case}, in reverse"));
    expect(&last.check_guards(), &states, &format!("{case}: the states"));
}

fn orders(place: &Place) {
    let mut rng = Rng::new(1);
    for order in 0..=16 {
        for len in [0, 1, order, 5003, 20_011] {
            whole::<u32>(place, &mut rng, (order + 1, order + 1), len);
        }
        // Only elements; only results.
        whole::<u64>(place, &mut rng, (order + 1, 1), 9001);
        whole::<u64>(place, &mut rng, (1, order + 1), 9001);
    }
}

fn lengths_of_u32(place: &Place) {
    let mut rng = Rng::new(2);
    let lengths = sizes::small().into_iter().chain(sizes::large(4)).chain(sizes::groups(4));
    for (i, len) in lengths.enumerate() {
        let order = [1, 2, 3, 5][i % 4];
        whole::<u32>(place, &mut rng, (order + 1, order + 1), len);
    }
    // Tiles of 10,240 and of 4,608 elements, groups of 32 of them, and what lies 16 groups back.
    for (order, tile) in [(2, 10_240), (8, 4608)] {
        for tiles in [1, 2, 32, 33, 545] {
            for len in [tiles * tile - 1, tiles * tile, tiles * tile + 1] {
                if !sizes::reduced() || len < 40_000 {
                    whole::<u32>(place, &mut rng, (order + 1, order + 1), len);
                }
            }
        }
    }
}

fn lengths_of_u64(place: &Place) {
    let mut rng = Rng::new(3);
    for (i, len) in sizes::small().into_iter().chain(sizes::large(8)).chain(sizes::groups(8)).enumerate() {
        let order = [2, 1, 4, 8][i % 4];
        whole::<u64>(place, &mut rng, (order + 1, order + 1), len);
    }
}

fn signed_integers(place: &Place) {
    let mut rng = Rng::new(4);
    for len in sizes::few() {
        whole::<i32>(place, &mut rng, (3, 2), len);
        whole::<i64>(place, &mut rng, (2, 4), len);
    }
}

/// Positions of the elements of each line of a shape along an axis, in order.
fn lines(shape: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let (outer, len, inner): (usize, usize, usize) =
        (shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product());
    let line = |o: usize, i: usize| (0..len).map(|k| (o * len + k) * inner + i).collect();
    (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))).map(|(o, i)| line(o, i)).collect()
}

/// Checks lines along an axis, in both directions, with states.
fn along<T>(place: &Place, rng: &mut Rng, order: usize, shape: &[usize], axis: usize)
where
    T: Integer + Sample + Coefficient + Signal<T>,
{
    let len = shape.iter().product();
    let ((b, a), x) = (coefficients::<T>(rng, order + 1, order + 1), numbers::<T>(rng, len));
    let of_states: Vec<usize> = (0..shape.len()).map(|i| if i == axis { order } else { shape[i] }).collect();
    let zi = numbers::<T>(rng, of_states.iter().product());
    let (input, first) = (place.upload(&x, 1), place.upload(&zi, 2));
    for reverse in [false, true] {
        let mut output = place.poisoned(len, 3);
        let mut last = place.poisoned(zi.len(), 0);
        let recurrence = Recurrence::new(&b, &a).axis(shape, axis).state(&first);
        let recurrence = if reverse { recurrence.reverse() } else { recurrence };
        recurrence.run_with_state(&place.device, &input, &mut output, &mut last).unwrap();
        let (mut expected, mut zf) = (x.clone(), zi.clone());
        for (mut line, at) in lines(shape, axis).into_iter().zip(lines(&of_states, axis)) {
            if reverse {
                line.reverse();
            }
            let mut states: Vec<T> = at.iter().map(|&at| zi[at]).collect();
            let values: Vec<T> = line.iter().map(|&at| x[at]).collect();
            for (at, y) in line.iter().zip(with_states(&b, &a, &mut states, &values)) {
                expected[*at] = y;
            }
            for (at, z) in at.iter().zip(states) {
                zf[*at] = z;
            }
        }
        let case = format!("{shape:?} along {axis}, reverse {reverse}, order {order}");
        expect(&output.check_guards(), &expected, &case);
        expect(&last.check_guards(), &zf, &format!("{case}: the states"));
    }
}

fn states_of_lines(place: &Place) {
    let mut rng = Rng::new(5);
    for row in [1, 2, 3, 11, 12, 13, 63, 64, 65, 383, 384, 385, 1024, 3071, 3072, 3073, 10_000] {
        for order in [1, 2, 5] {
            let rows = if sizes::reduced() { 9000 / row } else { 70_000 / row };
            along::<u32>(place, &mut rng, order, &[rows, row], 1);
        }
    }
    along::<u64>(place, &mut rng, 8, &[90, 1111], 1);
}

fn axes(place: &Place) {
    let mut rng = Rng::new(6);
    for shape in sizes::shapes() {
        for axis in 0..shape.len() {
            along::<u32>(place, &mut rng, 2, &shape, axis);
        }
    }
    along::<u64>(place, &mut rng, 0, &[3, 4, 5], 1);
}

fn cascades(place: &Place) {
    let mut rng = Rng::new(7);
    for sections in 1..=8 {
        for len in [0, 1, 5, 4999, 30_001] {
            let sos: Vec<[u32; 6]> = (0..sections)
                .map(|_| {
                    let mut section = [0; 6].map(|_: u32| rng.next() as u32);
                    section[3] = 1;
                    section
                })
                .collect();
            let (x, mut states) = (numbers::<u32>(&mut rng, len), numbers::<u32>(&mut rng, 2 * sections));
            let (input, first) = (place.upload(&x, 0), place.upload(&states, 0));
            let (mut output, mut last) = (place.poisoned(len, 0), place.poisoned(2 * sections, 0));
            let cascade = Recurrence::sections(&sos).state(&first);
            cascade.run_with_state(&place.device, &input, &mut output, &mut last).unwrap();
            let expected = sos
                .iter()
                .zip(states.chunks_mut(2))
                .fold(x, |x, (section, states)| with_states(&section[..3], &section[3..], states, &x));
            let case = format!("{sections} sections, {len} elements");
            expect(&output.check_guards(), &expected, &case);
            expect(&last.check_guards(), &states, &case);
        }
    }
}

/// A signal in chunks, each of which begins with the states of the one before.
fn chunks_joined(place: &Place) {
    let mut rng = Rng::new(8);
    let len = if sizes::reduced() { 9000 } else { 100_000 };
    for order in [1, 2, 7] {
        let ((b, a), x) = (coefficients::<u64>(&mut rng, order + 1, order + 1), numbers::<u64>(&mut rng, len));
        let expected = with_states(&b, &a, &mut vec![0; order], &x);
        let mut states = place.upload(&vec![0u64; order], 0);
        let mut at = 0;
        while at < len {
            let chunk = &x[at..len.min(at + 1 + rng.below(20_000))];
            let (input, mut output) = (place.upload(chunk, 0), place.poisoned(chunk.len(), 0));
            let mut last = place.poisoned(order, 0);
            let recurrence = Recurrence::new(&b, &a).state(&states);
            recurrence.run_with_state(&place.device, &input, &mut output, &mut last).unwrap();
            expect(&output.check_guards(), &expected[at..at + chunk.len()], &format!("the chunk at {at}"));
            at += chunk.len();
            states = last;
        }
    }
}

fn in_place_at_any_address(place: &Place) {
    let mut rng = Rng::new(9);
    for len in sizes::few() {
        for offset in 0..4 {
            let ((b, a), x) = (coefficients::<u32>(&mut rng, 3, 3), numbers::<u32>(&mut rng, len));
            let mut data = place.upload(&x, offset);
            Recurrence::new(&b, &a).run_in_place(&place.device, &mut data).unwrap();
            expect(&data.check_guards(), &with_states(&b, &a, &mut [0; 2], &x), &format!("{len} at {offset}"));
        }
    }
}
