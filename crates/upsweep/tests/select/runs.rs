//! Cases of runs of equal neighbours.

use crate::dedups::in_runs;
use crate::support::place::Place;
use crate::support::sample::{Sample, random_values};
use crate::support::{expect_beginning, lengths, on_each_backend, sizes};
use upsweep::prelude::*;
use upsweep::{Error, function};

on_each_backend! { run_lengths, run_starts, runs_each_size, runs_by, runs_of_counts, too_many_runs, runs_refused, runs_to_vecs, sums_with_keys }

/// Begins of the runs.
fn starts<T>(x: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<usize> {
    (0..x.len()).filter(|&i| i == 0 || !same(&x[i - 1], &x[i])).collect()
}

/// Lengths of the runs.
fn ends_of(starts: &[usize], len: usize) -> Vec<usize> {
    let next = starts.iter().skip(1).copied().chain([len]);
    starts.iter().zip(next).map(|(start, next)| next - start).collect()
}

fn check<T: Sample + PartialEq>(place: &Place, len: usize, mean: usize, lengths: bool) {
    let x = in_runs::<T>(len, mean);
    let (input, mut values) = (place.upload(&x, len % 4), place.poisoned::<T>(len, len % 3));
    let mut numbers = place.poisoned::<u32>(len, len % 2);
    let runs = if lengths { Runs::new() } else { Runs::new().starts() };
    let count = runs.run(&place.device, &input, (&mut values, &mut numbers));
    let starts = starts(&x, |a, b| a == b);
    let case = format!("{len} of {} in runs of {mean}", std::any::type_name::<T>());
    assert_eq!(count.unwrap().get(), Ok(starts.len()), "{case}");
    let expected = if lengths { ends_of(&starts, len) } else { starts.clone() };
    expect_beginning(&values, &starts.iter().map(|&i| x[i]).collect::<Vec<_>>(), &case);
    expect_beginning(&numbers, &expected.into_iter().map(|i| i as u32).collect::<Vec<_>>(), &case);
}

fn run_lengths(place: &Place) {
    for len in lengths(4) {
        for mean in [1, 2, 64, 100_000] {
            check::<u32>(place, len, mean, true);
        }
    }
}

fn run_starts(place: &Place) {
    for len in lengths(4) {
        for mean in [1, 50] {
            check::<u32>(place, len, mean, false);
        }
    }
}

fn runs_each_size(place: &Place) {
    for len in sizes::few().into_iter().chain([12_287, 12_289, 300_000]) {
        check::<u8>(place, len, 4, true);
        check::<(u8, u8, u8)>(place, len, 4, true);
        check::<u64>(place, len, 4, true);
        check::<u128>(place, len, 700, true);
        check::<(u64, u8)>(place, len, 4, false);
    }
}

#[function]
fn close(#[param] most: u32, a: u32, b: u32) -> bool {
    b.wrapping_sub(a) <= most
}

fn runs_by(place: &Place) {
    let x: Vec<u32> = random_values::<u32>(30_000).into_iter().map(|x| x % 64).collect();
    let input = place.upload(&x, 0);
    for most in [0, 40] {
        let (values, lengths) = Runs::by(Close { most }).run_to_vecs::<_, i64>(&place.device, &input).unwrap();
        let starts = starts(&x, |a, b| b.wrapping_sub(*a) <= most);
        assert_eq!(values, starts.iter().map(|&i| x[i]).collect::<Vec<_>>());
        assert_eq!(lengths, ends_of(&starts, x.len()).into_iter().map(|n| n as i64).collect::<Vec<_>>());
    }
}

/// The last run ends where the elements do, not where their room does.
fn runs_of_counts(place: &Place) {
    for len in [0, 1, 5000, 40_000] {
        let input = place.upload(&vec![1u32; 50_000], 0);
        let mut some = place.poisoned::<u32>(len, 0);
        let shorter = place.upload(&vec![1u32; len], 0);
        let kept = Select::new(crate::support::Odd).run(&place.device, &shorter, &mut some).unwrap();
        let (mut values, mut lengths) = (place.poisoned::<u32>(2, 0), place.poisoned::<u64>(2, 0));
        let count = Runs::new().run(&place.device, &kept.of(&input), (&mut values, &mut lengths)).unwrap();
        assert_eq!(count.get(), Ok(usize::from(len > 0)));
        expect_beginning(&lengths, &vec![len as u64; usize::from(len > 0)], "of a count");
    }
}

fn too_many_runs(place: &Place) {
    for (len, mean) in [(100, 1), (5000, 3), (400_000, 7)] {
        let x = in_runs::<u32>(len, mean);
        let starts = starts(&x, |a, b| a == b);
        let (input, lengths) = (place.upload(&x, 0), ends_of(&starts, len));
        let needed = starts.len();
        for capacity in [0, 1, needed / 3, needed - 1, needed] {
            let (mut values, mut numbers) = (place.poisoned::<u32>(capacity, 1), place.poisoned::<u64>(capacity, 1));
            let outputs = (&mut values, &mut numbers);
            let found = Runs::new().run(&place.device, &input, outputs).and_then(|count| count.get());
            let too_many = Error::Capacity { what: "output", needed, capacity };
            assert_eq!(found, if capacity < needed { Err(too_many) } else { Ok(needed) });
            let expected: Vec<u64> = lengths.iter().take(capacity).map(|&n| n as u64).collect();
            expect_beginning(&numbers, &expected, &format!("{capacity} of {needed}"));
            let expected: Vec<u32> = starts.iter().take(capacity).map(|&i| x[i]).collect();
            expect_beginning(&values, &expected, &format!("{capacity} of {needed}"));
        }
    }
}

fn runs_refused(place: &Place) {
    let input = place.upload(&[1u32; 10], 0);
    let (mut values, mut numbers) = (place.poisoned::<u32>(10, 0), place.poisoned::<u32>(9, 0));
    let error = Runs::new().run(&place.device, &input, (&mut values, &mut numbers)).map(drop);
    assert_eq!(error, Err(Error::Length { what: "second output", found: 9, expected: 10 }));
    expect_beginning(&values, &[], "no call");
    expect_beginning(&numbers, &[], "no call");
}

fn runs_to_vecs(place: &Place) {
    let none: (Vec<u32>, Vec<u32>) = Runs::new().run_to_vecs(&place.device, &place.upload::<u32>(&[], 0)).unwrap();
    assert_eq!(none, (vec![], vec![]));
    let x = [1.0f32, f32::NAN, f32::NAN, 0.0, -0.0, -0.0, 1.0, 1.0];
    let (_, lengths) = Runs::new().run_to_vecs::<_, i32>(&place.device, &place.upload(&x, 0)).unwrap();
    assert_eq!(lengths, [1, 1, 1, 3, 2]);
}

#[function]
fn same_ten(a: u32, b: u32) -> bool {
    a / 10 == b / 10
}

/// Sums by runs of keys, with the keys: of elements as large as the keys, of larger and of smaller ones.
fn sums_with_keys(place: &Place) {
    // Lengths of which a GPU has few tiles, under sanitizers too.
    for (i, len) in lengths(4).into_iter().chain([65_536, 98_311]).enumerate() {
        for (mean, tens) in [(1, false), (3, true), (64, false), (100_000, false)] {
            sums_by::<u32>(place, (len, mean, tens), i, u32::wrapping_add);
            sums_by::<u64>(place, (len, mean, tens), i, u64::wrapping_add);
        }
        sums_by::<u8>(place, (len, 30, false), i, u8::wrapping_add);
    }
}

/// Checks sums of that many elements, where keys lie in runs of `mean`, or are the same if their `tens` are.
fn sums_by<T: Sample + PartialEq>(
    place: &Place,
    (len, mean, tens): (usize, usize, bool),
    offset: usize,
    add: impl Fn(T, T) -> T,
) where
    Sum: Operator<T>,
{
    let keys = in_runs::<u32>(len, mean).into_iter().map(|key| key % 40).collect::<Vec<_>>();
    let x = random_values::<T>(len);
    let (mut first, mut sums) = (Vec::<u32>::new(), Vec::<T>::new());
    for k in 0..len {
        let continues = k > 0 && if tens { keys[k - 1] / 10 == keys[k] / 10 } else { keys[k - 1] == keys[k] };
        if !continues {
            first.push(keys[k]);
            sums.push(x[k]);
        } else if let Some(sum) = sums.last_mut() {
            *sum = add(*sum, x[k]);
        }
    }
    let (of, values) = (place.upload(&keys, offset % 4), place.upload(&x, offset % 3));
    let (mut found, mut output) = (place.poisoned(len, 1), place.poisoned(len, offset % 2));
    let (device, outputs) = (&place.device, (&mut found, &mut output));
    let count = if tens {
        Reduce::new(Sum).segments(Segments::KeysBy(&of, SameTen)).run_with_keys(device, &values, outputs)
    } else {
        Reduce::new(Sum).segments(Segments::Keys(&of)).run_with_keys(device, &values, outputs)
    };
    let case = format!("{len} {} in runs of {mean}", std::any::type_name::<T>());
    assert_eq!(count.unwrap().get(), Ok(sums.len()), "{case}");
    expect_beginning(&found, &first, &format!("keys of {case}"));
    expect_beginning(&output, &sums, &format!("sums of {case}"));
}
