//! Scans and reductions of counted inputs: on CUDA the host does not know how many elements an earlier call selected.

use upsweep::Error;
use upsweep::prelude::*;
use upsweep_testing::operators::{Affine, Then};
use upsweep_testing::oracle::{self, Cut, Rule};
use upsweep_testing::place::Place;
use upsweep_testing::sample::random_values;
use upsweep_testing::{cuts, on_each_backend, sizes};

on_each_backend!(counts_scanned_and_reduced, counts_of_floats, counts_wrong);

#[function]
fn chosen(#[param] of: u32, x: Affine) -> bool {
    x.c % 16 < of
}

fn rule() -> Rule<Affine, Affine, Affine> {
    let combine =
        |f: Affine, g: Affine| Affine { m: g.m.wrapping_mul(f.m), c: g.m.wrapping_mul(f.c).wrapping_add(g.c) };
    Rule::new(combine, Some(Affine { m: 1, c: 0 }))
}

fn lens() -> Vec<usize> {
    [sizes::few(), if sizes::reduced() { vec![9000] } else { vec![33_000, 1_000_003] }].concat()
}

/// Inputs with none, some and all of the elements selected; with every cut but an axis.
fn counts_scanned_and_reduced(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let x = random_values::<Affine>(len);
        let input = place.upload(&x, 1);
        for of in [0, 1, 15, 16] {
            let kept: Vec<Affine> = x.iter().copied().filter(|x| x.c % 16 < of).collect();
            let mut some = place.poisoned::<Affine>(len, len % 3);
            let count = Select::new(Chosen { of }).run(device, &input, &mut some).unwrap();
            let n = kept.len();
            for (exclusive, reverse) in [(false, false), (true, true)] {
                let mut scan = Scan::new(Then);
                if exclusive {
                    scan = scan.exclusive();
                }
                if reverse {
                    scan = scan.reverse();
                }
                for cut in
                    [Cut::Whole, cuts::head_flags(len, 40), cuts::keys(len, 17), Cut::Offsets(cuts::offsets(n, n / 50))]
                {
                    let first = match &cut {
                        Cut::HeadFlags(flags) => Cut::HeadFlags(flags[..n].to_vec()),
                        Cut::Keys(keys) => Cut::Keys(keys[..n].to_vec()),
                        other => other.clone(),
                    };
                    let lines = first.lines(n);
                    let mut expected = oracle::scan(&kept, &lines, &rule(), None, exclusive, reverse);
                    let mut output = place.poisoned::<Affine>(len, 0);
                    expected.extend_from_slice(&output.check_guards()[n..]);
                    let reduced = oracle::reduce(&kept, &lines, &rule(), None);
                    let mut results = place.poisoned::<Affine>(reduced.len().max(1), 0);
                    let reduce = Reduce::new(Then);
                    let input = || count.of(&some);
                    match &cut {
                        Cut::HeadFlags(flags) => {
                            let flags = place.upload(flags, 0);
                            scan.segments(Segments::HeadFlags(&flags)).run(device, input(), &mut output).unwrap();
                            reduce.segments(Segments::HeadFlags(&flags)).run(device, input(), &mut results).unwrap();
                        }
                        Cut::Keys(keys) => {
                            let keys = place.upload(keys, 0);
                            scan.segments(Segments::Keys(&keys)).run(device, input(), &mut output).unwrap();
                            reduce.segments(Segments::Keys(&keys)).run(device, input(), &mut results).unwrap();
                        }
                        Cut::Offsets(offsets) => {
                            let offsets = place.upload(offsets, 0);
                            scan.segments(Segments::Offsets(&offsets)).run(device, input(), &mut output).unwrap();
                            reduce.segments(Segments::Offsets(&offsets)).run(device, input(), &mut results).unwrap();
                        }
                        _ => {
                            scan.run(device, input(), &mut output).unwrap();
                            reduce.run(device, input(), &mut results).unwrap();
                        }
                    }
                    let what = format!("{n} of {len} elements, {exclusive}, {reverse}, {cut:?}");
                    assert_eq!(output.check_guards(), expected, "scan of {what}");
                    assert_eq!(results.check_guards()[..reduced.len()], reduced, "reduction of {what}");
                }
            }
        }
    }
}

/// Sums of floats equal the sums of a call that knows the number, in a buffer that has room for more.
fn counts_of_floats(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let x: Vec<f32> = random_values::<u32>(len).iter().map(|x| (*x >> 7) as f32 / 3.0).collect();
        let input = place.upload(&x, 0);
        let mut room = place.poisoned::<f32>(2 * len + 4000, 0);
        let flags_of_room = [vec![true; len], vec![false; len + 4000]].concat();
        let all = place.upload(&flags_of_room, 0);
        let padded = place.upload(&[x.clone(), vec![0.5; len + 4000]].concat(), 0);
        let count = Select::flags(&all).run(device, &padded, &mut room).unwrap();
        let (mut told, mut known) = (place.poisoned::<f32>(1, 0), place.poisoned::<f32>(1, 0));
        Reduce::new(Sum).run(device, &input, &mut told).unwrap();
        Reduce::new(Sum).run(device, count.of(&room), &mut known).unwrap();
        assert_eq!(told.check_guards()[0].to_bits(), known.check_guards()[0].to_bits(), "{len} elements");
    }
}

/// Counts larger than the room, and options that need a shape.
fn counts_wrong(place: &Place) {
    let device = &place.device;
    let (x, mut some) = (place.upload(&[1u32; 5000], 0), place.poisoned::<u32>(5000, 0));
    let flags = place.upload(&[true; 5000], 0);
    let count = Select::flags(&flags).run(device, &x, &mut some).unwrap();
    let short = place.upload(&[1u32; 4999], 0);
    let mut out = place.poisoned::<u32>(4999, 0);
    let wrong = Err(Error::Capacity { what: "counted input", needed: 5000, capacity: 4999 });
    let found = Scan::new(Sum).run(device, count.of(&short), &mut out).and_then(|()| device.synchronize());
    assert_eq!(found, wrong);
    let mut total = place.poisoned::<u32>(1, 0);
    let found = Reduce::new(Sum).run(device, count.of(&short), &mut total).and_then(|()| device.synchronize());
    assert_eq!(found, wrong);
    let mut out = place.poisoned::<u32>(5000, 0);
    let rows = Scan::new(Sum).axis(&[50, 100], 1).run(device, count.of(&some), &mut out);
    assert!(matches!(rows, Err(Error::Options { .. })), "{rows:?}");
    let array = Scan::new(Sum).run_to_array::<_, u32>(device, count.of(&some)).map(drop);
    assert!(matches!(array, Err(Error::Options { .. })), "{array:?}");
    // Beside another input of the same room.
    Scan::new(Sum).map(Larger).run(device, (count.of(&some), 0..5000u32), &mut out).unwrap();
    assert_eq!(out.check_guards()[4999], (1..5000).map(|i: u32| i.max(1)).sum::<u32>() + 1);
    // Two columns of one count, and of two.
    let of_five = Select::new(Below { limit: 5 }).run(device, &place.upload(&[1u32, 5, 2], 0), &mut some).unwrap();
    let mut out = place.poisoned::<u32>(5000, 0);
    let columns = (of_five.of(&x), of_five.of(&x));
    Scan::new(Sum).map(Larger).run(device, columns, &mut out).unwrap();
    assert_eq!(out.check_guards()[..2], [1, 2]);
    let columns = (count.of(&x), of_five.of(&x));
    let two = Scan::new(Sum).map(Larger).run(device, columns, &mut out);
    assert!(matches!(two, Err(Error::Options { .. })), "{two:?}");
}

#[function]
fn below(#[param] limit: u32, x: u32) -> bool {
    x < limit
}

#[function]
fn larger(a: u32, b: u32) -> u32 {
    a.max(b)
}
