//! Cases of expansions.

use crate::dedups::in_runs;
use crate::support::place::Place;
use crate::support::random::Rng;
use crate::support::sample::random_values;
use crate::support::{expect_beginning, lengths, on_each_backend, sizes};
use upsweep::Error;
use upsweep::prelude::*;

on_each_backend! { the_seeds_example, owners_and_ranks, uneven_counts, values_of_each_size, too_many_results, counts_of_counts, expand_refused, runs_and_back, sums_past_64_bits }

/// Owner and rank of each result.
fn expanded(counts: &[u32]) -> (Vec<u32>, Vec<u64>) {
    let of = |(owner, &count): (usize, &u32)| (0..u64::from(count)).map(move |rank| (owner as u32, rank));
    counts.iter().enumerate().flat_map(of).unzip()
}

fn the_seeds_example(place: &Place) {
    let counts = place.upload(&[2u32, 0, 3], 0);
    let (mut owners, mut ranks) = (place.poisoned::<u32>(7, 1), place.poisoned::<u64>(5, 0));
    let total = Expand::new().run(&place.device, &counts, &mut owners).unwrap();
    Expand::new().ranks().run(&place.device, &counts, &mut ranks).unwrap();
    assert_eq!(total.get(), Ok(5));
    expect_beginning(&owners, &[0, 0, 2, 2, 2], "owners");
    expect_beginning(&ranks, &[0, 1, 0, 1, 2], "ranks");
    let mut offsets = place.poisoned::<u32>(4, 0);
    Scan::new(Sum).exclusive().with_total().run(&place.device, &counts, &mut offsets).unwrap();
    expect_beginning(&offsets, &[0, 2, 2, 5], "offsets");
}

fn check(place: &Place, counts: &[u32], case: &str) {
    let input = place.upload(counts, counts.len() % 4);
    let (owners, ranks) = expanded(counts);
    let spare = owners.len() % 5;
    let mut found = place.poisoned::<u32>(owners.len() + spare, spare);
    let total = Expand::new().run(&place.device, &input, &mut found).unwrap();
    assert_eq!(total.get(), Ok(owners.len()), "{case}");
    expect_beginning(&found, &owners, &format!("owners of {case}"));
    let mut found = place.poisoned::<u64>(ranks.len(), 0);
    Expand::new().ranks().run(&place.device, &input, &mut found).unwrap();
    expect_beginning(&found, &ranks, &format!("ranks of {case}"));
}

fn owners_and_ranks(place: &Place) {
    let mut rng = Rng::new(1);
    for len in lengths(4).into_iter().filter(|len| *len < 1 << 20) {
        for most in [1, 2, 9] {
            let counts: Vec<u32> = (0..len).map(|_| rng.below(most + 1) as u32).collect();
            check(place, &counts, &format!("{len} counts up to {most}"));
        }
    }
}

/// Uneven counts: long stretches of counts of 0, one count that is nearly all, and both. Results must lie where they
/// belong. On a GPU a tile has 3,072 counts, a window 4,096 results, and a tile of more than 32,768 results is stored
/// by several blocks.
fn uneven_counts(place: &Place) {
    for len in [1, 2, 3072, 3073, 20_000] {
        for large in [0, 1, 4097, 32_769, 100_000] {
            for at in [0, len / 2, len - 1] {
                let mut counts = vec![0; len];
                counts[at] = large;
                check(place, &counts, &format!("{large} at {at} of {len}"));
                counts[len - 1] += 1;
                counts[0] += 3;
                check(place, &counts, &format!("{large} at {at} of {len}, and both ends"));
            }
        }
    }
}

fn values_of<T: crate::support::sample::Sample>(place: &Place, counts: &[u32]) {
    let values = random_values::<T>(counts.len());
    let expected: Vec<T> = expanded(counts).0.into_iter().map(|owner| values[owner as usize]).collect();
    let mut found = place.poisoned::<T>(expected.len() + 3, 1);
    let (values, counts) = (place.upload(&values, 1), place.upload(counts, 0));
    let total = Expand::values(&values).run(&place.device, &counts, &mut found).unwrap();
    assert_eq!(total.get(), Ok(expected.len()));
    expect_beginning(&found, &expected, std::any::type_name::<T>());
}

fn values_of_each_size(place: &Place) {
    let mut rng = Rng::new(3);
    for len in sizes::few() {
        let counts: Vec<u32> = (0..len).map(|_| rng.below(6) as u32).collect();
        values_of::<u8>(place, &counts);
        values_of::<(u8, u8, u8)>(place, &counts);
        values_of::<u64>(place, &counts);
        values_of::<u128>(place, &counts);
        values_of::<(u64, u8)>(place, &counts);
    }
}

fn too_many_results(place: &Place) {
    for len in [1, 100, 50_000] {
        let counts: Vec<u64> = (0..len).map(|i| i % 7 + 1).collect();
        let owners = expanded(&counts.iter().map(|&count| count as u32).collect::<Vec<_>>()).0;
        let (input, needed) = (place.upload(&counts, 0), owners.len());
        for capacity in [0, needed / 3, needed - 1, needed] {
            let mut output = place.poisoned::<u32>(capacity, 1);
            let found = Expand::new().run(&place.device, &input, &mut output).and_then(|total| total.get());
            let too_many = Error::Capacity { what: "output", needed, capacity };
            assert_eq!(found, if capacity < needed { Err(too_many) } else { Ok(needed) });
            expect_beginning(&output, &owners[..capacity], &format!("{capacity} of {needed}"));
        }
    }
}

/// Counted inputs: the counts past their number may be anything.
fn counts_of_counts(place: &Place) {
    for len in [0, 1, 300, 20_000] {
        let mut some = place.poisoned::<u32>(len, 0);
        let kept = Select::new(crate::support::Odd).run(&place.device, &place.upload(&vec![1u32; len], 0), &mut some);
        let kept = kept.unwrap();
        let mut counts = vec![u32::MAX; len + 777];
        (0..len).for_each(|i| counts[i] = i as u32 % 3);
        let expected = expanded(&counts[..len]).0;
        let mut output = place.poisoned::<u32>(expected.len(), 0);
        let total = Expand::new().run(&place.device, &kept.of(&place.upload(&counts, 0)), &mut output).unwrap();
        assert_eq!(total.get(), Ok(expected.len()));
        expect_beginning(&output, &expected, "of a count");
        let short = place.upload(&counts[..len / 2], 0);
        let found = Expand::new().run(&place.device, &kept.of(&short), &mut output).and_then(|total| total.get());
        let too_many = Error::Capacity { what: "counted input", needed: len, capacity: len / 2 };
        assert_eq!(found.err(), (len > 0).then_some(too_many));
    }
}

fn expand_refused(place: &Place) {
    let (counts, values) = (place.upload(&[1u32; 10], 0), place.upload(&[1u8; 9], 0));
    let mut output = place.poisoned::<u8>(10, 0);
    let error = Expand::values(&values).run(&place.device, &counts, &mut output).map(drop);
    assert_eq!(error, Err(Error::Length { what: "values", found: 9, expected: 10 }));
    expect_beginning(&output, &[], "no call");
}

/// Runs encoded and expanded again, without their number on the host.
fn runs_and_back(place: &Place) {
    for (len, mean) in [(0, 1), (1, 1), (5000, 3), (300_000, 2), (300_000, 5000)] {
        let x = in_runs::<u16>(len, mean);
        let input = place.upload(&x, 0);
        let (mut values, mut lengths) = (place.poisoned::<u16>(len, 0), place.poisoned::<u32>(len, 1));
        let runs = Runs::new().run(&place.device, &input, (&mut values, &mut lengths)).unwrap();
        let mut again = place.poisoned::<u16>(len, 0);
        let total = Expand::values(&values).run(&place.device, &runs.of(&lengths), &mut again).unwrap();
        assert_eq!(total.get(), Ok(len));
        expect_beginning(&again, &x, "again");
        assert_eq!(Expand::values(&values).run_to_vec(&place.device, &runs.of(&lengths)), Ok(x));
    }
}

fn sums_past_64_bits(place: &Place) {
    let counts = place.upload(&[3u64, u64::MAX - 1, 9, u64::MAX], 0);
    let mut output = place.poisoned::<u32>(100, 0);
    let found = Expand::new().run(&place.device, &counts, &mut output).and_then(|total| total.get());
    assert_eq!(found, Err(Error::Capacity { what: "output", needed: usize::MAX, capacity: 100 }));
    let expected: Vec<u32> = (0..100).map(|i| u32::from(i > 2)).collect();
    expect_beginning(&output, &expected, "of too many");
}
