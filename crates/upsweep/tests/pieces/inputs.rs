//! What stands as an input beside a buffer, and where results go beside one: each with every cut, direction and start, against
//! the oracle over the mapped values.

use crate::support::check::Start;
use crate::support::cuts::one_of_each;
use crate::support::operators::{Affine, Then};
use crate::support::oracle::{self, Cut, Rule};
use crate::support::place::Place;
use crate::support::random::Rng;
use crate::support::sample::random_values;
use crate::support::{on_each_backend, sizes};
use upsweep::operator::{Map, MapWith};
use upsweep::prelude::*;
use upsweep::{Error, Inputs, Result};

on_each_backend!(
    inputs_two_buffers,
    inputs_three_of_odd_sizes,
    inputs_computed,
    inputs_gathered,
    inputs_four_of_all_kinds,
    outputs_side_by_side,
    outputs_scattered,
    inputs_applied,
    outputs_with_total,
    inputs_wrong,
);

fn rule() -> Rule<Affine, Affine, Affine> {
    let combine =
        |f: Affine, g: Affine| Affine { m: g.m.wrapping_mul(f.m), c: g.m.wrapping_mul(f.c).wrapping_add(g.c) };
    Rule::new(combine, Some(Affine { m: 1, c: 0 }))
}

/// A call with a cut: `$run!(options, arguments..)`.
macro_rules! with_cut {
    ($place:expr, $cut:expr, |$make:ident| $run:expr) => {
        match $cut {
            Cut::Whole => {
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder
                    };
                }
                $run
            }
            Cut::Axis(shape, axis) => {
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder.axis(shape, *axis)
                    };
                }
                $run
            }
            Cut::HeadFlags(flags) => {
                let flags = $place.upload(flags, 1);
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder.segments(Segments::HeadFlags(&flags))
                    };
                }
                $run
            }
            Cut::Keys(keys) => {
                let keys = $place.upload(keys, 1);
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder.segments(Segments::Keys(&keys))
                    };
                }
                $run
            }
            Cut::Offsets(offsets) => {
                let offsets = $place.upload(offsets, 0);
                macro_rules! $make {
                    ($builder:expr) => {
                        $builder.segments(Segments::Offsets(&offsets))
                    };
                }
                $run
            }
        }
    };
}

/// Scans and reduces `input`, whose map makes `mapped` of it, in every way.
fn every_way<'x, X, F>(place: &Place, mapped: &[Affine], map: F, input: impl Fn() -> X)
where
    X: Inputs<'x>,
    F: Copy,
    MapWith<F>: Map<X::Value, X::Args, Output = Affine>,
{
    let (len, device, init) = (mapped.len(), &place.device, Affine { m: 5, c: 6 });
    let starts = [Start::Nothing, Start::Value(init), Start::Buffer(init)];
    for (number, cut) in one_of_each(len).into_iter().enumerate() {
        let lines = cut.lines(len);
        let start = starts[(number + len) % 3];
        let first = place.upload(&[init], 0);
        let begins = (!matches!(start, Start::Nothing)).then_some(init);
        for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut scan = Scan::new(Then).map(map);
            if exclusive {
                scan = scan.exclusive();
            }
            if reverse {
                scan = scan.reverse();
            }
            let expected = oracle::scan(mapped, &lines, &rule(), begins, exclusive, reverse);
            let mut output = place.poisoned::<Affine>(len, len % 3);
            with_cut!(place, &cut, |cut| match start {
                Start::Nothing => cut!(scan).run(device, input(), &mut output),
                Start::Value(init) => cut!(scan).init(init).run(device, input(), &mut output),
                Start::Buffer(_) => cut!(scan).init_from(&first).run(device, input(), &mut output),
            })
            .unwrap();
            assert_eq!(output.check_guards(), expected, "{cut:?}, {start:?}, {exclusive}, {reverse}, {len} elements");
        }
        let expected = oracle::reduce(mapped, &lines, &rule(), begins);
        let reduce = Reduce::new(Then).map(map);
        let mut output = place.poisoned::<Affine>(expected.len(), len % 3);
        with_cut!(place, &cut, |cut| match start {
            Start::Nothing => cut!(reduce).run(device, input(), &mut output),
            Start::Value(init) => cut!(reduce).init(init).run(device, input(), &mut output),
            Start::Buffer(_) => cut!(reduce).init_from(&first).run(device, input(), &mut output),
        })
        .unwrap();
        assert_eq!(output.check_guards(), expected, "reduced by {cut:?}, {start:?}, {len} elements");
    }
}

fn lens() -> Vec<usize> {
    [sizes::few(), if sizes::reduced() { vec![9000] } else { vec![33_000, 200_003] }].concat()
}

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
        let words = random_values::<u8>(len.div_ceil(8));
        for outside in [None, Some(12345)] {
            let at = |i: usize| x[i];
            let mapped: Vec<Affine> = (0..len)
                .map(|i| {
                    let end = outside.unwrap_or(x[i]);
                    let before = if i > 0 { at(i - 1) } else { end };
                    let after = if i + 1 < len { at(i + 1) } else { end };
                    let set = words[i / 8] >> (i % 8) & 1 == 1;
                    let c = (x[i] ^ after).wrapping_add((i as u32).wrapping_mul(u32::from(small[i])));
                    Affine { m: if set { before | 1 } else { 3 }, c }
                })
                .collect();
            let (x, small, words) = (place.upload(&x, 1), place.upload(&small, 3), place.upload(&words, 1));
            every_way(place, &mapped, OfAll, || {
                let near = Neighbours::of(&x);
                let near = if let Some(outside) = outside { near.outside(outside) } else { near };
                (near, Bits::of(&words, len), 0..len as u32, &small)
            });
        }
    }
}

#[function]
fn apart(x: Affine) -> (u64, u8, u32) {
    (u64::from(x.m) << 20, x.c as u8, x.c)
}

/// Three outputs of other sizes, each as its own results are; scans with every cut, and reductions.
fn outputs_side_by_side(place: &Place) {
    for len in lens() {
        let x = random_values::<Affine>(len);
        let input = place.upload(&x, len % 2);
        for (number, cut) in one_of_each(len).into_iter().enumerate() {
            let lines = cut.lines(len);
            let (exclusive, reverse) = (number % 2 == 1, number % 3 == 1);
            let mut scan = Scan::new(Then).finish(Apart);
            if exclusive {
                scan = scan.exclusive();
            }
            if reverse {
                scan = scan.reverse();
            }
            let expected = oracle::scan(&x, &lines, &rule(), None, exclusive, reverse);
            let skew = len % 3;
            let (mut a, mut b, mut c) =
                (place.poisoned::<u64>(len, skew), place.poisoned::<u8>(len, 0), place.poisoned::<u32>(len, 0));
            with_cut!(place, &cut, |cut| cut!(scan).run(&place.device, &input, (&mut a, &mut b, &mut c))).unwrap();
            let check = |found: (Vec<u64>, Vec<u8>, Vec<u32>), expected: &[Affine], what: &str| {
                let expected: Vec<_> = expected.iter().map(|x| apart(*x)).collect();
                let found: Vec<_> =
                    found.0.into_iter().zip(found.1).zip(found.2).map(|((a, b), c)| (a, b, c)).collect();
                assert_eq!(found, expected, "{what} {cut:?}, {len} elements, {exclusive}, {reverse}");
            };
            check((a.check_guards(), b.check_guards(), c.check_guards()), &expected, "scan");
            let expected = oracle::reduce(&x, &lines, &rule(), None);
            let results = expected.len();
            let (mut a, mut b, mut c) = (
                place.poisoned::<u64>(results, 0),
                place.poisoned::<u8>(results, 1),
                place.poisoned::<u32>(results, skew),
            );
            let reduce = Reduce::new(Then).finish(Apart);
            with_cut!(place, &cut, |cut| cut!(reduce).run(&place.device, &input, (&mut a, &mut b, &mut c))).unwrap();
            check((a.check_guards(), b.check_guards(), c.check_guards()), &expected, "reduction");
        }
    }
}

/// Results at the places of a permutation in a larger output, beside one in order.
fn outputs_scattered(place: &Place) {
    for len in lens() {
        let x = random_values::<u32>(len);
        let room = len + 7;
        let mut places: Vec<u64> = (0..room as u64).collect();
        let mut rng = Rng::new(len as u64);
        for i in (1..room).rev() {
            places.swap(i, rng.below(i + 1));
        }
        places.truncate(len);
        let mut sum = 0u32;
        let sums: Vec<u32> = x.iter().map(|x| (sum = sum.wrapping_add(*x), sum).1).collect();
        let (input, at) = (place.upload(&x, 1), place.upload(&places, 0));
        let mut output = place.poisoned::<u32>(room, 1);
        let poison = output.check_guards();
        Scan::new(Sum).run(&place.device, &input, Scatter::to(&mut output).at(&at)).unwrap();
        let mut expected = poison;
        for (place, sum) in places.iter().zip(&sums) {
            expected[*place as usize] = *sum;
        }
        assert_eq!(output.check_guards(), expected, "{len} elements");

        // Backwards, beside one in order: the places are a range and need no memory.
        let (mut backward, mut forward) = (place.poisoned::<u32>(len, 0), place.poisoned::<u32>(len, 0));
        let mut numbers: Vec<u32> = (0..len as u32).rev().collect();
        let reversed = place.upload(&numbers, 0);
        let outputs = (Scatter::to(&mut backward).at(&reversed), &mut forward);
        Scan::new(Sum).finish(Twice).run(&place.device, &input, outputs).unwrap();
        numbers.clear();
        assert_eq!(forward.check_guards(), sums);
        assert_eq!(backward.check_guards().into_iter().rev().collect::<Vec<_>>(), sums);
    }
}

#[function]
fn twice(x: u32) -> (u32, u32) {
    (x, x)
}

#[function]
fn first_of(a: u32, b: u32) -> u32 {
    a + 0 * b
}

/// Lengths that differ, what has none, and indices that name nothing: at the first position, and nothing is touched outside.
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

/// A function of two inputs as an index, and as an input beside it.
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

/// One result more: the total, also of nothing, with a start, a carry and a finish, in order and apart.
fn outputs_with_total(place: &Place) {
    for len in lens() {
        let x = random_values::<Affine>(len);
        let input = place.upload(&x, len % 3);
        let init = Affine { m: 3, c: 4 };
        for (exclusive, reverse, begins) in
            [(true, false, None), (false, false, None), (true, true, Some(init)), (false, true, Some(init))]
        {
            let mut scan = Scan::new(Then).with_total();
            if exclusive {
                scan = scan.exclusive();
            }
            if reverse {
                scan = scan.reverse();
            }
            let lines = Cut::Whole.lines(len);
            let mut expected = oracle::scan(&x, &lines, &rule(), begins, exclusive, reverse);
            let last = if reverse { 0 } else { len.saturating_sub(1) };
            let inclusive = oracle::scan(&x, &lines, &rule(), begins, false, reverse);
            expected.push(inclusive.get(last).copied().or(begins).unwrap_or(Affine { m: 1, c: 0 }));
            let mut output = place.poisoned::<Affine>(len + 1, len % 2);
            let mut carry = place.poisoned::<Affine>(1, 0);
            match begins {
                None => scan.run(&place.device, &input, &mut output),
                Some(init) => scan.init(init).run_with_carry(&place.device, &input, &mut output, &mut carry),
            }
            .unwrap();
            assert_eq!(output.check_guards(), expected, "{len} elements, {exclusive}, {reverse}");
            if begins.is_some() {
                assert_eq!(carry.check_guards()[0], expected[len]);
            }
            let (mut m, mut c) = (place.poisoned::<u32>(len + 1, 1), place.poisoned::<u32>(len + 1, 0));
            if begins.is_none() {
                scan.finish(Fields).run(&place.device, &input, (&mut m, &mut c)).unwrap();
                let found: Vec<_> =
                    m.check_guards().into_iter().zip(c.check_guards()).map(|(m, c)| Affine { m, c }).collect();
                assert_eq!(found, expected, "{len} elements apart");
            }
        }
    }
    let ones = place.upload(&[1u32; 6], 0);
    let scan = Scan::new(Sum).with_total();
    let mut out = place.poisoned::<u32>(6, 0);
    let short = scan.run(&place.device, &ones, &mut out);
    assert_eq!(short, Err(Error::Length { what: "output", found: 6, expected: 7 }));
    let mut out = place.poisoned::<u32>(7, 0);
    let rows = scan.axis(&[2, 3], 1).run(&place.device, &ones, &mut out);
    assert!(matches!(rows, Err(Error::Options { .. })), "{rows:?}");
}

#[function]
fn fields(x: Affine) -> (u32, u32) {
    (x.m, x.c)
}
