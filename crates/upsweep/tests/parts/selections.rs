//! Selections, partitions, equal neighbours and runs of an array in parts.

use crate::support::{cuts, keys, moved_to};
use upsweep::{Carry, Dedup, Device, Error, Partition, Runs, Select, function};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;

on_each_backend!(
    selected_parts,
    selected_columns,
    partitioned_parts,
    deduplicated_parts,
    deduplicated_bits,
    runs_of_parts,
    selections_element_by_element,
    selections_by_way_of_bytes,
    selections_that_are_refused,
    selections_of_far_parts,
);

#[function]
fn above(#[param] least: u32, x: u32) -> bool {
    x % 100 >= least
}

/// Stores the results of one part after another in new vectors: `$call` is a call on `$part` with a carry.
macro_rules! in_parts {
    ($place:expr, $rng:expr, $x:expr, $cuts:expr, |$range:ident, $part:ident, $carry:ident| $call:expr, ($($out:ident: $T:ty),+)) => {{
        $(let mut $out = Vec::<$T>::new();)+
        let mut $carry = Carry::new();
        for pair in $cuts.windows(2) {
            let $range = pair[0]..pair[1];
            let $part = $place.upload(&$x[$range.clone()], $rng.below(3));
            let room = $range.len() + $rng.below(2);
            let all = ($(&mut $out,)+);
            $(let mut $out = $place.poisoned::<$T>(room, $rng.below(3));)+
            let results = $call.unwrap();
            in_parts!(@append results, all, ($($out),+));
        }
        assert_eq!($carry.position(), $x.len() as u64);
        ($($out),+)
    }};
    (@append $results:ident, $all:ident, ($a:ident)) => {
        $results.append(&$a.check_guards(), $all.0).unwrap();
    };
    (@append $results:ident, $all:ident, ($a:ident, $b:ident)) => {
        $results.append(&$a.check_guards(), $all.0).unwrap();
        $results.append(&$b.check_guards(), $all.1).unwrap();
    };
}

const LENGTHS: [usize; 7] = [1, 2, 100, 4097, 20_000, 70_001, 150_000];

fn selected_parts(place: &Place) {
    let mut rng = Rng::new(1);
    for len in LENGTHS {
        let x: Vec<u32> = (0..len).map(|_| rng.next() as u32).collect();
        let flags: Vec<bool> = (0..len).map(|_| rng.below(3) == 0).collect();
        for least in [0, 50, 99, 100] {
            let cuts = cuts(&mut rng, len);
            let select = Select::new(Above { least });
            let expected: Vec<u32> = x.iter().copied().filter(|x| x % 100 >= least).collect();
            let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
                select.run_with_carry(&place.device, &part, &mut out, &mut carry)
            }, (out: u32));
            assert!(found == expected, "{len} elements from {least} cut at {cuts:?}");
            let expected: Vec<u64> = (0..len as u64).filter(|&i| x[i as usize] % 100 >= least).collect();
            let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
                select.indices().run_with_carry(&place.device, &part, &mut out, &mut carry)
            }, (out: u64));
            assert!(found == expected, "indices of {len} elements from {least} cut at {cuts:?}");
        }
        let cuts = cuts(&mut rng, len);
        let expected: Vec<i32> = (0..len as i32).filter(|&i| flags[i as usize]).collect();
        let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
            let flags = place.upload(&flags[range.clone()], 1);
            Select::flags(&flags).indices().run_with_carry(&place.device, &part, &mut out, &mut carry)
        }, (out: i32));
        assert!(found == expected, "indices by flags of {len} elements cut at {cuts:?}");
    }
}

#[function]
fn less(a: u32, b: u32) -> bool {
    a < b
}

/// A predicate of two columns: indices and pairs.
fn selected_columns(place: &Place) {
    let mut rng = Rng::new(2);
    let len = 9000;
    let (x, y): (Vec<u32>, Vec<u32>) = (0..len).map(|_| (rng.next() as u32, rng.next() as u32)).unzip();
    let cuts = cuts(&mut rng, len);
    let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
        let other = place.upload(&y[range.clone()], 0);
        Select::new(Less).indices().run_with_carry(&place.device, (&part, &other), &mut out, &mut carry)
    }, (out: u32));
    let expected: Vec<u32> = (0..len as u32).filter(|&i| x[i as usize] < y[i as usize]).collect();
    assert!(found == expected, "{cuts:?}");
    let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
        let other = place.upload(&y[range.clone()], 0);
        Select::new(Less).run_with_carry(&place.device, (&part, &other), &mut out, &mut carry)
    }, (out: (u32, u32)));
    let expected: Vec<(u32, u32)> = x.iter().copied().zip(y.iter().copied()).filter(|(a, b)| a < b).collect();
    assert!(found == expected, "{cuts:?}");
}

fn partitioned_parts(place: &Place) {
    let mut rng = Rng::new(3);
    for len in LENGTHS {
        let x: Vec<u32> = (0..len).map(|_| rng.next() as u32).collect();
        let least = [10, 50, 90][rng.below(3)];
        let cuts = cuts(&mut rng, len);
        let (mut values, mut places) = (<[Vec<u32>; 2]>::default(), <[Vec<u32>; 2]>::default());
        let (mut of_values, mut of_places) = (Carry::new(), Carry::new());
        for pair in cuts.windows(2) {
            let part = place.upload(&x[pair[0]..pair[1]], rng.below(3));
            let room = part_len(pair);
            let (mut yes, mut no) = (place.poisoned(room, 0), place.poisoned(room, 1));
            let partition = Partition::new(Above { least });
            let (selected, rejected) =
                partition.run_with_carry(&place.device, &part, (&mut yes, &mut no), &mut of_values).unwrap();
            selected.append(&yes.check_guards(), &mut values[0]).unwrap();
            rejected.append(&no.check_guards(), &mut values[1]).unwrap();
            let (mut yes, mut no) = (place.poisoned(room, 0), place.poisoned(room, 1));
            let partition = partition.indices();
            let (selected, rejected) =
                partition.run_with_carry(&place.device, &part, (&mut yes, &mut no), &mut of_places).unwrap();
            assert_eq!(rejected.first.get().unwrap(), places[1].len());
            selected.append(&yes.check_guards(), &mut places[0]).unwrap();
            rejected.append(&no.check_guards(), &mut places[1]).unwrap();
        }
        let [yes, no]: [Vec<u32>; 2] = x.iter().partition::<Vec<u32>, _>(|&x| x % 100 >= least).into();
        assert!(values == [yes, no], "{len} elements cut at {cuts:?}");
        let [yes, no]: [Vec<u32>; 2] =
            (0..len as u32).partition::<Vec<u32>, _>(|&i| x[i as usize] % 100 >= least).into();
        assert!(places == [yes, no], "indices of {len} elements cut at {cuts:?}");
    }
}

fn part_len(pair: &[usize]) -> usize {
    pair[1] - pair[0]
}

#[function]
fn ascends(a: u32, b: u32) -> bool {
    a <= b
}

/// Returns the runs of `x`: where they begin, and where they end.
fn runs_of(x: &[u32], same: impl Fn(u32, u32) -> bool) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for i in 0..x.len() {
        match runs.last_mut() {
            Some((_, end)) if same(x[i - 1], x[i]) => *end = i + 1,
            _ => runs.push((i, i + 1)),
        }
    }
    runs
}

fn deduplicated_parts(place: &Place) {
    let mut rng = Rng::new(4);
    for len in LENGTHS {
        for most in [1, 3, 500, 1 << 30] {
            let x = keys(&mut rng, len, most);
            let runs = runs_of(&x, |a, b| a == b);
            let cuts = cuts(&mut rng, len);
            let what = format!("{len} elements, runs to {most}, cut at {cuts:?}");
            let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
                Dedup::new().run_with_carry(&place.device, &part, &mut out, &mut carry)
            }, (out: u32));
            assert!(found.iter().copied().eq(runs.iter().map(|&(start, _)| x[start])), "{what}");
            let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
                Dedup::new().indices().run_with_carry(&place.device, &part, &mut out, &mut carry)
            }, (out: usize));
            assert!(found.iter().copied().eq(runs.iter().map(|&(start, _)| start)), "{what}");
            let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
                Dedup::new().last().indices().run_with_carry(&place.device, &part, &mut out, &mut carry)
            }, (out: i64));
            assert!(found.iter().copied().eq(runs.iter().map(|&(_, end)| end as i64 - 1)), "{what}");
        }
        let x: Vec<u32> = (0..len).map(|_| rng.next() as u32 % 4).collect();
        let runs = runs_of(&x, |a, b| a <= b);
        let cuts = cuts(&mut rng, len);
        let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
            Dedup::by(Ascends).run_with_carry(&place.device, &part, &mut out, &mut carry)
        }, (out: u32));
        assert!(found.iter().copied().eq(runs.iter().map(|&(start, _)| x[start])), "{cuts:?}");
        let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
            Dedup::by(Ascends).last().run_with_carry(&place.device, &part, &mut out, &mut carry)
        }, (out: u32));
        assert!(found.iter().copied().eq(runs.iter().map(|&(_, end)| x[end - 1])), "{cuts:?}");
    }
}

/// Values are moved bit by bit: the first of -0 and 0, and NaN with its payload, which goes on with nothing.
fn deduplicated_bits(place: &Place) {
    let bits = [0x8000_0000u32, 0, 0, 0x7fc0_0123, 0xffc0_0123, 0x3f80_0000, 0x3f80_0000];
    let x = bits.map(f32::from_bits);
    let mut rng = Rng::new(5);
    for step in 1..=7 {
        let mut cuts: Vec<usize> = (0..7).step_by(step).collect();
        cuts.push(7);
        let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
            Dedup::new().run_with_carry(&place.device, &part, &mut out, &mut carry)
        }, (out: f32));
        assert_eq!(found.into_iter().map(f32::to_bits).collect::<Vec<_>>(), [bits[0], bits[3], bits[4], bits[5]]);
    }
}

fn runs_of_parts(place: &Place) {
    let mut rng = Rng::new(6);
    for len in LENGTHS {
        for most in [1, 3, 500, 1 << 30] {
            let x = keys(&mut rng, len, most);
            let runs = runs_of(&x, |a, b| a == b);
            let cuts = cuts(&mut rng, len);
            let what = format!("{len} elements, runs to {most}, cut at {cuts:?}");
            let values: Vec<u32> = runs.iter().map(|&(start, _)| x[start]).collect();
            let lengths: Vec<u32> = runs.iter().map(|&(start, end)| (end - start) as u32).collect();
            let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
                Runs::new().run_with_carry(&place.device, &part, (&mut a, &mut b), &mut carry)
            }, (a: u32, b: u32));
            assert!(found == (values.clone(), lengths), "{what}");
            let starts: Vec<u64> = runs.iter().map(|&(start, _)| start as u64).collect();
            let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
                Runs::new().starts().run_with_carry(&place.device, &part, (&mut a, &mut b), &mut carry)
            }, (a: u32, b: u64));
            assert!(found == (values, starts), "{what}");
        }
        let x: Vec<u32> = (0..len).map(|_| rng.next() as u32 % 4).collect();
        let runs = runs_of(&x, |a, b| a <= b);
        let cuts = cuts(&mut rng, len);
        let found = in_parts!(place, rng, x, cuts, |range, part, carry| {
            Runs::by(Ascends).run_with_carry(&place.device, &part, (&mut a, &mut b), &mut carry)
        }, (a: u32, b: i64));
        let expected = runs.iter().map(|&(start, end)| (x[start], (end - start) as i64)).unzip();
        assert!(found == expected, "{cuts:?}");
    }
}

fn selections_element_by_element(place: &Place) {
    let mut rng = Rng::new(7);
    let x = keys(&mut rng, 50, 4);
    let (single, whole): (Vec<usize>, _) = ((0..=50).collect(), [0, 50]);
    let of = |rng: &mut Rng, cuts: &[usize]| {
        let runs = in_parts!(place, rng, x, cuts, |range, part, carry| {
            Dedup::new().counts().run_with_carry(&place.device, &part, (&mut a, &mut b), &mut carry)
        }, (a: u32, b: usize));
        let odd = in_parts!(place, rng, x, cuts, |range, part, carry| {
            Select::new(Above { least: 10 }).indices().run_with_carry(&place.device, &part, &mut out, &mut carry)
        }, (out: u32));
        (runs, odd)
    };
    assert_eq!(of(&mut rng, &single), of(&mut rng, &whole));
}

/// A carry becomes bytes after each part, and goes on from them, on the host and here in turns.
fn selections_by_way_of_bytes(place: &Place) {
    let mut rng = Rng::new(8);
    let x = keys(&mut rng, 9000, 400);
    let (mut found, mut bytes) = (<(Vec<u32>, Vec<u32>)>::default(), Carry::new().to_bytes().unwrap());
    for (turn, range) in [0..1, 1..2000, 2000..2000, 2000..2001, 2001..9000].into_iter().enumerate() {
        let mut carry = Carry::from_bytes(&bytes).unwrap();
        let (mut values, mut lengths) = (vec![0; range.len()], vec![0; range.len()]);
        let results = if turn % 2 == 0 {
            let part = place.upload(&x[range.clone()], 0);
            let (mut a, mut b) = (place.poisoned(range.len(), 0), place.poisoned(range.len(), 0));
            let results = Runs::new().run_with_carry(&place.device, &part, (&mut a, &mut b), &mut carry).unwrap();
            (values, lengths) = (a.check_guards(), b.check_guards());
            results
        } else {
            Runs::new().run_with_carry(&Device::cpu(), &x[range], (&mut values, &mut lengths), &mut carry).unwrap()
        };
        results.append(&values, &mut found.0).unwrap();
        results.append(&lengths, &mut found.1).unwrap();
        bytes = carry.to_bytes().unwrap();
    }
    let runs = runs_of(&x, |a, b| a == b);
    assert_eq!(found, runs.iter().map(|&(start, end)| (x[start], (end - start) as u32)).unzip());
    for len in 0..bytes.len() {
        assert!(matches!(Carry::from_bytes(&bytes[..len]), Err(Error::Carry { .. })), "{len} bytes");
    }
}

fn selections_that_are_refused(place: &Place) {
    let x = place.upload(&[1u32, 150, 150, 250], 0);
    let mut out = place.poisoned::<u32>(4, 0);
    let select = Select::new(Above { least: 50 });
    let mut carry = Carry::new();
    select.run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    let refused = |result: Result<upsweep::carry::Results, Error>, word: &str| {
        let Err(Error::Carry { reason }) = result else { panic!("a carry of another call: {result:?}") };
        assert!(reason.contains(word), "{reason}");
    };
    // The same types, and another call.
    refused(Select::new(Less2).run_with_carry(&place.device, &x, &mut out, &mut carry), "Less2");
    refused(select.indices().run_with_carry(&place.device, &x, &mut out, &mut carry), "indices of u32");
    refused(Dedup::new().run_with_carry(&place.device, &x, &mut out, &mut carry), "the first of equal neighbours");
    let mut no = place.poisoned::<u32>(4, 0);
    let both = Partition::new(Above { least: 50 });
    let both = both.run_with_carry(&place.device, &x, (&mut out, &mut no), &mut carry);
    refused(both.map(|(selected, _)| selected), "a partition");
    let mut of_first = Carry::new();
    Dedup::new().run_with_carry(&place.device, &x, &mut out, &mut of_first).unwrap();
    refused(Dedup::new().last().run_with_carry(&place.device, &x, &mut out, &mut of_first), "the last");
    let mut of_runs = Carry::new();
    Runs::new().run_with_carry(&place.device, &x, (&mut out, &mut no), &mut of_runs).unwrap();
    let starts = Runs::new().starts();
    refused(starts.run_with_carry(&place.device, &x, (&mut out, &mut no), &mut of_runs), "the lengths of runs");
    let length =
        Runs::new().run_with_carry(&place.device, &x, (&mut out, &mut place.poisoned::<u32>(3, 0)), &mut of_runs);
    assert!(matches!(length, Err(Error::Length { what: "second output", found: 3, expected: 4 })), "{length:?}");
    // After an error the carry is as before, and values that a function holds may be others.
    let results = Select::new(Above { least: 0 }).run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    assert_eq!((results.first.get(), results.len.get(), carry.position()), (Ok(3), Ok(4), 8));
}

#[function]
fn less2(x: u32) -> bool {
    x < 2
}

/// Indices count on from any position, and a type that cannot hold them is an error.
fn selections_of_far_parts(place: &Place) {
    let x = place.upload(&[1u32, 150, 150, 250], 0);
    let select = Select::new(Above { least: 50 }).indices();
    let mut carry = Carry::new();
    let mut out = place.poisoned::<i32>(4, 0);
    select.run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    let mut near = moved_to(&carry, (1 << 31) - 4);
    let results = select.run_with_carry(&place.device, &x, &mut out, &mut near).unwrap();
    assert_eq!(out.check_guards()[..3], [i32::MAX - 2, i32::MAX - 1, i32::MAX]);
    assert_eq!(results.first.get(), Ok(3));
    let far = select.run_with_carry(&place.device, &x, &mut out, &mut near);
    assert!(matches!(far, Err(Error::Options { options: "indices", .. })), "{far:?}");
    let (mut out, mut carry) = (place.poisoned::<u64>(4, 0), Carry::new());
    select.run_with_carry(&place.device, &x, &mut out, &mut carry).unwrap();
    select.run_with_carry(&place.device, &x, &mut out, &mut moved_to(&carry, 1 << 40)).unwrap();
    assert_eq!(out.check_guards()[..3], [1, 2, 3].map(|i| (1 << 40) + i));
}
