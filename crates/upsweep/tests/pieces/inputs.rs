//! Inputs that are not plain buffers.

use crate::ways::{every_way, lens};
use upsweep::prelude::*;
use upsweep::{Error, Result};
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::Affine;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::random_values;

on_each_backend!(
    inputs_two_buffers,
    inputs_three_of_odd_sizes,
    inputs_computed,
    inputs_gathered,
    inputs_four_of_all_kinds,
    inputs_applied,
    inputs_wrong,
);

#[function]
fn of_two(a: u32, b: u32) -> Affine {
    Affine { m: a | 1, c: b }
}

fn inputs_two_buffers(place: &Place) {
    for len in lens() {
        let (a, b) = (random_values::<u32>(len), random_values::<u32>(len));
        let mapped: Vec<Affine> = a.iter().zip(&b).map(|(&a, &b)| Affine { m: a | 1, c: b }).collect();
        // Both aligned, and each misaligned by itself.
        for (skew_a, skew_b) in [(0, 0), (len % 3, 1)] {
            let (a, b) = (place.upload(&a, skew_a), place.upload(&b, skew_b));
            every_way(place, &mapped, OfTwo, || (&a, &b));
        }
    }
}

#[function]
fn of_three(a: u64, b: u8, c: [u8; 3]) -> Affine {
    Affine { m: a as u32 | 1, c: (a >> 32) as u32 ^ u32::from(b) << 24 ^ u32::from(c[0]) + u32::from(c[2]) * 256 }
}

fn inputs_three_of_odd_sizes(place: &Place) {
    for len in lens() {
        let (a, b) = (random_values::<u64>(len), random_values::<u8>(len));
        let c: Vec<[u8; 3]> =
            random_values::<u32>(len).iter().map(|x| [*x as u8, (x >> 8) as u8, (x >> 16) as u8]).collect();
        let mapped: Vec<Affine> = (0..len)
            .map(|i| {
                let other = u32::from(c[i][0]) + u32::from(c[i][2]) * 256;
                Affine { m: a[i] as u32 | 1, c: (a[i] >> 32) as u32 ^ u32::from(b[i]) << 24 ^ other }
            })
            .collect();
        let (a, b, c) = (place.upload(&a, len % 2), place.upload(&b, len % 5), place.upload(&c, 0));
        every_way(place, &mapped, OfThree, || (&a, &b, &c));
    }
}

#[function]
fn of_index(i: u64, v: u32) -> Affine {
    Affine { m: v, c: i as u32 ^ (i >> 32) as u32 }
}
#[function]
fn of_number(i: i32) -> Affine {
    Affine { m: 3, c: i as u32 }
}

fn inputs_computed(place: &Place) {
    for len in lens() {
        let start = (1 << 32) - 5;
        let index = |i: u64| Affine { m: 7, c: i as u32 ^ (i >> 32) as u32 };
        let mapped: Vec<Affine> = (start..start + len as u64).map(index).collect();
        every_way(place, &mapped, OfIndex, || (start..start + len as u64, Repeat(7u32)));
        let mapped: Vec<Affine> = (-9..len as i32 - 9).map(|i| Affine { m: 3, c: i as u32 }).collect();
        every_way(place, &mapped, OfNumber, || -9..len as i32 - 9);
    }
}

#[function]
fn of_table(x: Affine, k: u16) -> Affine {
    Affine { m: x.m | 1, c: x.c + u32::from(k) }
}

fn inputs_gathered(place: &Place) {
    for len in lens() {
        let mut rng = Rng::new(len as u64);
        let (table, k) = (random_values::<Affine>(len / 2 + 3), random_values::<u16>(len));
        let places: Vec<u32> = (0..len).map(|_| rng.below(len + 2) as u32).collect();
        let index: Vec<i64> = (0..len + 2).map(|_| rng.below(table.len()) as i64).collect();
        // Of indices that are gathered themselves.
        let mapped: Vec<Affine> = (0..len)
            .map(|i| {
                let x = table[index[places[i] as usize] as usize];
                Affine { m: x.m | 1, c: x.c.wrapping_add(u32::from(k[i])) }
            })
            .collect();
        let (table, k) = (place.upload(&table, 1), place.upload(&k, len % 4));
        let (places, index) = (place.upload(&places, len % 2), place.upload(&index, 0));
        every_way(place, &mapped, OfTable, || (Gather::of(&table).at(Gather::of(&index).at(&places)), &k));
    }
}

#[function]
fn of_all(near: [u32; 3], set: bool, i: u32, x: u16) -> Affine {
    Affine { m: if set { near[0] | 1 } else { 3 }, c: (near[1] ^ near[2]) + i * u32::from(x) }
}

fn inputs_four_of_all_kinds(place: &Place) {
    for len in lens() {
        let (x, small) = (random_values::<u32>(len), random_values::<u16>(len));
        for (outside, first) in [(None, 0), (Some(12345), 13)] {
            let words = random_values::<u8>((first + len).div_ceil(8));
            let at = |i: usize| x[i];
            let mapped: Vec<Affine> = (0..len)
                .map(|i| {
                    let end = outside.unwrap_or(x[i]);
                    let before = if i > 0 { at(i - 1) } else { end };
                    let after = if i + 1 < len { at(i + 1) } else { end };
                    let set = words[(first + i) / 8] >> ((first + i) % 8) & 1 == 1;
                    let c = (x[i] ^ after).wrapping_add((i as u32).wrapping_mul(u32::from(small[i])));
                    Affine { m: if set { before | 1 } else { 3 }, c }
                })
                .collect();
            let (x, small, words) = (place.upload(&x, 1), place.upload(&small, 3), place.upload(&words, 1));
            every_way(place, &mapped, OfAll, || {
                let near = Neighbours::of(&x);
                let near = if let Some(outside) = outside { near.outside(outside) } else { near };
                (near, Bits::of(&words, len).from(first), 0..len as u32, &small)
            });
        }
    }
}

#[function]
fn first_of(a: u32, b: u32) -> u32 {
    a + 0 * b
}

/// Inputs that differ in length or have none, and indices out of bounds: an error at the first position, and no access
/// outside.
fn inputs_wrong(place: &Place) {
    let device = &place.device;
    let (x, y, small) = (place.upload(&[1u32; 500], 0), place.upload(&[2u32; 499], 0), place.upload(&[0u8; 3], 0));
    let mut out = place.poisoned::<u32>(500, 0);
    let scan = Scan::new(Sum).map(FirstOf);
    let length = |what, found, expected| Err(Error::Length { what, found, expected });
    assert_eq!(scan.run(device, (&x, &y), &mut out), length("second input", 499, 500));
    assert_eq!(scan.run(device, (0..7u32, &y), &mut out), length("second input", 499, 7));
    assert_eq!(scan.run(device, (&x, Repeat(1)), (&mut out,).0), Ok(()));
    let no_length = Scan::new(Sum).run(device, Repeat(1u32), &mut out);
    assert!(matches!(no_length, Err(Error::Options { .. })), "{no_length:?}");
    let bits = Reduce::new(Or).run(device, Bits::of(&small, 25), &mut place.poisoned::<bool>(1, 0));
    assert_eq!(bits, length("words of the bit mask", 3, 4));
    let bits = |len, first| {
        let flags: Result<Array<bool>> = Transform::copy().run_to_array(device, Bits::of(&small, len).from(first));
        flags.map(|flags| flags.len())
    };
    let words = |expected| Err(Error::Length { what: "words of the bit mask", found: 3, expected });
    assert_eq!([bits(20, 4), bits(0, 24), bits(20, 5), bits(0, 25)], [Ok(20), Ok(0), words(4), words(4)]);
    assert_eq!(bits(2, usize::MAX), words(usize::MAX.div_ceil(8)));
    let (mut a, mut b) = (place.poisoned::<u32>(500, 0), place.poisoned::<u32>(501, 0));
    assert_eq!(Scan::new(Sum).finish(Twice).run(device, &x, (&mut a, &mut b)), length("second output", 501, 500));

    // The fault, from the call itself or from the next one that waits.
    let fault = |called: Result<()>| called.and_then(|()| device.synchronize());
    for wrong in [500i64, -1, i64::MIN, i64::MAX, 1 << 32] {
        let mut index = vec![0i64; 3000];
        index[2222] = wrong;
        let at = place.upload(&index, 1);
        let mut out = place.poisoned::<u32>(3000, 0);
        let found = fault(Scan::new(Sum).run(device, Gather::of(&x).at(&at), &mut out));
        assert_eq!(found, Err(Error::Index { at: 2222, index: wrong.into(), len: 500 }));
        let mut total = place.poisoned::<u32>(1, 0);
        let found = fault(Reduce::new(Sum).run(device, Gather::of(&x).at(&at), &mut total));
        assert_eq!(found, Err(Error::Index { at: 2222, index: wrong.into(), len: 500 }));
        let ones = place.upload(&[1u32; 3000], 0);
        let mut room = place.poisoned::<u32>(500, 0);
        let found = fault(Scan::new(Sum).run(device, &ones, Scatter::to(&mut room).at(&at)));
        assert_eq!(found, Err(Error::Index { at: 2222, index: wrong.into(), len: 500 }));
        room.check_guards();
        // A call without a fault works afterwards.
        Scan::new(Sum).run(device, &ones, &mut out).unwrap();
        assert_eq!(out.check_guards()[2999], 3000);
    }
}

#[function]
fn mixed(#[param] by: u32, a: u32, b: u16) -> u32 {
    a * by + u32::from(b)
}
#[function]
fn of_mixed(x: u32, k: u32) -> Affine {
    Affine { m: x | 1, c: k }
}

/// Function of two inputs as an index, and as a second input.
fn inputs_applied(place: &Place) {
    for len in lens() {
        let (a, b) = (random_values::<u32>(len), random_values::<u16>(len));
        let table = random_values::<u32>(1 << 16);
        let value = |i: usize, by: u32| a[i].wrapping_mul(by).wrapping_add(u32::from(b[i]));
        let mapped: Vec<Affine> =
            (0..len).map(|i| Affine { m: table[usize::from(b[i]) ^ 1] | 1, c: value(i, 77) }).collect();
        let (table, a, b) = (place.upload(&table, 1), place.upload(&a, len % 3), place.upload(&b, len % 4));
        every_way(place, &mapped, OfMixed, || {
            (Gather::of(&table).at(Apply(Flipped, &b)), Apply(Mixed { by: 77 }, (&a, &b)))
        });
    }
}

#[function]
fn flipped(x: u16) -> u32 {
    u32::from(x ^ 1)
}

#[function]
fn twice(x: u32) -> (u32, u32) {
    (x, x)
}
