//! Cases of partitions: the selected elements, then the rejected ones.

use crate::support::place::Place;
use crate::support::sample::random_values;
use crate::support::sizes;
use crate::support::{Odd, SPREADS, Spread, chosen, expect_beginning, kept, lengths, on_each_backend, with_low_bit};
use upsweep::Error;
use upsweep::prelude::*;

on_each_backend! {
    the_seeds_split,
    behind,
    apart,
    apart_by_flags,
    partition_indices,
    a_count_is_the_length,
    too_little_room_apart,
    past_caches,
    many_ways,
    ways_of_two_columns,
    ways_that_do_not_fit,
}

/// Split of Blelloch's radix sort: elements with a 0 bit first, then those with a 1 bit.
fn the_seeds_split(place: &Place) {
    let x = [5u32, 7, 3, 1, 4, 2, 7, 2];
    let flags = place.upload(&x.map(|x| x % 2 == 0), 1);
    let mut output = place.poisoned::<u32>(8, 0);
    let zeros = Partition::flags(&flags).run(&place.device, &place.upload(&x, 0), &mut output).unwrap();
    assert_eq!((zeros.get(), output.check_guards()), (Ok(3), vec![4, 2, 2, 5, 7, 3, 1, 7]));
}

fn not(keep: &[bool]) -> Vec<bool> {
    keep.iter().map(|keep| !keep).collect()
}

fn behind(place: &Place) {
    for (i, len) in lengths(4).into_iter().enumerate() {
        let spread = SPREADS[i % SPREADS.len()];
        let keep = kept(spread, len);
        let x = with_low_bit(&keep);
        let (input, mut output) = (place.upload(&x, i % 3), place.poisoned(len, i % 2));
        let count = Partition::new(Odd).run(&place.device, &input, &mut output).unwrap();
        let mut expected = chosen(&x, &keep);
        assert_eq!(count.get(), Ok(expected.len()));
        expected.extend(chosen(&x, &not(&keep)));
        expect_beginning(&output, &expected, &format!("{spread:?} of {len}"));
    }
    let mut short = place.poisoned::<u32>(9, 0);
    let error = Partition::new(Odd).run(&place.device, &place.upload(&[1u32; 10], 0), &mut short).map(drop);
    assert_eq!(error, Err(Error::Length { what: "output", found: 9, expected: 10 }));
}

fn apart(place: &Place) {
    for len in lengths(4) {
        for spread in [Spread::All, Spread::None, Spread::Half, Spread::Runs] {
            let keep = kept(spread, len);
            let x = with_low_bit(&keep);
            let (yes, no) = (chosen(&x, &keep), chosen(&x, &not(&keep)));
            let input = place.upload(&x, 0);
            let (mut some, mut rest) = (place.poisoned(yes.len(), len % 3), place.poisoned(no.len() + 2, len % 5));
            let count = Partition::new(Odd).run(&place.device, &input, (&mut some, &mut rest)).unwrap();
            let case = format!("{spread:?} of {len}");
            assert_eq!(count.get(), Ok(yes.len()), "{case}");
            expect_beginning(&some, &yes, &case);
            expect_beginning(&rest, &no, &case);
        }
    }
}

fn apart_by_flags(place: &Place) {
    macro_rules! check {
        ($($ty:ty),*) => { $(for len in sizes::large(size_of::<$ty>()).into_iter().step_by(3) {
            let (x, keep) = (random_values::<$ty>(len), kept(Spread::Half, len));
            let (input, flags) = (place.upload(&x, 1), place.upload(&keep, len % 7));
            let (mut some, mut rest) = (place.poisoned(len, 0), place.poisoned(len, 1));
            Partition::flags(&flags).run(&place.device, &input, (&mut some, &mut rest)).unwrap();
            expect_beginning(&some, &chosen(&x, &keep), &format!("{len} of {}", stringify!($ty)));
            expect_beginning(&rest, &chosen(&x, &not(&keep)), &format!("{len} of {}", stringify!($ty)));
        })* };
    }
    check! { u8, u16, u64, (u8, u8, u8), [u32; 3], u128 }
}

fn partition_indices(place: &Place) {
    for len in [0, 1, 4097, 50_000] {
        let keep = kept(Spread::Half, len);
        let input = place.upload(&with_low_bit(&keep), 0);
        let all: Vec<u64> = (0..len as u64).collect();
        let mut output = place.poisoned::<u64>(len, 0);
        Partition::new(Odd).indices().run(&place.device, &input, &mut output).unwrap();
        let expected: Vec<u64> = [chosen(&all, &keep), chosen(&all, &not(&keep))].concat();
        expect_beginning(&output, &expected, &format!("indices of {len}"));
    }
}

fn a_count_is_the_length(place: &Place) {
    for len in [0, 1000, 60_000] {
        let keep = kept(Spread::Half, len);
        let x = with_low_bit(&keep);
        let (input, mut odd) = (place.upload(&x, 0), place.poisoned::<u32>(len, 0));
        let count = Select::new(Odd).run(&place.device, &input, &mut odd).unwrap();
        let mut output = place.poisoned::<u32>(len, 0);
        let again =
            Partition::new(crate::support::Below { bound: 1 << 31 }).run(&place.device, &count.of(&odd), &mut output);
        let (low, high): (Vec<u32>, Vec<u32>) = chosen(&x, &keep).into_iter().partition(|&x| x < 1 << 31);
        assert_eq!(again.unwrap().get(), Ok(low.len()));
        expect_beginning(&output, &[low, high].concat(), &format!("{len}"));
    }
}

fn too_little_room_apart(place: &Place) {
    let keep = kept(Spread::Half, 30_000);
    let x = with_low_bit(&keep);
    let (yes, no) = (chosen(&x, &keep), chosen(&x, &not(&keep)));
    let input = place.upload(&x, 0);
    for (some_room, rest_room) in [(yes.len(), no.len() - 1), (yes.len(), 0), (yes.len() - 1, no.len())] {
        let (mut some, mut rest) = (place.poisoned(some_room, 0), place.poisoned(rest_room, 0));
        let result = Partition::new(Odd).run(&place.device, &input, (&mut some, &mut rest));
        let error = result.and_then(|count| count.get());
        let wanted = if some_room < yes.len() {
            Error::Capacity { what: "output", needed: yes.len(), capacity: some_room }
        } else {
            Error::Capacity { what: "second output", needed: no.len(), capacity: rest_room }
        };
        assert_eq!(error, Err(wanted));
        expect_beginning(&some, &yes[..some_room], "too little room");
        expect_beginning(&rest, &no[..rest_room], "too little room");
    }
}

fn past_caches(place: &Place) {
    for len in sizes::past_caches(4) {
        let keep = kept(Spread::Half, len);
        let x = with_low_bit(&keep);
        let (input, mut output) = (place.upload(&x, 1), place.poisoned(len, 3));
        Partition::new(Odd).run(&place.device, &input, &mut output).unwrap();
        let expected = [chosen(&x, &keep), chosen(&x, &not(&keep))].concat();
        expect_beginning(&output, &expected, &format!("{len}"));
    }
}

#[function]
fn remainder(#[param] by: u32, x: u32) -> u16 {
    (x % by) as u16
}

#[function]
fn upper_byte(x: u32) -> u8 {
    (x >> 24) as u8
}

#[function]
fn sum_of_two(a: u8, b: u16) -> u8 {
    a.wrapping_add(b as u8) % 7
}

/// Positions of elements by their buckets, and the begin of each bucket and of the elements in none.
fn by_ways(numbers: &[usize], ways: usize) -> (Vec<usize>, Vec<u64>) {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by_key(|&i| numbers[i]);
    let offsets = (0..=ways).map(|way| numbers.iter().filter(|&&number| number < way).count() as u64).collect();
    (order, offsets)
}

fn many_ways(place: &Place) {
    for (i, len) in lengths(4).into_iter().enumerate() {
        let x = random_values::<u32>(len);
        let input = place.upload(&x, i % 3);
        // In turn; the last one puts elements behind all ways.
        for (by, ways) in [(1, 1), (3, 3), (256, 256), (1000, 1000), (50, 20)].into_iter().skip(i % 3).step_by(3) {
            let numbers: Vec<_> = x.iter().map(|x| (x % by) as usize).collect();
            let (order, expected) = by_ways(&numbers, ways);
            let partition = Partition::ways(Remainder { by }, ways);
            let (mut output, mut offsets) = (place.poisoned(len, i % 2), place.poisoned::<u64>(ways + 1, 1));
            partition.run(&place.device, &input, &mut output, &mut offsets).unwrap();
            assert_eq!(offsets.check_guards(), expected, "{len} by {by} in {ways}");
            assert_eq!(
                output.check_guards(),
                order.iter().map(|&i| x[i]).collect::<Vec<_>>(),
                "{len} by {by} in {ways}"
            );
            let (mut output, mut offsets) = (place.poisoned::<u32>(len, 0), place.poisoned::<u32>(ways + 1, 0));
            partition.indices().run(&place.device, &input, &mut output, &mut offsets).unwrap();
            assert_eq!(offsets.check_guards(), expected.iter().map(|&at| at as u32).collect::<Vec<_>>());
            assert_eq!(output.check_guards(), order.iter().map(|&i| i as u32).collect::<Vec<_>>());
        }
        let numbers: Vec<_> = x.iter().map(|x| (x >> 24) as usize).collect();
        let (order, expected) = by_ways(&numbers, 256);
        let (mut output, mut offsets) = (place.poisoned(len, 0), place.poisoned::<u64>(257, 0));
        Partition::ways(UpperByte, 256).run(&place.device, &input, &mut output, &mut offsets).unwrap();
        assert_eq!((output.check_guards(), offsets.check_guards()), (order.iter().map(|&i| x[i]).collect(), expected));
    }
}

fn ways_of_two_columns(place: &Place) {
    let (a, b) = (random_values::<u8>(5000), random_values::<u16>(5000));
    let numbers: Vec<_> = a.iter().zip(&b).map(|(a, b)| (a.wrapping_add(*b as u8) % 7) as usize).collect();
    let (order, expected) = by_ways(&numbers, 7);
    let (a, b) = (place.upload(&a, 1), place.upload(&b, 2));
    let (mut output, mut offsets) = (place.poisoned::<u64>(5000, 0), place.poisoned::<u64>(8, 0));
    Partition::ways(SumOfTwo, 7).indices().run(&place.device, (&a, &b), &mut output, &mut offsets).unwrap();
    assert_eq!(offsets.check_guards(), expected);
    assert_eq!(output.check_guards(), order.iter().map(|&i| i as u64).collect::<Vec<_>>());
}

fn ways_that_do_not_fit(place: &Place) {
    let input = place.upload(&[3u32, 1], 0);
    let run = |ways: usize, offsets: usize, room: usize| {
        let (mut output, mut offsets) = (place.poisoned(room, 0), place.poisoned::<u32>(offsets, 0));
        Partition::ways(UpperByte, ways).run(&place.device, &input, &mut output, &mut offsets)
    };
    assert_eq!(run(3, 3, 2), Err(Error::Length { what: "offsets", found: 3, expected: 4 }));
    assert_eq!(run(0, 1, 2), Err(Error::Bins { bins: 0, most: 1 << 20 }));
    assert_eq!(run(3, 4, 1), Err(Error::Length { what: "output", found: 1, expected: 2 }));
}
