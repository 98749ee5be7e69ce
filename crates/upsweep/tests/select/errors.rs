//! Errors of calls, with their values; and no write past an output.

use crate::support::place::Place;
use crate::support::{Odd, Spread, chosen, expect_beginning, kept, on_each_backend, with_low_bit};
use upsweep::Error;
use upsweep::prelude::*;

on_each_backend! { too_little_room, too_little_room_for_keys, more_than_the_buffer_of_a_count, other_numbers_of_flags, overlaps }

/// Error of a call, returned by the call itself or by a later one.
fn told(place: &Place, result: upsweep::Result<Count>) -> Option<Error> {
    match result {
        Err(error) => Some(error),
        Ok(count) => {
            let error = count.get().err();
            // It is told once.
            assert_eq!(place.device.synchronize(), Ok(()));
            error
        }
    }
}

fn too_little_room(place: &Place) {
    for len in [1, 100, 5000, 40_000] {
        let keep = kept(Spread::Half, len);
        let x = with_low_bit(&keep);
        let input = place.upload(&x, 0);
        let expected = chosen(&x, &keep);
        let needed = expected.len();
        for capacity in [0, needed / 3, needed.saturating_sub(1), needed] {
            let mut output = place.poisoned(capacity, 1);
            let error = told(place, Select::new(Odd).run(&place.device, &input, &mut output));
            let wanted = (capacity < needed).then_some(Error::Capacity { what: "output", needed, capacity });
            assert_eq!(error, wanted, "{len}");
            expect_beginning(&output, &expected[..capacity], &format!("{capacity} of {needed}"));
        }
    }
    let error = Error::Capacity { what: "output", needed: 5, capacity: 3 };
    assert_eq!(error.to_string(), "the output has room for 3 elements, and there are 5: give a larger one");
}

fn too_little_room_for_keys(place: &Place) {
    for len in [1, 100, 5000, 40_000u32] {
        let keys: Vec<u32> = (0..len).map(|i| i / 3).collect();
        let mut first = keys.clone();
        first.dedup();
        let needed = first.len();
        let sums: Vec<u64> = first.iter().map(|&key| u64::from((len - 3 * key).min(3))).collect();
        let (of, ones) = (place.upload(&keys, 1), place.upload(&vec![1u64; keys.len()], 0));
        for capacity in [0, needed / 2, needed - 1, needed] {
            let (mut found, mut output) = (place.poisoned::<u32>(capacity, 1), place.poisoned::<u64>(needed, 0));
            let reduce = Reduce::new(Sum).segments(Segments::Keys(&of));
            let error = told(place, reduce.run_with_keys(&place.device, &ones, (&mut found, &mut output)));
            let wanted = (capacity < needed).then_some(Error::Capacity { what: "output", needed, capacity });
            assert_eq!(error, wanted, "{len}");
            expect_beginning(&found, &first[..capacity], &format!("{capacity} of {needed} keys"));
            expect_beginning(&output, &sums, &format!("sums beside {capacity} of {needed} keys"));
        }
    }
}

fn more_than_the_buffer_of_a_count(place: &Place) {
    let input = place.upload(&vec![1u32; 9000], 0);
    let mut output = place.poisoned::<u32>(9000, 0);
    let count = Select::new(Odd).run(&place.device, &input, &mut output).unwrap();
    let (short, mut rest) = (place.upload(&vec![3u32; 4000], 0), place.poisoned::<u32>(9000, 0));
    let error = told(place, Select::new(Odd).run(&place.device, &count.of(&short), &mut rest));
    assert_eq!(error, Some(Error::Capacity { what: "counted input", needed: 9000, capacity: 4000 }));
    assert!(rest.check_guards()[4000..].iter().all(|&x| x == 0xABAB_ABAB));
}

fn other_numbers_of_flags(place: &Place) {
    let (input, mut output) = (place.upload(&[1u32; 10], 0), place.poisoned::<u32>(10, 0));
    for found in [0, 9, 11] {
        let flags = place.upload(&vec![true; found], 0);
        let error = Select::flags(&flags).run(&place.device, &input, &mut output).map(drop);
        assert_eq!(error, Err(Error::Length { what: "flags", found, expected: 10 }));
    }
    expect_beginning(&output, &[], "no call");
}

/// Overlaps: in Rust only views of the GPU's memory can overlap.
fn overlaps(place: &Place) {
    let flags = place.upload(&[true; 16], 0);
    let mut output = place.poisoned::<u32>(16, 0);
    // Memory of another kind than the device's.
    if crate::support::on_gpu(place) {
        let host = [1u32; 16];
        let error = Select::new(Odd).run(&place.device, host.as_slice(), &mut output).map(drop);
        assert_eq!(error, Err(Error::Place { what: "input", found: "host", expected: "CUDA" }));
        let mut host = [1u32; 16];
        let input = place.upload(&[1u32; 16], 0);
        let error = Select::flags(&flags).run(&place.device, &input, host.as_mut_slice()).map(drop);
        assert_eq!(error, Err(Error::Place { what: "output", found: "host", expected: "CUDA" }));
    }
    expect_beginning(&output, &[], "no call");
}
